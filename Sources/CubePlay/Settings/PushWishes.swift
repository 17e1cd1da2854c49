/// A player's wishes on when and how notifications come, as texts.
public struct PushWishes: Hashable, Sendable {
  /// By the raw values of `WishText`; empty: none.
  private(set) var texts = ["", "", "", ""]
  /// By the raw values of `WishChoice`: one of its options each.
  private(set) var choices = ["silent", "en", "none", "on", "on"]

  /// The wishes of a new player.
  public init() {}

  public subscript(text: WishText) -> String {
    get { texts[text.rawValue] }
    set { texts[text.rawValue] = newValue }
  }

  /// One of the choice's options; any other is not taken.
  public subscript(choice: WishChoice) -> String {
    get { choices[choice.rawValue] }
    set { if choice.options.contains(newValue) { choices[choice.rawValue] = newValue } }
  }

  /// Whether a part of the day is without sounds.
  var hasQuietHours: Bool { self[.quietFrom] != "" || self[.quietUntil] != "" }
}

/// A wish that is typed.
public enum WishText: Int, Hashable, Sendable, CaseIterable {
  /// A time of the day, such as `22:00`.
  case quietFrom
  case quietUntil
  /// Such as `Europe/Berlin`.
  case timeZone
  /// The time of a daily notification of all that waits.
  case digest

  /// Its stable name.
  public var name: StaticString {
    switch self {
    case .quietFrom: "quietFrom"
    case .quietUntil: "quietUntil"
    case .timeZone: "timeZone"
    case .digest: "digest"
    }
  }
}

/// A wish that is one of some.
public enum WishChoice: Int, Hashable, Sendable, CaseIterable {
  /// The fate of a notification that cannot wait for the end of the quiet hours.
  case late
  case language
  /// The day of a review of the week.
  case review
  /// News of matches that come within some minutes come as one notification.
  case bundle
  /// Opponents may remind the player.
  case nudges

  /// Its stable name.
  public var name: StaticString {
    switch self {
    case .late: "late"
    case .language: "language"
    case .review: "review"
    case .bundle: "bundle"
    case .nudges: "nudges"
    }
  }

  /// The stable names of all that it can be.
  public var options: [String] {
    switch self {
    case .late: ["silent", "dropped"]
    case .language: ["en", "de"]
    case .review:
      [
        "none", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
      ]
    case .bundle, .nudges: ["on", "off"]
    }
  }

  /// The option after another one, and the first one after the last.
  func option(after option: String) -> String {
    let place = options.firstIndex(of: option) ?? -1
    return options[(place + 1) % options.count]
  }
}

extension PushWishes {
  /// The edits that turn these wishes into others.
  func edits(to other: PushWishes) -> [SettingsEdit] {
    var edits: [SettingsEdit] = []
    let isMoved = self[.quietFrom] != other[.quietFrom] || self[.quietUntil] != other[.quietUntil]
    // Without quiet hours nothing is late, and the service forgets that wish.
    if isMoved || other.hasQuietHours && self[.late] != other[.late] {
      edits.append(
        .quietHours(
          from: other[.quietFrom], until: other[.quietUntil], late: other[.late]))
    }
    for text in [WishText.timeZone, .digest] where self[text] != other[text] {
      edits.append(.wish(text, other[text]))
    }
    for choice in WishChoice.allCases where choice != .late && self[choice] != other[choice] {
      edits.append(.choice(choice, other[choice]))
    }
    return edits
  }
}
