public import MatchCore
public import MatchWire

/// The store as the reader needs it. Confined to its thread.
public struct ReaderStore: Interface {
  /// The store's clock, the owners of keys, and matches as they stand: one round trip. Keys that
  /// nobody has registered and matches that do not exist are missing.
  public var ownersAndMatches: Ask<([PublicKey], [MatchID]), OwnersAndMatches, StoreError>
  /// A player by name, in either case.
  public var player: Ask<PlayerName, PlayerRow?, StoreError>
  /// Players by id; ids of no player are missing.
  public var players: Ask<[PlayerID], [PlayerID: PlayerRow], StoreError>
  /// Matches as they stand, in any order; those that do not exist are missing.
  public var matches: Ask<[MatchID], [Match], StoreError>
  /// The record of a match, in order.
  public var entries: Ask<MatchID, [Entry], StoreError>
  /// The record of a match, in order, and players as `players` gives them: one round trip.
  public var recordAndPlayers: Ask<(MatchID, [PlayerID]), RecordAndPlayers, StoreError>
  /// A player's matches and invitations that are not over: the newest so many of each.
  public var currentMatches: Ask<(PlayerID, Int, Int), CurrentMatches, StoreError>
  /// Finished matches with an offer of a rematch that a player has made or may accept: the newest
  /// so many offers.
  public var rematchOffers: Ask<(PlayerID, Int), [Match], StoreError>
  /// The match that a code invites to.
  public var matchByCode: Ask<ShareCode, MatchID?, StoreError>
  public var sharedMatch: Ask<ShareCode, MatchID?, StoreError>
  /// Past games of a player, the newest first: those before `before`, with one opponent if given,
  /// at most `limit`.
  public var pastGames: Ask<PastGamesQuestion, [PastGameRow], StoreError>
  /// A daily challenge if it is dealt.
  public var daily: Ask<DailyKey, DailyChallenge?, StoreError>
  /// The first of the ladder, and the asker with the players next to the asker.
  public var ladder: Ask<LadderQuestion, LadderPage, StoreError>
  /// The best so many in a daily challenge, and a player's own place.
  public var dailyResults: Ask<(DailyKey, PlayerID, Int), Ranking, StoreError>
  /// A player's results in the daily challenges after a day, the newest first, at most 31 days.
  public var dailyHistory: Ask<(PlayerID, Day), [DailyHistory.Result], StoreError>
  /// The best so many on a leaderboard, and a player's own place.
  public var leaderboard: Ask<(Leaderboard, PlayerID, Int), Ranking, StoreError>
  /// How many games of each kind ended for a player since then, by result: of each at most so many
  /// are counted.
  public var tallies: Ask<(PlayerID, Instant, Int), Tallies, StoreError>
  /// A player's settings and devices.
  public var settings: Ask<PlayerID, SettingsRow, StoreError>
  /// Notifications that were sent to a player within 30 days and are not yet seen, the newest
  /// first, at most so many.
  public var inbox: Ask<(PlayerID, Int), [InboxRow], StoreError>
  public var registrationNeedsCode: Ask<Void, Bool, StoreError>
  /// The players that a player has blocked, in the order of names.
  public var blocked: Ask<PlayerID, [BlockedRow], StoreError>
  /// The certificates of the service's working keys. The caller has to check whether they hold.
  public var certificates: Ask<Void, [KeyCertificate], StoreError>

  public typealias OwnersAndMatches = (
    now: Instant, owners: [PublicKey: KeyOwner], matches: [Match]
  )
  public typealias RecordAndPlayers = (entries: [Entry], players: [PlayerID: PlayerRow])

  /// How many games there are of each kind and result.
  public typealias Tallies = [MatchKind: [Outcome.Result: Int]]

  /// A player's matches and invitations that are not over. Invitations are apart, so that they hide
  /// no match.
  public struct CurrentMatches: Hashable, Sendable {
    /// More than so many matches or invitations are not counted.
    public static let countLimit = 10_000

    /// The matches in which the player sits, the newest first.
    public var matches: [Match]
    public var moreMatches: Int
    /// The matches to which the player is invited, the newest first.
    public var invitations: [Match]
    public var moreInvitations: Int

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
    public var id: PlayerID
    public var name: PlayerName
    /// Since when.
    public var registeredAt: Instant
    /// Where the player stands.
    public var rating: PlayerRating
    /// Whether the account is a bot's.
    public var isBot: Bool

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
      public var endedAt: Instant
      public var match: MatchID

