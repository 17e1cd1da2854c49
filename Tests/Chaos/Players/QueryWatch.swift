import MatchInterfaces
import Synchronization

/// Measures how long honest players wait for answers to queries.
final class QueryWatch: Sendable {
  private let waits = Mutex<[AnswerWait]>([])

  /// The answers that came late, faults or not.
  var longWaits: [AnswerWait] { waits.withLock { $0 } }

  /// A player's bus that is watched. A player without an answer asks again, perhaps something else.
  func listening(to bus: PlayerBus) -> PlayerBus {
    let since = Since()
    return bus.with {
      $0.request.answer { [self] message, timeout throws(BusError) in
        guard message.destination == .queries else { return try bus.request(message, timeout) }
        let start = since.begin()
        let answer = try bus.request(message, timeout)
        guard case .reply = answer else { return answer }
        since.end()
        let wait = AnswerWait(of: "a query", from: start, to: uptime())
        if wait.seconds > AnswerWait.limit { waits.withLock { $0.append(wait) } }
        return answer
      }
    }
  }

  /// The time since which one player has had no answer.
  private final class Since: Sendable {
    private let time = Mutex<UInt64?>(nil)

    func begin() -> UInt64 {
      time.withLock { time in
        let start = time ?? uptime()
        time = start
        return start
      }
    }

    func end() { time.withLock { $0 = nil } }
  }
}
