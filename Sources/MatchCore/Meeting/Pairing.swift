/// The reason for a pairing by chance: the values that decided it.
public struct MeetingReason: Hashable, Sendable {
  /// The distance of their ratings.
  public var ratingDistance: Int
  /// The permitted distance after that wait. Nil: any distance.
  public var window: Int?
  /// The longer one of the two waits, in seconds.
  public var waitedSeconds: Int64
  /// Whether they had met lately. They meet again only if nobody else is available.
  public var hadMetLately: Bool
  /// The match in which the second player had waited, if two waiting matches were merged.
  public var merged: MatchID?

  public init(
    ratingDistance: Int, window: Int?, waitedSeconds: Int64, hadMetLately: Bool = false,
    merged: MatchID? = nil
  ) {
    self.ratingDistance = ratingDistance
    self.window = window
    self.waitedSeconds = waitedSeconds
    self.hadMetLately = hadMetLately
    self.merged = merged
  }
}

/// Pairs players by chance: the nearest by rating, within a window that widens with the wait and is
/// open after a minute. Players who met lately come last.
public enum Pairing {
  /// The rating of a player who has none yet.
  public static let standardRating = 1_500
  /// The distance of two ratings permitted at first.
  public static let firstWindow = 100
  /// The points by which the window widens each second.
  public static let growthPerSecond = 10
  /// After this time everybody fits.
  public static let openAfterSeconds: Int64 = 60
  /// Two players count as having met lately for this time after a game.
  public static let latelySeconds: Int64 = 86_400
  /// Only this many of a player's last games count, so that there are never too many to look
  /// through.
  public static let latelyGames = 200

  /// The permitted distance of two ratings once one of the players has waited this long. Nil: any
  /// distance.
  public static func window(afterSeconds seconds: Int64) -> Int? {
    guard seconds < openAfterSeconds else { return nil }
    return firstWindow + growthPerSecond * Int(max(0, seconds))
  }

  /// A player who looks for an opponent.
  public struct Seeker: Hashable, Sendable {
    public var player: PlayerID
    public var rating: Int
    /// The start of the player's wait.
    public var since: Instant

    public init(player: PlayerID, rating: Int, since: Instant) {
      self.player = player
      self.rating = rating
      self.since = since
    }
  }

  /// A match with a seat that waits for anyone.
  public struct Waiting: Hashable, Sendable {
    public var match: MatchID
    public var seeker: Seeker
    /// Whether its first turn has been played.
    public var hasTurn: Bool

    public init(match: MatchID, seeker: Seeker, hasTurn: Bool = false) {
      self.match = match
      self.seeker = seeker
      self.hasTurn = hasTurn
    }
  }

  /// The reason that two fit at a time. Nil if they do not.
  public static func reason(
    _ one: Seeker, _ other: Seeker, at now: Instant, metLately: Bool = false
  ) -> MeetingReason? {
    guard one.player != other.player else { return nil }
    let waited = max(0, now.microseconds(since: min(one.since, other.since)) / 1_000_000)
    let distance = abs(one.rating - other.rating)
    let window = window(afterSeconds: waited)
    if let window, distance > window { return nil }
    return MeetingReason(
      ratingDistance: distance, window: window, waitedSeconds: waited, hadMetLately: metLately)
  }

  /// The opponent for a seeker, and the reason. Of those that fit it is one not met lately, nearest
  /// by rating. Of equally near ones it is the one with the longest wait. Nil if nobody fits.
  public static func choose(
    for seeker: Seeker, among waiting: [Waiting], met: Set<PlayerID>, at now: Instant
  ) -> (waiting: Waiting, reason: MeetingReason)? {
    let fitting = waiting.compactMap { candidate in
      reason(
        seeker, candidate.seeker, at: now, metLately: met.contains(candidate.seeker.player)
      ).map { (candidate, $0) }
    }
    return fitting.min { isBetter($0, $1) }
  }

  private static func isBetter(
    _ one: (waiting: Waiting, reason: MeetingReason),
    _ other: (waiting: Waiting, reason: MeetingReason)
  ) -> Bool {
    if one.reason.hadMetLately != other.reason.hadMetLately { return other.reason.hadMetLately }
    return (one.reason.ratingDistance, one.waiting.seeker.since, one.waiting.match)
      < (other.reason.ratingDistance, other.waiting.seeker.since, other.waiting.match)
  }
}

/// Two matches, each with a waiting player, that are to become one.
public struct Merger: Hashable, Sendable {
  /// The match that goes on.
  public var kept: MatchID
  /// The match that ends; it has no turn.
  public var merged: MatchID
  public var reason: MeetingReason

  public init(kept: MatchID, merged: MatchID, reason: MeetingReason) {
    self.kept = kept
    self.merged = merged
    self.reason = reason
  }
}

extension Pairing {
  /// A player who waits without a turn, and the matches that might fit.
  public struct Mover: Hashable, Sendable {
    /// The match that may end.
    public var own: Waiting
    /// Matches with the same terms of players that the mover may meet.
    public var others: [Waiting]
    /// Players that the mover has met lately.
    public var met: Set<PlayerID>

    public init(own: Waiting, others: [Waiting], met: Set<PlayerID>) {
      self.own = own
      self.others = others
      self.met = met
    }
  }

  /// The pairs to bring together, each match at most once. The older match goes on, unless only the
  /// other one has a turn.
  public static func mergers(_ movers: [Mover], at now: Instant) -> [Merger] {
    var used: Set<MatchID> = []
    var mergers: [Merger] = []
    for mover in movers where !mover.own.hasTurn && !used.contains(mover.own.match) {
      let free = mover.others.filter { !used.contains($0.match) && $0.match != mover.own.match }
      guard
        let found = choose(for: mover.own.seeker, among: free, met: mover.met, at: now)
      else { continue }
      used.formUnion([mover.own.match, found.waiting.match])
      let other = found.waiting
      let isFirst =
        (mover.own.seeker.since, mover.own.match) < (other.seeker.since, other.match)
      let (kept, merged) =
        isFirst && !other.hasTurn
        ? (mover.own.match, other.match) : (other.match, mover.own.match)
      mergers.append(Merger(kept: kept, merged: merged, reason: found.reason))
    }
    return mergers
  }
}
