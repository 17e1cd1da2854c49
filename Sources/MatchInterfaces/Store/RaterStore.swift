package import MatchCore

/// The store as the rater needs it. Confined to its thread.
package struct RaterStore: Interface {
  /// Begins a transaction as the only rater. Reads matches that wait, in the order of their ends,
  /// at most so many, with their players' ratings. The order is the rater's until `finish`. Nothing
  /// is begun if nothing waits or another rater is at work.
  package var take: Ask<Int, RatingWork, StoreError>
  /// Writes the results of the matches that were taken and commits; `conflict` if they are the
  /// rater's no longer. The matches of the results stop waiting, and so do the matches that were
  /// rated before.
  package var finish: Ask<([RatingResult], [MatchID]), Void, StoreError>
  /// Lets a match that cannot be rated wait for an hour, and names it, so that the others go on.
  package var setAside: Ask<(MatchID, String), Void, StoreError>
  /// Counts anew how many players have how many points, and corrects the counts that differ.
  /// - Returns: how many counts differed.
  package var recount: Ask<Void, Int, StoreError>

  package init(_ how: Asking<StoreError>, around inner: RaterStore?) {
    take = how("RaterStore.take", inner?.take) { _ in RatingWork() }
    finish = how("RaterStore.finish", inner?.finish) { _, _ in }
    setAside = how("RaterStore.setAside", inner?.setAside) { _, _ in }
    recount = how("RaterStore.recount", inner?.recount) { 0 }
  }
}

/// Matches that wait to be rated.
package struct RatingWork: Hashable, Sendable {
  /// The number of the last match that was rated; 0: none.
  package var lastNumber: Int64
  /// The ratings of their players, as far as they have one.
  package var ratings: [PlayerID: PlayerRating]
  /// The matches, in the order in which they are to be rated.
  package var matches: [RatedMatch]
  /// Matches that wait and have been rated before.
  package var already: [MatchID]
  /// When matches of the same two players counted, in the day before the first of the matches: of the
  /// last 200 of one of them.
  package var meetings: RatingLedger.Meetings

  package init(
    lastNumber: Int64 = 0, ratings: [PlayerID: PlayerRating] = [:], matches: [RatedMatch] = [],
    already: [MatchID] = [], meetings: RatingLedger.Meetings = [:]
  ) {
    self.meetings = meetings
    self.lastNumber = lastNumber
    self.ratings = ratings
    self.matches = matches
    self.already = already
  }
}

/// The store's facts about the rating of a match.
package struct StoredRating: Hashable, Sendable {
  /// The match as it waits to be rated; nil: it does not wait.
  package var waiting: RatedMatch?
  /// Each player's result.
  package var results: [Row] = []

  /// One player's result with the rows that are kept next to it.
  package struct Row: Hashable, Sendable {
    package var result: RatingResult
    /// The player's result before this one.
    package var previous: PlayerRating?
    /// Where the player stands, if this is the player's last result.
    package var standing: Standing
    /// Of a match that did not count: when the first of the last `RatingLedger.meetingLimit` matches
    /// of its two players that counted was rated. Nil: fewer had counted.
    package var boundSince: Instant?

    package init(
      result: RatingResult, previous: PlayerRating?, standing: Standing,
      boundSince: Instant? = nil
    ) {
      self.result = result
      self.previous = previous
      self.standing = standing
      self.boundSince = boundSince
    }
  }

  /// Whether a player stands where a result says.
  package enum Standing: Hashable, Sendable {
    /// There is a later result.
    case superseded
    /// This is the last result, and the player stands there, by the result of that number.
    case last(PlayerRating, number: Int64)
    /// This is the last result, and the player has no rating.
    case missing
  }

  package init() {}
}
