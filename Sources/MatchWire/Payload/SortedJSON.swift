import FoundationEssentials

/// Values as JSON whose keys are sorted, so that the same value is always the same bytes.
package enum SortedJSON {
  package static func encode(_ value: some Encodable, isPretty: Bool = false) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
    return Array(try encoder.encode(value))
  }

  /// The same with a line break at the end.
  package static func line(_ value: some Encodable, isPretty: Bool = false) throws -> [UInt8] {
    try encode(value, isPretty: isPretty) + [UInt8(ascii: "\n")]
  }
}
