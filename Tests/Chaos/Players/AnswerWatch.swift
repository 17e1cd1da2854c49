public import MatchInterfaces
public import MatchWire
import Synchronization

/// Sees whether every queue of events is answered: how long a fault is felt is read from it.
public final class AnswerWatch: Sendable {
  private struct Queue {
    /// When the newest event to it was sent.
    var lastSent: UInt64 = 0
    /// When the newest event was sent that has been answered.
    var lastAnswered: UInt64 = 0
  }

  /// A queue that nobody has sent anything to for so long has nothing to answer.
  private static let quietNanoseconds: UInt64 = 5_000_000_000

  private let layout: QueueLayout
  private let queues: Mutex<[Queue]>

  /// A watch of the queues of a layout.
  public init(_ layout: QueueLayout) {
    self.layout = layout
    queues = Mutex(Array(repeating: Queue(), count: layout.queueCount))
  }

  /// A bus that is watched.
  public func listening(to bus: PlayerBus) -> PlayerBus {
    PlayerBus(
      request: { [self] message, timeout throws(BusError) in
        guard case .events(let slot) = message.destination else {
          return try bus.request(message, timeout)
        }
        let queue = layout.queue(of: slot)
        let sent = uptime()
        queues.withLock { $0[queue].lastSent = max($0[queue].lastSent, sent) }
        let answer = try bus.request(message, timeout)
        if case .reply = answer {
          queues.withLock { $0[queue].lastAnswered = max($0[queue].lastAnswered, sent) }
        }
        return answer
      }, close: bus.close)
  }

  /// Whether every queue has answered something that was sent after a moment.
  public func isAnswering(since moment: UInt64) -> Bool {
    let now = uptime()
    return queues.withLock { queues in
      queues.allSatisfy { queue in
        queue.lastAnswered >= moment
          || (queue.lastSent < moment && now > moment + AnswerWatch.quietNanoseconds)
      }
    }
  }
}
