package import MatchCore
package import MatchWire

/// The store as a check of the invariants reads it: everything, page by page, in the order of ids.
/// Confined to its thread.
package struct CheckStore: Interface {
  /// The ids of all matches after one, at most so many.
  package var matches: Ask<(MatchID?, Int), [MatchID], StoreError>
  /// How many matches there are after one.
  package var count: Ask<MatchID?, Int, StoreError>
  /// The ids after one and up to another, or to the end, under which entries, seats or past games
  /// are kept without a match.
  package var orphans: Ask<(MatchID?, MatchID?), [MatchID], StoreError>
  /// Matches with their records and all rows that are derived from them. An orphan has version 0, no
  /// state, and the rows that are there.
  package var stored: Ask<[MatchID], [MatchID: StoredMatch], StoreError>
  /// Those of the matches that exist.
  package var existing: Ask<[MatchID], Set<MatchID>, StoreError>
  /// The stored replies of those of the events that have one.
  package var replies: Ask<[EventKey], [EventKey: StoredReply], StoreError>
  /// The owners of the keys, including keys that were revoked since.
  package var owners: Ask<[PublicKey], [PublicKey: PlayerID], StoreError>
  /// The origins of keys, as `ReaderStore.origins` gives them.
  package var origins: Ask<[PublicKey], [KeyOrigin], StoreError>
  /// All stored replies after one, in the order of event id and player, at most so many.
  package var handled: Ask<(EventKey?, Int), [BatchWrite.Reply], StoreError>
  /// Those of the places, by number, whose entry is missing.
  package var lacking: Ask<[RecordPlace], [Int], StoreError>
  /// The push jobs that are owed or were dealt with after one, at most so many.
  package var jobs: Ask<(PushJobID?, Int), [StoredJob], StoreError>
  /// The keys of players after one, those that were removed or revoked, too, in the order of players
  /// and of the keys' bytes, at most so many.
  package var keys: Ask<(OwnedKey?, Int), [OwnedKey], StoreError>
  /// The recovery keys and recoveries of players after one, in the order of ids, at most so many.
  package var recoveries: Ask<(PlayerID?, Int), [StoredRecovery], StoreError>
  /// Players after one who are gone, in the order of ids, at most so many.
  package var gone: Ask<(PlayerID?, Int), [GonePlayer], StoreError>
  /// Players after one, in the order of ids, at most so many.
  package var players: Ask<(PlayerID?, Int), [StoredPlayer], StoreError>
  /// Those of the players that exist.
  package var playersByID: Ask<[PlayerID], [StoredPlayer], StoreError>
  /// How far the players were told of each challenge that is announced, since a day.
  package var fanOuts: Ask<Day, [StoredFanOut], StoreError>
  /// The push jobs that no record shows and that were owed since a time, after one, at most so many.
  package var owedJobs: Ask<(Instant, PushJobID?, Int), [PushJob], StoreError>
  /// Those of the push jobs that are owed, wait or were dealt with.
  package var knownJobs: Ask<[PushJobID], Set<PushJobID>, StoreError>
  /// The store's clock.
  package var now: Ask<Void, Instant, StoreError>

  package init(_ how: Asking<StoreError>, around inner: CheckStore?) {
    matches = how("CheckStore.matches", inner?.matches) { _, _ in [] }
    count = how("CheckStore.count", inner?.count) { _ in 0 }
    orphans = how("CheckStore.orphans", inner?.orphans) { _, _ in [] }
    stored = how("CheckStore.stored", inner?.stored) { _ in [:] }
    existing = how("CheckStore.existing", inner?.existing) { _ in [] }
    replies = how("CheckStore.replies", inner?.replies) { _ in [:] }
    owners = how("CheckStore.owners", inner?.owners) { _ in [:] }
    origins = how("CheckStore.origins", inner?.origins) { _ in [] }
    handled = how("CheckStore.handled", inner?.handled) { _, _ in [] }
    lacking = how("CheckStore.lacking", inner?.lacking) { _ in [] }
    jobs = how("CheckStore.jobs", inner?.jobs) { _, _ in [] }
    keys = how("CheckStore.keys", inner?.keys) { _, _ in [] }
    recoveries = how("CheckStore.recoveries", inner?.recoveries) { _, _ in [] }
    gone = how("CheckStore.gone", inner?.gone) { _, _ in [] }
    players = how("CheckStore.players", inner?.players) { _, _ in [] }
    playersByID = how("CheckStore.playersByID", inner?.playersByID) { _ in [] }
    fanOuts = how("CheckStore.fanOuts", inner?.fanOuts) { _ in [] }
    owedJobs = how("CheckStore.owedJobs", inner?.owedJobs) { _, _, _ in [] }
    knownJobs = how("CheckStore.knownJobs", inner?.knownJobs) { _ in [] }
    now = how("CheckStore.now", inner?.now) { Instant(microseconds: 0) }
  }
}

