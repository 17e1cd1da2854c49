package import Logging
package import MatchInterfaces
import Synchronization

/// One of a process's roles. It stays the same when the role is made anew.
package final class RolePresence: Sendable {
  /// How long an interruption still counts as the role's problem. A role that is interrupted again
  /// and again takes good steps in between, but it does not work.
  package static let memory: Duration = .seconds(10)

  /// The role's id.
  package let id: RoleID
  /// The role's name.
  package let role: RoleName
  /// Whether it has been asked to leave.
  package let stop: StopSignal
  /// The proof that a worker has given.
  package let proof = WorkerProof()
  /// A scheduler's looks at the database's clock.
  package let clockMemory = ClockMemory()
  /// The last interruption, and the uptime then.
  private let interrupted = Mutex<(problem: String, at: UInt64)?>(nil)

  /// Presence of a role that has not been made yet.
  package init(id: RoleID, role: RoleName, stop: StopSignal) {
    self.id = id
    self.role = role
    self.stop = stop
  }

  /// Remembers why the role was interrupted, for a while.
  package func remember(_ interruption: Interruption, at uptime: UInt64) {
    interrupted.withLock { $0 = ("\(interruption)", uptime) }
  }

  /// Why the role was interrupted lately; nil: it was not.
  func lastProblem(at uptime: UInt64) -> String? {
    let limit = UInt64(RolePresence.memory / .nanoseconds(1))
    return interrupted.withLock { last in
      last.flatMap { uptime &- $0.at < limit ? $0.problem : nil }
    }
  }

  /// Its sign of life.
  package func sign(from process: String, problem: String? = nil) -> RoleSign {
    RoleSign(
      id: id, role: role.rawValue, process: process, problem: problem.map(RolePresence.shortened))
  }

  /// A reason in 500 characters at most. It begins with the side that failed, and ends with the words
  /// of the server; the addresses stand between them.
  static func shortened(_ reason: String) -> String {
    let (first, last) = (260, 237)
    guard reason.count > first + last + 3 else { return reason }
    return "\(reason.prefix(first)) … \(reason.suffix(last))"
  }
}

/// A role that gives a sign of life between two steps, on the connection that it works with. A role
/// that hangs gives none.
package final class BeatingRole: Role {
  /// How long from one sign of life to the next.
  package static let interval: Duration = .seconds(5)

  private let role: any Role
  private let presence: RolePresence
  private let store: RoleStore
  private let process: String
  private let clock: WallClock
  private let log: Logger
  private let watch: () throws(Interruption) -> Void
  private var lastBeat: UInt64?
  private var silence = Incident(
    Incident.Messages(
      began: "no sign of life", lasts: "still no sign of life", ended: "signs of life again"))

  /// Puts it around a role. `watch` is called with each sign of life: whether the role may go on.
  package init(
    _ role: any Role, as presence: RolePresence, in process: String, store: RoleStore,
    clock: WallClock, log: Logger, watch: @escaping () throws(Interruption) -> Void = {}
  ) {
    self.role = role
    self.presence = presence
    self.process = process
    self.store = store
    self.clock = clock
    self.log = log
    self.watch = watch
  }

  /// Gives a sign of life if one is due, and does one step.
  @discardableResult
  package func step() throws(Interruption) -> Int {
    let now = clock.uptimeNanoseconds()
    let interval = UInt64(BeatingRole.interval / .nanoseconds(1))
    let isDue = lastBeat.map { now &- $0 >= interval } ?? true
    if isDue {
      try beat(now)
      lastBeat = now
    }
    do throws(Interruption) {
      if isDue { try watch() }
      return try role.step()
    } catch {
      presence.remember(error, at: clock.uptimeNanoseconds())
      throw error
    }
  }

  private func beat(_ now: UInt64) throws(Interruption) {
    let problem = role.trouble.map { "\($0)" } ?? presence.lastProblem(at: now)
    let sign = presence.sign(from: process, problem: problem)
    do throws(StoreError) {
      try store.beat(sign)
      log.write(silence.wentWell(at: now))
    } catch {
      // Without its connection the role is of no use. After any other error it can still work.
      if case .unavailable = error { try role.storeIsLost(error) }
      log.write(silence.failed(at: now), metadata: ["reason": "\(error)"])
    }
  }

  /// The reason why the role does not work.
  package var trouble: Interruption? { role.trouble }
  /// Tells the role.
  package func storeIsLost(_ error: StoreError) throws(Interruption) { try role.storeIsLost(error) }

  /// Leaves. A role that was asked to go tells the store first, so that nobody misses it.
  package func leave() {
    if presence.stop.isAsked {
      do throws(StoreError) { try store.leave(presence.id) } catch {
        log.warning("leaving without a word", metadata: ["reason": "\(error)"])
      }
    }
    role.leave()
  }
}
