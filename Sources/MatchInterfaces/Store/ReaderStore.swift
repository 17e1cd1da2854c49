package import MatchCore
package import MatchWire

/// The store as the reader needs it. Confined to its thread.
package struct ReaderStore: Interface {
  /// The store's clock, the owners of keys, and matches as they stand: one round trip. Keys that
  /// nobody has registered and matches that do not exist are missing.
  package var ownersAndMatches: Ask<([PublicKey], [MatchID]), OwnersAndMatches, StoreError>
  /// A player by name, in either case.
  package var player: Ask<PlayerName, PlayerRow?, StoreError>
  /// Players by id; ids of no player are missing.
  package var players: Ask<[PlayerID], [PlayerID: PlayerRow], StoreError>
  /// Matches as they stand, in any order; those that do not exist are missing. If one is damaged,
  /// there is no answer.
  package var matches: Ask<[MatchID], [Match], StoreError>
  /// Keeps for the operator that a match is damaged, and why.
  package var noteDamaged: Ask<(MatchID, String), Void, StoreError>
  /// The record of a match, in order.
  package var entries: Ask<MatchID, [Entry], StoreError>
  /// The record of a match, in order, players as `players` gives them, and the turn of which one of
  /// them was last reminded by the other: one round trip.
  package var recordAndPlayers: Ask<(MatchID, [PlayerID]), RecordAndPlayers, StoreError>
  /// The origins of those of the keys that are later keys of players, and of all keys that they came
  /// from, in any order.
  package var origins: Ask<[PublicKey], [KeyOrigin], StoreError>
  /// The keys that speak for a player, and the open invitations of keys that do.
  package var keys: Ask<PlayerID, KeyList, StoreError>
  /// The players of open invitations of devices, by the hashes of their codes, as far as the keys
  /// that made them still speak: one statement.
  package var inviters: Ask<[Hash], [Hash: InvitingPlayer], StoreError>
  /// The recoveries of players who have named a recovery key, by the keys of their names: one round
  /// trip.
  package var recoveries: Ask<[String], [RecoveryRow], StoreError>
  /// A player's matches and invitations that are not over: the newest so many of each.
  package var currentMatches: Ask<(PlayerID, Int, Int), CurrentMatches, StoreError>
  /// Finished matches with an offer of a rematch that a player has made or may accept: the newest
  /// so many offers. Those of damaged matches are left out.
  package var rematchOffers: Ask<(PlayerID, Int), [Match], StoreError>
  /// The match that a code invites to.
  package var matchByCode: Ask<ShareCode, MatchID?, StoreError>
  package var sharedMatch: Ask<ShareCode, MatchID?, StoreError>
  /// Past games of a player, the newest first: those before `before`, with one opponent if given,
  /// at most `limit`.
  package var pastGames: Ask<PastGamesQuestion, [PastGameRow], StoreError>
  /// A daily challenge if it is dealt.
  package var daily: Ask<DailyKey, DailyChallenge?, StoreError>
  /// The first of the ladder, and the asker with the players next to the asker.
  package var ladder: Ask<LadderQuestion, LadderPage, StoreError>
  /// The best so many in a daily challenge, and a player's own place.
  package var dailyResults: Ask<(DailyKey, PlayerID, Int), Ranking, StoreError>
  /// A player's results in the daily challenges after a day, the newest first, at most 31 days.
  package var dailyHistory: Ask<(PlayerID, Day), [DailyHistory.Result], StoreError>
  /// The best so many on a leaderboard, and a player's own place.
  package var leaderboard: Ask<(Leaderboard, PlayerID, Int), Ranking, StoreError>
  /// How many games of each kind ended for a player since then, by result: of each at most so many
  /// are counted.
  package var tallies: Ask<(PlayerID, Instant, Int), Tallies, StoreError>
  /// A player's settings and devices.
  package var settings: Ask<PlayerID, SettingsRow, StoreError>
  /// Notifications that were sent to a player within 30 days and are not yet seen, the newest
  /// first, at most so many.
  package var inbox: Ask<(PlayerID, Int), [InboxRow], StoreError>
  /// The overviews of players, by one statement. A player who does not exist has an empty one.
  package var overviews: Ask<[PlayerID], [PlayerID: Overview], StoreError>
  package var registrationNeedsCode: Ask<Void, Bool, StoreError>
  /// The players that a player has blocked, in the order of names.
  package var blocked: Ask<PlayerID, [BlockedRow], StoreError>
  /// Rows that are kept of a player in one section, but for the hidden columns, each a JSON object:
  /// those after so many, a page of them.
  package var account: Ask<(PlayerID, AccountSection, Int), [String], StoreError>
  /// The certificates of the service's working keys. The caller has to check whether they hold.
  package var certificates: Ask<Void, [KeyCertificate], StoreError>

  package typealias OwnersAndMatches = (
    now: Instant, owners: [PublicKey: KeyOwner], matches: [Match]
  )
  package typealias RecordAndPlayers = (
    entries: [Entry], players: [PlayerID: PlayerRow], nudgedTurn: Int?
  )

  /// How many games there are of each kind and result.
  package typealias Tallies = [MatchKind: [Outcome.Result: Int]]

  /// A player's matches and invitations that are not over. Invitations are apart, so that they hide
  /// no match.
  package struct CurrentMatches: Hashable, Sendable {
    /// More than so many matches or invitations are not counted.
    package static let countLimit = 10_000

    /// The matches in which the player sits, the newest first.
    package var matches: [Match]
    package var moreMatches: Int
    /// The matches to which the player is invited, the newest first.
    package var invitations: [Match]
    package var moreInvitations: Int
    /// When the recovery that is under way takes effect, before credits.
    package var recoveryAt: Instant?
    /// When the account ends, at the earliest.
    package var leavesAt: Instant?
    /// Those among the newest of both that can be read neither from their states nor from their
    /// records.
    package var damaged: [MatchID]

    package init(
      matches: [Match] = [], moreMatches: Int = 0, invitations: [Match] = [],
      moreInvitations: Int = 0, recoveryAt: Instant? = nil, leavesAt: Instant? = nil,
      damaged: [MatchID] = []
    ) {
      self.matches = matches
      self.moreMatches = moreMatches
      self.invitations = invitations
      self.moreInvitations = moreInvitations
      self.recoveryAt = recoveryAt
      self.leavesAt = leavesAt
      self.damaged = damaged
    }

    /// How many there are, shown or not.
    package var count: Int {
      matches.count + moreMatches + invitations.count + moreInvitations + damaged.count
    }
  }

  /// The recovery keys of a player, and the recovery that is under way, by the clock of the player's
  /// queue.
  package struct RecoveryRow: Hashable, Sendable {
    package var player: PlayerID
    package var name: PlayerName
    package var recovery: PlayerRecovery

    package init(player: PlayerID, name: PlayerName, recovery: PlayerRecovery) {
      self.player = player
      self.name = name
      self.recovery = recovery
    }
  }

  /// A player as the public may see one.
  package struct PlayerRow: Hashable, Sendable {
    package var id: PlayerID
    package var name: PlayerName
    /// Since when.
    package var registeredAt: Instant
    /// Where the player stands.
    package var rating: PlayerRating
    /// Whether the account is a bot's.
    package var isBot: Bool

    package init(
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
  package struct PastGamesQuestion: Hashable, Sendable {
    package var player: PlayerID
    /// Only those against this player.
    package var opponent: PlayerID?
    /// Only those.
    package var filter: PastGamesFilter
    /// Only those that ended before, and at the same instant only those of a lower match id.
    package var before: Position?
    /// How many at most.
    package var limit: Int

    /// A place in the list of past games.
    package struct Position: Hashable, Sendable {
      package var endedAt: Instant
      package var match: MatchID

      package init(endedAt: Instant, match: MatchID) {
        self.endedAt = endedAt
        self.match = match
      }
    }

    package init(
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
  package struct PastGameRow: Hashable, Sendable {
    package var match: MatchID
    /// The match's terms, as they were stored.
    package var terms: Terms
    /// The game from the player's side.
    package var game: Listing.PastGameRow
    /// The cause of an aborted match's end: the payload of the last entry but one. Else nil.
    package var cause: [UInt8]?

    package init(
      match: MatchID, terms: Terms, game: Listing.PastGameRow, cause: [UInt8]? = nil
    ) {
      self.match = match
      self.terms = terms
      self.game = game
      self.cause = cause
    }
  }

  /// A notification that was sent.
  package struct InboxRow: Hashable, Sendable {
    package var job: PushJob
    package var sentAt: Instant

    package init(job: PushJob, sentAt: Instant) {
      self.job = job
      self.sentAt = sentAt
    }
  }

  /// A player's settings and devices.
  package struct SettingsRow: Hashable, Sendable {
    /// The settings. A player without any has those of a new player.
    package var settings: PlayerSettings
    /// The devices, by name.
    package var devices: [RegisteredDevice]
    /// The public key by which browsers know the service's notifications. Nil: it has none.
    package var pushKey: [UInt8]?
    /// When the account ends, by the player's own wish. Nil: it does not.
    package var leavesAt: Instant?

    package init(
      settings: PlayerSettings, devices: [RegisteredDevice], pushKey: [UInt8]? = nil,
      leavesAt: Instant? = nil
    ) {
      self.leavesAt = leavesAt
      self.settings = settings
      self.devices = devices
      self.pushKey = pushKey
    }
  }

  /// A player that another one has blocked.
  package struct BlockedRow: Hashable, Sendable {
    package var player: PlayerID
    package var name: PlayerName
    package var since: Instant

    package init(player: PlayerID, name: PlayerName, since: Instant) {
      self.player = player
      self.name = name
      self.since = since
    }
  }

  package init(_ how: Asking<StoreError>, around inner: ReaderStore?) {
    ownersAndMatches = how("ReaderStore.ownersAndMatches", inner?.ownersAndMatches) { _, _ in
      (Instant(microseconds: 0), [:], [])
    }
    player = how("ReaderStore.player", inner?.player) { _ in nil }
    players = how("ReaderStore.players", inner?.players) { _ in [:] }
    matches = how("ReaderStore.matches", inner?.matches) { _ in [] }
    noteDamaged = how("ReaderStore.noteDamaged", inner?.noteDamaged) { _, _ in }
    entries = how("ReaderStore.entries", inner?.entries) { _ in [] }
    recordAndPlayers = how("ReaderStore.recordAndPlayers", inner?.recordAndPlayers) { _, _ in
      ([], [:], nil)
    }
    origins = how("ReaderStore.origins", inner?.origins) { _ in [] }
    keys = how("ReaderStore.keys", inner?.keys) { _ in KeyList(keys: []) }
    inviters = how("ReaderStore.inviters", inner?.inviters) { _ in [:] }
    recoveries = how("ReaderStore.recoveries", inner?.recoveries) { _ in [] }
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
    overviews = how("ReaderStore.overviews", inner?.overviews) { _ in [:] }
    registrationNeedsCode = how("ReaderStore.registrationNeedsCode", inner?.registrationNeedsCode) {
      false
    }
    blocked = how("ReaderStore.blocked", inner?.blocked) { _ in [] }
    account = how("ReaderStore.account", inner?.account) { _, _, _ in [] }
    certificates = how("ReaderStore.certificates", inner?.certificates) { [] }
  }

  /// A match as it stands; nil if there is none.
  package func match(_ id: MatchID) throws(StoreError) -> Match? { try matches([id]).first }
}
