/// The code that brings another device of a player in: 60 bits as 12 characters of Crockford's base
/// 32 (no I, L, O, U). It is made at random and is good once.
public struct DeviceCode: Hashable, Sendable, CustomStringConvertible {
  public static let length = 12

  /// The code in its one form: upper case, nothing between the characters.
  public let text: String

  /// Takes a code in its one form; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let utf8 = text.utf8
    guard utf8.count == DeviceCode.length,
      utf8.allSatisfy({ CodeAlphabet.characters.contains($0) })
    else { return nil }
    self.text = String(text)
  }

  /// Takes a code as a person types it: in either case, with spaces and hyphens between its
  /// characters, with O for 0, and I or L for 1.
  public init?(typed: some StringProtocol) {
    guard let text = CodeAlphabet.read(typed, limit: DeviceCode.length) else { return nil }
    self.init(text)
  }

  /// The code of the lowest 60 of random bits.
  public init(random: UInt64) {
    var bits = random
    var characters: [UInt8] = []
    for _ in 0..<DeviceCode.length {
      characters.append(CodeAlphabet.characters[Int(bits & 31)])
      bits >>= 5
    }
    text = String(decoding: characters, as: UTF8.self)
  }

  /// The code in its one form.
  public var description: String { text }

  /// SHA-256(`cubist/invitation/1\0` ‖ service id ‖ code), which an invitation names. It does not
  /// tell the code.
  public func hash(at service: ServiceID) -> Hash {
    var hash = TaggedHash("cubist/invitation/1")
    hash.update(service)
    hash.update(Array(text.utf8))
    return hash.finalize()
  }
}
