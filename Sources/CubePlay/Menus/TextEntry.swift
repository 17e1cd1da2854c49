/// A text that is being typed, and what is wrong with it so far.
public struct TextEntry: Hashable, Sendable {
  /// What was typed.
  public internal(set) var text: String
  /// What is wrong with it, in words; nil where nothing is, or nothing is there yet.
  public internal(set) var fault: String?

  /// The most characters that are taken.
  static let limit = 64

  /// Whether nothing is to be seen of it.
  public var isBlank: Bool { text.allSatisfy { $0 == " " } }

  /// What stands there at first.
  public init(_ text: String = "") { self.text = text }

  mutating func type(_ character: Character, _ check: FieldChecks.Check) {
    guard text.count < TextEntry.limit else { return }
    text.append(character)
    judge(check)
  }

  mutating func erase(_ check: FieldChecks.Check) {
    guard !text.isEmpty else { return }
    text.removeLast()
    judge(check)
  }

  private mutating func judge(_ check: FieldChecks.Check) {
    fault = isBlank ? nil : check(text)
  }
}

/// What may be typed where: the checks that the service has too.
public struct FieldChecks: Sendable {
  /// Says what is wrong with a text, in words; nil where nothing is.
  public typealias Check = @Sendable (String) -> String?

  public var playerName: Check
  /// What notifications call the player.
  public var displayName: Check
  /// What the player calls a device.
  public var deviceName: Check
  /// The time for a turn.
  public var turnLimit: Check
  /// The code of a match.
  public var code: Check
  /// The most devices that a player has.
  public var deviceLimit: Int

  /// Some checks.
  public init(
    playerName: @escaping Check, displayName: @escaping Check, deviceName: @escaping Check,
    turnLimit: @escaping Check, code: @escaping Check, deviceLimit: Int
  ) {
    self.playerName = playerName
    self.displayName = displayName
    self.deviceName = deviceName
    self.turnLimit = turnLimit
    self.code = code
    self.deviceLimit = deviceLimit
  }

  /// Nothing can be checked, so nothing is right.
  public static let failing = FieldChecks(
    playerName: { _ in "cannot be checked" }, displayName: { _ in "cannot be checked" },
    deviceName: { _ in "cannot be checked" }, turnLimit: { _ in "cannot be checked" },
    code: { _ in "cannot be checked" }, deviceLimit: 0)
}
