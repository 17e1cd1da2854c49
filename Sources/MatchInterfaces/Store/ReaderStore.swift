import IssueReporting
public import MatchCore

/// What the reader needs of the store. Confined to its thread.
public struct ReaderStore {
  /// The store's clock, and whose a key is.
  public var owner: (PublicKey) throws(StoreError) -> (now: Instant, owner: KeyOwner?)
  /// A player by name, in whatever case.
  public var player: (PlayerName) throws(StoreError) -> PlayerRow?
  /// Players by id; those who do not exist are missing.
  public var players: ([PlayerID]) throws(StoreError) -> [PlayerID: PlayerRow]
  /// A match as it stands.
  public var match: (MatchID) throws(StoreError) -> Match?
  /// The record of a match, in order.
  public var entries: (MatchID) throws(StoreError) -> [Entry]
  /// The matches that are not over in which a player sits or is invited, the oldest first.
  public var currentMatches: (PlayerID) throws(StoreError) -> [Match]
  /// Finished matches with an offer of a rematch that a player has made or may accept.
  public var rematchOffers: (PlayerID) throws(StoreError) -> [Match]
  /// The match that a code invites to.
  public var matchByCode: (ShareCode) throws(StoreError) -> MatchID?
  /// Past games of a player, the newest first: those before `before`, with one opponent if given,
  /// at most `limit`.
  public var pastGames: (PastGamesQuestion) throws(StoreError) -> [PastGameRow]
  /// A daily challenge if it is dealt.
  public var daily: (DailyKey) throws(StoreError) -> DailyChallenge?
  /// All points made in a daily challenge, the best first.
  public var dailyScores: (DailyKey) throws(StoreError) -> [DailyScore]
  /// The first of the ladder, and who asks with those next to who asks.
  public var ladder: (LadderQuestion) throws(StoreError) -> LadderPage
  /// Whether registration needs a code.
  public var registrationNeedsCode: () throws(StoreError) -> Bool

  /// A player as the public may see one.
  public struct PlayerRow: Hashable, Sendable {
    /// The player.
    public var id: PlayerID
    /// The name.
    public var name: PlayerName
    /// Since when.
    public var registeredAt: Instant
    /// Where the player stands.
    public var rating: PlayerRating

    /// Puts a row together.
    public init(
      id: PlayerID, name: PlayerName, registeredAt: Instant, rating: PlayerRating = .initial
    ) {
      self.id = id
      self.name = name
      self.registeredAt = registeredAt
      self.rating = rating
    }
  }

  /// Which past games are wanted.
  public struct PastGamesQuestion: Hashable, Sendable {
    /// Whose.
    public var player: PlayerID
    /// Only those against this player.
    public var opponent: PlayerID?
    /// Only those that ended before, and at the same instant only those of a lower match id.
    public var before: Position?
    /// How many at most.
    public var limit: Int

    /// A place in the list of past games.
    public struct Position: Hashable, Sendable {
      /// When the game there ended.
      public var endedAt: Instant
      /// Which game it is.
      public var match: MatchID

      /// Puts a position together.
      public init(endedAt: Instant, match: MatchID) {
        self.endedAt = endedAt
        self.match = match
      }
    }

    /// Puts a question together.
    public init(player: PlayerID, opponent: PlayerID?, before: Position?, limit: Int) {
      self.player = player
      self.opponent = opponent
      self.before = before
      self.limit = limit
    }
  }

  /// A past game of a player.
  public struct PastGameRow: Hashable, Sendable {
    /// Which match.
    public var match: MatchID
    /// What sort of match, as it was stored.
    public var terms: Terms
    /// What it was for the player.
    public var game: Listing.PastGameRow

    /// Puts a row together.
    public init(match: MatchID, terms: Terms, game: Listing.PastGameRow) {
      self.match = match
      self.terms = terms
      self.game = game
    }
  }

