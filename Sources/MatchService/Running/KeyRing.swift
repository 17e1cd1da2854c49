package import Logging
package import MatchInterfaces
import MatchWire
import Synchronization

/// The service's keys as a running process has them. The key file is read again every few seconds:
/// after a renewal roles are made anew with the new working key, and no process has to be
/// restarted.
package final class KeyRing: Sendable {
  /// How often the file is read again.
  static let lookNanoseconds: UInt64 = 5_000_000_000
  /// How often a certificate that runs out is warned of.
  static let warningNanoseconds: UInt64 = 86_400 * 1_000_000_000

  private struct State {
    var file: ServiceKeyFile?
    var identity: ServiceIdentity
    var generation = 0
    var nextLook: UInt64 = 0
    var nextWarning: UInt64 = 0
    /// Why the file could not be taken up, if that was said.
    var problem: ServiceKeyError?
  }

  private let state: Mutex<State>
  private let read: @Sendable () throws(ServiceKeyError) -> ServiceKeyFile?
  private let clock: WallClock
  private let log: Logger

  /// Reads the keys; `read` gives them as they are now.
  /// - Throws: `ServiceKeyError`, if they make no identity.
  package init(
    clock: WallClock, log: Logger,
    read: @escaping @Sendable () throws(ServiceKeyError) -> ServiceKeyFile
  ) throws(ServiceKeyError) {
    let file = try read()
    state = Mutex(State(file: file, identity: try file.identity()))
    self.read = read
    (self.clock, self.log) = (clock, log)
  }

  /// Keys that stay as they are.
  package init(_ identity: ServiceIdentity, clock: WallClock, log: Logger) {
    state = Mutex(State(file: nil, identity: identity))
    read = { nil }
    (self.clock, self.log) = (clock, log)
  }

  /// The service's identity by the keys that were taken up last.
  package var identity: ServiceIdentity { state.withLock { $0.identity } }

  /// How many times the keys have changed; looks at the file if it is time. A role that was made at
  /// another count has old keys.
  package func generation() -> Int {
    let uptime = clock.uptimeNanoseconds()
    return state.withLock { state in
      if uptime >= state.nextLook {
        state.nextLook = uptime &+ KeyRing.lookNanoseconds
        look(&state)
        warn(&state, uptime)
      }
      return state.generation
    }
  }

  private func look(_ state: inout State) {
    do throws(ServiceKeyError) {
      let file = try read()
      guard let file, file != state.file else { return state.problem = nil }
      let identity = try file.identity()
      guard identity.service == state.identity.service,
        identity.rootKey == state.identity.rootKey
      else { throw .otherRootKey(identity.rootKey) }
      (state.file, state.identity, state.problem) = (file, identity, nil)
      state.generation += 1
      state.nextWarning = 0
      log.notice(
        "keys taken up",
        metadata: [
          "workingKey": "\(identity.signer.publicKey)",
          "until": "\(identity.term.end.map { "\($0)" } ?? "-")",
        ])
    } catch {
      guard state.problem != error else { return }
      state.problem = error
      log.error("the key file cannot be taken up; the keys stay", metadata: ["reason": "\(error)"])
    }
  }

  private func warn(_ state: inout State, _ uptime: UInt64) {
    guard uptime >= state.nextWarning,
      let warning = state.identity.term.warning(at: clock.now())
    else { return }
    state.nextWarning = uptime &+ KeyRing.warningNanoseconds
    log.warning("the working key has to be renewed", metadata: ["reason": "\(warning)"])
  }
}
