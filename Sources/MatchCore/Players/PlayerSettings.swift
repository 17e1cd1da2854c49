public struct PlayerSettings: Hashable, Sendable {
  /// The player's name in notifications. Nil: the player name.
  public var displayName: DisplayName?
  /// Kinds of notifications that the player does not want.
  public var muted: Set<PushJob.Kind>
  /// Whether the player wants reminders.
  public var reminders: Bool
  /// Whether the account is a bot's, once and for ever. A bot has no place on any board.
  public var isBot: Bool
  /// When and how notifications come.
  public var push: PushPreferences

  /// A new player wants everything.
  public init(
    displayName: DisplayName? = nil, muted: Set<PushJob.Kind> = [], reminders: Bool = true,
    isBot: Bool = false, push: PushPreferences = PushPreferences()
  ) {
    self.displayName = displayName
    self.muted = muted
    self.reminders = reminders
    self.isBot = isBot
    self.push = push
  }

  /// Whether the player wants notifications of a kind.
  public func wants(_ kind: PushJob.Kind) -> Bool {
    !kind.isOptional || !muted.contains(kind) && (reminders || !kind.isReminder)
  }

  /// Applies the settings that a change names.
  public mutating func apply(_ change: SettingsChange) {
    change.displayName?.apply(to: &displayName)
    push.apply(change.push)
    reminders = change.reminders ?? reminders
    isBot = isBot || change.isBot == true
    for (kind, isOn) in change.kinds {
      if isOn { muted.remove(kind) } else { muted.insert(kind) }
    }
  }
}

/// A player's change to the settings. A setting that it does not name stays.
public struct SettingsChange: Hashable, Sendable {
  /// The change to a setting that a player may have or not have.
  public enum Setting<Value: Hashable & Sendable>: Hashable, Sendable {
    case set(Value)
    case removed

    /// The value afterwards.
    public var value: Value? {
      if case .set(let value) = self { value } else { nil }
    }

    func apply(to setting: inout Value?) { setting = value }
  }

  /// The change to the display name.
  public typealias Name = Setting<DisplayName>

  public var displayName: Name?
  /// Kinds of notifications, and whether they are wanted from now on.
  public var kinds: [PushJob.Kind: Bool]
  /// Whether reminders are wanted from now on.
  public var reminders: Bool?
  /// True: the account is a bot's from now on. False is refused: a bot stays one.
  public var isBot: Bool?
  /// True: the account ends after ``Departure/waitSeconds``. False: it does not.
  public var isLeaving: Bool?
  /// When and how notifications come.
  public var push: PushChange

  public init(
    displayName: Name? = nil, kinds: [PushJob.Kind: Bool] = [:], reminders: Bool? = nil,
    isBot: Bool? = nil, isLeaving: Bool? = nil, push: PushChange = PushChange()
  ) {
    self.push = push
    self.isLeaving = isLeaving
    self.displayName = displayName
    self.kinds = kinds
    self.reminders = reminders
    self.isBot = isBot
  }

  /// Whether nothing would change.
  public var isEmpty: Bool {
    displayName == nil && kinds.isEmpty && reminders == nil && isBot == nil
      && isLeaving == nil && push.isEmpty
  }

  /// Adds a later change to this one.
  public mutating func merge(_ later: SettingsChange) {
    displayName = later.displayName ?? displayName
    for (kind, isWanted) in later.kinds { kinds[kind] = isWanted }
    reminders = later.reminders ?? reminders
    isBot = later.isBot ?? isBot
    isLeaving = later.isLeaving ?? isLeaving
    push.merge(later.push)
  }
}

extension PlayerSettings {
  /// The bit of the reminders in a stored set of kinds. It must never change.
  private static let reminderMask: Int32 = 1 << 30

  /// The unwanted notifications, as stored.
  public var mask: Int32 {
    PushJob.Kind.mask(muted) | (reminders ? 0 : PlayerSettings.reminderMask)
  }

  /// Takes a stored set of unwanted notifications.
  public mutating func setMask(_ mask: Int32) {
    muted = PushJob.Kind.kinds(in: mask)
    reminders = mask & PlayerSettings.reminderMask == 0
  }

  /// The bits that must all be unset for a kind to be sent.
  public static func mask(against kind: PushJob.Kind) -> Int32 {
    guard kind.isOptional else { return 0 }
    return PushJob.Kind.mask([kind]) | (kind.isReminder ? reminderMask : 0)
  }
}

extension SettingsChange {
  /// The notifications that this change makes unwanted, as stored.
  public var unwantedMask: Int32 {
    PlayerSettings(
      muted: Set(kinds.filter { !$0.value }.keys), reminders: reminders ?? true
    ).mask
  }

  /// The notifications that this change makes wanted again, as stored.
  public var wantedMask: Int32 {
    PlayerSettings(
      muted: Set(kinds.filter { $0.value }.keys), reminders: reminders != true
    ).mask
  }
}

extension PushJob.Kind {
  /// A set of kinds as it is stored.
  public static func mask(_ kinds: some Sequence<PushJob.Kind>) -> Int32 {
    kinds.reduce(0) { $0 | 1 << $1.bit }
  }

  /// The kinds of a stored set. Kinds that this build does not know are left out.
  public static func kinds(in mask: Int32) -> Set<PushJob.Kind> {
    Set(allCases.filter { mask & 1 << $0.bit != 0 })
  }
}
