import IssueReporting
public import MatchCore
public import MatchWire

/// What the reader needs of the store. Confined to its thread.
public struct ReaderStore {
  /// The store's clock, and whose keys are; those that nobody has registered are missing.
  public var owners:
    ([PublicKey]) throws(StoreError) -> (now: Instant, owners: [PublicKey: KeyOwner])
  /// A player by name, in whatever case.
  public var player: (PlayerName) throws(StoreError) -> PlayerRow?
  /// Players by id; those who do not exist are missing.
  public var players: ([PlayerID]) throws(StoreError) -> [PlayerID: PlayerRow]
  /// Matches as they stand, in any order; those that do not exist are missing.
  public var matches: ([MatchID]) throws(StoreError) -> [Match]
  /// The record of a match, in order.
  public var entries: (MatchID) throws(StoreError) -> [Entry]
  /// What of a player is not over: the newest so many matches, and so many invitations.
  public var currentMatches:
    (PlayerID, _ matches: Int, _ invitations: Int) throws(StoreError) -> CurrentMatches
  /// Finished matches with an offer of a rematch that a player has made or may accept: the newest so
  /// many offers.
  public var rematchOffers: (PlayerID, _ limit: Int) throws(StoreError) -> [Match]
  /// The match that a code invites to.
  public var matchByCode: (ShareCode) throws(StoreError) -> MatchID?
  /// The match that was shared with a code.
  public var sharedMatch: (ShareCode) throws(StoreError) -> MatchID?
  /// Past games of a player, the newest first: those before `before`, with one opponent if given,
  /// at most `limit`.
  public var pastGames: (PastGamesQuestion) throws(StoreError) -> [PastGameRow]
  /// A daily challenge if it is dealt.
  public var daily: (DailyKey) throws(StoreError) -> DailyChallenge?
  /// The first of the ladder, and who asks with those next to who asks.
  public var ladder: (LadderQuestion) throws(StoreError) -> LadderPage
  /// The best so many in a daily challenge, and a player's own place.
  public var dailyResults: (DailyKey, PlayerID, _ limit: Int) throws(StoreError) -> Ranking
  /// What a player made of the daily challenges after a day, the newest first, at most 31 days.
  public var dailyHistory: (PlayerID, _ after: Day) throws(StoreError) -> [DailyHistory.Result]
  /// The best so many on a leaderboard, and a player's own place.
  public var leaderboard: (Leaderboard, PlayerID, _ limit: Int) throws(StoreError) -> Ranking
  /// How many games of each kind ended for a player since then, by result: of each at most so many
  /// are counted.
  public var tallies: (PlayerID, _ since: Instant, _ limit: Int) throws(StoreError) -> Tallies
  /// What a player has set.
  public var settings: (PlayerID) throws(StoreError) -> SettingsRow
  /// What was sent to a player within 30 days and not yet seen, the newest first, at most so many.
  public var inbox: (PlayerID, _ limit: Int) throws(StoreError) -> [InboxRow]
  /// Whether registration needs a code.
  public var registrationNeedsCode: () throws(StoreError) -> Bool
  /// Whom a player has blocked, in the order of names.
  public var blocked: (PlayerID) throws(StoreError) -> [BlockedRow]
  /// The certificates of the service's working keys; whether they hold is for whoever asks to see.
  public var certificates: () throws(StoreError) -> [KeyCertificate]

  /// How many games there are of each kind and result.
  public typealias Tallies = [MatchKind: [Outcome.Result: Int]]

  /// What of a player is not over. Invitations are apart: however many there are, they hide no match.
  public struct CurrentMatches: Hashable, Sendable {
    /// More than so many matches or invitations are not counted.
    public static let countLimit = 10_000

    /// The matches in which the player sits, the newest first.
    public var matches: [Match]
    /// How many more there are.
    public var moreMatches: Int
    /// The matches to which the player is invited, the newest first.
    public var invitations: [Match]
    /// How many more there are.
    public var moreInvitations: Int

    /// Puts lists together.
    public init(
      matches: [Match] = [], moreMatches: Int = 0, invitations: [Match] = [],
      moreInvitations: Int = 0
    ) {
      self.matches = matches
      self.moreMatches = moreMatches
      self.invitations = invitations
      self.moreInvitations = moreInvitations
    }

