/// The settings that there are.
package enum SettingName: String, Hashable, Sendable, CaseIterable {
  /// How PostgreSQL is reached.
  case database = "CUBIST_DATABASE"
  /// How RabbitMQ is reached.
  case broker = "CUBIST_BROKER"
  /// How RabbitMQ's management API is reached; optional.
  case brokerManagement = "CUBIST_BROKER_MANAGEMENT"
  /// How all players reach RabbitMQ: the user that a setup makes for them; optional.
  case playerBroker = "CUBIST_PLAYER_BROKER"
  /// How gateways reach RabbitMQ: the user that a setup makes for them; optional.
  case gatewayBroker = "CUBIST_GATEWAY_BROKER"
  /// The path of the file with the service's keys.
  case serviceKeys = "CUBIST_SERVICE_KEYS"
  /// The roles that run; all of them unless set otherwise.
  case roles = "CUBIST_ROLES"
  /// How many queues the slots are bound to; 16 unless set otherwise.
  case queues = "CUBIST_QUEUES"
  /// Where notifications are written; `-`, the default, is the standard output.
  case pushLog = "CUBIST_PUSH_LOG"
  /// The way that notifications go: `log`, the default, or `webhook`.
  case push = "CUBIST_PUSH"
  /// Where notifications are posted.
  case pushWebhookURL = "CUBIST_PUSH_WEBHOOK_URL"
  /// The secrets that sign them: one or several.
  case pushWebhookSecret = "CUBIST_PUSH_WEBHOOK_SECRET"
  /// The path of a file with authorities that may vouch for the receiver; optional.
  case pushWebhookCA = "CUBIST_PUSH_WEBHOOK_CA"
  /// The lowest level that is logged; `info` unless set otherwise.
  case logLevel = "CUBIST_LOG_LEVEL"
  /// Events in one transaction at most; 512 unless set otherwise.
  case workerBatch = "CUBIST_WORKER_BATCH"
  /// Turn workers in this process; 1 unless set otherwise.
  case workers = "CUBIST_WORKERS"
  /// Events of one player in a minute at most; 600 unless set otherwise, 0: no limit.
  case limitEvents = "CUBIST_LIMIT_EVENTS"
  /// Requests and invitations of one player that wait at most; 20 unless set otherwise, 0: no
  /// limit.
  case limitRequests = "CUBIST_LIMIT_REQUESTS"
  /// Matches of one player that are not over at most; 100 unless set otherwise, 0: no limit.
  case limitMatches = "CUBIST_LIMIT_MATCHES"
  /// Queries of one player in a minute at most; 1,200 unless set otherwise, 0: no limit.
  case limitQueries = "CUBIST_LIMIT_QUERIES"
  /// Invitations to one player that wait at most; 200 unless set otherwise, 0: no limit.
  case limitInvitations = "CUBIST_LIMIT_INVITATIONS"
  /// Invitations from players that the player has never met; 50 unless set otherwise, 0: no limit.
  case limitStrangers = "CUBIST_LIMIT_STRANGERS"
  /// Registrations in an hour without a code; 1,000 unless set otherwise, 0: no limit.
  case limitRegistrations = "CUBIST_LIMIT_REGISTRATIONS"
  /// Players that one player has blocked at most; 1,000 unless set otherwise, 0: no limit.
  case limitBlocks = "CUBIST_LIMIT_BLOCKS"

  /// A value that would be allowed.
  package var example: String {
    switch self {
    case .database: "postgresql://cubist@localhost/cubist"
    case .broker: "amqps://cubistd@broker.example/cubist"
    case .brokerManagement: "http://operator@localhost:15672"
    case .playerBroker: "amqps://player@broker.example/cubist"
    case .gatewayBroker: "amqps://gateway@broker.example/cubist"
    case .serviceKeys: "/etc/cubist/service-keys.json"
    case .roles: "worker,scheduler,relay,reader,push,rater"
    case .queues: "16"
    case .pushLog: "/var/log/cubist/push.jsonl"
    case .push: "webhook"
    case .pushWebhookURL: "https://push.example/cubist"
    case .pushWebhookSecret: "whsec_" + String(repeating: "A", count: 32)
    case .pushWebhookCA: "/etc/cubist/push-ca.pem"
    case .logLevel: "info"
    case .workerBatch: "512"
    case .workers: "1"
    case .limitEvents: "600"
    case .limitRequests: "20"
    case .limitMatches: "100"
    case .limitQueries: "1200"
    case .limitInvitations: "200"
    case .limitStrangers: "50"
    case .limitRegistrations: "1000"
    case .limitBlocks: "1000"
    }
  }

  /// Whether a name is a setting's, or that of the file that holds one.
  static func isKnown(_ name: String) -> Bool {
    SettingName(rawValue: name) != nil
      || name.hasSuffix("_FILE") && SettingName(rawValue: String(name.dropLast(5))) != nil
  }
}

package enum RoleName: String, Hashable, Sendable, CaseIterable {
  /// Judges events.
  case worker
  /// Lets time pass.
  case scheduler
  /// Does the work beside a scheduler that may take long.
  case steward
  /// Publishes the jobs that dead workers owed.
  case relay
  /// Answers queries.
  case reader
  /// Hands out notifications.
  case push
  /// Rates matches that have ended.
  case rater

  /// The roles that a person names; the others run beside one of them.
  package static let named: [RoleName] = [.worker, .scheduler, .relay, .reader, .push, .rater]

  /// The role that a person has named.
  package init?(named text: String) {
    guard let role = RoleName(rawValue: text), RoleName.named.contains(role) else { return nil }
    self = role
  }

  /// The role that a person names to run it.
  package var runsWith: RoleName { self == .steward ? .scheduler : self }

  /// Whether it signs with the service's keys, or shows them.
  package var usesKeys: Bool { [.worker, .scheduler, .steward, .reader].contains(self) }
}