/// A player, as far as push jobs follow from the row and from the rows beside it.
package struct StoredPlayer: Hashable, Sendable {
  package var player: PlayerID
  package var registeredAt: Instant
  /// Whether the player may have changed the settings, or seen notifications. Only the present
  /// settings are kept.
  package var hasSettings: Bool
  /// Whether a key of the player was added or removed, or a recovery key named.
  package var hasKeyChanges: Bool
  /// The keys that were added later than the first, by the time.
  package var addedKeys: [PublicKey: Instant]

  package init(
    player: PlayerID, registeredAt: Instant, hasSettings: Bool = false,
    hasKeyChanges: Bool = false, addedKeys: [PublicKey: Instant] = [:]
  ) {
    self.player = player
    self.registeredAt = registeredAt
    self.hasSettings = hasSettings
    self.hasKeyChanges = hasKeyChanges
    self.addedKeys = addedKeys
  }
}

/// How far the players were told of a daily challenge.
package struct StoredFanOut: Hashable, Sendable {
  package var key: DailyKey
  /// The last player who was told, in the order of ids.
  package var cursor: PlayerID?
  /// Whether everybody was told.
  package var isDone: Bool

  package init(key: DailyKey, cursor: PlayerID?, isDone: Bool) {
    self.key = key
    self.cursor = cursor
    self.isDone = isDone
  }

  /// Whether it has come to a player.
  package func hasReached(_ player: PlayerID) -> Bool {
    isDone || cursor.map { player <= $0 } ?? false
  }
}

/// A key, and the player that it is said to speak for.
package struct OwnedKey: Hashable, Sendable {
  package var player: PlayerID
  package var key: PublicKey

  package init(player: PlayerID, key: PublicKey) {
    self.player = player
    self.key = key
  }
}

/// The recovery keys of a player, and the recovery that waits.
package struct StoredRecovery: Hashable, Sendable {
  package var player: PlayerID
  package var recovery: PlayerRecovery
  /// Whether all signed messages of the row can be read. One that cannot makes its key, or the
  /// recovery, none.
  package var isReadable: Bool

  package init(player: PlayerID, recovery: PlayerRecovery, isReadable: Bool = true) {
    self.player = player
    self.recovery = recovery
    self.isReadable = isReadable
  }
}

/// A player who is gone, and the rows that have to be gone too.
package struct GonePlayer: Hashable, Sendable {
  package var player: PlayerID
  /// The tables that still have something of the player's, `players` for the name.
  package var remains: [String]

  package init(player: PlayerID, remains: [String] = []) {
    self.player = player
    self.remains = remains
  }
}

/// An entry that somebody was told of: it has to be in a record.
package struct RecordPlace: Hashable, Sendable {
  package var match: MatchID
  /// The hash of the entry's payload.
  package var payloadHash: Hash
  /// The entry's own hash, if it was told.
  package var entryHash: Hash?

  package init(match: MatchID, payloadHash: Hash, entryHash: Hash?) {
    self.match = match
    self.payloadHash = payloadHash
    self.entryHash = entryHash
  }
}

