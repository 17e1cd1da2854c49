import GameScreens
import MatchCore
import PlayerClient
import ServiceNews

/// What is left undone when the player has left the whole screen.
struct QuitReport {
  /// Turns that were never kept, so that nothing will send them.
  private var lost: [String] = []
  /// Wishes that are kept without an answer.
  private var kept: [String] = []
  private let firstStepsFailure: String?

  /// - Parameter pending: The events of the profile without an answer.
  init(_ end: ScreenEnd, pending: [PendingEvent]) {
    firstStepsFailure = end.firstStepsFailure
    lost = end.turns.filter { $0.keeping != .kept }.map { turn in
      turn.word.isEmpty ? "Your turn" : turn.word
    }
    kept = pending.map { event in
      guard case .turnPlayed(let played) = event.event.action else {
        return "your \(event.event.action.noun)"
      }
      let turn = end.turns.first { turn in
        turn.match.match == played.match && turn.number == played.turn.number
      }
      guard let turn, !turn.word.isEmpty else { return "your turn" }
      return turn.word
    }
  }

  /// Nil: all is answered.
  var failure: CommandFailure? {
    let stillPending =
      kept.isEmpty
      ? ""
      : "The answer to \(Wording.list(kept)) is pending. Any cubist command sends "
        + (kept.count == 1 ? "it again, and it counts once." : "them again, and each counts once.")
    if !lost.isEmpty {
      let what = "\(Wording.list(lost)) \(lost.count == 1 ? "was" : "were") not played."
      let more = stillPending.isEmpty ? "" : " \(stillPending)"
      return CommandFailure(
        .unavailable, "unreachable", "The service was away. \(what)\(more)",
        next: ["cubist play"])
    }
    if !kept.isEmpty { return CommandFailure(.pending, "pending", stillPending) }
    return firstStepsFailure.map { reason in
      CommandFailure(
        .unreadable, "profileUnusable",
        "How far you came in the first steps was not kept. \(reason)")
    }
  }
}
