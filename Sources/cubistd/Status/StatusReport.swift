import BrokerManagement
import EventBusLive
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire

/// The state of the service, from the database, the broker and this machine's key file.
struct StatusReport: Equatable, Sendable {
  /// From here on a queue's clock counts as behind, in seconds.
  static let lagLimit: Int64 = 15
  /// From here on a push job counts as stuck, in seconds.
  static let outboxAgeLimit: Int64 = 60
  /// From here on a match counts as forgotten by the rater, in seconds.
  static let ratingAgeLimit: Int64 = 60
  /// How long a jump of the database's clock is told that has no consequences any more, in seconds.
  static let jumpIsNews: Int64 = 3_600
  /// From here on a standby counts as behind, in bytes of the log.
  static let standbyLagLimit = 64 * 1_024 * 1_024
  /// From here on connections are near their limit, in parts of a hundred.
  static let connectionPercentLimit = 85.0
  /// For how many seconds housekeeping may fail before it is named.
  static let housekeepingAgeLimit: Int64 = 300
  /// Above this share of its limit a queue counts as long: one part in so many.
  static let longShare = 5
  /// A role that began less than so many seconds ago may not have done everything yet.
  static let graceSeconds: Int64 = 20

  /// The key file that the settings name.
  enum KeyFile: Equatable, Sendable {
    /// They name none: commands need none.
    case unnamed
    case read(KeyTerm)
    /// It is not there.
    case lost(path: String)
    /// It is there and cannot be used.
    case unreadable(path: String, reason: String)
    /// It is another service's than the database.
    case foreign(cause: String, remedy: String)
  }

  /// The queues that the settings tell of.
  var layout: QueueLayout
  /// Nil where the database did not answer.
  var status: ServiceStatus?
  /// Why this build cannot work with the schema; nil: it can.
  var schemaProblem: String?
  /// The settings of the database's owner and users that the service does not bear, as far as this
  /// machine knows users.
  var userSettings: [SessionParameters.Setting] = []
  /// What these users have left besides.
  var userTraces: [DatabaseRights.Trace] = []
  /// Nil where there is no management API to ask, or it did not answer.
  var queues: [BrokerAdministration.QueueReport]?
  /// The limits of queues by the settings, for those of which the broker does not say it.
  var limits = TopologyLimits()
  /// The broker's own counts of queues; empty where it was not asked or did not answer.
  var counts: [QueueCount] = []
  /// The queues that the broker does not have.
  var missingQueues: [String] = []
  /// The exchanges that the broker does not have.
  var missingExchanges: [String] = []
  /// The faults of bindings and rights, a sentence each; empty where nobody could be asked.
  var topologyProblems: [String] = []
  /// The limits of queues that differ from the settings, a sentence each.
  var limitProblems: [String] = []
  /// The faults that keep players from playing, a sentence each; empty where the settings name no
  /// user of theirs.
  var playerProblems: [String] = []
  /// The obstacles that a gateway's login meets, a sentence each.
  var gatewayProblems: [String] = []
  /// The user of the management API, if it may not read rights.
  var blindUser: String?
  /// The database's claim on its broker.
  var claim: BrokerClaim?
  /// Whether the broker serves another database.
  var servesAnother = false
  /// The broker's nodes; empty where the management API did not answer.
  var nodes: [BrokerAdministration.NodeReport] = []
  /// The key file of this machine.
  var keyFile = KeyFile.unnamed
  /// The certificates that servers showed.
  var certificates: [ServerCertificate] = []
  /// The disks of this machine.
  var disks: [LocalDisk] = []
  /// The processes of this machine whose file descriptors can be seen.
  var processes: [LocalProcess] = []
  /// The roles that give no sign of life, and whose user PostgreSQL refuses, with its words.
  var refusedLogins: [RoleName: String] = [:]
  /// The processes of this machine that are stopped.
  var frozen: [FrozenProcess] = []
  /// This machine's gateway and its answer; nil where the settings name none, or a server is away.
  var gateway: AskedGateway?
  /// The time of this machine when it began to ask; for certificates, where the database is silent.
  var lookedAt: Instant?
  /// The folder of `cubistd up`, if the service is one of that.
  var privateFolder: String?
  /// The servers that did not answer, with the reason.
  var failures: [OperatorFailure] = []

  /// The service's id; nil before it was set up, and where the database does not say.
  var service: ServiceID? { status?.service?.service }
  /// Alarms of the broker.
  var alarms: [String] { nodes.flatMap(\.alarms) }
  var registrationNeedsCode: Bool { status?.registrationNeedsCode ?? false }
  /// The working key that is certified longest; nil before the service was set up.
  var keyTerm: KeyTerm? { KeyTerm(latestOf: status?.service?.certificates ?? []) }
  /// The queues that there are: the database's word counts.
  var servedLayout: QueueLayout { status?.layout?.layout ?? layout }

