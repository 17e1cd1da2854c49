package import MatchCore

/// How things stand in the store under a claim's lock.
package enum ClaimFacts: Hashable, Sendable {
  /// A name or a pair: nobody has it.
  case free
  /// A name: nobody has it, and a code admits the player though registration needs none. Only an
  /// operator gives such a code.
  case admitted
  /// A name: another player has it, or one that looks like it.
  case nameTaken
  /// Registration is by code and none was given.
  case codeRequired
  /// The registration code does not exist or is used up.
  case codeInvalid
  /// A pair: that match's invitation stands.
  case heldBy(MatchID)
  /// A seat: the claimant's rating, the best of the matches that wait under those terms, and the
  /// players that the claimant has met lately.
  case waiting(Waiters)

  /// A load: how many matches the player has.
  case load(PlayerLoad)
  /// An inbox: how many invitations wait and have come that day, and whether the player has met the
  /// sender.
  case inbox(Inbox)
  /// The keys of a player.
  case keys(PlayerKeys)

  /// The matches that wait for a claimant.
  package struct Waiters: Hashable, Sendable {
    /// The claimant's rating.
    package var rating: Int
    /// Matches of players that the claimant may meet, in no order.
    package var waiting: [Pairing.Waiting]
    /// Players that the claimant plays against or has met lately.
    package var met: Set<PlayerID>

    package init(rating: Int, waiting: [Pairing.Waiting] = [], met: Set<PlayerID> = []) {
      self.rating = rating
      self.waiting = waiting
      self.met = met
    }
  }
}
