/// The keys that speak for the player, one for each device, and the code that lets one more in.
public struct KeysScreen: Hashable, Sendable {
  /// The keys as far as they have loaded, the oldest first.
  public internal(set) var content = Loaded<[KeyRow]>.loading
  /// The place of the row that is selected.
  public internal(set) var selectedIndex = 0
  public internal(set) var invitation = Invitation.none
  public internal(set) var removal = Removal.none
  public internal(set) var recovery = RecoveryNews()
  public internal(set) var recoveryStage = RecoveryStage.idle
  /// The outcome of the last action, in words.
  public internal(set) var notice: String?

  /// The code that lets a device in.
  public enum Invitation: Hashable, Sendable {
    case none
    /// A code was asked for.
    case asked
    /// It can be typed on the device. The service has listed it, or not yet.
    case open(code: String, secondsLeft: Int, isListed: Bool)
  }

  /// The key that is to speak for the player no more.
  public enum Removal: Hashable, Sendable {
    case none
    /// The player is asked first.
    case doubted(KeyRow)
    /// The service is asked.
    case asked(KeyRow)
  }

  /// Nothing is known yet.
  public init() {}

  /// The keys as they arrived.
  public var rows: [KeyRow] { content.value ?? [] }

  /// The key that is selected.
  public var selected: KeyRow? { rows.indices.contains(selectedIndex) ? rows[selectedIndex] : nil }
}

/// A key that speaks for the player.
public struct KeyRow: Hashable, Sendable {
  /// All of it, as text.
  public var key: String
  /// Its first digits, which no other key of the player has.
  public var digits: String
  /// When it was added, in words.
  public var added: String
  /// The first digits of the key that let it in; nil: it is the first one.
  public var inviter: String?
  /// Whether it is the key of this device.
  public var isOwn: Bool
  /// The player's name for its device; nil: it has none.
  public var device: String?

  public init(
    key: String, digits: String, added: String, inviter: String? = nil, isOwn: Bool,
    device: String? = nil
  ) {
    (self.key, self.digits, self.added) = (key, digits, added)
    (self.inviter, self.isOwn, self.device) = (inviter, isOwn, device)
  }

  /// The digits, and the name of the device where it has one.
  public var label: String { device.map { "\(digits) (\($0))" } ?? digits }
}

/// The keys as the service tells them.
public struct KeysNews: Hashable, Sendable {
  public var rows: [KeyRow]
  /// How long the code of this device can still be used; nil: it was used, is over, or there is none.
  public var codeSecondsLeft: Int?
  public var recovery: RecoveryNews

  public init(
    rows: [KeyRow], codeSecondsLeft: Int? = nil, recovery: RecoveryNews = RecoveryNews()
  ) {
    (self.rows, self.codeSecondsLeft) = (rows, codeSecondsLeft)
    self.recovery = recovery
  }
}

/// An action on the keys.
public enum KeysAction: Hashable, Sendable {
  /// The list came into sight, or was asked for again.
  case appeared
  case arrived(KeysNews)
  /// The list cannot be shown, for a reason in words.
  case failed(String)
  /// Another row was selected: so many further down.
  case moved(Int)
  case secondPassed
  /// A code for one more device is wanted.
  case inviteChosen
  /// The code is there.
  case invited(code: String, secondsLeft: Int)
  /// There is no code, for a reason in words.
  case notInvited(String)
  /// The selected key is to be removed.
  case removeChosen
  /// The player's answer to the question.
  case doubtAnswered(Bool)
  /// The key that was to be removed is gone.
  case removed
  /// It is not gone, for a reason in words.
  case notRemoved(String)
  case recovery(RecoveryAction)
}

/// An effect of an action on the keys.
public enum KeysEffect: Hashable, Sendable {
  /// Ask for the list.
  case load
  /// Ask for a code.
  case invite
  /// Remove a key, given as text.
  case remove(String)
  case recovery(RecoveryEffect)
}
