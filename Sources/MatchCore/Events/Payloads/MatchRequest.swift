/// A player's request for a match (also for a game of one player).
public struct MatchRequest: Hashable, Sendable {
  /// The kind of opponent for the other seat.
  public enum Opponent: Hashable, Sendable {
    /// The next player who asks with the same terms.
    case random
    /// One player, invited by name.
    case player(PlayerID)
    /// Any player with the code.
    case open
    /// Nobody: a game of one seat, as long as one likes.
    case nobody
    /// Nobody but the clock: a timed game of one seat.
    case clock
  }

  public var opponent: Opponent
  /// Seconds a player has for a turn, within `turnLimits`. Nil, for no limit, only in a game of one
  /// seat.
  public var turnLimitSeconds: Int64?
  /// The language of the words.
  public var language: Language
  /// Whether the match must not change ratings. Irrelevant to a game of one seat, which never does.
  public var isCasual: Bool

  public init(
    opponent: Opponent, turnLimitSeconds: Int64?, language: Language = .english,
    isCasual: Bool = false
  ) {
    self.opponent = opponent
    self.turnLimitSeconds = turnLimitSeconds
    self.language = language
    self.isCasual = isCasual
  }

  /// Asks for a game of one player.
  public init(alone mode: SoloMode, language: Language = .english) {
    self.init(
      opponent: mode == .timed ? .clock : .nobody, turnLimitSeconds: nil, language: language)
  }

  /// The permitted turn limits: 10 seconds to 30 days.
  public static let turnLimits: ClosedRange<Int64> = 10...(30 * 86_400)
}

extension MatchRequest: EventPayload {
  package static let name = "matchRequested"
  package static let noun = "start"
  package static let price = EventPrice.beginning

  package static func answer(_ acceptance: Acceptance) -> MatchStart? {
    switch acceptance {
    case .matchStarted(let ticket): .started(ticket)
    case .matchJoined(let ticket): .joined(ticket)
    default: nil
    }
  }

  package var action: Event.Action { .matchRequested(self) }
  package var subject: Event.Subject? { .request(self) }

  package func needs(of event: Event) -> Judge.Needs {
    var needs = Judge.Needs()
    let match = MatchID(askedBy: event.player, event: event.id)
    // If two events have the same hash, the second one must find the first one's match.
    needs.matches = [match]
    switch opponent {
    case .random:
      needs.claim = .seat(terms, for: event.player)
      needs.leavings = true
    case .player(let other):
      needs.players = [other]
      if other != event.player { needs.claim = .pair(event.player, other, terms, match: match) }
    case .open, .nobody, .clock: break
    }
    if Judge.refusal(of: self) != nil { needs.claim = nil }
    return needs
  }

  package func encounter(of player: PlayerID, match: (MatchID) -> Match?) -> Judge.Encounter? {
    guard Judge.refusal(of: self) == nil else { return nil }
    return switch opponent {
    case .player(let other):
      Judge.Encounter(players: [player, other], counted: [player, other], invited: other)
    case .random: Judge.Encounter(players: [player], counted: [player])
    case .open, .nobody, .clock: Judge.Encounter(players: [], counted: [player])
    }
  }

  package var fields: [(String, JSON?)] {
    let (name, with): (String, PlayerID?) =
      switch opponent {
      case .random: ("random", nil)
      case .player(let player): ("player", player)
      case .open: ("open", nil)
      case .nobody: ("nobody", nil)
      case .clock: ("clock", nil)
      }
    return [
      ("opponent", .string(name)), ("with", with.map { .text($0) }),
      ("turnLimit", turnLimitSeconds.map { .number($0) }),
      ("language", .string(language.rawValue)), ("casual", isCasual ? .bool(true) : nil),
    ]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    let opponent: Opponent
    switch try object.string("opponent") {
    case "random": opponent = .random
    case "player": opponent = .player(try object.id("with"))
    case "open": opponent = .open
    case "nobody": opponent = .nobody
    case "clock": opponent = .clock
    default: throw .malformed("opponent is not one of random, player, open, nobody, clock")
    }
    // The judge refuses values out of bounds, with the limits in force.
    let all = -JSONReader.largestInteger...JSONReader.largestInteger
    self.init(
      opponent: opponent, turnLimitSeconds: try object.optionalInteger("turnLimit", in: all),
      language: try object.value("language", "a language") { Language(rawValue: $0) },
      isCasual: try object.flag("casual"))
  }
}

/// The language that a match's words come from.
public enum Language: String, Hashable, Sendable, CaseIterable {
  /// English, American and British.
  case english = "en"
}

/// The clock of a game of one player.
public enum SoloMode: String, Hashable, Sendable, CaseIterable {
  /// No limit (the daily: until its day ends).
  case unlimited
  /// 180 seconds from the deal on.
  case timed

  /// The length of a game in seconds. Nil: no limit.
  public var seconds: Int64? {
    switch self {
    case .unlimited: nil
    case .timed: 180
    }
  }
}