/// A match as the store holds it, with everything that is derived from it.
package struct StoredMatch: Hashable, Sendable {
  /// How often it was written.
  package var version: Int64
  /// The state as it is stored; nil if it is of another version or damaged.
  package var state: Match?
  /// Whether the state is nil because its checksum does not fit.
  package var isStateChanged = false
  /// The record, in order.
  package var record: [Entry]
  /// The turn that is due by the row, nil once the match is over.
  package var turn: Int?
  /// The deadline by the row.
  package var deadline: Instant?
  /// The rows by which the match is found.
  package var listing: StoredListing
  /// The push jobs about it that are owed or were dealt with; jobs in between, in a queue, are in
  /// no store.
  package var jobs: [StoredJob]
  /// The match in the ratings: whether it waits, and its results.
  package var rating: StoredRating
  /// The boards on which the player of a solo game does not stand as all kept games say, or on
  /// which counts do not fit.
  package var staleBoards: [RankedBoard] = []
  /// The turn of which a player was last reminded by the other, and when.
  package var nudge: StoredNudge?
  /// Whether an operator has annulled it because it was damaged. Its record is evidence then, and
  /// says nothing of how it stands.
  package var isAnnulledDamaged = false
  /// The columns beside the record; nil in a store that has only the state, and of an orphan.
  package var columns: Columns?

  /// The values that stand beside a record in columns of their own.
  package struct Columns: Hashable, Sendable {
    /// The deadline in units of ten minutes since 1970, by which the scheduler finds the match.
    package var due: Int?
    /// The state of the wish for a rematch.
    package var rematch: Match.Rematch
    /// The codes that lead to the match. Before schema 22 they went when it was over.
    package var codes: Set<ShareCode>

    package init(due: Int?, rematch: Match.Rematch, codes: Set<ShareCode>) {
      self.due = due
      self.rematch = rematch
      self.codes = codes
    }

    /// The values that have to stand beside the record of a match.
    package init(of match: Match, secret: ServiceSecret) {
      let isOpen = match.terms.kind == .open
      self.init(
        due: match.deadline?.at.tenMinutes, rematch: match.rematch,
        codes: isOpen ? [ShareCode(invitationTo: match.id, secret: secret)] : [])
    }
  }

  package init(
    version: Int64, state: Match?, record: [Entry], turn: Int?, deadline: Instant?,
    listing: StoredListing, jobs: [StoredJob], rating: StoredRating = .init(),
    columns: Columns? = nil
  ) {
    self.version = version
    self.state = state
    self.record = record
    self.turn = turn
    self.deadline = deadline
    self.listing = listing
    self.jobs = jobs
    self.rating = rating
    self.columns = columns
  }
}

/// The last reminder of a player by the other one in a match.
package struct StoredNudge: Hashable, Sendable {
  package var turn: Int
  package var at: Instant

  package init(turn: Int, at: Instant) { (self.turn, self.at) = (turn, at) }
}

extension Instant {
  /// Units of ten minutes since 1970, rounded down.
  package var tenMinutes: Int {
    let unit: Int64 = 600_000_000
    return Int(microseconds / unit - (microseconds % unit < 0 ? 1 : 0))
  }
}

/// The rows by which a match is found, as they are stored: to be compared with those that its state
/// gives.
package struct StoredListing: Hashable, Sendable {
  /// Seats of a match that is not over.
  package var seats: Set<Listing.SeatRow> = []
  package var pastGames: Set<Listing.PastGameRow> = []
  /// The seat that waits for anyone.
  package var openSeat: Listing.OpenSeatRow?
  /// The pair with the standing invitation.
  package var pairKey: String?
  /// The offer of a rematch that stands.
  package var rematchOffer: Listing.OfferRow?
  /// Points in a daily challenge.
  package var dailyScore: Listing.DailyScoreRow?
  /// The score of an ended game of one player.
  package var soloScore: Listing.SoloScoreRow?

  /// No rows.
  package init() {}

  /// The rows that a match has to have.
  package init(of match: Match) {
    let listing = Listing(of: match)
    seats = Set(listing.seats.filter { !$0.isOver })
    pastGames = Set(listing.pastGames)
    openSeat = listing.openSeat
    pairKey = listing.pairKey
    rematchOffer = listing.rematchOffer
    dailyScore = listing.dailyScore
    soloScore = listing.soloScore
  }
}

/// A push job as it is kept.
package struct StoredJob: Hashable, Sendable {
  package var job: PushJob
  /// Whether the broker has yet to confirm it, or it waits for its hour.
  package var isOwed: Bool
  /// The job's result, once there is one.
  package var fate: PushStore.Fate?

  package init(job: PushJob, isOwed: Bool, fate: PushStore.Fate?) {
    self.job = job
    self.isOwed = isOwed
    self.fate = fate
  }
}
