import MatchCore
import MatchWire
import PlayerClient

/// Plays a match to its end: `SampleClient ADDRESS NAME OPPONENT FOLDER`. Two such programs, each
/// with the other's name, play against each other, whichever is called first.
@main
struct Sample {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let name = PlayerName(arguments[2]),
      let opponent = PlayerName(arguments[3])
    else { return print("SampleClient ADDRESS NAME OPPONENT FOLDER") }

    // The folder keeps the key, and every event until it is answered.
    let client = CubistClient(
      try GatewayAddress(url: arguments[1]), storage: .folder(arguments[4]))
    if try await !client.isRegistered() { try await client.register(as: name) }

    let match = try await meet(opponent, as: name, client)
    print("\(name) plays match \(match)")
    let outcome = try await play(match, client)
    print("The match is over: \(outcome.reason.rawValue)")

    let record = try await client.record(of: match)
    let report = try await client.verify(record)
    print(report.isVerified ? "The record holds" : "The record does not hold")
    _ = try await client.rematch(of: match)
  }

  /// Invites the opponent, or waits for the opponent's invitation: of two names, the first one in the
  /// alphabet invites.
  static func meet(
    _ opponent: PlayerName, as name: PlayerName, _ client: CubistClient
  ) async throws -> MatchID {
    while true {
      let home = try await client.home()
      if let invitation = home.invitations.first(where: { $0.opponentName == opponent }) {
        return try await client.accept(invitation.id).match
      }
      // An opponent whose program has not registered yet is unknown.
      if name.key < opponent.key, (try? await client.player(named: opponent)) != nil {
        return try await client.startMatch(against: opponent, turnLimitSeconds: 3_600).ticket.match
      }
      // Nothing tells a player that somebody has registered.
      try await Task.sleep(for: .seconds(1))
    }
  }

  /// Plays the best word whenever it is this player's turn.
  static func play(_ match: MatchID, _ client: CubistClient) async throws -> Outcome {
    let player = try await client.profile().player
    var known: Int64 = 0
    for try await change in client.changes {
      switch change {
      case .match(match, let version) where version > known: break
      case .overview: break
      default: continue
      }
      var view = try await client.match(match)
      known = view.version
      while view.outcome == nil, view.stage == .playing,
        view.seats[view.seatToPlay].player == player
      {
        let turn = try await client.bestTurn(in: view)
        let receipt = try await client.play(turn.moves, in: view)
        print("turn \(receipt.turn): \(turn.word.isEmpty ? "two cubes" : turn.word)")
        view = try await client.match(match, atLeast: receipt.version)
        known = view.version
      }
      if let outcome = view.outcome { return outcome }
    }
    throw CancellationError()
  }
}
