/// A text that is being typed, and its fault so far.
public struct TextEntry: Hashable, Sendable {
  /// The text typed so far.
  public internal(set) var text: String
  /// Its fault, in words; nil where there is none, or nothing is typed yet.
  public internal(set) var fault: String?

  /// The most characters that are taken.
  package let limit: Int

  /// Whether it shows nothing.
  public var isBlank: Bool { text.allSatisfy { $0 == " " } }

  /// A text entry with its first text.
  public init(_ text: String = "", limit: Int = 64) { (self.text, self.limit) = (text, limit) }

  mutating func type(_ character: Character, _ check: FieldChecks.Check) {
    guard text.count < limit else { return }
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

/// The checks of typed text, one per field. The service has the same checks.
public struct FieldChecks: Sendable {
  /// Tells the fault of a text, in words; nil where there is none.
  public typealias Check = @Sendable (String) -> String?

  public var playerName: Check
  /// The player's name in notifications.
  public var displayName: Check
  /// The player's name for a device.
  public var deviceName: Check
  /// The time for a turn.
  public var turnLimit: Check
  /// The code of a match.
  public var code: Check
  /// The player's own words in a report.
  public var reportText: Check = { _ in nil }
  /// A time of the day.
  public var time: Check = { _ in nil }
  public var timeZone: Check = { _ in nil }
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

  func check(_ wish: WishText) -> Check { wish == .timeZone ? timeZone : time }

  /// Nothing can be checked, so nothing is right.
  public static let failing = FieldChecks(
    playerName: { _ in "cannot be checked" }, displayName: { _ in "cannot be checked" },
    deviceName: { _ in "cannot be checked" }, turnLimit: { _ in "cannot be checked" },
    code: { _ in "cannot be checked" }, deviceLimit: 0)
}
