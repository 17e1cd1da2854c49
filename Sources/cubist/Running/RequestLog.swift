import ServiceNews
import MatchInterfaces
import MatchWire

/// The log of `-v`: each request with its answer, and how long it took.
struct RequestLog {
  /// Writes a line.
  let write: (String) -> Void
  /// Nanoseconds of a clock that never jumps.
  let uptime: () -> UInt64

  /// A bus whose requests are logged.
  func logged(_ bus: PlayerBus) -> PlayerBus {
    bus.with {
      $0.request.answer { message, timeout throws(BusError) in
        let start = uptime()
        let what = RequestLog.what(message)
        do throws(BusError) {
          let answer = try bus.request(message, timeout)
          write("\(what): \(RequestLog.what(answer)) after \(milliseconds(since: start)) ms")
          return answer
        } catch {
          write("\(what): \(error), after \(milliseconds(since: start)) ms")
          throw error
        }
      }
    }
  }

  private func milliseconds(since start: UInt64) -> UInt64 { (uptime() &- start) / 1_000_000 }

  private static func what(_ message: PlayerMessage) -> String {
    let size = Wording.count(message.body.count, "byte")
    return switch message.destination {
    case .events(let slot): "event of \(size) to slot \(slot.routingKey)"
    case .queries: "query of \(size)"
    }
  }

  private static func what(_ answer: PlayerAnswer) -> String {
    switch answer {
    case .reply(let bytes): "reply of \(Wording.count(bytes.count, "byte"))"
    case .confirmed: "taken by the broker, no reply"
    case .unknown: "no reply, and nobody knows whether it arrived"
    case .unanswered(let reason): "no answer to the gateway: \(reason)"
    }
  }
}
