public import CubeRules
import CubistBasics

/// One match in the state that its record gives. Events are judged against it, and an accepted
/// event changes it.
///
/// A record's entries change a match by the same few methods in the live service and in a replay;
/// see Match+Record.swift.
public struct Match: Hashable, Sendable {
  /// A place in a match.
  public struct Seat: Hashable, Sendable {
    /// The player who may take, or has taken, the seat.
    public enum Holder: Hashable, Sendable {
      /// Any player, by chance or with the code.
      case free
      /// One player, without an answer yet.
      case invited(PlayerID)
      /// A player in the match.
      case taken(PlayerID)

      /// The player in the seat, or the invited one.
      public var playerOrInvited: PlayerID? {
        switch self {
        case .free: nil
        case .invited(let player), .taken(let player): player
        }
      }
    }

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

    /// The player in the seat. Nil while it is not taken.
    public var player: PlayerID? {
      if case .taken(let player) = holder { player } else { nil }
    }
  }

  /// The progress of a match.
  public enum Stage: Hashable, Sendable {
    /// A seat is free or an invitation unanswered.
    case waiting
    /// Every seat is taken.
    case playing
    case ended(Outcome, at: Instant)
  }

  /// The one open offer of a rematch.
  public struct RematchOffer: Hashable, Sendable {
    public var seat: Int
    public var at: Instant
    /// The signed request. The successor's deal holds it.
    public var signed: SignedPayload

    /// An offer as it was stored.
    public init(seat: Int, at: Instant, signed: SignedPayload) {
      self.seat = seat
      self.at = at
      self.signed = signed
    }
  }

  /// The state of the rematch. It lies beside the record, which is closed by then.
  public struct Rematch: Hashable, Sendable {
    /// The open offer.
    public var offer: RematchOffer?
    /// The last declined offer.
    public var declined: Declined?
    /// The rematch that was dealt.
    public var successor: MatchID?

    /// An offer that was declined.
    public struct Declined: Hashable, Sendable {
      /// The seat of the offerer.
      public var seat: Int
      /// The time of the refusal.
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
  /// How often the stored state was written. The store's guard compares it. 0: not stored yet.
  public var version: Int64
  /// The agreed terms.
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
  public internal(set) var stage: Stage
  /// The cube and the words played.
  public internal(set) var game: CubeGame
  /// The number of the next turn, 1 for the first.
  public internal(set) var turnNumber: Int
  /// The seat to move.
  public internal(set) var seatToPlay: Int
  /// The hash that the next turn must name: that of the last turn's entry, or of the deal.
  public internal(set) var previousTurnHash: Hash
  /// The hash of the newest entry.
  public internal(set) var head: Hash
  /// The number of entries in the record.
  public internal(set) var entryCount: Int
  /// The time by which the next turn must be played, or the free seat filled. Nil: no limit.
  public internal(set) var deadline: Deadline?
  /// A fingerprint of the moves of each turn played. It tells a turn sent twice from another one.
  public internal(set) var turnFingerprints: [UInt64]
  /// Whether the last turn was answered with a reaction.
  public internal(set) var hasReaction = false
  public internal(set) var rematch: Rematch
  /// The players who left a seat, in order.
  public internal(set) var leavings: [Leaving] = []
  /// Whether a turn of a timed game came too late to compare the game with others, in the time of
  /// its queue. Then it is on no board.
  public internal(set) var isOverlong = false

  /// The seconds that a turn of a timed game may be late and still count for boards. An outage may
  /// give back more time than that, and no other player had it to think in.
  public static let lateSeconds: Int64 = 10
  /// Entries that a record may have. A match that reaches the limit ends by its deadline.
  public static let entryLimit = 1_024
  /// How long a request, an invitation or an offer of a rematch stays open.
  public static let invitationSeconds: Int64 = 7 * 86_400
  /// How long a player waits after a declined rematch before they may ask again.
  public static let rematchPauseSeconds: Int64 = 86_400
}

/// The version name of a word list, as a match pins it.
public typealias LexiconName = String

extension Match {
  /// The seat of a player who has taken one.
  public func seat(of player: PlayerID) -> Int? { seats.firstIndex { $0.player == player } }

  /// Whether a player sits here or is invited. Such a player may see the match.
  public func concerns(_ player: PlayerID) -> Bool {
    // It runs for every turn. With indices it allocates nothing, even in a debug build.
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

  /// The players who sit in the match or are invited, in the order of seats.
  public var occupants: [PlayerID] {
    var players: [PlayerID] = []
    players.reserveCapacity(seats.count)
    for seat in seats {
      switch seat.holder {
      case .free: break
      case .invited(let player), .taken(let player): players.append(player)
      }
    }
    return players
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
