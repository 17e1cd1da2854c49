/// The kind of match that a player starts, as it is chosen on the screen.
public struct NewMatchScreen: Hashable, Sendable {
  /// The row that keys act on.
  public internal(set) var focus = Item.anyone
  /// The player to invite.
  public internal(set) var name = TextEntry()
  /// The code of a match to be joined.
  public internal(set) var code = TextEntry()
  /// The time for a turn, where two play.
  public internal(set) var turnLimit: TextEntry
  /// Whether the result is to change no rating, where two play.
  public internal(set) var isCasual = false
  /// How far it has come.
  public internal(set) var stage = Stage.choosing
  /// Why the last action failed, in words.
  public internal(set) var notice: String?
  /// Why the service was not heard, in words; until it is back, or the next action.
  public internal(set) var trouble: String?

  /// A row that can be chosen or filled in, from above to below.
  public enum Item: Hashable, Sendable, CaseIterable {
    /// A match against anyone.
    case anyone
    /// A match against a player by name; the name is typed here.
    case named
    /// A match against the first player to use a code.
    case open
    /// A match of which the player has the code; it is typed here.
    case join
    /// Today's challenge without a clock.
    case daily
    /// Today's challenge against the clock.
    case timedDaily
    /// A game alone, without a clock.
    case alone
    /// A game alone, against the clock.
    case timedAlone
    /// The time for a turn; it is typed here.
    case turnLimit
    /// Whether the result changes no rating.
    case casual
  }

  /// How far a start has come.
  public enum Stage: Hashable, Sendable {
    /// The player chooses.
    case choosing
    /// A match was asked for, and there is no answer.
    case asked(NewMatch)
    /// A match was asked for, and the service may have the request. The answer is still to come.
    case pending(NewMatch)
    /// The player invited the same player before, and is asked whether to invite once more.
    case doubted(NewMatch)
  }

  /// - Parameter turnLimit: The time for a turn that is filled in at first.
  public init(turnLimit: String = "1d") { self.turnLimit = TextEntry(turnLimit) }

  /// With the name of a player filled in.
  init(inviting name: String) {
    self.init()
    (self.name, focus) = (TextEntry(name), .named)
  }

  /// Whether characters are typed into a text.
  public var isTyping: Bool {
    stage == .choosing && (focus == .named || focus == .join || focus == .turnLimit)
  }

  /// The match that Enter would start; nil where the selected row starts nothing.
  var wanted: NewMatch? {
    let terms = NewMatch.Terms(turnLimit: turnLimit.text, isCasual: isCasual)
    switch focus {
    case .anyone: return .anyone(terms)
    case .named: return .named(name.text, terms)
    case .open: return .open(terms)
    case .join: return .join(code.text)
    case .daily: return .daily(.unlimited)
    case .timedDaily: return .daily(.timed)
    case .alone: return .alone(.unlimited)
    case .timedAlone: return .alone(.timed)
    case .turnLimit, .casual: return nil
    }
  }
}

/// An action in the choice of a new match.
public enum NewMatchAction: Hashable, Sendable {
  /// The screen came into sight, or the service is back.
  case appeared
  /// Another row was selected: so many further down.
  case moved(Int)
  case typed(Character)
  /// The last character was taken back.
  case erased
  /// The selected row's match is wanted.
  case chosen
  /// Whether to invite once more.
  case doubtAnswered(Bool)
  /// The service answered.
  case answered(StartAnswer)
  /// The service answered a start that was pending.
  case pendingAnswered(StartAnswer)
}

/// An effect of an action in the choice of a new match.
public enum NewMatchEffect: Hashable, Sendable {
  /// Ask for a match.
  /// - isSure: Whether the player wants it although the same player was invited before.
  case start(NewMatch, isSure: Bool)
  /// Show a match.
  case open(MatchKey)
}
