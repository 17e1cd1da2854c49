public import MatchCore

extension Query {
  /// The asker's past games, the newest first.
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
    /// How many at most, within `limits`.
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

    /// How many may be asked for at once.
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
  /// What sort of match.
  public var kind: MatchKind
  /// Which daily challenge it was.
  public var daily: DailyKey?
  /// How a game of one player was clocked.
  public var mode: SoloMode?
  /// The other player; nil in games of one seat.
  public var opponent: PlayerID?
  /// The other player's name.
  public var opponentName: PlayerName?
  /// What it was for the player.
  public var result: Outcome.Result
  /// Why it ended.
  public var reason: Outcome.Reason
  /// The player's points.
  public var points: Int
  /// The other player's points.
  public var opponentPoints: Int?
  /// Where the list goes on after this game.
  public var cursor: PastGamesCursor
  /// True where the result changes no rating by agreement; else left out.
  public var casual: Bool?
  /// Who gave up before anybody had played a turn; nil where nobody did.
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
  /// Where the next page begins; nil: there is none.
  public var next: PastGamesCursor?

  public init(
    games: [PastGame], next: PastGamesCursor?
  ) {
    self.games = games
    self.next = next
  }
}

/// Which past games are wanted, besides against whom.
public struct PastGamesFilter: Hashable, Sendable {
  /// Only games of this sort.
  public var kind: MatchKind?
  /// Only games that were this for the player.
  public var result: Outcome.Result?
  /// Only games that ended then or later.
  public var from: Instant?
  /// Only games that ended before that.
  public var until: Instant?

  /// Puts a filter together; without anything it lets every game through.
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

/// Where a page of past games begins: after the game that ended then.
public struct PastGamesCursor: Hashable, Sendable, CustomStringConvertible {
  public var endedAt: Instant
  public var match: MatchID

  /// A place in a list of past games.
  public init(endedAt: Instant, match: MatchID) {
    self.endedAt = endedAt
    self.match = match
  }

  /// Reads what `description` prints; nil for anything else.
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
