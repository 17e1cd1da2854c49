/// What a player has set, to be changed on a copy.
public struct SettingsScreen: Hashable, Sendable {
  /// What is known of it.
  public internal(set) var content = Content.loading

  /// What is known of what is set.
  public enum Content: Hashable, Sendable {
    /// Nothing yet.
    case loading
    /// It cannot be shown, for a reason in words.
    case failed(String)
    case shown(SettingsForm)
  }

  /// Nothing is known yet.
  public init() {}

  /// The copy.
  public var form: SettingsForm? {
    guard case .shown(let form) = content else { return nil }
    return form
  }
}

/// A copy of what is set. It is saved or thrown away as a whole.
public struct SettingsForm: Hashable, Sendable {
  /// What is set.
  public internal(set) var saved: SettingsValues
  /// What notifications are to call the player; empty: the name that was registered.
  public internal(set) var displayName: TextEntry
  /// Kinds of notifications, and whether they are to be wanted.
  public internal(set) var notifications: [NotificationSetting]
  public internal(set) var devices: [DeviceSetting]
  /// Whom the player does not want to meet.
  public internal(set) var blocked: [String]
  /// A device that is being added.
  public internal(set) var newDevice = TextEntry()
  /// Somebody who is being added to those whom the player does not want to meet.
  public internal(set) var newBlocked = TextEntry()
  /// What keys are about.
  public internal(set) var focus = Row.displayName
  /// How far it has come.
  public internal(set) var stage = Stage.editing
  /// What the last action did or could not do, in words.
  public internal(set) var notice: String?
  /// Why the service was not heard, in words; until it is, or all is to be saved again.
  public internal(set) var trouble: String?

  /// What can be changed or done.
  public enum Row: Hashable, Sendable {
    /// What notifications call the player; it is typed here.
    case displayName
    /// A kind of notification by its place.
    case notification(Int)
    /// A device by its place.
    case device(Int)
    /// A device to be added; its name is typed here.
    case newDevice
    /// Somebody whom the player does not want to meet, by place.
    case blocked(Int)
    /// Somebody to be added there; the name is typed here.
    case newBlocked
    case save
  }

  /// How far it has come.
  public enum Stage: Hashable, Sendable {
    /// The player changes the copy.
    case editing
    /// It is being saved; then the player goes there.
    case saving(then: Leaving?)
    /// The player wants to leave, and is asked what is to become of the changes.
    case doubted(Leaving)
  }

  /// Where a player goes from here.
  public enum Leaving: Hashable, Sendable {
    /// To what waits.
    case home
    /// Out of the game.
    case quit
  }

  /// A copy without a change.
  public init(_ values: SettingsValues) {
    saved = values
    displayName = TextEntry(values.displayName)
    (notifications, devices, blocked) = (values.notifications, values.devices, values.blocked)
  }

  /// The copy as it would be saved.
  var edited: SettingsValues {
    SettingsValues(
      displayName: displayName.isBlank ? "" : displayName.text, notifications: notifications,
      devices: devices, blocked: blocked)
  }

  /// Whether something would be lost if it was thrown away.
  public var isChanged: Bool {
    !saved.edits(to: edited).isEmpty || !newDevice.isBlank || !newBlocked.isBlank
  }

  /// All that can be changed or done, from above to below.
  public var rows: [Row] {
    [.displayName] + notifications.indices.map { .notification($0) }
      + devices.indices.map { .device($0) } + [.newDevice] + blocked.indices.map { .blocked($0) }
      + [.newBlocked, .save]
  }

  /// Whether characters are typed into a text.
  public var isTyping: Bool {
    guard stage == .editing else { return false }
    switch focus {
    case .displayName, .newDevice, .newBlocked: return true
    case .notification, .device, .blocked, .save: return false
    }
  }
}

/// What happens to what is set.
public enum SettingsAction: Hashable, Sendable {
  /// It came into sight, or was asked for again.
  case appeared
  case arrived(SettingsValues)
  /// It cannot be shown, for a reason in words.
  case failed(String)
  /// Another row was selected: so many further down.
  case moved(Int)
  /// A character was typed; a space changes what is on or off.
  case typed(Character)
  /// The last character was taken back; the device or the player that is selected is removed.
  case erased
  /// The selected row was chosen: what is on or off changes, what was typed is added, all is saved.
  case chosen
  case saveAsked
  /// The player wants to leave.
  case leaveAsked(SettingsForm.Leaving)
  /// What is to become of the changes.
  case doubtAnswered(SettingsDecision)
  /// The service answered.
  case answered(SaveAnswer)
}

/// What becomes of changes when a player leaves.
public enum SettingsDecision: Hashable, Sendable {
  /// They are saved.
  case save
  /// They are thrown away.
  case throwAway
  /// The player stays.
  case stay
}

/// What came of saving.
public enum SaveAnswer: Hashable, Sendable {
  case saved
  /// Nobody has that name, for a reason in words; nothing was saved.
  case wrongName(String, String)
  /// It is not all saved, for a reason in words.
  case failed(String)
  /// Nobody was there to save it all, in words.
  case away(String)
}

/// What has to be done because of an action on what is set.
public enum SettingsEffect: Hashable, Sendable {
  /// Ask what is set.
  case load
  /// Save what is different.
  case save([SettingsEdit])
  /// Go there.
  case leave(SettingsForm.Leaving)
}
