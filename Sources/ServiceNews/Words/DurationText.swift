/// Spans of time as a person writes them: `3d`, `12h`, `90m`, `45s`, or a number of seconds.
package enum DurationText {
  /// The seconds that a text means; nil for anything else, and for more than a number can hold.
  package static func seconds(_ text: String) -> Int64? {
    var digits = text.utf8[...]
    var unit: Int64 = 1
    if let named = digits.last.flatMap(seconds(ofUnit:)) {
      digits = digits.dropLast()
      unit = named
    }
    let areDigits = !digits.isEmpty && digits.allSatisfy { (48...57).contains($0) }
    guard areDigits, let count = Int64(Substring(digits)) else { return nil }
    let (seconds, isTooLong) = count.multipliedReportingOverflow(by: unit)
    return isTooLong ? nil : seconds
  }

  private static func seconds(ofUnit unit: UInt8) -> Int64? {
    switch unit {
    case UInt8(ascii: "s"): 1
    case UInt8(ascii: "m"): 60
    case UInt8(ascii: "h"): 3_600
    case UInt8(ascii: "d"): 86_400
    default: nil
    }
  }

  /// The shortest text that means so many seconds.
  package static func text(seconds: Int64) -> String {
    let units: [(name: String, seconds: Int64)] = [("d", 86_400), ("h", 3_600), ("m", 60)]
    for unit in units where seconds > 0 && seconds.isMultiple(of: unit.seconds) {
      return "\(seconds / unit.seconds)\(unit.name)"
    }
    return "\(seconds)s"
  }
}
