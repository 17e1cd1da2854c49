package import MatchInterfaces
import Synchronization

/// The messages of hostile players, and the answers that were wrong.
package final class HostileLog: Sendable {
  private struct State {
    var signed: Set<EventKey> = []
    var counts: [AttackKind: Int] = [:]
    var messageCount = 0
    var granted: [AttackKind: String] = [:]
  }

  private let state = Mutex(State())

  /// An empty log.
  package init() {}

  /// Attacks by name: how often each reached the broker.
  package var counts: [AttackKind: Int] { state.withLock { $0.counts } }
  /// The number of messages that reached the broker.
  package var messageCount: Int { state.withLock { $0.messageCount } }

  /// Whether a hostile player has signed an event with a key of its own: it may have an answer.
  package func hasSigned(_ key: EventKey) -> Bool { state.withLock { $0.signed.contains(key) } }

  func signed(_ key: EventKey) { state.withLock { _ = $0.signed.insert(key) } }

  func note(_ kind: AttackKind, messages: Int) {
    state.withLock { state in
      state.counts[kind, default: 0] += 1
      state.messageCount += messages
    }
  }

  /// Something was granted that never may be.
  func note(granted kind: AttackKind, _ answer: [UInt8]) {
    state.withLock { state in
      state.granted[kind] =
        state.granted[kind] ?? String(decoding: answer.prefix(200), as: UTF8.self)
    }
  }

  /// The faults in how a run's attacks went.
  package var findings: [Finding] {
    state.withLock { state in
      AttackKind.allCases.filter { state.counts[$0] == nil }.map {
        Finding(.wrong, "the attack \($0.rawValue) was never sent")
      }
        + state.granted.sorted { $0.key.rawValue < $1.key.rawValue }.map {
          Finding(.wrong, "the attack \($0.key.rawValue) was granted: \($0.value)")
        }
    }
  }
}