  /// A player's points in a daily challenge.
  public struct DailyScore: Hashable, Sendable {
    /// Whose.
    public var player: PlayerID
    /// The name.
    public var name: PlayerName
    /// How many.
    public var points: Int

    /// Puts a row together.
    public init(player: PlayerID, name: PlayerName, points: Int) {
      self.player = player
      self.name = name
      self.points = points
    }
  }

  /// Puts a store together.
  public init(
    owner: @escaping (PublicKey) throws(StoreError) -> (now: Instant, owner: KeyOwner?),
    player: @escaping (PlayerName) throws(StoreError) -> PlayerRow?,
    players: @escaping ([PlayerID]) throws(StoreError) -> [PlayerID: PlayerRow],
    match: @escaping (MatchID) throws(StoreError) -> Match?,
    entries: @escaping (MatchID) throws(StoreError) -> [Entry],
    currentMatches: @escaping (PlayerID) throws(StoreError) -> [Match],
    rematchOffers: @escaping (PlayerID) throws(StoreError) -> [Match],
    matchByCode: @escaping (ShareCode) throws(StoreError) -> MatchID?,
    pastGames: @escaping (PastGamesQuestion) throws(StoreError) -> [PastGameRow],
    daily: @escaping (DailyKey) throws(StoreError) -> DailyChallenge?,
    dailyScores: @escaping (DailyKey) throws(StoreError) -> [DailyScore],
    ladder: @escaping (LadderQuestion) throws(StoreError) -> LadderPage,
    registrationNeedsCode: @escaping () throws(StoreError) -> Bool
  ) {
    self.owner = owner
    self.player = player
    self.players = players
    self.match = match
    self.entries = entries
    self.currentMatches = currentMatches
    self.rematchOffers = rematchOffers
    self.matchByCode = matchByCode
    self.pastGames = pastGames
    self.daily = daily
    self.dailyScores = dailyScores
    self.ladder = ladder
    self.registrationNeedsCode = registrationNeedsCode
  }
}

extension ReaderStore {
  /// Knows nothing.
  public static var noop: ReaderStore {
    ReaderStore(
      owner: { _ in (Instant(microseconds: 0), nil) }, player: { _ in nil },
      players: { _ in [:] }, match: { _ in nil }, entries: { _ in [] },
      currentMatches: { _ in [] }, rematchOffers: { _ in [] }, matchByCode: { _ in nil },
      pastGames: { _ in [] }, daily: { _ in nil }, dailyScores: { _ in [] },
      ladder: { _ in LadderPage() }, registrationNeedsCode: { false })
  }

  /// Reports an issue whenever it is used, and is unavailable.
  public static var failing: ReaderStore {
    ReaderStore(
      owner: { _ throws(StoreError) in throw failure("ReaderStore.owner") },
      player: { _ throws(StoreError) in throw failure("ReaderStore.player") },
      players: { _ throws(StoreError) in throw failure("ReaderStore.players") },
      match: { _ throws(StoreError) in throw failure("ReaderStore.match") },
      entries: { _ throws(StoreError) in throw failure("ReaderStore.entries") },
      currentMatches: { _ throws(StoreError) in throw failure("ReaderStore.currentMatches") },
      rematchOffers: { _ throws(StoreError) in throw failure("ReaderStore.rematchOffers") },
      matchByCode: { _ throws(StoreError) in throw failure("ReaderStore.matchByCode") },
      pastGames: { _ throws(StoreError) in throw failure("ReaderStore.pastGames") },
      daily: { _ throws(StoreError) in throw failure("ReaderStore.daily") },
      dailyScores: { _ throws(StoreError) in throw failure("ReaderStore.dailyScores") },
      ladder: { _ throws(StoreError) in throw failure("ReaderStore.ladder") },
      registrationNeedsCode: { () throws(StoreError) in
        throw failure("ReaderStore.registrationNeedsCode")
      })
  }
}
