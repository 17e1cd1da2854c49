public import CubeRules
import CubistBasics

/// One match as its record says it stands: what is judged against, and what an accepted event
/// changes.
///
/// What is in a record changes a match by the same few methods in the live service and in a replay;
/// see Match+Record.swift.
public struct Match: Hashable, Sendable {
  /// A place in a match.
  public struct Seat: Hashable, Sendable {
    /// Who may take, or has taken, the seat.
    public enum Holder: Hashable, Sendable {
      /// Whoever comes, by chance or with the code.
      case free
      /// One player, who has not answered yet.
      case invited(PlayerID)
      /// A player who plays.
      case taken(PlayerID)
    }

    /// Who may take, or has taken, the seat.
    public var holder: Holder
    /// Points made so far.
    public var points: Int
    /// Turns played so far.
    public var turnCount: Int

    /// A seat as it stands.
    public init(holder: Holder, points: Int = 0, turnCount: Int = 0) {
      self.holder = holder
      self.points = points
      self.turnCount = turnCount
    }

    /// Who plays here; nil while the seat is not taken.
    public var player: PlayerID? {
      if case .taken(let player) = holder { player } else { nil }
    }
  }

  /// How far a match has come.
  public enum Stage: Hashable, Sendable {
    /// A seat is free or an invitation unanswered.
    case waiting
    /// Every seat is taken.
    case playing
    /// Over.
    case ended(Outcome, at: Instant)
  }

  /// The one offer of a rematch that stands.
  public struct RematchOffer: Hashable, Sendable {
    public var seat: Int
    /// When it was made.
    public var at: Instant
    /// The signed request: the successor's deal holds it.
    public var signed: SignedPayload

    /// An offer as it was stored.
    public init(seat: Int, at: Instant, signed: SignedPayload) {
      self.seat = seat
      self.at = at
      self.signed = signed
    }
  }

  /// What has become of the wish for a rematch; beside the record, which is closed by then.
  public struct Rematch: Hashable, Sendable {
    /// The offer that stands.
    public var offer: RematchOffer?
    /// When and whose offer was turned down last.
    public var declined: Declined?
    /// The match that came of it.
    public var successor: MatchID?

    /// An offer that was turned down.
    public struct Declined: Hashable, Sendable {
      /// Whose offer.
      public var seat: Int
      /// When it was turned down.
      public var at: Instant

      /// A row as it was stored.
      public init(seat: Int, at: Instant) {
        self.seat = seat
        self.at = at
      }
    }

    /// Nothing asked, nothing declined.
    public init(
      offer: RematchOffer? = nil, declined: Declined? = nil, successor: MatchID? = nil
    ) {
      self.offer = offer
      self.declined = declined
      self.successor = successor
    }
  }

  /// The match's id.
  public let id: MatchID
  /// How often the stored state was written: what the store's guard compares. 0: not stored yet.
  public var version: Int64
  /// What was agreed.
  public let terms: Terms
  /// The rules that judge it.
  public var rules: Rules { game.rules }
  /// The word list that judges it.
  public let lexicon: LexiconName
  public let dealtAt: Instant
  /// The match that this is the rematch of.
  public let predecessor: MatchID?
  /// The places, in the order of play.
  public internal(set) var seats: [Seat]
  /// How far it has come.
  public internal(set) var stage: Stage
  /// The cube and the words played.
  public internal(set) var game: CubeGame
  /// The number of the turn to be played next, 1 for the first.
  public internal(set) var turnNumber: Int
  /// The seat whose turn it is.
  public internal(set) var seatToPlay: Int
  /// What the next turn has to name: the hash of the last turn's entry, or of the deal.
  public internal(set) var previousTurnHash: Hash
  /// The hash of the newest entry.
  public internal(set) var head: Hash
  /// How many entries the record has.
  public internal(set) var entryCount: Int
  /// Until when the next turn must be played, or the free seat filled; nil: no limit.
  public internal(set) var deadline: Deadline?
  /// A fingerprint of the moves of each turn played, to tell a turn sent twice from another one.
  public internal(set) var turnFingerprints: [UInt64]
  /// What has become of the wish for a rematch.
  public internal(set) var rematch: Rematch
  /// Whether a turn of a timed game came so late that the game does not compare with others: then
  /// it stands on no board.
  public internal(set) var isOverlong = false

  /// By how many seconds a turn of a timed game may be late, by the service's clock, and still count
  /// for boards: what an outage gives back beyond that nobody else had to think in.
  public static let lateSeconds: Int64 = 10
  /// Entries that a record may have; a match that reaches it ends by its deadline.
  public static let entryLimit = 1_024
  /// How long a request, an invitation or an offer of a rematch stands.
  public static let invitationSeconds: Int64 = 7 * 86_400
  /// How long who was declined a rematch waits before asking again.
  public static let rematchPauseSeconds: Int64 = 86_400
}

/// The version name of a word list, as a match pins it.
public typealias LexiconName = String

extension Match {
  /// The seat of a player who has taken one.
  public func seat(of player: PlayerID) -> Int? { seats.firstIndex { $0.player == player } }

  /// Whether a player sits here or is invited: who may see the match.
  public func concerns(_ player: PlayerID) -> Bool {
    // Asked of every turn: by indices nothing is allocated, in a build for debugging either.
    for index in seats.indices {
      switch seats[index].holder {
      case .taken(player), .invited(player): return true
      default: continue
      }
    }
    return false
  }

  /// The players who have taken a seat, in the order of seats.
  public var players: [PlayerID] { seats.compactMap { $0.player } }

  /// Who sits in the match or is invited, in the order of seats.
  public var occupants: [PlayerID] {
    seats.compactMap { seat in
      switch seat.holder {
      case .free: nil
      case .invited(let player), .taken(let player): player
      }
    }
  }

  /// The outcome of a match that is over.
  public var outcome: Outcome? {
    if case .ended(let outcome, _) = stage { outcome } else { nil }
  }

  public var endedAt: Instant? {
    if case .ended(_, let at) = stage { at } else { nil }
  }

  /// The points of each seat.
  public var points: [Int] { seats.map { $0.points } }

  /// A 64-bit FNV-1a fingerprint of a turn's moves in notation.
  public static func fingerprint(of moves: [Move]) -> UInt64 {
    var hash = FNV1a()
    for move in moves {
      move.forEachCharacter { hash.add($0) }
      hash.add(UInt8(ascii: ";"))
    }
    return hash.value
  }
}