      public init(endedAt: Instant, match: MatchID) {
        self.endedAt = endedAt
        self.match = match
      }
    }

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
    public var match: MatchID
    /// The match's terms, as they were stored.
    public var terms: Terms
    /// The game from the player's side.
    public var game: Listing.PastGameRow
    /// The cause of an aborted match's end: the payload of the last entry but one. Else nil.
    public var cause: [UInt8]?

    public init(
      match: MatchID, terms: Terms, game: Listing.PastGameRow, cause: [UInt8]? = nil
    ) {
      self.match = match
      self.terms = terms
      self.game = game
      self.cause = cause
    }
  }

  /// A notification that was sent.
  public struct InboxRow: Hashable, Sendable {
    public var job: PushJob
    public var sentAt: Instant

    public init(job: PushJob, sentAt: Instant) {
      self.job = job
      self.sentAt = sentAt
    }
  }

  /// A player's settings and devices.
  public struct SettingsRow: Hashable, Sendable {
    /// The settings. A player without any has those of a new player.
    public var settings: PlayerSettings
    /// The devices, by name.
    public var devices: [Device]

    public init(settings: PlayerSettings, devices: [Device]) {
      self.settings = settings
      self.devices = devices
    }
  }

  /// A player that another one has blocked.
  public struct BlockedRow: Hashable, Sendable {
    public var player: PlayerID
    public var name: PlayerName
    public var since: Instant

    public init(player: PlayerID, name: PlayerName, since: Instant) {
      self.player = player
      self.name = name
      self.since = since
    }
  }

  public init(_ how: Asking<StoreError>, around inner: ReaderStore?) {
    ownersAndMatches = how("ReaderStore.ownersAndMatches", inner?.ownersAndMatches) { _, _ in
      (Instant(microseconds: 0), [:], [])
    }
    player = how("ReaderStore.player", inner?.player) { _ in nil }
    players = how("ReaderStore.players", inner?.players) { _ in [:] }
    matches = how("ReaderStore.matches", inner?.matches) { _ in [] }
    entries = how("ReaderStore.entries", inner?.entries) { _ in [] }
    recordAndPlayers = how("ReaderStore.recordAndPlayers", inner?.recordAndPlayers) { _, _ in
      ([], [:])
    }
    currentMatches = how("ReaderStore.currentMatches", inner?.currentMatches) { _, _, _ in
      CurrentMatches()
    }
    rematchOffers = how("ReaderStore.rematchOffers", inner?.rematchOffers) { _, _ in [] }
    matchByCode = how("ReaderStore.matchByCode", inner?.matchByCode) { _ in nil }
    sharedMatch = how("ReaderStore.sharedMatch", inner?.sharedMatch) { _ in nil }
    pastGames = how("ReaderStore.pastGames", inner?.pastGames) { _ in [] }
    daily = how("ReaderStore.daily", inner?.daily) { _ in nil }
    ladder = how("ReaderStore.ladder", inner?.ladder) { _ in LadderPage() }
    dailyResults = how("ReaderStore.dailyResults", inner?.dailyResults) { _, asker, limit in
      Ranking(all: [], asker: asker, limit: limit)
    }
    dailyHistory = how("ReaderStore.dailyHistory", inner?.dailyHistory) { _, _ in [] }
    leaderboard = how("ReaderStore.leaderboard", inner?.leaderboard) { _, asker, limit in
      Ranking(all: [], asker: asker, limit: limit)
    }
    tallies = how("ReaderStore.tallies", inner?.tallies) { _, _, _ in [:] }
    settings = how("ReaderStore.settings", inner?.settings) { _ in
      SettingsRow(settings: PlayerSettings(), devices: [])
    }
    inbox = how("ReaderStore.inbox", inner?.inbox) { _, _ in [] }
    registrationNeedsCode = how("ReaderStore.registrationNeedsCode", inner?.registrationNeedsCode) {
      false
    }
    blocked = how("ReaderStore.blocked", inner?.blocked) { _ in [] }
    certificates = how("ReaderStore.certificates", inner?.certificates) { [] }
  }

  /// A match as it stands; nil if there is none.
  public func match(_ id: MatchID) throws(StoreError) -> Match? { try matches([id]).first }
}
