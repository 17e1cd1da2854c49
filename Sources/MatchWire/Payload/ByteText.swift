import MatchCore

/// Writes JSON byte by byte, for the messages that a worker sends about every turn. The output is
/// the same as that of `JSON.serialized`. Tests compare the two.
struct ByteText {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  /// Text that needs no escaping.
  mutating func put(_ text: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// An id in quotation marks.
  mutating func put(_ id: some Identifier) {
    let value = id.rawValue
    let words = (
      high: UInt64(truncatingIfNeeded: value &>> 64), low: UInt64(truncatingIfNeeded: value)
    )
    bytes.append(UInt8(ascii: "\""))
    for place in 0..<32 {
      if place == 8 || place == 12 || place == 16 || place == 20 {
        bytes.append(UInt8(ascii: "-"))
      }
      let word = place < 16 ? words.high : words.low
      let shift = UInt64(60 - 4 * (place & 15))
      bytes.append(ByteText.digit(UInt8(truncatingIfNeeded: word &>> shift) & 15))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// A hash in quotation marks.
  mutating func put(_ hash: Hash) {
    bytes.append(UInt8(ascii: "\""))
    hash.withUnsafeBytes { raw in
      for byte in raw {
        bytes.append(ByteText.digit(byte >> 4))
        bytes.append(ByteText.digit(byte & 15))
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func put(_ number: Int64) {
    guard number != 0 else { return bytes.append(UInt8(ascii: "0")) }
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var place: UInt64 = 1
    while number.magnitude / place >= 10 { place *= 10 }
    while place > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number.magnitude / place % 10))
      place /= 10
    }
  }

  mutating func put(_ number: Int) { put(Int64(number)) }

  mutating func put(_ numbers: [Int]) {
    bytes.append(UInt8(ascii: "["))
    for (index, number) in numbers.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      put(number)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}

extension TurnReceipt {
  /// The reply to the turn of an event. Nil if the turn ended the match, which is rare.
  func reply(to event: EventID) -> [UInt8]? {
    guard outcome == nil else { return nil }
    var text = ByteText(capacity: 384)
    text.put("{\"v\":1,\"event\":")
    text.put(event)
    text.put(",\"accepted\":{\"type\":\"turnAccepted\",\"match\":")
    text.put(match)
    text.put(",\"version\":")
    text.put(version)
    text.put(",\"turn\":")
    text.put(turn)
    text.put(",\"scores\":")
    text.put(scores)
    text.put(",\"points\":")
    text.put(points)
    text.put(",\"hash\":")
    text.put(hash)
    text.put(",\"seatToPlay\":")
    text.put(seatToPlay)
    text.put("}}")
    return text.bytes
  }
}

extension PushJob {
  /// The `yourTurn` job, as it travels. Nil for any other.
  var turnBody: [UInt8]? {
    guard kind == .yourTurn, let match, let turn, day == nil, !hasWaitedForOthers else {
      return nil
    }
    var text = ByteText(capacity: 192)
    text.put("{\"v\":1,\"id\":")
    text.put(id)
    text.put(",\"kind\":\"yourTurn\",\"player\":")
    text.put(player)
    text.put(",\"match\":")
    text.put(match)
    text.put(",\"turn\":")
    text.put(turn)
    text.put("}")
    return text.bytes
  }
}
