import MatchCore
import MatchInterfaces

extension StoredMatch {
  /// A sign that the record lacks its end: a row beside it that knows of an end, a turn or a player
  /// that the record does not know; nil if there is none.
  ///
  /// Such a row may itself be wrong. But a cut record would be lost for good if the rows were
  /// rebuilt from it. So the sign counts against the record.
  func sequel(to replayed: Match, hasSuccessor: Bool) -> String? {
    endSequel(to: replayed, hasSuccessor: hasSuccessor) ?? turnSequel(to: replayed)
      ?? playerSequel(to: replayed)
  }

  private func endSequel(to replayed: Match, hasSuccessor: Bool) -> String? {
    if let outcome = replayed.outcome {
      let isAnnulled = listing.pastGames.contains { $0.reason == .annulled }
      return isAnnulled && outcome.reason != .annulled
        ? "past games say that it was annulled, the record does not" : nil
    }
    if let game = listing.pastGames.min(by: { $0.player < $1.player }) {
      return "past games say that it ended at \(game.endedAt), the record does not end"
    }
    if let row = rating.results.first {
      return "it was rated as match \(row.result.number), the record does not end"
    }
    if let waiting = rating.waiting {
      return "it waits to be rated since \(waiting.endedAt), the record does not end"
    }
    if let score = listing.soloScore {
      return "a score says that it ended at \(score.endedAt), the record does not end"
    }
    if hasSuccessor { return "it has a rematch, the record does not end" }
    if version > 0, turn == nil { return "its row says that it is over, the record does not end" }
    let ends: Set<PushJob.Kind> = [.matchEnded, .rematchRequested, .rematchDeclined]
    let late = jobs.first { ends.contains($0.job.kind) }
    return late.map { "push job \($0.job.id) is about its end, the record does not end" }
  }

  private func turnSequel(to replayed: Match) -> String? {
    let next = replayed.turnNumber
    if let turn, turn > next { return "its row says that turn \(turn) is due, the record \(next)" }
    if let late = jobs.first(where: { $0.job.turn.map { $0 > next } ?? false }) {
      return "push job \(late.job.id) is about turn \(late.job.turn ?? 0), in the record "
        + "\(next) is due"
    }
    if let nudge, nudge.turn > next {
      return "a player was reminded of turn \(nudge.turn), in the record \(next) is due"
    }
    if !replayed.hasReaction,
      let late = jobs.first(where: { $0.job.kind == .reacted && $0.job.dueTurn == next })
    {
      return "push job \(late.job.id) is about an answer to the last turn, the record has none"
    }
    if let score = listing.dailyScore, let points = replayed.points.first, score.points > points {
      return "the day's standings have \(score.points) points, the record \(points)"
    }
    return nil
  }

  private func playerSequel(to replayed: Match) -> String? {
    let stranger = listing.seats.map(\.player).filter { !replayed.concerns($0) }.min()
    return stranger.map { "player \($0) has a seat, and no entry says so" }
  }
}
