/// How strong a player is.
public struct Strength: Hashable, Sendable {
  public var points: Int
  /// Whether it can be relied on.
  public var isReliable: Bool
  /// After how many rated matches.
  public var matchCount: Int

  /// A rating after some matches.
  public init(points: Int, isReliable: Bool, matchCount: Int) {
    (self.points, self.isReliable, self.matchCount) = (points, isReliable, matchCount)
  }
}

/// The player's rating before and after a match.
public enum RatingStory: Hashable, Sendable {
  /// It is not known, or the match changes none.
  case unknown
  /// The rating while the match is played.
  case before(Strength)
  /// The match is over and not rated yet. The rating is asked for during so many seconds more.
  case awaited(before: Strength, secondsLeft: Int)
  case changed(from: Strength, to: Strength)
  /// The new rating; the one before the end is not known.
  case now(Strength)

  /// Seconds to wait for the rating of a match that is over.
  static let patience = 10
}

extension ShownMatch {
  mutating func take(_ now: Strength) -> [MatchEffect] {
    switch (turn.stage, rating) {
    case (.playing, _): rating = .before(now)
    case (.over, .unknown), (.over, .now): rating = .now(now)
    case (.over, .before(let before)), (.over, .awaited(let before, _)):
      if now.matchCount > before.matchCount { rating = .changed(from: before, to: now) }
    case (.over, .changed): break
    }
    return []
  }

  /// The match has just ended: now it will be rated.
  mutating func awaitRating() -> [MatchEffect] {
    guard isRated else { return [] }
    if case .before(let before) = rating {
      rating = .awaited(before: before, secondsLeft: RatingStory.patience)
    }
    return [.askRating]
  }

  mutating func passSecondForRating() -> [MatchEffect] {
    guard case .awaited(let before, let seconds) = rating, seconds > 0, isRated else { return [] }
    rating = .awaited(before: before, secondsLeft: seconds - 1)
    return [.askRating]
  }
}
