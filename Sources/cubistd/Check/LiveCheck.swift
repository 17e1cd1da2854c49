import BrokerManagement
import Dispatch
import CubeRules
import EventBusLive
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import Synchronization

/// The check of a database that others write to meanwhile: on several threads, a page of matches at
/// a time.
struct LiveCheck: Sendable {
  /// How often a suspect match is looked at again: it may have been read while it changed.
  static let looks = 3
  static let pause: Duration = .seconds(2)

  /// The findings of a check so far.
  struct Result {
    var matchCount = 0
    var entryCount = 0
    /// Replies that were compared with the records.
    var replyCount = 0
    /// Players whose recovery keys and recoveries were compared with signed messages.
    var recoveryCount = 0
    /// What is wrong with these, and with keys.
    var recoveryViolations: [RecoveryViolation] = []
    /// Push jobs and players that were compared, besides the matches' jobs.
    var jobCount = 0
    var jobViolations: [JobViolation] = []
    /// The last match up to which everything was checked, to continue from.
    var last: MatchID?
    /// Whether everything was checked.
    var isComplete = false
    var violations: [Violation] = []
    /// Why it ended before everything was checked, unless by a signal or the limit.
    var failure: OperatorFailure?
    /// Whether no push job waits in a queue, at the last look. Unless that is told, missing ones are
    /// not named.
    var noJobWaits = ManagementAnswer<Bool>.unset
    /// Why the queues could not be looked at, though the settings say where to ask.
    var queueFailure: OperatorFailure?
  }

  let identity: ServiceIdentity
  var rules = Rulebook.standard
  var lexicons = Lexicons.standard
  var verifier = SignatureVerifier.live
  var clock = WallClock.live
  var threadCount = 1
  var pageSize = 100
  /// The check ends once the matches in hand have this many violations: a fault that is everywhere
  /// need not be told for each match.
  var violationLimit = 10_000
  var looks = LiveCheck.looks
  /// Whether replies are compared with the records, once all of those were checked.
  var includesReplies = true
  /// Whether to end as soon as the pages in hand are done.
  var isStopped: @Sendable () -> Bool = { false }
  /// A store of a thread's own.
  let connect: @Sendable () throws(OperatorFailure) -> CheckStore
  /// Whether no push job waits in a queue. Only then is a job that is not in the database missing.
  let noJobWaits: @Sendable () throws(OperatorFailure) -> ManagementAnswer<Bool>

  init(
    identity: ServiceIdentity,
    connect: @escaping @Sendable () throws(OperatorFailure) -> CheckStore,
    noJobWaits: @escaping @Sendable () throws(OperatorFailure) -> ManagementAnswer<Bool>
  ) {
    self.identity = identity
    self.connect = connect
    self.noJobWaits = noJobWaits
  }

  /// The check of the database that the settings name.
  init(_ settings: ServiceSettings, as command: String) throws(OperatorFailure) {
    let administration = try settings.administration()
    let host = try settings.virtualHost()
    var identity = try settings.identity()
    // The service's identity includes working keys that only another machine's key file has.
    let store = try OperatorConnection.store(settings, as: command)
    identity.learn(try onStore(try store.service())?.certificates ?? [])
    self.init(
      identity: identity,
      connect: { () throws(OperatorFailure) in
        .live(try OperatorConnection.open(settings, as: command))
      },
      noJobWaits: { () throws(OperatorFailure) in
        guard let administration else { return .unset }
        let queues = try onManagement(try administration.queues(in: host))
        let names = Names()
        return .told(
          queues.filter {
            $0.name.hasPrefix(names.push)
              || names.isFormer($0.name) && names.formerIndex(of: $0.name) == nil
          }
          // A quorum queue counts delayed messages neither as ready nor as unacknowledged, only in
          // the total.
          .allSatisfy { $0.total == 0 })
      })
  }

  /// A check of single matches, over a store of the caller's own.
  func start(_ store: CheckStore) throws(OperatorFailure) -> StoreCheck {
    start(store, jobsAreComplete: try noJobWaits() == .told(true))
  }

  private func start(_ store: CheckStore, jobsAreComplete: Bool) -> StoreCheck {
    StoreCheck(
      store, identity: identity, rules: rules, lexicons: lexicons, verifier: verifier,
      jobsAreComplete: jobsAreComplete)
  }

  /// Asks whether no push job waits. Without the management API nobody knows, and the records can
  /// be checked all the same.
  private func askForJobs() throws(OperatorFailure) -> (
    noneWaits: ManagementAnswer<Bool>, OperatorFailure?
  ) {
    do throws(OperatorFailure) { return (try noJobWaits(), nil) } catch {
      guard case .management = error else { throw error }
      return (.unanswered, error)
    }
  }

