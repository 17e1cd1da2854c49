/// Makes keys of the bytes that a terminal sends: a reducer without a clock.
///
/// Escape alone and the beginning of a sequence are the same byte. So the reader calls `timeout` if
/// nothing came for a while and `isWaiting` is true.
///
/// Source: xterm's *Control Sequences*, <https://invisible-island.net/xterm/ctlseqs/ctlseqs.html>.
package struct KeyDecoder: Hashable, Sendable {
  private enum State: Hashable {
    case ground
    case escape
    /// A control sequence and its bytes so far, without the final one.
    case sequence([UInt8])
    case singleShift
    case scalar([UInt8], missing: Int)
    case paste([UInt8])
  }

  /// The longest control sequence that means anything, in bytes; the rest is skipped.
  static let sequenceLimit = 32
  /// The most bytes of a paste that are kept.
  static let pasteLimit = 4_096
  private static let pasteEnd = Array("\u{1b}[201~".utf8)

  private var state = State.ground

  /// A decoder to which nothing came yet.
  package init() {}

  /// Whether only a wait can tell the meaning of the last byte.
  package var isWaiting: Bool { state == .escape }

  /// The keys that are complete with some more bytes.
  package mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for byte in bytes { take(byte, &keys) }
    return keys
  }

  /// Nothing came for a while: an escape was the key.
  package mutating func timeout() -> [Key] {
    guard isWaiting else { return [] }
    state = .ground
    return [.escape]
  }

  private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
    switch state {
    case .ground: begin(byte, &keys)
    case .escape: escaped(byte, &keys)
    case .sequence(var bytes):
      switch byte {
      case 0x40...0x7e:
        state = .ground
        end(bytes, byte, &keys)
      case 0x20...0x3f:
        // One byte more than the limit marks a sequence as too long.
        if bytes.count <= Self.sequenceLimit { bytes.append(byte) }
        state = .sequence(bytes)
      default: begin(byte, &keys)
      }
    case .singleShift:
      state = .ground
      guard let key = Self.key(singleShift: byte) else { return begin(byte, &keys) }
      keys.append(key)
    case .scalar(var bytes, let missing):
      guard byte & 0xc0 == 0x80 else { return begin(byte, &keys) }
      bytes.append(byte)
      state = missing > 1 ? .scalar(bytes, missing: missing - 1) : .ground
      if missing == 1, let text = String(validating: bytes, as: UTF8.self), let one = text.first {
        keys.append(.character(one))
      }
    case .paste(var bytes):
      bytes.append(byte)
      if bytes.suffix(Self.pasteEnd.count) == Self.pasteEnd[...] {
        state = .ground
        let text = bytes.dropLast(Self.pasteEnd.count).prefix(Self.pasteLimit)
        keys.append(.paste(String(decoding: text, as: UTF8.self)))
        return
      }
      // Bytes over the limit are dropped; the end of the paste may be among the last ones.
      let limit = Self.pasteLimit + Self.pasteEnd.count
      if bytes.count > limit { bytes.remove(at: Self.pasteLimit) }
      state = .paste(bytes)
    }
  }

  private mutating func begin(_ byte: UInt8, _ keys: inout [Key]) {
    state = .ground
    switch byte {
    case 0x1b: state = .escape
    case 0x0d, 0x0a: keys.append(.enter)
    case 0x09: keys.append(.tab)
    case 0x08, 0x7f: keys.append(.backspace)
    case 0x01...0x1a: keys.append(.control(Character(Unicode.Scalar(byte + 0x60))))
    case 0x20...0x7e: keys.append(.character(Character(Unicode.Scalar(byte))))
    case 0xc2...0xdf: state = .scalar([byte], missing: 1)
    case 0xe0...0xef: state = .scalar([byte], missing: 2)
    case 0xf0...0xf4: state = .scalar([byte], missing: 3)
    default: break
    }
  }

  private mutating func escaped(_ byte: UInt8, _ keys: inout [Key]) {
    switch byte {
    case 0x5b: state = .sequence([])
    case 0x4f: state = .singleShift
    default:
      // Alt means nothing: a key after Escape is a key of its own.
      keys.append(.escape)
      begin(byte, &keys)
    }
  }
}

extension KeyDecoder {
  private mutating func end(_ bytes: [UInt8], _ final: UInt8, _ keys: inout [Key]) {
    guard bytes.count <= Self.sequenceLimit else { return }
    if bytes.first == 0x3c {
      if let mouse = Self.mouse(bytes.dropFirst(), final) { keys.append(.mouse(mouse)) }
      return
    }
    let numbers = Self.numbers(bytes[...])
    if final == 0x7e {
      if numbers.first == 200 {
        state = .paste([])
      } else if let number = numbers.first, let key = Self.key(numbered: number) {
        keys.append(key)
      }
    } else if final == 0x5a {
      keys.append(.backTab)
    } else if let key = Self.key(singleShift: final) {
      keys.append(key)
    }
  }

  /// Numbers between semicolons; text that is no number counts as 0.
  private static func numbers(_ bytes: ArraySlice<UInt8>) -> [Int] {
    bytes.split(separator: 0x3b, omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
  }

  /// The key of `ESC O` and a letter, and of a control sequence that ends with the same letter.
  private static func key(singleShift byte: UInt8) -> Key? {
    switch byte {
    case 0x41: .arrow(.up)
    case 0x42: .arrow(.down)
    case 0x43: .arrow(.right)
    case 0x44: .arrow(.left)
    case 0x46: .end
    case 0x48: .home
    case 0x4d: .enter
    case 0x50...0x53: .function(Int(byte) - 0x4f)
    default: nil
    }
  }

  private static func key(numbered number: Int) -> Key? {
    switch number {
    case 1, 7: .home
    case 2: .insert
    case 3: .delete
    case 4, 8: .end
    case 5: .pageUp
    case 6: .pageDown
    case 11...15: .function(number - 10)
    case 17...21: .function(number - 11)
    case 23, 24: .function(number - 12)
    default: nil
    }
  }

  private static func mouse(_ bytes: ArraySlice<UInt8>, _ final: UInt8) -> Key.Mouse? {
    let numbers = numbers(bytes)
    guard numbers.count == 3, numbers[1] > 0, numbers[2] > 0, final == 0x4d || final == 0x6d else {
      return nil
    }
    // Shift, Meta and Ctrl do not matter.
    let act: Key.Mouse.Act
    switch (numbers[0] & ~0x1c, final) {
    case (0, 0x4d): act = .press
    case (0, 0x6d): act = .release
    case (32, 0x4d): act = .drag
    case (64, 0x4d): act = .wheelUp
    case (65, 0x4d): act = .wheelDown
    default: return nil
    }
    return Key.Mouse(act, column: numbers[1] - 1, row: numbers[2] - 1)
  }
}
