/// The settings that there are.
package enum SettingName: String, Hashable, Sendable, CaseIterable {
  /// How PostgreSQL is reached.
  case database = "CUBIST_DATABASE"
  /// How turn workers reach PostgreSQL; optional, as for each other role.
  case workerDatabase = "CUBIST_DATABASE_WORKER"
  case schedulerDatabase = "CUBIST_DATABASE_SCHEDULER"
  case stewardDatabase = "CUBIST_DATABASE_STEWARD"
  case housekeeperDatabase = "CUBIST_DATABASE_HOUSEKEEPER"
  case relayDatabase = "CUBIST_DATABASE_RELAY"
  case readerDatabase = "CUBIST_DATABASE_READER"
  case pushDatabase = "CUBIST_DATABASE_PUSH"
  case raterDatabase = "CUBIST_DATABASE_RATER"
  /// A user of PostgreSQL that may only look: a setup makes it; optional.
  case lookoutDatabase = "CUBIST_DATABASE_LOOKOUT"
  /// How RabbitMQ is reached.
  case broker = "CUBIST_BROKER"
  /// How RabbitMQ's management API is reached; optional.
  case brokerManagement = "CUBIST_BROKER_MANAGEMENT"
  /// How programs of the operator's own reach RabbitMQ: the user that a setup makes; optional.
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
  /// The ways that notifications go: a list of `log`, the default, or `webhook`, and `webPush` and
  /// `apns`.
  case push = "CUBIST_PUSH"
  /// Where notifications are posted.
  case pushWebhookURL = "CUBIST_PUSH_WEBHOOK_URL"
  /// The secrets that sign them: one or several.
  case pushWebhookSecret = "CUBIST_PUSH_WEBHOOK_SECRET"
  /// The path of a file with authorities that may vouch for the receiver; optional.
  case pushWebhookCA = "CUBIST_PUSH_WEBHOOK_CA"
  /// The path of the file with the private key by which browsers know the service.
  case pushVAPIDKey = "CUBIST_PUSH_VAPID_KEY"
  /// Where a browser's push service reaches the operator.
  case pushContact = "CUBIST_PUSH_CONTACT"
  /// The operator's networks in which a browser's push service may be; none unless set otherwise.
  case pushAllow = "CUBIST_PUSH_ALLOW"
  /// The path of the file with the key that Apple gave out.
  case pushAPNsKey = "CUBIST_PUSH_APNS_KEY"
  /// Apple's name of that key.
  case pushAPNsKeyID = "CUBIST_PUSH_APNS_KEY_ID"
  /// Apple's name of the developer's team.
  case pushAPNsTeam = "CUBIST_PUSH_APNS_TEAM"
  /// The bundle ID of the app.
  case pushAPNsTopic = "CUBIST_PUSH_APNS_TOPIC"
  /// The address of Apple's push service; that of production unless set otherwise.
  case pushAPNsURL = "CUBIST_PUSH_APNS_URL"
  /// The path of a file with authorities that may vouch for it; optional.
  case pushAPNsCA = "CUBIST_PUSH_APNS_CA"
  /// For so many seconds after a notification of a turn the next ones wait, to come as one; 300
  /// unless set otherwise, 0: they do not wait.
  case pushBundle = "CUBIST_PUSH_BUNDLE"
  /// Requests and connections in a minute at most to one server that a client chose; 60 unless set
  /// otherwise, 0: no limit.
  case pushStrange = "CUBIST_PUSH_STRANGE"
  /// For how many days replies to events are kept; 8 unless set otherwise.
  case keepReplies = "CUBIST_KEEP_REPLIES"
  /// For how many days the fate of push jobs, dead push jobs and dead events are kept; 30 unless
  /// set otherwise.
  case keepJobs = "CUBIST_KEEP_JOBS"
  /// For how many days reports of players are kept; 180 unless set otherwise.
  case keepReports = "CUBIST_KEEP_REPORTS"
  /// For how many days acts of operators are kept; for ever unless set otherwise, 0: for ever.
  case keepActs = "CUBIST_KEEP_ACTS"
  /// For how many days after its end a match is kept, with its record and its past games; for ever
  /// unless set otherwise, 0: for ever.
  case keepGames = "CUBIST_KEEP_GAMES"
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
  /// Tests of notifications of one player in a minute at most; 5 unless set otherwise, 0: no limit.
  case limitTests = "CUBIST_LIMIT_TESTS"
  /// Names that nobody registers without an operator: a list, or `-` for none.
  case reservedNames = "CUBIST_RESERVED_NAMES"
  /// Messages at most in each queue of events; 50,000 unless set otherwise.
  case capacityEvents = "CUBIST_CAPACITY_EVENTS"
  /// Megabytes at most there; 128 unless set otherwise.
  case capacityEventsMB = "CUBIST_CAPACITY_EVENTS_MB"
  /// Messages at most in the queue of queries, and that of gateways' questions; 10,000 unless set
  /// otherwise.
  case capacityQueries = "CUBIST_CAPACITY_QUERIES"
  /// Megabytes at most there; 16 unless set otherwise.
  case capacityQueriesMB = "CUBIST_CAPACITY_QUERIES_MB"
  /// Messages at most in the queue of push jobs, and each one where they wait to be tried again;
  /// 200,000 unless set otherwise.
  case capacityJobs = "CUBIST_CAPACITY_JOBS"
  /// Megabytes at most there; 256 unless set otherwise.
  case capacityJobsMB = "CUBIST_CAPACITY_JOBS_MB"
  /// Where the gateway listens: address and port; optional. A process without it runs no gateway.
  case gatewayListen = "CUBIST_GATEWAY_LISTEN"
  /// The proxies whose `Forwarded` and `X-Forwarded-For` are believed; none unless set otherwise.
  case gatewayProxies = "CUBIST_GATEWAY_PROXIES"
  /// The address at which players find the page.
  case gatewayURL = "CUBIST_GATEWAY_URL"
  /// The origins whose pages may call the gateway; `*`: all. None unless set otherwise.
  case gatewayOrigins = "CUBIST_GATEWAY_ORIGINS"
  /// The bytes of a request's body at most.
  case gatewayBody = "CUBIST_GATEWAY_BODY"
  /// The bytes of a request's head at most.
  case gatewayHeaderBytes = "CUBIST_GATEWAY_HEADER_BYTES"
  /// The header fields of a request at most.
  case gatewayHeaderCount = "CUBIST_GATEWAY_HEADER_COUNT"
  /// How long a request's head may take; 0: no limit.
  case gatewayHeadSeconds = "CUBIST_GATEWAY_HEAD_SECONDS"
  /// How long a request's body may take; 0: no limit.
  case gatewayBodySeconds = "CUBIST_GATEWAY_BODY_SECONDS"
  /// How long a connection without a request is kept; 0: no limit.
  case gatewayIdleSeconds = "CUBIST_GATEWAY_IDLE_SECONDS"
  /// How long a client may take to read; 0: no limit.
  case gatewayWriteSeconds = "CUBIST_GATEWAY_WRITE_SECONDS"
  /// Connections at most; 0: no limit.
  case gatewayConnections = "CUBIST_GATEWAY_CONNECTIONS"
  /// Connections of one address at most; 0: no limit.
  case gatewayAddressConnections = "CUBIST_GATEWAY_ADDRESS_CONNECTIONS"
  /// Requests of one address in a minute at most; 0: no limit.
  case gatewayAddressRequests = "CUBIST_GATEWAY_ADDRESS_REQUESTS"
  /// Signed requests of one key in a minute at most; 0: no limit.
  case gatewayKeyRequests = "CUBIST_GATEWAY_KEY_REQUESTS"
  /// Registrations from one address in an hour at most; larger networks have more; 0: no limit.
  case gatewayRegistrations = "CUBIST_GATEWAY_REGISTRATIONS"
  /// The percentage of an hour's registrations that is kept for new networks; 50 unless set
  /// otherwise.
  case gatewayNewNetworks = "CUBIST_GATEWAY_NEW_NETWORKS"
  /// Streams of changes at most; 0: no limit.
  case gatewayStreams = "CUBIST_GATEWAY_STREAMS"
  /// Streams of one player at most; 0: no limit.
  case gatewayPlayerStreams = "CUBIST_GATEWAY_PLAYER_STREAMS"
  /// Streams to one address at most; 0: no limit.
  case gatewayAddressStreams = "CUBIST_GATEWAY_ADDRESS_STREAMS"
  /// Requests that wait for an answer at most; 0: no limit.
  case gatewayWaits = "CUBIST_GATEWAY_WAITS"
  /// Requests of one address that wait at most; 0: no limit.
  case gatewayAddressWaits = "CUBIST_GATEWAY_ADDRESS_WAITS"
  /// Where health is told: address and port; nowhere unless set.
  case healthListen = "CUBIST_HEALTH_LISTEN"

  /// A value that would be allowed, and whether values of its kind can hold a secret.
  package enum Example: Hashable, Sendable {
    /// A number, a public name or address, or the path of a file.
    case open(String)
    /// A URL or a connection string, which can hold a password.
    case address(String)
    /// A secret that signs.
    case secret(String)
  }

  /// A value that would be allowed.
  package var example: String {
    switch exampleByKind {
    case .open(let text), .address(let text), .secret(let text): text
    }
  }

  package var exampleByKind: Example {
    switch self {
    case .database: .address("postgresql://cubist@localhost/cubist")
    case .workerDatabase: .address("postgresql://cubist_worker@localhost/cubist")
    case .schedulerDatabase: .address("postgresql://cubist_scheduler@localhost/cubist")
    case .stewardDatabase: .address("postgresql://cubist_steward@localhost/cubist")
    case .housekeeperDatabase: .address("postgresql://cubist_housekeeper@localhost/cubist")
    case .relayDatabase: .address("postgresql://cubist_relay@localhost/cubist")
    case .readerDatabase: .address("postgresql://cubist_reader@localhost/cubist")
    case .pushDatabase: .address("postgresql://cubist_push@localhost/cubist")
    case .raterDatabase: .address("postgresql://cubist_rater@localhost/cubist")
    case .lookoutDatabase: .address("postgresql://cubist_lookout@localhost/cubist")
    case .broker: .address("amqps://cubistd@broker.example/cubist")
    case .brokerManagement: .address("http://operator@localhost:15672")
    case .playerBroker: .address("amqps://player@broker.example/cubist")
    case .gatewayBroker: .address("amqps://gateway@broker.example/cubist")
    case .serviceKeys: .open("/etc/cubist/service-keys.json")
    case .roles: .open("worker,scheduler,relay,reader,push,rater")
    case .queues: .open("16")
    case .pushLog: .open("/var/log/cubist/push.jsonl")
    case .push: .open("webhook,webPush")
    case .pushWebhookURL: .open("https://push.example/cubist")
    case .pushWebhookSecret: .secret("whsec_" + String(repeating: "A", count: 32))
    case .pushWebhookCA: .open("/etc/cubist/push-ca.pem")
    case .pushVAPIDKey: .open("/etc/cubist/vapid.pem")
    case .pushContact: .open("mailto:push@play.example")
    case .pushAllow: .open("10.1.0.0/16")
    case .pushAPNsKey: .open("/etc/cubist/AuthKey_ABC123DEFG.p8")
    case .pushAPNsKeyID: .open("ABC123DEFG")
    case .pushAPNsTeam: .open("DEF123GHIJ")
    case .pushAPNsTopic: .open("example.play.cubist")
    case .pushAPNsURL: .open("https://api.sandbox.push.apple.com")
    case .pushAPNsCA: .open("/etc/cubist/apns-ca.pem")
    case .pushBundle: .open("300")
    case .pushStrange: .open("60")
    case .keepReplies: .open("8")
    case .keepJobs: .open("30")
    case .keepReports: .open("180")
    case .keepActs: .open("0")
    case .keepGames: .open("365")
    case .logLevel: .open("info")
    case .workerBatch: .open("512")
    case .workers: .open("1")
    case .limitEvents: .open("600")
    case .limitRequests: .open("20")
    case .limitMatches: .open("100")
    case .limitQueries: .open("1200")
    case .limitInvitations: .open("200")
    case .limitStrangers: .open("50")
    case .limitRegistrations: .open("1000")
    case .limitBlocks: .open("1000")
    case .limitTests: .open("5")
    case .reservedNames: .open("admin,support,robot")
    case .capacityEvents: .open("50000")
    case .capacityEventsMB: .open("128")
    case .capacityQueries: .open("10000")
    case .capacityQueriesMB: .open("16")
    case .capacityJobs: .open("200000")
    case .capacityJobsMB: .open("256")
    case .gatewayListen: .open("127.0.0.1:8080")
    case .gatewayProxies: .open("127.0.0.1,10.0.0.0/8")
    case .gatewayURL: .open("https://play.example")
    case .gatewayOrigins: .open("https://play.example")
    case .gatewayBody: .open("4193")
    case .gatewayHeaderBytes: .open("16384")
    case .gatewayHeaderCount: .open("64")
    case .gatewayHeadSeconds: .open("10")
    case .gatewayBodySeconds: .open("10")
    case .gatewayIdleSeconds: .open("75")
    case .gatewayWriteSeconds: .open("20")
    case .gatewayConnections: .open("20000")
    case .gatewayAddressConnections: .open("200")
    case .gatewayAddressRequests: .open("6000")
    case .gatewayKeyRequests: .open("3000")
    case .gatewayRegistrations: .open("60")
    case .gatewayNewNetworks: .open("50")
    case .gatewayStreams: .open("20000")
    case .gatewayPlayerStreams: .open("8")
    case .gatewayAddressStreams: .open("100")
    case .gatewayWaits: .open("4096")
    case .gatewayAddressWaits: .open("128")
    case .healthListen: .open("127.0.0.1:9081")
    }
  }

  /// Whether a name is a setting's, or that of the file that holds one.
  package static func isKnown(_ name: String) -> Bool {
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
  /// Takes players' messages by HTTP. It has no database.
  case gateway

  /// The roles that a person names; the others run beside one of them.
  package static let named: [RoleName] = standard + [.gateway]

  /// The roles that a service cannot do without.
  package static let standard: [RoleName] = [.worker, .scheduler, .relay, .reader, .push, .rater]

  /// The roles that give signs of life in the database.
  package static let signing: [RoleName] = allCases.filter { $0 != .gateway }

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
