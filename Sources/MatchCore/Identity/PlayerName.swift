/// A player's display name: 3 to 16 of A–Z a–z 0–9 _ -. Two names that differ only in case are the
/// same. Nobody registers a name with the skeleton of another one.
public struct PlayerName: Hashable, Sendable, CustomStringConvertible {
  /// The name as its owner wrote it.
  public let text: String

  /// Takes a valid name; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let utf8 = text.utf8
    guard (3...16).contains(utf8.count), utf8.allSatisfy(PlayerName.isAllowed) else { return nil }
    self.text = String(text)
  }

  /// A name of the service's own, which has to be valid.
  init(known text: String) { self.text = text }

  /// The unique form: the name in lower case.
  public var key: String { text.lowercased() }

  /// The form that names share which look alike: in lower case, each character stands as that which
  /// Unicode's list of confusable characters (UTS #39, `confusables.txt` of Unicode 17) names for it.
  /// Of the characters of names that list has 0, 1, I and m. Since case does not matter, i counts as
  /// I, O as o and M as m. The store makes the same of ``key``.
  public var skeleton: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 * text.utf8.count)
    for byte in text.utf8 {
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      let lower = isUpper ? byte | 0x20 : byte
      switch lower {
      case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "o"))
      case UInt8(ascii: "1"), UInt8(ascii: "i"): bytes.append(UInt8(ascii: "l"))
      case UInt8(ascii: "m"): bytes += [UInt8(ascii: "r"), UInt8(ascii: "n")]
      default: bytes.append(lower)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The name as its owner wrote it.
  public var description: String { text }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

/// Names that could pass for the service itself, and all that look like them. Nobody registers one,
/// but a player with a code where registration needs none.
public struct ReservedNames: Hashable, Sendable {
  public let names: [PlayerName]
  private let skeletons: [String]

  public init(_ names: [PlayerName]) {
    self.names = names
    skeletons = names.map { ReservedNames.bare($0) }
  }

  public static let none = ReservedNames([])

  /// Those of an operator who names no others.
  public static let standard = ReservedNames(
    [
      "admin", "administrator", "bot", "cubist", "help", "helpdesk", "mod", "moderator", "official",
      "operator", "owner", "robot", "root", "security", "server", "service", "staff", "support",
      "system", "team",
    ].map { PlayerName(known: $0) })

  public func contains(_ name: PlayerName) -> Bool {
    let skeleton = ReservedNames.bare(name)
    return skeletons.contains { $0 == skeleton }
  }

  /// The skeleton without `-` and `_`, which hide no reserved name.
  private static func bare(_ name: PlayerName) -> String {
    let isKept = { (byte: UInt8) in byte != UInt8(ascii: "-") && byte != UInt8(ascii: "_") }
    return String(decoding: name.skeleton.utf8.filter(isKept), as: UTF8.self)
  }
}

/// A code for a person to type: 4 to 16 of A–Z and 0–9. It joins an open invitation, or admits one
/// player.
public struct ShareCode: Hashable, Sendable, CustomStringConvertible {
  /// The code in upper case.
  public let text: String

  /// Takes a code in either case. Nil if the text is not a code.
  public init?(_ text: some StringProtocol) {
    // Checked before the conversion to upper case: "ß" in upper case is "SS".
    let isCode = text.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }
    guard ShareCode.lengths.contains(text.utf8.count), isCode else { return nil }
    self.text = text.uppercased()
  }

  /// Takes a code as a person types it: in either case, with spaces and hyphens between its
  /// characters, with O for 0, and I or L for 1. No code that the service makes has those letters.
  public init?(typed: some StringProtocol) {
    guard let text = CodeAlphabet.read(typed, limit: ShareCode.lengths.upperBound) else {
      return nil
    }
    self.init(text)
  }

  private static let lengths = 4...16

  /// The code that the service made, if this one has an O for its 0, or an I or L for its 1.
  public var asMade: ShareCode { ShareCode(typed: text) ?? self }

  /// The code that invites to a match: 8 characters of Crockford's base 32 (no I, L, O, U), 40 bits
  /// of SHA-256(`cubist/code/1\0` ‖ service secret ‖ match id). Unguessable without the secret.
  public init(invitationTo match: MatchID, secret: ServiceSecret) {
    self.init(tag: "cubist/code/1", match, secret, count: 8)
  }

  /// The code that shows a match to anyone with it: 16 characters, 80 bits of
  /// SHA-256(`cubist/share/1\0` ‖ service secret ‖ match id).
  public init(sharing match: MatchID, secret: ServiceSecret) {
    self.init(tag: "cubist/share/1", match, secret, count: 16)
  }

  private init(tag: StaticString, _ match: MatchID, _ secret: ServiceSecret, count: Int) {
    var hash = TaggedHash(tag)
    hash.update(secret.bytes)
    hash.update(match.bytes)
    var bits = hash.finalize().prefix128 >> (128 - 5 * UInt128(count))
    var characters: [UInt8] = []
    for _ in 0..<count {
      characters.append(CodeAlphabet.characters[Int(bits & 31)])
      bits >>= 5
    }
    text = String(decoding: characters, as: UTF8.self)
  }

  /// The code in upper case.
  public var description: String { text }
}