    /// How many there are, shown or not.
    public var count: Int {
      matches.count + moreMatches + invitations.count + moreInvitations
    }
  }

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
    /// Whether the account is a bot's.
    public var isBot: Bool

    /// Puts a row together.
    public init(
      id: PlayerID, name: PlayerName, registeredAt: Instant, rating: PlayerRating = .initial,
      isBot: Bool = false
    ) {
      self.id = id
      self.name = name
      self.registeredAt = registeredAt
      self.rating = rating
      self.isBot = isBot
    }
  }

  /// Which past games are wanted.
  public struct PastGamesQuestion: Hashable, Sendable {
    /// Whose.
    public var player: PlayerID
    /// Only those against this player.
    public var opponent: PlayerID?
    /// Only those.
    public var filter: PastGamesFilter
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
    public init(
      player: PlayerID, opponent: PlayerID?, filter: PastGamesFilter = PastGamesFilter(),
      before: Position?, limit: Int
    ) {
      self.player = player
      self.opponent = opponent
      self.filter = filter
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

  /// A notification that was sent.
  public struct InboxRow: Hashable, Sendable {
    /// Its job.
    public var job: PushJob
    /// When it was sent.
    public var sentAt: Instant

    /// Puts a row together.
    public init(job: PushJob, sentAt: Instant) {
      self.job = job
      self.sentAt = sentAt
    }
  }

  /// What a player has set.
  public struct SettingsRow: Hashable, Sendable {
    /// The settings; a player who has set nothing has those of a new one.
    public var settings: PlayerSettings
    /// The devices, by name.
    public var devices: [Device]

    /// Puts a row together.
    public init(settings: PlayerSettings, devices: [Device]) {
      self.settings = settings
      self.devices = devices
    }
  }

  /// A player whom another one has blocked.
  public struct BlockedRow: Hashable, Sendable {
    /// Who is blocked.
    public var player: PlayerID
    /// The name.
    public var name: PlayerName
    /// Since when.
    public var since: Instant

    /// Puts a row together.
    public init(player: PlayerID, name: PlayerName, since: Instant) {
      self.player = player
      self.name = name
      self.since = since
    }
  }

  /// Puts a store together.
  public init(
    owners:
      @escaping ([PublicKey]) throws(StoreError) -> (now: Instant, owners: [PublicKey: KeyOwner]),
    player: @escaping (PlayerName) throws(StoreError) -> PlayerRow?,
    players: @escaping ([PlayerID]) throws(StoreError) -> [PlayerID: PlayerRow],
    matches: @escaping ([MatchID]) throws(StoreError) -> [Match],
    entries: @escaping (MatchID) throws(StoreError) -> [Entry],
    currentMatches:
      @escaping (PlayerID, _ matches: Int, _ invitations: Int) throws(StoreError) -> CurrentMatches,
    rematchOffers: @escaping (PlayerID, _ limit: Int) throws(StoreError) -> [Match],
    matchByCode: @escaping (ShareCode) throws(StoreError) -> MatchID?,
    sharedMatch: @escaping (ShareCode) throws(StoreError) -> MatchID?,
    pastGames: @escaping (PastGamesQuestion) throws(StoreError) -> [PastGameRow],
    daily: @escaping (DailyKey) throws(StoreError) -> DailyChallenge?,
    ladder: @escaping (LadderQuestion) throws(StoreError) -> LadderPage,
    dailyResults: @escaping (DailyKey, PlayerID, _ limit: Int) throws(StoreError) -> Ranking,
    dailyHistory:
      @escaping (PlayerID, _ after: Day) throws(StoreError) -> [DailyHistory.Result],
    leaderboard: @escaping (Leaderboard, PlayerID, _ limit: Int) throws(StoreError) -> Ranking,
    tallies: @escaping (PlayerID, _ since: Instant, _ limit: Int) throws(StoreError) -> Tallies,
    settings: @escaping (PlayerID) throws(StoreError) -> SettingsRow,
    inbox: @escaping (PlayerID, _ limit: Int) throws(StoreError) -> [InboxRow],
    registrationNeedsCode: @escaping () throws(StoreError) -> Bool,
    blocked: @escaping (PlayerID) throws(StoreError) -> [BlockedRow],
    certificates: @escaping () throws(StoreError) -> [KeyCertificate]
  ) {
    self.owners = owners
    self.player = player
    self.players = players
    self.matches = matches
    self.entries = entries
    self.currentMatches = currentMatches
    self.rematchOffers = rematchOffers
    self.matchByCode = matchByCode
    self.sharedMatch = sharedMatch
    self.pastGames = pastGames
    self.daily = daily
    self.ladder = ladder
    self.dailyResults = dailyResults
    self.dailyHistory = dailyHistory
    self.leaderboard = leaderboard
    self.tallies = tallies
    self.settings = settings
    self.inbox = inbox
    self.registrationNeedsCode = registrationNeedsCode
    self.blocked = blocked
    self.certificates = certificates
  }

  /// A match as it stands; nil if there is none.
  public func match(_ id: MatchID) throws(StoreError) -> Match? { try matches([id]).first }
}

extension ReaderStore {
  /// Knows nothing.
  public static var noop: ReaderStore {
    ReaderStore(
      owners: { _ in (Instant(microseconds: 0), [:]) }, player: { _ in nil },
      players: { _ in [:] }, matches: { _ in [] }, entries: { _ in [] },
      currentMatches: { _, _, _ in CurrentMatches() }, rematchOffers: { _, _ in [] },
      matchByCode: { _ in nil },
      sharedMatch: { _ in nil },
      pastGames: { _ in [] }, daily: { _ in nil },
      ladder: { _ in LadderPage() },
      dailyResults: { _, asker, limit in Ranking(all: [], asker: asker, limit: limit) },
      dailyHistory: { _, _ in [] },
      leaderboard: { _, asker, limit in Ranking(all: [], asker: asker, limit: limit) },
      tallies: { _, _, _ in [:] },
      settings: { _ in SettingsRow(settings: PlayerSettings(), devices: []) },
      inbox: { _, _ in [] },
      registrationNeedsCode: { false }, blocked: { _ in [] }, certificates: { [] })
  }

  /// Reports an issue whenever it is used, and is unavailable.
  public static var failing: ReaderStore {
    ReaderStore(
      owners: { _ throws(StoreError) in throw failure("ReaderStore.owners") },
      player: { _ throws(StoreError) in throw failure("ReaderStore.player") },
      players: { _ throws(StoreError) in throw failure("ReaderStore.players") },
      matches: { _ throws(StoreError) in throw failure("ReaderStore.matches") },
      entries: { _ throws(StoreError) in throw failure("ReaderStore.entries") },
      currentMatches: { _, _, _ throws(StoreError) in
        throw failure("ReaderStore.currentMatches")
      },
      rematchOffers: { _, _ throws(StoreError) in throw failure("ReaderStore.rematchOffers") },
      matchByCode: { _ throws(StoreError) in throw failure("ReaderStore.matchByCode") },
      sharedMatch: { _ throws(StoreError) in throw failure("ReaderStore.sharedMatch") },
      pastGames: { _ throws(StoreError) in throw failure("ReaderStore.pastGames") },
      daily: { _ throws(StoreError) in throw failure("ReaderStore.daily") },
      ladder: { _ throws(StoreError) in throw failure("ReaderStore.ladder") },
      dailyResults: { _, _, _ throws(StoreError) in throw failure("ReaderStore.dailyResults") },
      dailyHistory: { _, _ throws(StoreError) in throw failure("ReaderStore.dailyHistory") },
      leaderboard: { _, _, _ throws(StoreError) in throw failure("ReaderStore.leaderboard") },
      tallies: { _, _, _ throws(StoreError) in throw failure("ReaderStore.tallies") },
      settings: { _ throws(StoreError) in throw failure("ReaderStore.settings") },
      inbox: { _, _ throws(StoreError) in throw failure("ReaderStore.inbox") },
      registrationNeedsCode: { () throws(StoreError) in
        throw failure("ReaderStore.registrationNeedsCode")
      },
      blocked: { _ throws(StoreError) in throw failure("ReaderStore.blocked") },
      certificates: { () throws(StoreError) in throw failure("ReaderStore.certificates") })
  }
}
