package import CubePlay
package import MatchCore
package import MatchWire

extension StartAnswer {
  /// The service's answer to a start.
  ///
  /// - Parameter name: The name of the player who was invited; nil: nobody, or it is not known.
  package init(_ reply: ReceivedReply, naming name: String? = nil) {
    switch reply {
    case .accepted(.matchStarted(let ticket)), .accepted(.matchJoined(let ticket)),
      .accepted(.dailyStarted(let ticket)):
      self = .began(MatchKey(ticket))
    case .accepted: self = .refused("The answer to your start is of another kind.")
    case .refused(_, let message, let refusal):
      self = .refused(refusal?.text(naming: name) ?? message)
    }
  }
}

extension HomeView {
  /// Whether an invitation to a player has no answer yet.
  package func waits(for player: PlayerID) -> Bool {
    matches.contains { $0.stage == .waiting && $0.opponent == player }
  }
}
