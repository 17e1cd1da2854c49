import ArgumentParser
import MatchCore
import MatchWire
import TerminalScreen

/// The options that change when and how notifications come.
struct WishOptions: ParsableArguments {
  @Option(
    help: .init(
      "Your time zone, such as Europe/Berlin; none for UTC.", valueName: "zone"),
    transform: WishOptions.timeZone)
  var timeZone: SettingsChange.Setting<TimeZoneName>?

  @Option(
    help: .init("The language of notifications, en or de.", valueName: "en|de"),
    completion: .list(PushLanguage.allCases.map(\.rawValue)), transform: WishOptions.language)
  var language: PushLanguage?

  @Option(
    help: .init(
      "The part of the day without sounds, such as 22:00-07:30; none for no such part.",
      valueName: "from-until"),
    transform: WishOptions.hours)
  var quietHours: SettingsChange.Setting<QuietHours>?

  @Option(
    help: .init(
      "What becomes of a notification that cannot wait till their end: silent or dropped.",
      valueName: "silent|dropped"),
    completion: .list(QuietHours.Late.allCases.map(\.rawValue)), transform: WishOptions.late)
  var quietLate: QuietHours.Late?

  @Flag(
    inversion: .prefixedNo,
    help: "Get news of matches that come within some minutes as one notification.")
  var bundle: Bool?

  @Flag(inversion: .prefixedNo, help: "Let opponents remind you of a turn.")
  var nudges: Bool?

  @Option(
    help: .init(
      "The time of a daily notification of all that waits, such as 08:00; none for no such one.",
      valueName: "time"),
    transform: WishOptions.digest)
  var digest: SettingsChange.Setting<MinuteOfDay>?

  @Option(
    help: .init("The day of a review of the week; none for no such one.", valueName: "day"),
    completion: .list(Weekday.allCases.map(\.rawValue) + ["none"]),
    transform: WishOptions.review)
  var review: SettingsChange.Setting<Weekday>?

  /// Whether none of them was given.
  var isEmpty: Bool { quietLate == nil && namedChange.isEmpty }

  private var namedChange: PushChange {
    PushChange(
      timeZone: timeZone, language: language, quietHours: quietHours, isBundled: bundle,
      takesNudges: nudges, digest: digest, review: review)
  }

  func validate() throws {
    if quietLate != nil, quietHours == .removed {
      throw ValidationError("--quiet-late has no meaning without quiet hours.")
    }
  }

  /// The service takes a name that no time zone has, and then goes by UTC.
  func checkTimeZone(_ environment: CLIEnvironment) throws(CommandFailure) {
    guard case .set(let zone)? = timeZone, environment.hasTimeZone(zone.text) == false else {
      return
    }
    throw CommandFailure(
      .usage, "unknownTimeZone",
      "'\(zone)' is no time zone that this machine knows. Use a name such as Europe/Berlin, or none "
        + "for UTC.")
  }

  /// The change. Quiet hours are one wish: the part that is not given is asked for.
  func change(
    now: () throws -> SettingsView.QuietHours?
  ) throws -> PushChange {
    var change = namedChange
    switch (quietHours, quietLate) {
    case (.set(var hours)?, let late):
      hours.late = try late ?? now().flatMap { QuietHours.Late(rawValue: $0.late) } ?? .silent
      change.quietHours = .set(hours)
    case (nil, let late?):
      guard let view = try now(), let from = MinuteOfDay(view.from),
        let until = MinuteOfDay(view.until),
        let hours = QuietHours(from: from, until: until, late: late)
      else {
        throw CommandFailure(
          .usage, "noQuietHours", "You have no quiet hours. Say --quiet-hours, too.",
          next: ["cubist settings --quiet-hours 22:00-07:30 --quiet-late \(late.rawValue)"])
      }
      change.quietHours = .set(hours)
    case (.removed?, _), (nil, nil): break
    }
    return change
  }
}

// MARK: - Reading

extension WishOptions {
  private static func setting<Value>(
    _ text: String, _ value: Value?, _ fault: String
  ) throws -> SettingsChange.Setting<Value> {
    if text == "none" { return .removed }
    guard let value else { throw ValidationError("'\(TerminalText.safe(text))' \(fault)") }
    return .set(value)
  }

  static func timeZone(_ text: String) throws -> SettingsChange.Setting<TimeZoneName> {
    try setting(
      text, TimeZoneName(text),
      "is no name of a time zone. Use one such as Europe/Berlin, or none for UTC.")
  }

  static func hours(_ text: String) throws -> SettingsChange.Setting<QuietHours> {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let from = MinuteOfDay(parts[0]), let until = MinuteOfDay(parts[1])
    else {
      return try setting(text, nil, "are no quiet hours. Use a part such as 22:00-07:30, or none.")
    }
    return try setting(
      text, QuietHours(from: from, until: until),
      "are no quiet hours: their beginning is their end. Use a part such as 22:00-07:30.")
  }

  static func digest(_ text: String) throws -> SettingsChange.Setting<MinuteOfDay> {
    try setting(
      text, MinuteOfDay(text), "is no time of a day. Use one such as 08:00, or none.")
  }

  static func review(_ text: String) throws -> SettingsChange.Setting<Weekday> {
    let days = Weekday.allCases.map(\.rawValue).joined(separator: ", ")
    return try setting(
      text, Weekday(rawValue: text.lowercased()), "is no day. There are \(days), and none.")
  }

  static func language(_ text: String) throws -> PushLanguage {
    guard let language = PushLanguage(rawValue: text) else {
      let known = PushLanguage.allCases.map(\.rawValue).joined(separator: " and ")
      throw ValidationError(
        "'\(TerminalText.safe(text))' is no language of notifications. There are \(known).")
    }
    return language
  }

  static func late(_ text: String) throws -> QuietHours.Late {
    guard let late = QuietHours.Late(rawValue: text) else {
      throw ValidationError("'\(TerminalText.safe(text))' is neither silent nor dropped.")
    }
    return late
  }
}
