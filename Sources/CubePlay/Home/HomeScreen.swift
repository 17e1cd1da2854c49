/// What waits for the player, on the screen.
public struct HomeScreen: Hashable, Sendable {
  /// What waits; nil before it is known.
  public internal(set) var list: HomeList?
  /// The place of the row that is selected; -1: none, since the row that was is gone.
  public internal(set) var selectedIndex = 0
  /// What was asked for and has no answer; meanwhile nothing else can be asked for.
  public internal(set) var wish: Wish?
  /// What would be lost, while the player is asked whether it is to be.
  public internal(set) var doubted: Wish?
  /// What an action could not do, or what became of an earlier one, in words; until the next action.
  public internal(set) var notice: String?
  /// Why the service is not heard, in words; until what waits arrives.
  public internal(set) var trouble: String?

  /// What a player asks for.
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

  /// Nothing is known yet.
  public init() {}

  public var selected: HomeRow? {
    guard let rows = list?.rows, rows.indices.contains(selectedIndex) else { return nil }
    return rows[selectedIndex]
  }
}

/// What happens on the screen of what waits.
public enum HomeAction: Hashable, Sendable {
  /// It came into sight, or was asked for again.
  case appeared
  /// What waits arrived.
  case arrived(HomeList)
  /// What waits cannot be shown, for a reason in words.
  case failed(String)
  /// Another row was selected: so many further down.
  case moved(Int)
  /// The selected row was opened: a match is shown, an invitation or an offer accepted.
  case opened
  /// The selected invitation or offer is to be turned down: that is asked first.
  case declined
  /// The selected match, which nobody has joined, is to be withdrawn: that is asked first.
  case withdrawalAsked
  /// The player said that it is to be.
  case confirmed
  /// The player said that it is not to be.
  case kept
  /// What was asked for came true with this match; nil: nothing is to be shown.
  case granted(MatchKey?)
  /// What was asked for did not come true, for a reason in words.
  case refused(String)
  /// What was asked for found nobody: the service is away, in words.
  case away(String)
  case secondPassed
}

/// What has to be done because of an action on what waits.
public enum HomeEffect: Hashable, Sendable {
  /// Ask what waits.
  case load
  /// Do what the player asks for.
  case grant(HomeScreen.Wish)
  /// Show a match.
  case open(MatchKey)
}
