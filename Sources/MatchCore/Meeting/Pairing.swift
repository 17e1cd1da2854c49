/// Why two players met by chance: what the choice was made by.
public struct MeetingReason: Hashable, Sendable {
  /// How far their ratings were apart.
  public var ratingDistance: Int
  /// How far they were allowed to be apart after that wait; nil: as far as they liked.
  public var window: Int?
  /// How long the one who had waited longer had waited, in seconds.
  public var waitedSeconds: Int64
  /// Whether they had met lately, so that nobody else was to be had.
  public var hadMetLately: Bool
  /// The match in which the second player had waited, where two that waited were merged.
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

/// Who meets whom by chance: whoever is nearest by rating, within a window that widens with the wait
/// and is open after a minute; those who met lately last.
public enum Pairing {
  /// The rating of whoever has none yet.
  public static let standardRating = 1_500
  /// How far two ratings may be apart at first.
  public static let firstWindow = 100
  /// By how much the window widens with each second.
  public static let growthPerSecond = 10
  /// After so many seconds everybody fits.
  public static let openAfterSeconds: Int64 = 60
  /// For so many seconds two who have played count as having met lately.
  public static let latelySeconds: Int64 = 86_400
  /// And only so many of a player's last games count, so that nobody's are too many to look through.
  public static let latelyGames = 200

  /// How far two ratings may be apart once one of the two has waited so long; nil: as far as they
  /// like.
  public static func window(afterSeconds seconds: Int64) -> Int? {
    guard seconds < openAfterSeconds else { return nil }
    return firstWindow + growthPerSecond * Int(max(0, seconds))
  }

  /// Somebody who looks for an opponent.
  public struct Seeker: Hashable, Sendable {
    public var player: PlayerID
    /// The player's rating.
    public var rating: Int
    /// Since when the player has waited.
    public var since: Instant

    public init(player: PlayerID, rating: Int, since: Instant) {
      self.player = player
      self.rating = rating
      self.since = since
    }
  }

  /// A match in which a seat waits for anyone.
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

  /// Why two fit at a time; nil where they do not.
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

  /// Whom a seeker meets, and why: of those who fit the one not met lately, nearest by rating, and of
  /// equally near ones who has waited longest; nil where nobody fits.
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

/// Two matches in which somebody waits, that are to become one.
public struct Merger: Hashable, Sendable {
  /// The match that goes on.
  public var kept: MatchID
  /// The match that ends; it has no turn.
  public var merged: MatchID
  /// Why the two fit.
  public var reason: MeetingReason

  public init(kept: MatchID, merged: MatchID, reason: MeetingReason) {
    self.kept = kept
    self.merged = merged
    self.reason = reason
  }
}

extension Pairing {
  /// Somebody who waits without a turn, with those who might fit.
  public struct Mover: Hashable, Sendable {
    /// The match that may end.
    public var own: Waiting
    /// Matches with the same terms of players whom the mover may meet.
    public var others: [Waiting]
    /// Players whom the mover has met lately.
    public var met: Set<PlayerID>

    public init(own: Waiting, others: [Waiting], met: Set<PlayerID>) {
      self.own = own
      self.others = others
      self.met = met
    }
  }

  /// Whom to bring together of those who wait, each match at most once. The match that was there
  /// first goes on, unless only the other one has a turn.
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
