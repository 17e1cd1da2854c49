public import MatchCore

/// The store as a check of the invariants reads it: everything, page by page, in the order of ids.
/// Confined to its thread.
public struct CheckStore: Interface {
  /// The ids of all matches after one, at most so many.
  public var matches: Ask<(MatchID?, Int), [MatchID], StoreError>
  /// How many matches there are after one.
  public var count: Ask<MatchID?, Int, StoreError>
  /// The ids after one and up to another, or to the end, under which entries, seats or past games
  /// are kept without a match.
  public var orphans: Ask<(MatchID?, MatchID?), [MatchID], StoreError>
  /// Matches with their records and all rows that are derived from them. An orphan has version 0, no
  /// state, and the rows that are there.
  public var stored: Ask<[MatchID], [MatchID: StoredMatch], StoreError>
  /// Those of the matches that exist.
  public var existing: Ask<[MatchID], Set<MatchID>, StoreError>
  /// The stored replies of those of the events that have one.
  public var replies: Ask<[EventKey], [EventKey: StoredReply], StoreError>
  /// The owners of the keys, including keys that were revoked since.
  public var owners: Ask<[PublicKey], [PublicKey: PlayerID], StoreError>
  /// All stored replies after one, in the order of event id and player, at most so many.
  public var handled: Ask<(EventKey?, Int), [BatchWrite.Reply], StoreError>
  /// Those of the places, by number, whose entry is missing.
  public var lacking: Ask<[RecordPlace], [Int], StoreError>
  /// The push jobs that are owed or were dealt with after one, at most so many.
  public var jobs: Ask<(PushJobID?, Int), [StoredJob], StoreError>
  /// The store's clock.
  public var now: Ask<Void, Instant, StoreError>

  public init(_ how: Asking<StoreError>, around inner: CheckStore?) {
    matches = how("CheckStore.matches", inner?.matches) { _, _ in [] }
    count = how("CheckStore.count", inner?.count) { _ in 0 }
    orphans = how("CheckStore.orphans", inner?.orphans) { _, _ in [] }
    stored = how("CheckStore.stored", inner?.stored) { _ in [:] }
    existing = how("CheckStore.existing", inner?.existing) { _ in [] }
    replies = how("CheckStore.replies", inner?.replies) { _ in [:] }
    owners = how("CheckStore.owners", inner?.owners) { _ in [:] }
    handled = how("CheckStore.handled", inner?.handled) { _, _ in [] }
    lacking = how("CheckStore.lacking", inner?.lacking) { _ in [] }
    jobs = how("CheckStore.jobs", inner?.jobs) { _, _ in [] }
    now = how("CheckStore.now", inner?.now) { Instant(microseconds: 0) }
  }
}

/// An entry that somebody was told of: it has to be in a record.
public struct RecordPlace: Hashable, Sendable {
  public var match: MatchID
  /// The hash of the entry's payload.
  public var payloadHash: Hash
  /// The entry's own hash, if it was told.
  public var entryHash: Hash?

  public init(match: MatchID, payloadHash: Hash, entryHash: Hash?) {
    self.match = match
    self.payloadHash = payloadHash
    self.entryHash = entryHash
  }
}

/// A match as the store holds it, with everything that is derived from it.
public struct StoredMatch: Hashable, Sendable {
  /// How often it was written.
  public var version: Int64
  /// The state as it is stored; nil if it is of another version or damaged.
  public var state: Match?
  /// The record, in order.
  public var record: [Entry]
  /// The turn that is due by the row, nil once the match is over.
  public var turn: Int?
  /// The deadline by the row.
  public var deadline: Instant?
  /// The rows by which the match is found.
  public var listing: StoredListing
  /// The push jobs about it that are owed or were dealt with; jobs in between, in a queue, are in
  /// no store.
  public var jobs: [StoredJob]
  /// The match in the ratings: whether it waits, and its results.
  public var rating: StoredRating
  /// The boards on which the player of a solo game does not stand as all kept games say, or on
  /// which counts do not fit.
  public var staleBoards: [RankedBoard] = []
  /// The columns beside the record; nil in a store that has only the state, and of an orphan.
  public var columns: Columns?

  /// The values that stand beside a record in columns of their own.
  public struct Columns: Hashable, Sendable {
    /// The deadline in units of ten minutes since 1970, by which the scheduler finds the match.
    public var due: Int?
    /// The state of the wish for a rematch.
    public var rematch: Match.Rematch
    /// The codes that lead to the match.
    public var codes: Set<ShareCode>

    public init(due: Int?, rematch: Match.Rematch, codes: Set<ShareCode>) {
      self.due = due
      self.rematch = rematch
      self.codes = codes
    }

    /// The values that have to stand beside the record of a match.
    public init(of match: Match, secret: ServiceSecret) {
      let isOpen = match.terms.kind == .open && match.outcome == nil
      self.init(
        due: match.deadline?.at.tenMinutes, rematch: match.rematch,
        codes: isOpen ? [ShareCode(invitationTo: match.id, secret: secret)] : [])
    }
  }

  public init(
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

extension Instant {
  /// Units of ten minutes since 1970, rounded down.
  public var tenMinutes: Int {
    let unit: Int64 = 600_000_000
    return Int(microseconds / unit - (microseconds % unit < 0 ? 1 : 0))
  }
}

/// The rows by which a match is found, as they are stored: to be compared with those that its state
/// gives.
public struct StoredListing: Hashable, Sendable {
  /// Seats of a match that is not over.
  public var seats: Set<Listing.SeatRow> = []
  public var pastGames: Set<Listing.PastGameRow> = []
  /// The seat that waits for anyone.
  public var openSeat: Listing.OpenSeatRow?
  /// The pair with the standing invitation.
  public var pairKey: String?
  /// The offer of a rematch that stands.
  public var rematchOffer: Listing.OfferRow?
  /// Points in a daily challenge.
  public var dailyScore: Listing.DailyScoreRow?
  /// The score of an ended game of one player.
  public var soloScore: Listing.SoloScoreRow?

  /// No rows.
  public init() {}

  /// The rows that a match has to have.
  public init(of match: Match) {
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
public struct StoredJob: Hashable, Sendable {
  public var job: PushJob
  /// Whether the broker has yet to confirm it.
  public var isOwed: Bool
  /// The job's result, once there is one.
  public var fate: PushStore.Fate?

  public init(job: PushJob, isOwed: Bool, fate: PushStore.Fate?) {
    self.job = job
    self.isOwed = isOwed
    self.fate = fate
  }
}
