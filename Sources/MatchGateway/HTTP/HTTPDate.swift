import MatchCore
import MatchInterfaces
import Synchronization

/// The field `Date`, made once a second.
final class HTTPDate: Sendable {
  private let clock: WallClock
  private let made = Mutex<(second: Int64, text: String)>((.min, ""))

  init(clock: WallClock) { self.clock = clock }

  /// The time now.
  var text: String {
    let now = clock.now()
    let second = now.microseconds / 1_000_000
    return made.withLock { made in
      if made.second != second { made = (second, HTTPDate.text(of: now)) }
      return made.text
    }
  }

  /// A time in the form of RFC 9110, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func text(of time: Instant) -> String {
    let day = Day(containing: time)
    // `2026-05-01T12:00:00.000Z`.
    let parts = time.description.split { "-T.".contains($0) }
    guard parts.count == 5, let month = Int(parts[1]), 1...12 ~= month else { return "" }
    let weekday = Int((day.number % 7 + 11) % 7)
    return "\(weekdays[weekday]), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) GMT"
  }

  /// Day 0 is a Thursday.
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
