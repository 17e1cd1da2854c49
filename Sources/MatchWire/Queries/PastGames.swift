public import MatchCore

extension Query {
  /// Asks for the asker's past games, the newest first.
  public struct PastGames: CodedQueryPayload {
    public typealias Answer = MatchWire.PastGames

    public static let name = "pastGames"
    public static let cost = 2
    public var kind: Kind { .pastGames(self) }

    /// Only games against this player.
    public var opponent: PlayerID?
    public var filter: PastGamesFilter
    /// Only games before this one.
    public var before: PastGamesCursor?
    /// The most games, within `limits`.
    public var limit: Int

    public init(
      with opponent: PlayerID? = nil, filter: PastGamesFilter = PastGamesFilter(),
      before: PastGamesCursor? = nil, limit: Int
    ) {
      self.opponent = opponent
      self.filter = filter
      self.before = before
      self.limit = limit
    }

    /// The permitted numbers of games.
    public static let limits: ClosedRange<Int> = 1...100

    var fields: [(String, JSON?)] {
      [
        ("with", opponent.map { .text($0) }), ("kind", filter.kind.map { .string($0.rawValue) }),
        ("result", filter.result.map { .string($0.rawValue) }),
        ("from", filter.from.map { .number($0.microseconds) }),
        ("until", filter.until.map { .number($0.microseconds) }),
        ("before", before.map { .text($0) }), ("limit", .number(limit)),
      ]
    }

    init(_ object: JSONObject) throws(WireFault) {
      self.init(
        with: try object.optionalID("with"),
        filter: PastGamesFilter(
          kind: try object.optionalValue("kind", "a kind of match") { MatchKind(rawValue: $0) },
          result: try object.optionalValue("result", "a result") { Outcome.Result(rawValue: $0) },
          from: try object.optionalInteger("from").map { Instant(microseconds: $0) },
          until: try object.optionalInteger("until").map { Instant(microseconds: $0) }),
        before: try object.optionalValue("before", "a cursor") { PastGamesCursor($0) },
        limit: try object.count("limit", in: PastGames.limits))
    }
  }
}

/// A match that is over, as one of its players sees it.
public struct PastGame: Hashable, Sendable, Codable {
  public var id: MatchID
  public var endedAt: Instant
  public var kind: MatchKind
  public var daily: DailyKey?
  /// The clock of a game of one player.
  public var mode: SoloMode?
  /// The other player. Nil in games of one seat.
  public var opponent: PlayerID?
  /// The other player's name.
  public var opponentName: PlayerName?
  /// The result for the player.
  public var result: Outcome.Result
  public var reason: Outcome.Reason
  /// The player's points.
  public var points: Int
  /// The other player's points.
  public var opponentPoints: Int?
  /// The place at which the list goes on after this game.
  public var cursor: PastGamesCursor
  /// True if the players agreed that the result changes no rating. Otherwise left out.
  public var casual: Bool?
  /// The player that gave up before the first turn; nil if nobody did.
  public var gaveUpBy: PlayerID?

  public init(
    id: MatchID, endedAt: Instant, kind: MatchKind, daily: DailyKey?, mode: SoloMode? = nil,
    opponent: PlayerID?, opponentName: PlayerName?, result: Outcome.Result,
    reason: Outcome.Reason, points: Int, opponentPoints: Int?, cursor: PastGamesCursor,
    casual: Bool? = nil, gaveUpBy: PlayerID? = nil
  ) {
    self.id = id
    self.endedAt = endedAt
    self.kind = kind
    self.daily = daily
    self.mode = mode
    self.opponent = opponent
    self.opponentName = opponentName
    self.result = result
    self.reason = reason
    self.points = points
    self.opponentPoints = opponentPoints
    self.cursor = cursor
    self.casual = casual
    self.gaveUpBy = gaveUpBy
  }
}

/// A page of past games.
public struct PastGames: Hashable, Sendable, Codable {
  /// The newest first.
  public var games: [PastGame]
  /// The start of the next page. Nil: there is none.
  public var next: PastGamesCursor?

  public init(
    games: [PastGame], next: PastGamesCursor?
  ) {
    self.games = games
    self.next = next
  }
}

/// The past games that are wanted, besides the opponent.
public struct PastGamesFilter: Hashable, Sendable {
  /// Only games of this kind.
  public var kind: MatchKind?
  /// Only games with this result for the player.
  public var result: Outcome.Result?
  /// Only games that ended at this time or later.
  public var from: Instant?
  /// Only games that ended before this time.
  public var until: Instant?

  /// A filter. With no values it lets every game through.
  public init(
    kind: MatchKind? = nil, result: Outcome.Result? = nil, from: Instant? = nil,
    until: Instant? = nil
  ) {
    self.kind = kind
    self.result = result
    self.from = from
    self.until = until
  }
}

/// The start of a page of past games: after the game that ended then.
public struct PastGamesCursor: Hashable, Sendable, CustomStringConvertible {
  public var endedAt: Instant
  public var match: MatchID

  /// A place in a list of past games.
  public init(endedAt: Instant, match: MatchID) {
    self.endedAt = endedAt
    self.match = match
  }

  /// Reads the output of `description`. Nil for anything else.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let microseconds = Int64(parts[0]), microseconds >= 0,
      let match = MatchID(parts[1])
    else { return nil }
    self.init(endedAt: Instant(microseconds: microseconds), match: match)
    guard description == text else { return nil }
  }

  /// Microseconds, `_`, match id.
  public var description: String { "\(endedAt.microseconds)_\(match)" }
}
