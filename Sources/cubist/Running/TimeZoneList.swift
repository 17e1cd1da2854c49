import CubePlay
import Foundation
import ServiceNews

/// The time zones that this machine knows.
enum TimeZoneList {
  /// Whether a name is that of one; nil where the machine has no list.
  static func has(_ name: String) -> Bool? {
    TimeZone.knownTimeZoneIdentifiers.isEmpty ? nil : TimeZone(identifier: name) != nil
  }
}

extension FieldChecks {
  /// The service's own checks, with a list of time zones.
  static func live(
    hasTimeZone: @escaping @Sendable (String) -> Bool?
  ) -> FieldChecks {
    var checks = live
    checks.timeZone = { text in
      let example = "a name such as Europe/Berlin"
      return live.timeZone(text) ?? (hasTimeZone(text) == false ? example : nil)
    }
    return checks
  }
}
