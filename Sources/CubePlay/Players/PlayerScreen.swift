/// Another player: the matches between the two, and what can be done about the player.
public struct PlayerScreen: Hashable, Sendable {
  /// The name, and where it stood.
  public let wanted: PlayerWanted
  /// The player as far as it has loaded.
  public internal(set) var content = Loaded<PlayerNews>.loading
  public internal(set) var stage = Stage.looking
  /// The reason of a report.
  public internal(set) var reason = ReportReason.name
  /// The player's own words for a report.
  public internal(set) var text = TextEntry(limit: 200)
  /// The outcome of the last action, in words.
  public internal(set) var notice: String?
  /// Why the service was not heard, in words; until it is back, or the next action.
  public internal(set) var trouble: String?

  public enum Stage: Hashable, Sendable {
    case looking
    /// The player is asked whether to block the other one.
    case blockDoubted
    /// Reason and words of a report are chosen.
    case reporting
    /// The player is asked whether to send the report.
    case reportDoubted
    /// There is no answer yet.
    case asked(PlayerWish)
  }

  public init(_ wanted: PlayerWanted) { self.wanted = wanted }

  /// The player as it arrived.
  public var news: PlayerNews? { content.value }

  /// The facts about the two, in sentences.
  public var lines: [String] { news.map { $0.lines + wanted.meeting } ?? [] }

  /// The match that a report would be about; nil: none is known, and nothing can be reported.
  public var reportedMatch: MatchKey? { news.flatMap { wanted.match ?? $0.match } }

  /// Whether characters are typed into a text.
  public var isTyping: Bool { stage == .reporting }
}

/// Another player, as the name stands on a screen.
public struct PlayerWanted: Hashable, Sendable {
  public var name: String
  /// A match of both, where the name stood; nil: it stood on a list of others.
  public var match: MatchKey?
  /// Whether that match was on the screen, so that the player goes back to it.
  public var isFromMatch: Bool
  /// Why chance let the two meet in that match, in sentences.
  public var meeting: [String]

  public init(
    _ name: String, in match: MatchKey? = nil, isFromMatch: Bool = false, meeting: [String] = []
  ) {
    (self.name, self.match, self.isFromMatch) = (name, match, isFromMatch)
    self.meeting = meeting
  }
}

extension HomeRow {
  /// The other player of the row; nil: there is none yet, or never.
  public var wantedPlayer: PlayerWanted? {
    guard let player else { return nil }
    switch kind {
    case .yourTurn, .theirTurn, .rematchOffer, .ownOffer: return PlayerWanted(player, in: key)
    // A player without a seat has nothing to report yet.
    case .waiting, .invitation, .daily, .alone: return PlayerWanted(player)
    }
  }
}

extension MatchScreen {
  /// The other player of the match; nil: there is none yet, or the viewer has no seat.
  public var wantedPlayer: PlayerWanted? {
    guard case .shown(let shown) = content, !shown.isWaiting, shown.watched == nil,
      let name = shown.opponent
    else { return nil }
    return PlayerWanted(name, in: key, isFromMatch: true, meeting: shown.meeting)
  }
}

extension BoardsScreen {
  /// The player of a row; nil: there is none, or it is the one who looks.
  public func wantedPlayer(in row: Int) -> PlayerWanted? {
    guard let rows = news?.rows, rows.indices.contains(row), !rows[row].isOwn else { return nil }
    return rows[row].player.map { PlayerWanted($0) }
  }
}

extension PastGamesScreen {
  /// The other player of a row; nil: there was none.
  public func wantedPlayer(in row: Int) -> PlayerWanted? {
    guard let rows = news?.rows, rows.indices.contains(row) else { return nil }
    return rows[row].player.map { PlayerWanted($0, in: rows[row].key) }
  }
}

extension InboxScreen {
  /// The other player in the match of a row; nil: there is none.
  public func wantedPlayer(in row: Int) -> PlayerWanted? {
    guard rows.indices.contains(row) else { return nil }
    return rows[row].player.map { PlayerWanted($0, in: rows[row].match) }
  }
}

/// Another player as it arrives.
public struct PlayerNews: Hashable, Sendable {
  public var name: String
  /// The matches between the two, in sentences.
  public var lines: [String]
  public var isBlocked: Bool
  /// A match of both; nil: none is told.
  public var match: MatchKey?

  public init(name: String, lines: [String], isBlocked: Bool, match: MatchKey? = nil) {
    (self.name, self.lines, self.isBlocked, self.match) = (name, lines, isBlocked, match)
  }
}

/// The reason of a report, in the order in which they are gone through. The raw values travel.
public enum ReportReason: String, Hashable, Sendable, CaseIterable {
  case name, words, cheating, conduct, other
}

/// Something that is asked of the service about another player.
public enum PlayerWish: Hashable, Sendable {
  case block
  case unblock
  case report(MatchKey, ReportReason, String)
}

/// An answer to a wish.
public enum PlayerAnswer: Hashable, Sendable {
  case done
  /// It cannot be had, for a reason in words.
  case refused(String)
  /// Nobody was there, in words.
  case away(String)
}

/// An action on another player.
public enum PlayerAction: Hashable, Sendable {
  /// The screen came into sight, or the service is back.
  case appeared
  /// A player arrived, asked for by name.
  case arrived(String, PlayerNews)
  /// A player cannot be shown, for a reason in words.
  case failed(String, String)
  /// An invitation is to be prepared.
  case inviteChosen
  /// The player's past games against the other one are to be listed.
  case gamesChosen
  /// The player is to be blocked, or not any more.
  case blockChosen
  case reportChosen
  /// Another reason was chosen: so many further on, and round.
  case reasonMoved(Int)
  case typed(Character)
  /// The last character was taken back.
  case erased
  /// The report is complete.
  case reportWritten
  /// The answer to what the screen asks; no also leaves the form of a report.
  case doubtAnswered(Bool)
  case answered(PlayerAnswer)
}

/// An effect of an action on another player.
public enum PlayerEffect: Hashable, Sendable {
  /// Ask for the player of that name.
  case load(String)
  case wish(PlayerWish, String)
  /// Open the choice of a new match with that name filled in.
  case invite(String)
  /// List the past games against the player of that name.
  case games(String)
}