  /// Checks everything after a match, or everything.
  ///
  /// - Parameter report: Hears now and then how far it has come, and how many matches there are.
  func run(
    after match: MatchID?, report: (_ result: Result, _ total: Int) -> Void = { _, _ in }
  ) throws(OperatorFailure) -> Result {
    let store = try connect()
    let total = try onStore(try store.count(match))
    let pages = PagedCheck(after: match, limit: violationLimit, isStopped: isStopped)
    // Asked on one thread only, the first.
    let (noJobWaits, queueFailure) = try askForJobs()
    let jobsAreComplete = noJobWaits == .told(true)
    let first = start(store, jobsAreComplete: jobsAreComplete)
    let others = DispatchGroup()
    for _ in 1..<threadCount {
      DispatchQueue.global().async(group: others) {
        pages.work(pageSize) { () throws(OperatorFailure) in
          start(try connect(), jobsAreComplete: jobsAreComplete)
        }
      }
    }
    pages.work(first, pageSize) { report($0, total) }
    others.wait()
    var result = pages.result
    (result.noJobWaits, result.queueFailure) = (noJobWaits, queueFailure)
    result.violations = try confirmed(result.violations, store)
    guard includesReplies, result.isComplete, result.failure == nil else { return result }
    var keyChanges: [EventKey] = []
    // Replies and entries are committed together, so that nothing has to be looked at again.
    result.violations += try untold(besides: result.violations, store) { replies in
      guard !isStopped() else { return false }
      (result.replyCount, keyChanges) = (replies.count, replies.keyChanges)
      report(result, total)
      return true
    }
    (result.recoveryCount, result.recoveryViolations) = try recoveries(store)
    result.recoveryViolations += try keys(store)
    result.recoveryViolations += try gone(store)
    try checkJobs(store, keyChanges, &result)
    if isStopped() { result.isComplete = false }
    return result
  }

  private func recoveries(
    _ store: CheckStore
  ) throws(OperatorFailure) -> (count: Int, violations: [RecoveryViolation]) {
    var check = RecoveryCheck(store, identity: identity, verifier: verifier)
    var found: [RecoveryViolation] = []
    while !isStopped(), !check.isDone { found += try onStore(try check.next()) }
    return (check.count, found)
  }

  private func keys(_ store: CheckStore) throws(OperatorFailure) -> [RecoveryViolation] {
    var check = KeyCheck(store, identity: identity, verifier: verifier)
    var found: [RecoveryViolation] = []
    while !isStopped(), !check.isDone { found += try onStore(try check.next()) }
    return found
  }

  private func gone(_ store: CheckStore) throws(OperatorFailure) -> [RecoveryViolation] {
    var check = GoneCheck(store)
    var found: [RecoveryViolation] = []
    while !isStopped(), !check.isDone { found += try onStore(try check.next()) }
    return found
  }

  /// Compares the push jobs that no record owes. The queues are asked about anew before each further
  /// look: since the check began a job may have come into one, where it may wait for hours.
  private func checkJobs(
    _ store: CheckStore, _ keyChanges: [EventKey], _ result: inout Result
  ) throws(OperatorFailure) {
    let asksAgain = result.noJobWaits == .told(true)
    // A job may be on its way from one table to another while it is looked for.
    for look in 0..<looks where look == 0 || !result.jobViolations.isEmpty {
      if look > 0 {
        clock.sleep(LiveCheck.pause)
        if asksAgain { (result.noJobWaits, result.queueFailure) = try askForJobs() }
      }
      var check = JobCheck(
        store, jobsAreComplete: result.noJobWaits == .told(true), keyChanges: keyChanges)
      var found: [JobViolation] = []
      while !isStopped(), !check.isDone { found += try onStore(try check.next()) }
      result.jobViolations =
        look == 0 ? found : result.jobViolations.filter(Set(found).contains)
      result.jobCount = max(result.jobCount, check.count)
    }
  }

  /// Events that replies report as done and no record has.
  /// - Parameter goesOn: Sees the replies that were looked at; gives whether to go on.
  func untold(
    besides violations: [Violation], _ store: CheckStore, goesOn: (ReplyCheck) -> Bool
  ) throws(OperatorFailure) -> [Violation] {
    var replies = ReplyCheck(store, besides: violations)
    var found: [Violation] = []
    while goesOn(replies), !replies.isDone {
      found += try onStore(try replies.next())
    }
    return found
  }

  /// The violations that are still there when their matches are looked at again.
  private func confirmed(
    _ found: [Violation], _ store: CheckStore
  ) throws(OperatorFailure) -> [Violation] {
    struct Place: Hashable {
      var match: MatchID
      var kind: Violation.Kind
      var position: Int?

      init(_ violation: Violation) {
        (match, kind, position) = (violation.match, violation.kind, violation.position)
      }
    }
    var standing = found
    for _ in 1..<looks where !standing.isEmpty {
      clock.sleep(LiveCheck.pause)
      var check = start(store, jobsAreComplete: try askForJobs().noneWaits == .told(true))
      var again: [Violation] = []
      var rest = Set(standing.map(\.match)).sorted()[...]
      while !rest.isEmpty {
        let page = Array(rest.prefix(pageSize))
        rest = rest.dropFirst(pageSize)
        again += try onStore(try check.check(page))
      }
      let places = Set(standing.map(Place.init))
      standing = again.filter { places.contains(Place($0)) }
    }
    return standing
  }
}
