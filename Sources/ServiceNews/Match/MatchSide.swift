package import MatchCore
package import MatchWire

/// A match from the side of one player, who may have no seat in it.
package struct MatchSide {
  private let view: MatchView
  /// The player's own seat.
  package let seat: Int?

  package init(_ view: MatchView, _ player: PlayerID) {
    self.view = view
    seat = view.seats.firstIndex { $0.player == player && $0.state == .taken }
  }

  /// The name of a seat's player.
  package func name(_ seat: Int) -> String {
    guard view.seats.indices.contains(seat) else { return "nobody" }
    if seat == self.seat { return "you" }
    return Wording.name(view.seats[seat].name, view.seats[seat].player)
  }

  /// How a match ended, from the player's side.
  package func ending(_ outcome: Outcome) -> String {
    let reason = reason(outcome)
    // In a game of one player the reason says it all.
    guard let seat, outcome.results.indices.contains(seat), outcome.results[seat] != .completed
    else { return "Over: \(reason)" }
    return "Over: \(Wording.result(outcome.results[seat])), \(reason)"
  }

  /// Why a match ended, by the names of its players.
  package func reason(_ outcome: Outcome) -> String {
    let isOwnGame = view.seats.count == 1 && seat != nil
    let who = outcome.seat.map { name($0) } ?? (isOwnGame ? "you" : "a player")
    let reason =
      view.gaveUp == true
      ? Wording.gaveUpAtOnce(who) : Wording.reason(outcome.reason, who: who)
    return reason + (view.ruledFor.map { ": \(Wording.ruling($0))" } ?? "")
  }
}
