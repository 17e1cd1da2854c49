import MatchCore
import MatchInterfaces

/// Checks one match in the ratings. It waits or was rated, never both, and not neither by mistake.
/// Its results can be computed again, and its players stand where they leave them.
struct RatingCheck {
  private let match: Match
  private let stored: StoredRating

  init(_ match: Match, _ stored: StoredRating) {
    self.match = match
    self.stored = stored
  }

  func violations() -> [Violation] {
    let rated = match.rated
    guard !stored.results.isEmpty else { return queueViolations(rated) }
    let results = stored.results.map(\.result)
    guard let rated = match.ratedByOutcome ?? RatedMatch(annulled: match, results) else {
      return [violation(.ratingDiffers, "it was rated and does not count")]
    }
    if results.allSatisfy({ $0.result == .none }) { return boundViolations(rated) }
    guard Set(results.map(\.number)).count == 1,
      Dictionary(results.map { ($0.player, $0.result) }, uniquingKeysWith: { one, _ in one })
        == rated.results
    else { return [violation(.ratingDiffers, "it was rated for other results than it has")] }
    let before = Dictionary(
      results.map { ($0.player, $0.before) }, uniquingKeysWith: { one, _ in one })
    let after = rated.ratings { before[$0] ?? .initial }
    return stored.results.flatMap { violations(of: $0, expected: after[$0.result.player]) }
  }

  /// A match that was one too many of its two players changed nothing.
  private func boundViolations(_ rated: RatedMatch) -> [Violation] {
    let since = rated.endedAt.adding(seconds: -RatingLedger.meetingSeconds)
    let first = stored.results.min { $0.result.player < $1.result.player }
    guard let bound = first?.boundSince, bound > since else {
      return [violation(.ratingDiffers, "it did not count, and was not one too many of the two")]
    }
    return stored.results.flatMap { violations(of: $0, expected: $0.result.before) }
  }

  private func queueViolations(_ rated: RatedMatch?) -> [Violation] {
    guard stored.waiting != rated else { return [] }
    // An older build has queued it by its outcome alone.
    if rated == nil, let waiting = stored.waiting, waiting == match.ratedByOutcome { return [] }
    let text =
      switch (stored.waiting, rated) {
      case (nil, _): "it counts and does not wait to be rated"
      case (_, nil): "it waits to be rated and does not count"
      default: "it waits to be rated for other results than it has"
      }
    return [violation(.ratingQueueDiffers, text)]
  }

  private func violations(
    of row: StoredRating.Row, expected: PlayerRating?
  ) -> [Violation] {
    let result = row.result
    let player = "player \(result.player)"
    var found: [Violation] = []
    if result.after != expected {
      found.append(
        violation(.ratingDiffers, "the rating of \(player) does not follow from what was before"))
    }
    if result.before != row.previous ?? .initial {
      found.append(
        violation(.ratingDiffers, "\(player) did not stand there when it was rated"))
    }
    switch row.standing {
    case .superseded: break
    case .last(result.after, number: result.number): break
    case .last: found.append(violation(.standingDiffers, "\(player) stands elsewhere"))
    case .missing: found.append(violation(.standingDiffers, "\(player) has no rating"))
    }
    return found
  }

  private func violation(_ kind: Violation.Kind, _ text: String) -> Violation {
    Violation(kind, in: match.id, since: match.endedAt, text)
  }
}