  /// A queue, as the broker and the database tell of it.
  struct Queue: Equatable, Sendable {
    var name: String
    var ready: Int?
    var unacknowledged: Int?
    var consumers: Int?
    /// The bytes of the messages that wait.
    var bytes: Int?
    /// The limit from which on the broker refuses messages; nil: there is none that it keeps.
    var limit: TopologyLimits.Length?
    /// The worker that has it in its share.
    var worker: WorkerID?
    /// How far the queue's clock is behind the service's time, in seconds; nil before the first tick.
    var lagSeconds: Int64?
    var isOfEvents: Bool
    /// Whether it is one of a former build.
    var isFormer = false
    /// Nodes of the broker that should have a replica and are not there.
    var absentMembers: [String] = []
  }

  /// Workers with a recent heartbeat.
  var livingWorkers: [ServiceStatus.Worker] { status?.livingWorkers ?? [] }

  /// Roles of a kind with a recent sign of life.
  func living(_ role: RoleName) -> [ServiceStatus.Role] {
    status?.living(role) ?? []
  }

  func isLiving(_ role: ServiceStatus.Role) -> Bool {
    status?.isLiving(role) ?? false
  }

  /// The gateways that hear notices; nil where the management API did not answer. One that was killed
  /// counts until the broker misses it.
  func gatewayCount(_ names: Names) -> Int? {
    queues?.count { names.isOfGateway($0.name) && $0.consumers > 0 }
  }

  /// The queues of events in their order, then the others as far as the broker was asked.
  func queueRows(names: Names = Names()) -> [Queue] {
    var reports: [String: Queue] = [:]
    for report in queues ?? [] {
      reports[report.name] = Queue(
        name: report.name, ready: report.ready, unacknowledged: report.unacknowledged,
        consumers: report.consumers, bytes: report.readyBytes, limit: limit(of: report, names),
        isOfEvents: false, isFormer: names.isFormer(report.name),
        absentMembers: report.absentMembers)
    }
    // The management API's numbers are some seconds old.
    for count in counts {
      let known =
        reports[count.name]
        ?? Queue(
          name: count.name, limit: limits.length(of: count.name, names), isOfEvents: false)
      reports[count.name] = known
      reports[count.name]?.ready = count.ready
      reports[count.name]?.consumers = count.consumers
    }
    let living = livingWorkers.map(\.id)
    var holders: [Int: WorkerID] = [:]
    for worker in living {
      for queue in QueueAssignment.queues(
        of: worker, among: living, queueCount: servedLayout.queueCount)
      {
        holders[queue] = worker
      }
    }
    let events = (0..<servedLayout.queueCount).map { index in
      let name = names.events(queue: index)
      var queue = reports.removeValue(forKey: name) ?? Queue(name: name, isOfEvents: true)
      queue.isOfEvents = true
      queue.worker = holders[index]
      queue.lagSeconds = status?.clocks[index]?.time.flatMap { status?.serviceAge($0) }
      return queue
    }
    return events + reports.values.sorted { $0.name < $1.name }
  }

  /// The limit that the broker keeps to; of the service's own queues alone.
  private func limit(
    of report: BrokerAdministration.QueueReport, _ names: Names
  ) -> TopologyLimits.Length? {
    guard var limit = limits.length(of: report.name, names) else { return nil }
    let told = report.limits
    if told.messages != nil || told.bytes != nil {
      limit = .init(messages: told.messages ?? .max, bytes: told.bytes ?? .max)
    }
    return limit
  }

  /// The findings, a sentence each; none where all is well.
  func attention(names: Names = Names()) -> [String] { findings(names: names).map(\.sentence) }

  /// Whole seconds since an instant, by the database's clock.
  func age(_ instant: Instant) -> Int64 { status?.age(instant) ?? 0 }

  /// How long ago an instant was, in words.
  func span(_ instant: Instant) -> String { PlainText.span(age(instant)) }

  /// By how many seconds an instant is ahead of the database's clock; nil where it is not.
  func ahead(_ instant: Instant) -> Int64? { status?.ahead(instant) }
}

extension TopologyLimits {
  /// The limit of one of the service's own queues; nil of any other.
  func length(of queue: String, _ names: Names) -> Length? {
    switch names.content(of: queue) {
    case .events: events
    case .queries: queries
    case .jobs: push
    case nil: nil
    }
  }
}

extension StatusReport.Queue {
  /// Whether the broker refuses messages for it.
  var isFull: Bool {
    guard let limit else { return false }
    return (ready ?? 0) >= limit.messages || (bytes ?? 0) >= limit.bytes
  }
  /// Whether it is longer than it should be.
  var isLong: Bool {
    guard let limit else { return false }
    let share = StatusReport.longShare
    return (ready ?? 0) > limit.messages / share || (bytes ?? 0) > limit.bytes / share
  }

  /// Its messages and its limit, for a person.
  var filling: String {
    guard let limit else { return "" }
    let isOfBytes =
      Double(bytes ?? 0) / Double(limit.bytes) > Double(ready ?? 0) / Double(limit.messages)
    return isOfBytes
      ? "\(name) (\((bytes ?? 0) / 1_048_576) of \(limit.bytes / 1_048_576) MB)"
      : "\(name) (\(ready ?? 0) of \(limit.messages))"
  }
}
