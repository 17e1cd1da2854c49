/// A player's settings, to be changed on a copy.
public struct SettingsScreen: Hashable, Sendable {
  /// The settings as far as they have loaded.
  public internal(set) var content = Loaded<SettingsForm>.loading

  /// Nothing is known yet.
  public init() {}

  /// The copy.
  public var form: SettingsForm? { content.value }
}

/// A copy of the settings. It is saved or thrown away as a whole.
public struct SettingsForm: Hashable, Sendable {
  /// The settings as the service has them.
  public internal(set) var saved: SettingsValues
  /// The player's new name in notifications; empty: the registered name.
  public internal(set) var displayName: TextEntry
  /// Kinds of notifications, and whether they are to be wanted.
  public internal(set) var notifications: [NotificationSetting]
  public internal(set) var devices: [DeviceSetting]
  /// The players that the player does not want to meet.
  public internal(set) var blocked: [String]
  /// The wishes that are typed, by the raw values of `WishText`.
  var texts: [TextEntry]
  /// The wishes that are one of some. Its texts are those of the saved ones.
  var choices: PushWishes
  /// A device that is being added.
  public internal(set) var newDevice = TextEntry()
  /// A player who is being added to the blocked ones.
  public internal(set) var newBlocked = TextEntry()
  /// The row that keys act on.
  public internal(set) var focus = Row.displayName
  /// How far it has come.
  public internal(set) var stage = Stage.editing
  /// The outcome of the last action, in words.
  public internal(set) var notice: String?
  /// Why the service was not heard, in words; until it answers, or the next attempt to save.
  public internal(set) var trouble: String?

  /// A row that can be changed or chosen.
  public enum Row: Hashable, Sendable {
    /// The player's name in notifications; it is typed here.
    case displayName
    /// A kind of notification by its place.
    case notification(Int)
    /// A wish that is typed here.
    case wish(WishText)
    /// A wish that is one of some.
    case choice(WishChoice)
    /// A device by its place.
    case device(Int)
    /// A device to be added; its name is typed here.
    case newDevice
    /// A blocked player, by place.
    case blocked(Int)
    /// A player to be blocked; the name is typed here.
    case newBlocked
    case save
  }

  /// How far it has come.
  public enum Stage: Hashable, Sendable {
    /// The player changes the copy.
    case editing
    /// It is being saved; then the player goes there.
    case saving(then: Leaving?)
    /// The player wants to leave, and is asked about the changes.
    case doubted(Leaving)
  }

  /// Where a player goes from here.
  public enum Leaving: Hashable, Sendable {
    /// To the home list.
    case home
    /// Out of the game.
    case quit
    /// To the keys of the player's devices.
    case keys
  }

  /// A copy without a change.
  public init(_ values: SettingsValues) {
    saved = values
    displayName = TextEntry(values.displayName)
    (notifications, devices, blocked) = (values.notifications, values.devices, values.blocked)
    (texts, choices) = (values.wishes.texts.map { TextEntry($0) }, values.wishes)
  }

  public subscript(text: WishText) -> TextEntry { texts[text.rawValue] }

  /// One of the choice's options.
  public subscript(choice: WishChoice) -> String { choices[choice] }

  /// The copy as it would be saved.
  var edited: SettingsValues {
    var wishes = choices
    for text in WishText.allCases { wishes[text] = self[text].isBlank ? "" : self[text].text }
    return SettingsValues(
      displayName: displayName.isBlank ? "" : displayName.text, notifications: notifications,
      devices: devices, blocked: blocked, wishes: wishes)
  }

  /// Whether something would be lost if it was thrown away.
  public var isChanged: Bool {
    !saved.edits(to: edited).isEmpty || !newDevice.isBlank || !newBlocked.isBlank
  }

  /// All rows that can be changed or chosen, from above to below.
  public var rows: [Row] {
    [.displayName] + notifications.indices.map { .notification($0) } + Self.wishRows
      + devices.indices.map { .device($0) } + [.newDevice] + blocked.indices.map { .blocked($0) }
      + [.newBlocked, .save]
  }

  private static let wishRows: [Row] = [
    .wish(.quietFrom), .wish(.quietUntil), .choice(.late), .wish(.timeZone), .wish(.digest),
    .choice(.review), .choice(.bundle), .choice(.nudges), .choice(.language),
  ]

  /// Whether characters are typed into a text.
  public var isTyping: Bool {
    guard stage == .editing else { return false }
    switch focus {
    case .displayName, .wish, .newDevice, .newBlocked: return true
    case .notification, .choice, .device, .blocked, .save: return false
    }
  }
}

/// An action in the settings.
public enum SettingsAction: Hashable, Sendable {
  /// The screen came into sight, or was asked for again.
  case appeared
  case arrived(SettingsValues)
  /// It cannot be shown, for a reason in words.
  case failed(String)
  /// Another row was selected: so many further down.
  case moved(Int)
  /// A character was typed; a space turns a switch on or off.
  case typed(Character)
  /// The last character was taken back, or the selected device or player was removed.
  case erased
  /// The selected row was chosen: a switch changes, a typed text is added, or all is saved.
  case chosen
  case saveAsked
  /// The player wants to leave.
  case leaveAsked(SettingsForm.Leaving)
  /// The player's decision about the changes.
  case doubtAnswered(SettingsDecision)
  /// The service answered.
  case answered(SaveAnswer)
}

/// A player's decision about the changes when leaving.
public enum SettingsDecision: Hashable, Sendable {
  /// They are saved.
  case save
  /// They are thrown away.
  case throwAway
  /// The player stays.
  case stay
}

/// The outcome of saving.
public enum SaveAnswer: Hashable, Sendable {
  case saved
  /// Nobody has that name, for a reason in words; nothing was saved.
  case wrongName(String, String)
  /// It is not all saved, for a reason in words.
  case failed(String)
  /// Nobody was there to save it all, in words.
  case away(String)
}

/// An effect of an action in the settings.
public enum SettingsEffect: Hashable, Sendable {
  /// Load the settings.
  case load
  /// Save the differences.
  case save([SettingsEdit])
  /// Go there.
  case leave(SettingsForm.Leaving)
}
