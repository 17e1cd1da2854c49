package import MatchInterfaces
package import MatchCore

/// The changes of one zone's clock, as a compiled file of the IANA database has them (RFC 9636,
/// which replaced 8536).
package struct TimeZoneFile: Hashable, Sendable {
  /// The offset before the first change.
  private var first = 0
  /// The seconds since 1970 of each change, ascending, and the offset from then on.
  private var changes: [Change] = []
  /// The rule for the time after the last change. Nil: the last offset stays.
  private var rule: TimeZoneRule?

  struct Change: Hashable, Sendable {
    var at: Int64
    var offset: Int
  }

  /// The most changes that a file may have; the largest ones have some 300.
  private static let changeLimit = 4_096
  private static let magic: [UInt8] = Array("TZif".utf8)

  /// Reads a file of version 2 or later. Nil for one that is not whole or not well-formed, or that
  /// counts leap seconds.
  package init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes)
    // The first block, with times of 32 bits, is for readers of the first version.
    guard let old = Header(&reader), reader.skip(old.size(timeSize: 4)),
      let header = Header(&reader), header.leaps == 0,
      header.times <= TimeZoneFile.changeLimit, 1...256 ~= header.types
    else { return nil }
    var times: [Int64] = []
    for _ in 0..<header.times {
      guard let time = reader.number(8), times.last.map({ $0 < time }) ?? true else { return nil }
      times.append(time)
    }
    guard let indices = reader.bytes(header.times) else { return nil }
    var offsets: [Int] = []
    for _ in 0..<header.types {
      guard let offset = reader.number(4), -93_600...93_600 ~= offset, reader.skip(2) else {
        return nil
      }
      offsets.append(Int(offset))
    }
    guard reader.skip(header.names + header.standards + header.universals),
      let footer = reader.line(), let standard = offsets.first
    else { return nil }
    first = standard
    for (time, index) in zip(times, indices) {
      guard offsets.indices.contains(Int(index)) else { return nil }
      changes.append(Change(at: time, offset: offsets[Int(index)]))
    }
    guard !footer.isEmpty else { return }
    guard let rule = TimeZoneRule(footer) else { return nil }
    self.rule = rule
  }

  /// The period that an instant lies in.
  package func period(at instant: Instant) -> TimeZones.Period {
    let (quotient, rest) = instant.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let second = rest < 0 ? quotient - 1 : quotient
    // The number of changes up to the instant.
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].at <= second { low = middle + 1 } else { high = middle }
    }
    let last = low > 0 ? changes[low - 1] : nil
    if low == changes.count, let rule {
      return rule.period(at: second, since: last?.at)
    }
    return TimeZones.Period(
      offset: last?.offset ?? first, since: last.map { Instant(second: $0.at) },
      until: low < changes.count ? Instant(second: changes[low].at) : nil)
  }

  /// The lengths of a block's parts.
  private struct Header {
    var universals: Int
    var standards: Int
    var leaps: Int
    var times: Int
    var types: Int
    var names: Int

    init?(_ reader: inout Reader) {
      guard reader.bytes(4).map({ Array($0) }) == TimeZoneFile.magic,
        let version = reader.number(1), version >= 0x32, reader.skip(15)
      else { return nil }
      var counts: [Int] = []
      for _ in 0..<6 {
        guard let count = reader.number(4), 0...1_000_000 ~= count else { return nil }
        counts.append(Int(count))
      }
      (universals, standards, leaps) = (counts[0], counts[1], counts[2])
      (times, types, names) = (counts[3], counts[4], counts[5])
    }

    func size(timeSize: Int) -> Int {
      times * (timeSize + 1) + types * 6 + names + leaps * (timeSize + 4) + standards + universals
    }
  }

  /// Reads bytes in order, never beyond the end.
  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
      guard 0...(bytes.count - position) ~= count else { return nil }
      defer { position += count }
      return bytes[position..<position + count]
    }

    mutating func skip(_ count: Int) -> Bool { bytes(count) != nil }

    /// A number with its sign, the highest byte first; one byte has no sign.
    mutating func number(_ count: Int) -> Int64? {
      guard let bytes = bytes(count) else { return nil }
      let bits = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return count == 4 ? Int64(Int32(truncatingIfNeeded: bits)) : Int64(truncatingIfNeeded: bits)
    }

    /// The text between two ends of lines that is left, all of it.
    mutating func line() -> String? {
      guard let rest = bytes(bytes.count - position), rest.count >= 2, rest.first == 10,
        let end = rest.dropFirst().firstIndex(of: 10)
      else { return nil }
      return String(decoding: rest[rest.startIndex + 1..<end], as: UTF8.self)
    }
  }
}

extension Instant {
  init(second: Int64) { self = Instant(microseconds: 0).adding(seconds: second) }
}
