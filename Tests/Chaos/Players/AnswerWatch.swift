package import MatchInterfaces
package import MatchWire
import Synchronization

/// Watches whether every queue of events, and that of queries, is answered. The time for which a
/// fault is felt is read from it.
package final class AnswerWatch: Sendable {
  private struct Queue {
    /// When the newest message to it was sent.
    var lastSent: UInt64 = 0
    /// When the newest message was sent that has been answered.
    var lastAnswered: UInt64 = 0
  }

  /// A queue without a message for so long has nothing to answer.
  private static let quietNanoseconds: UInt64 = 5_000_000_000

  private let layout: QueueLayout
  /// The queue of queries comes after those of events. Gateways come last: each is a queue of all
  /// that goes through it.
  private let queues: Mutex<[Queue]>

  /// A watch of the queues of a layout, and of so many gateways.
  package init(_ layout: QueueLayout, gateways: Int = 0) {
    self.layout = layout
    queues = Mutex(Array(repeating: Queue(), count: layout.queueCount + 1 + gateways))
  }

  /// A bus that is watched.
  ///
  /// - Parameter gateway: The number of the gateway that it goes through.
  package func listening(to bus: PlayerBus, gateway: Int? = nil) -> PlayerBus {
    bus.with {
      $0.request.answer { [self] message, timeout throws(BusError) in
        let queue =
          switch message.destination {
          case .events(let slot): layout.queue(of: slot)
          case .queries: layout.queueCount
          }
        let passed = [queue] + (gateway.map { [layout.queueCount + 1 + $0] } ?? [])
        let sent = uptime()
        queues.withLock { queues in
          for index in passed { queues[index].lastSent = max(queues[index].lastSent, sent) }
        }
        let answer = try bus.request(message, timeout)
        if case .reply = answer {
          queues.withLock { queues in
            for index in passed {
              queues[index].lastAnswered = max(queues[index].lastAnswered, sent)
            }
          }
        }
        return answer
      }
    }
  }

  /// Whether every queue has answered something that was sent after a moment.
  ///
  /// - Parameter mayBeQuiet: Whether that is also true of a queue that nobody has sent anything to
  ///   for a while. It is not while a fault is held: then nobody may be able to send.
  package func isAnswering(since moment: UInt64, mayBeQuiet: Bool = true) -> Bool {
    let now = uptime()
    return queues.withLock { queues in
      queues.allSatisfy { queue in
        queue.lastAnswered >= moment
          || (mayBeQuiet && queue.lastSent < moment && now > moment + AnswerWatch.quietNanoseconds)
      }
    }
  }
}
