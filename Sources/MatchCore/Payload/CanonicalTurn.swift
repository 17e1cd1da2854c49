import CubeRules

/// Reads the payload of a turn in the one form that this build writes, without a `JSON` in between:
/// nearly every message is one.
///
/// It never refuses, and never differs from ``PayloadCodec`` on the same bytes. Any other form,
/// right or wrong, is nil here. Tests compare the two.
enum CanonicalTurn {
  static func event(in payload: [UInt8]) -> Event? {
    guard payload.count <= WireLimits.turnPayloadBytes else { return nil }
    return payload.withUnsafeBufferPointer { bytes in
      var reader = CanonicalReader(bytes: bytes)
      guard reader.skip("{\"v\":1,\"service\":\""), let service = reader.id(),
        reader.skip("\",\"id\":\""), let id = reader.id(),
        reader.skip("\",\"type\":\"turnPlayed\",\"player\":\""), let player = reader.id(),
        reader.skip("\",\"match\":\""), let match = reader.id(),
        reader.skip("\",\"turn\":"), let number = reader.turnNumber(),
        reader.skip(",\"previous\":\""), let previous = reader.hash(),
        reader.skip("\",\"moves\":["), let moves = reader.moves(), reader.skip("}"), reader.isAtEnd
      else { return nil }
      return Event(
        service: ServiceID(rawValue: service), id: EventID(rawValue: id),
        player: PlayerID(rawValue: player),
        action: .turnPlayed(
          MatchID(rawValue: match), Turn(number: number, previous: previous, moves: moves)))
    }
  }
}

/// Reads one piece after another. Nil if the bytes go on otherwise.
private struct CanonicalReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0

  init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { index == bytes.count }

  mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - index >= count else { return false }
    var offset = 0
    while offset < count {
      guard text.utf8Start[offset] == bytes[index + offset] else { return false }
      offset += 1
    }
    index += count
    return true
  }

  /// Thirty-six characters of a UUID in lower case.
  mutating func id() -> UInt128? {
    guard bytes.count - index >= 36 else { return nil }
    var (high, low): (UInt64, UInt64) = (0, 0)
    for offset in 0..<36 {
      let byte = bytes[index + offset]
      if offset == 8 || offset == 13 || offset == 18 || offset == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit = CanonicalReader.digit(byte) else { return nil }
        high = high &<< 4 | low &>> 60
        low = low &<< 4 | UInt64(digit)
      }
    }
    index += 36
    return UInt128(high) &<< 64 | UInt128(low)
  }

  /// Sixty-four hexadecimal digits in lower case.
  mutating func hash() -> Hash? {
    guard bytes.count - index >= 64 else { return nil }
    let start = index
    let hash = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { decoded -> Hash? in
      for place in 0..<32 {
        guard let high = CanonicalReader.digit(bytes[start + 2 * place]),
          let low = CanonicalReader.digit(bytes[start + 2 * place + 1])
        else { return nil }
        decoded.initializeElement(at: place, to: high &<< 4 | low)
      }
      return Hash(bytes: decoded)
    }
    if hash != nil { index += 64 }
    return hash
  }

  /// A number within its bounds, without a leading zero.
  mutating func turnNumber() -> Int? {
    var number: Int64 = 0
    let start = index
    while index < bytes.count, index - start < 7 {
      let byte = bytes[index]
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { break }
      number = number * 10 + Int64(byte - UInt8(ascii: "0"))
      index += 1
    }
    guard index > start, bytes[start] != UInt8(ascii: "0"),
      WireLimits.turnNumbers.contains(number)
    else { return nil }
    return Int(number)
  }

  /// At least one move in quotation marks, and the closing bracket.
  mutating func moves() -> [Move]? {
    var moves: [Move] = []
    repeat {
      guard moves.count < WireLimits.movesPerTurn, let move = move() else { return nil }
      moves.append(move)
    } while skip(",")
    return skip("]") ? moves : nil
  }

  private mutating func move() -> Move? {
    guard skip("\"") else { return nil }
    if skip("-") {
      guard let cube = cube(), skip("\"") else { return nil }
      return Face(number: 3 * cube).map { .removal($0.cube) }
    }
    var faces: [Face] = []
    faces.reserveCapacity(8)
    repeat {
      guard faces.count < Face.all.count, let face = face() else { return nil }
      faces.append(face)
    } while skip(" ")
    return skip("\"") ? .word(faces) : nil
  }

  /// The index of a cube: three digits from 0 to 2.
  private mutating func cube() -> Int? {
    guard bytes.count - index >= 3 else { return nil }
    var cube = 0
    for offset in 0..<3 {
      let digit = bytes[index + offset] &- UInt8(ascii: "0")
      guard digit < 3 else { return nil }
      cube = 3 * cube + Int(digit)
    }
    index += 3
    return cube
  }

  private mutating func face() -> Face? {
    guard let cube = cube(), index < bytes.count else { return nil }
    let side: Int
    switch bytes[index] {
    case UInt8(ascii: "T"): side = 0
    case UInt8(ascii: "L"): side = 1
    case UInt8(ascii: "R"): side = 2
    default: return nil
    }
    index += 1
    return Face(number: 3 * cube + side)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    let (decimal, letter) = (byte &- UInt8(ascii: "0"), byte &- UInt8(ascii: "a"))
    if decimal < 10 { return decimal }
    return letter < 6 ? letter + 10 : nil
  }
}
