public import Logging
public import MatchInterfaces

/// One of a process's roles, the same each time that it is made anew.
public final class RolePresence: Sendable {
  /// Which one.
  public let id: RoleID
  /// What it is.
  public let role: RoleName
  /// Whether it has been asked to leave.
  public let stop: StopSignal
  /// What a worker has shown.
  public let proof = WorkerProof()

  /// A role that has not been made yet.
  public init(id: RoleID, role: RoleName, stop: StopSignal) {
    self.id = id
    self.role = role
    self.stop = stop
  }

  /// Its sign of life.
  public func sign(from process: String, problem: String? = nil) -> RoleSign {
    RoleSign(
      id: id, role: role.rawValue, process: process,
      problem: problem.map { String($0.prefix(300)) })
  }
}

/// A role that gives a sign of life between two steps, on the connection that it works with: one
/// that hangs gives none.
public final class BeatingRole: Role {
  /// How long from one sign of life to the next.
  public static let interval: Duration = .seconds(5)

  private let role: any Role
  private let presence: RolePresence
  private let store: RoleStore
  private let process: String
  private let clock: WallClock
  private let log: Logger
  private var lastBeat: UInt64?

  /// Puts it around a role.
  public init(
    _ role: any Role, as presence: RolePresence, in process: String, store: RoleStore,
    clock: WallClock, log: Logger
  ) {
    self.role = role
    self.presence = presence
    self.process = process
    self.store = store
    self.clock = clock
    self.log = log
  }

  /// Gives a sign of life where one is due, and does what there is to do.
  @discardableResult
  public func step() throws(Interruption) -> Int {
    let now = clock.uptimeNanoseconds()
    let interval = UInt64(BeatingRole.interval / .nanoseconds(1))
    if lastBeat.map({ now &- $0 >= interval }) ?? true {
      try beat()
      lastBeat = now
    }
    return try role.step()
  }

  private func beat() throws(Interruption) {
    let sign = presence.sign(from: process, problem: role.trouble.map { "\($0)" })
    do throws(StoreError) { try store.beat(sign) } catch {
      // Without its connection the role is of no use; whatever else is wrong keeps nobody from work.
      if case .unavailable = error, !role.reconnects { throw .store(error) }
      log.warning(
        "no sign of life", metadata: ["role": "\(presence.role)", "reason": "\(error)"])
    }
  }

  /// What keeps the role from its work.
  public var trouble: Interruption? { role.trouble }
  /// Whether the role connects anew by itself.
  public var reconnects: Bool { role.reconnects }

  /// Leaves; who was asked to go is not missed afterwards.
  public func leave() {
    if presence.stop.isAsked {
      do throws(StoreError) { try store.leave(presence.id) } catch {
        log.warning("leaving without a word", metadata: ["reason": "\(error)"])
      }
    }
    role.leave()
  }
}
