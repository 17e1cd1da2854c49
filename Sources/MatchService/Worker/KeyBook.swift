import MatchCore
import MatchInterfaces

/// The keys of the players whose keys change in one batch, found under the locks of the claims. A
/// change counts at once for the later events of the batch.
struct KeyBook {
  private var players: [PlayerID: PlayerKeys] = [:]

  init(facts: [Claim: ClaimFacts]) {
    for case (.keys(let player), .keys(let keys)) in facts { players[player] = keys }
  }

  /// Nil: nobody claimed the player's keys.
  func keys(of player: PlayerID) -> PlayerKeys? { players[player] }

  mutating func take(_ registration: Registration) {
    players[registration.player]?.take(registration)
  }

  mutating func take(_ change: KeyChange) { players[change.player]?.take(change) }
}
