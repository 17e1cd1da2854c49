/// The home list on the screen.
public struct HomeScreen: Hashable, Sendable {
  /// The home list; nil before it has arrived.
  public internal(set) var list: HomeList?
  /// The place of the selected row.
  public internal(set) var selectedIndex = 0
  /// Whether another row took the place of the selected one, and one key would act on it. The
  /// player is asked first.
  var isReplaced = false
  /// The match that the player came from, until a list arrives. Its row is selected.
  var sought: MatchKey?
  /// The wish that has no answer yet. Meanwhile the player can wish nothing else.
  public internal(set) var wish: Wish?
  /// The wish that would lose something, while the player is asked to confirm it.
  public internal(set) var doubted: Wish?
  /// How far declining all invitations has come.
  public internal(set) var decliningAll = DecliningAll.no
  /// Why an action failed, or the outcome of an earlier one, in words; until the next action.
  public internal(set) var notice: String?
  /// Why the service is not heard, in words; until the home list arrives.
  public internal(set) var trouble: String?

  /// A player's wish.
  public enum Wish: Hashable, Sendable {
    /// To accept an invitation.
    case accept(MatchKey)
    /// To turn an invitation down.
    case decline(MatchKey)
    /// To agree to a rematch.
    case rematch(MatchKey)
    /// To turn a rematch down.
    case declineRematch(MatchKey)
    /// To take a match back that waits for somebody.
    case withdraw(MatchKey)
    /// To begin today's challenge.
    case daily(GameClock)
  }

  /// How far declining all invitations has come.
  public enum DecliningAll: Hashable, Sendable {
    case no
    /// The player is asked to confirm that these are to be declined.
    case doubted([MatchKey])
    /// They are declined one after the other. These are left after the one of `wish`.
    case going([MatchKey])
  }

  /// Whether the player is asked to confirm something.
  public var isInDoubt: Bool {
    if case .doubted = decliningAll { true } else { doubted != nil }
  }

  /// The listed invitations.
  public var invitations: [MatchKey] {
    (list?.rows ?? []).filter { $0.kind == .invitation }.map { $0.key }
  }

  /// The player came back from a match.
  mutating func cameBack(from match: MatchKey) {
    (sought, isReplaced) = (match, false)
    seek()
  }

  /// Selects the row of the match that the player came from, if it is listed.
  mutating func seek() {
    guard let rows = list?.rows, let place = rows.firstIndex(where: { $0.key == sought }) else {
      return
    }
    if place != selectedIndex { isReplaced = !rows[place].isOnlyOpened }
    (selectedIndex, sought) = (place, nil)
  }

  /// Nothing is known yet.
  public init() {}

  public var selected: HomeRow? {
    guard let rows = list?.rows, rows.indices.contains(selectedIndex) else { return nil }
    return rows[selectedIndex]
  }
}

/// An action on the home screen.
public enum HomeAction: Hashable, Sendable {
  /// The screen came into sight, or was asked for again.
  case appeared
  /// The home list arrived.
  case arrived(HomeList)
  /// The home list cannot be shown, for a reason in words.
  case failed(String)
  /// Another row was selected: so many further down.
  case moved(Int)
  /// The selected row was opened: a match is shown, an invitation or an offer accepted.
  case opened
  /// The selected invitation or offer is to be turned down; the player is asked first.
  case declined
  /// All listed invitations are to be turned down, two or more; the player is asked first.
  case allDeclined
  /// The selected match, which nobody has joined, is to be withdrawn; the player is asked first.
  case withdrawalAsked
  /// The player said that it is to be.
  case confirmed
  /// The player said that it is not to be.
  case kept
  /// The wish came true with this match; nil: nothing is to be shown.
  case granted(MatchKey?)
  /// The wish did not come true, for a reason in words.
  case refused(String)
  /// The wish found nobody: the service is away, in words.
  case away(String)
  case secondPassed
}

/// An effect of an action on the home screen.
public enum HomeEffect: Hashable, Sendable {
  /// Load the home list.
  case load
  /// Carry out the player's wish.
  case grant(HomeScreen.Wish)
  /// Show a match.
  case open(MatchKey)
}
