/// A player's wishes on when and how notifications come. A new player has no quiet hours.
public struct PushPreferences: Hashable, Sendable {
  /// The player's time zone. Nil: UTC.
  public var timeZone: TimeZoneName?
  /// The language of notifications.
  public var language: PushLanguage
  public var quietHours: QuietHours?
  /// Whether news of matches that come within some minutes come as one notification.
  public var isBundled: Bool
  /// Whether opponents may remind the player of a turn.
  public var takesNudges: Bool
  /// The local time of a daily notification of everything that waits. Nil: none is wanted.
  public var digest: MinuteOfDay?
  /// The day on which a review of the week comes. Nil: none is wanted.
  public var review: Weekday?

  public init(
    timeZone: TimeZoneName? = nil, language: PushLanguage = .english,
    quietHours: QuietHours? = nil, isBundled: Bool = true, takesNudges: Bool = true,
    digest: MinuteOfDay? = nil, review: Weekday? = nil
  ) {
    self.timeZone = timeZone
    self.language = language
    self.quietHours = quietHours
    self.isBundled = isBundled
    self.takesNudges = takesNudges
    self.digest = digest
    self.review = review
  }
}

/// The part of each local day in which a player wants no sound.
public struct QuietHours: Hashable, Sendable {
  public var from: MinuteOfDay
  /// The first minute after them. Not `from`. Earlier than `from`: they end on the next day.
  public var until: MinuteOfDay
  /// The fate of a notification that cannot wait for their end.
  public var late: Late

  public enum Late: String, Hashable, Sendable, CaseIterable {
    /// It comes without a sound.
    case silent
    /// It does not come.
    case dropped
  }

  /// Nil if they would be empty.
  public init?(from: MinuteOfDay, until: MinuteOfDay, late: Late = .silent) {
    guard from != until else { return nil }
    self.from = from
    self.until = until
    self.late = late
  }
}

/// A minute of a day by the clock on the wall, 00:00 to 23:59.
public struct MinuteOfDay: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// From 0 to 1,439.
  public let number: Int

  public init?(_ number: Int) {
    guard 0..<1_440 ~= number else { return nil }
    self.number = number
  }

  /// Takes a text such as `07:30`; nil for any other.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 5, bytes[2] == 0x3a else { return nil }
    let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - 0x30 }
    guard digits.allSatisfy({ 0...9 ~= $0 }) else { return nil }
    let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
    guard hour < 24, minute < 60 else { return nil }
    number = hour * 60 + minute
  }

  /// `07:30`.
  public var description: String {
    let (hour, minute) = (number / 60, number % 60)
    return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
  }

  public static func < (left: MinuteOfDay, right: MinuteOfDay) -> Bool {
    left.number < right.number
  }
}

/// The raw values travel.
public enum Weekday: String, Hashable, Sendable, CaseIterable {
  case monday, tuesday, wednesday, thursday, friday, saturday, sunday

  /// From 1, Monday, as ISO 8601 counts and as it is stored.
  public var number: Int { Weekday.allCases.firstIndex(of: self).map { $0 + 1 } ?? 1 }

  public init?(number: Int) {
    guard 1...7 ~= number else { return nil }
    self = Weekday.allCases[number - 1]
  }
}

/// The name of a time zone in the IANA database, such as `Europe/Berlin`. The database may not have
/// it, or another thing of that name: then UTC counts.
public struct TimeZoneName: Hashable, Sendable, CustomStringConvertible {
  public let text: String

  /// Takes 1 to 64 of A–Z a–z 0–9 _ + - and /, beginning with a letter, with no empty part between
  /// or after slashes; nil for anything else.
  public init?(_ text: some StringProtocol) {
    // As if a slash were before it: a name begins with no slash either.
    var last: UInt8 = 0x2f
    for byte in text.utf8 {
      let isOfName =
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || byte == 0x5f || byte == 0x2b || byte == 0x2d || byte == 0x2f
      guard isOfName, byte != 0x2f || last != 0x2f else { return nil }
      last = byte
    }
    guard 1...64 ~= text.utf8.count, last != 0x2f, let first = text.utf8.first, first > 64,
      first != 0x5f
    else { return nil }
    self.text = String(text)
  }

  public var description: String { text }
}

/// The languages of notifications. The raw values travel and are stored: codes of ISO 639-1.
public enum PushLanguage: String, Hashable, Sendable, CaseIterable {
  case english = "en"
  case german = "de"
}
