import CubistBasics
public import MatchCore

// The parts of answers travel as text or as a number, never as an object of stored properties.

extension Identifier {
  /// Reads the text form.
  public init(from decoder: any Decoder) throws {
    self = try decodeText(decoder, "an id") { Self($0) }
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws { try encodeText(description, encoder) }
}

extension EventID: Codable {}
extension PlayerID: Codable {}
extension ServiceID: Codable {}
extension MatchID: Codable {}

/// A part of answers that travels as its description.
public protocol TextCodable: Codable, CustomStringConvertible {
  /// Its name in errors, with the article.
  static var textNoun: String { get }
  init?(_ text: String)
}

extension TextCodable {
  public init(from decoder: any Decoder) throws {
    self = try decodeText(decoder, Self.textNoun) { Self($0) }
  }

  public func encode(to encoder: any Encoder) throws { try encodeText(description, encoder) }
}

extension Hash: TextCodable { public static var textNoun: String { "a hash" } }
extension PublicKey: TextCodable { public static var textNoun: String { "a key" } }
extension PlayerName: TextCodable { public static var textNoun: String { "a name" } }
extension DeviceName: TextCodable { public static var textNoun: String { "a device's name" } }
extension ShareCode: TextCodable { public static var textNoun: String { "a code" } }
extension Day: TextCodable { public static var textNoun: String { "a day" } }
extension PastGamesCursor: TextCodable { public static var textNoun: String { "a cursor" } }
extension ProgramVersion: TextCodable { public static var textNoun: String { "a version" } }

extension Instant: Codable {
  /// Reads microseconds since 1970.
  public init(from decoder: any Decoder) throws {
    self.init(microseconds: try decoder.singleValueContainer().decode(Int64.self))
  }

  /// Writes microseconds since 1970.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(microseconds)
  }
}

extension MatchKind: Codable {}
extension Language: Codable {}
extension SoloMode: Codable {}
extension SoloGames.Kind: Codable {}
extension Leaderboard.Measure: Codable {}
extension Leaderboard.Window: Codable {}
extension Outcome.Reason: Codable {}
extension Outcome.Result: Codable {}
extension Ruling.Reason: Codable {}

extension Outcome: Codable {
  private enum CodingKeys: String, CodingKey {
    case reason, seat, results, mergedInto
  }

  /// Reads reason, seat and results.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      reason: try container.decode(Reason.self, forKey: .reason),
      seat: try container.decodeIfPresent(Int.self, forKey: .seat),
      results: try container.decode([Result].self, forKey: .results),
      mergedInto: try container.decodeIfPresent(MatchID.self, forKey: .mergedInto))
  }

  /// Writes reason, seat and results.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(reason, forKey: .reason)
    try container.encodeIfPresent(seat, forKey: .seat)
    try container.encode(results, forKey: .results)
    try container.encodeIfPresent(mergedInto, forKey: .mergedInto)
  }
}

extension DailyKey: Codable {
  private enum CodingKeys: String, CodingKey {
    case day, mode, language
  }

  /// Reads day, mode and language.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      day: try container.decode(Day.self, forKey: .day),
      mode: try container.decode(SoloMode.self, forKey: .mode),
      language: try container.decode(Language.self, forKey: .language))
  }

  /// Writes day, mode and language.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(day, forKey: .day)
    try container.encode(mode, forKey: .mode)
    try container.encode(language, forKey: .language)
  }
}

extension KeyList {
  private enum Field: String, CodingKey {
    case keys, invitations, recovery
  }

  /// Reads keys, invitations and recovery. No player has more keys than `PlayerKeys.limit`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Field.self)
    let keys = try container.decode([Row].self, forKey: .keys)
    guard keys.count <= PlayerKeys.limit else {
      throw DecodingError.dataCorruptedError(
        forKey: .keys, in: container,
        debugDescription: "\(keys.count) keys where at most \(PlayerKeys.limit) may be")
    }
    self.init(
      keys: keys, invitations: try container.decode([Invitation].self, forKey: .invitations),
      recovery: try container.decodeIfPresent(Recovery.self, forKey: .recovery))
  }
}

extension KeyCertificate: Codable {
  private enum CodingKeys: String, CodingKey {
    case key, validFrom, validUntil, signature
  }

  /// Reads key, validity and signature.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let text = try container.decode(String.self, forKey: .signature)
    guard text.utf8.count == 128, let signature = Hex.decode(text) else {
      throw DecodingError.dataCorruptedError(
        forKey: .signature, in: container, debugDescription: "not 128 hexadecimal digits")
    }
    self.init(
      workingKey: try container.decode(PublicKey.self, forKey: .key),
      validFrom: try container.decode(Instant.self, forKey: .validFrom),
      validUntil: try container.decode(Instant.self, forKey: .validUntil), signature: signature)
  }

  /// Writes key, validity and signature.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(workingKey, forKey: .key)
    try container.encode(validFrom, forKey: .validFrom)
    try container.encode(validUntil, forKey: .validUntil)
    try container.encode(Hex.encode(signature), forKey: .signature)
  }
}

private func encodeText(_ text: String, _ encoder: any Encoder) throws {
  var container = encoder.singleValueContainer()
  try container.encode(text)
}

private func decodeText<Value>(
  _ decoder: any Decoder, _ what: String, _ make: (String) -> Value?
) throws -> Value {
  let container = try decoder.singleValueContainer()
  guard let value = make(try container.decode(String.self)) else {
    throw DecodingError.dataCorruptedError(in: container, debugDescription: "not \(what)")
  }
  return value
}
