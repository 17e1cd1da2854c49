import ArgumentParser
import ServiceNews

extension DurationText {
  /// Reads an argument of a number of seconds.
  static func secondsArgument(_ text: String) throws -> Int64 {
    guard let seconds = seconds(text) else {
      throw ValidationError("'\(text)' is no span of time. Write 3d, 12h, 90m or 45s.")
    }
    return seconds
  }

  /// Reads an argument of some time to wait, up to an hour.
  static func duration(_ text: String) throws -> Duration {
    let seconds = try secondsArgument(text)
    guard (1...3_600).contains(seconds) else {
      throw ValidationError("'\(text)' is no time to wait. Write 1s to 60m.")
    }
    return .seconds(seconds)
  }
}
