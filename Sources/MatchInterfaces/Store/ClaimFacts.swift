public import MatchCore

/// How things stand in the store under a claim's lock.
public enum ClaimFacts: Hashable, Sendable {
  /// A name or a pair: nobody has it. A seat: nobody waits.
  case free
  /// A name: another player has it.
  case nameTaken
  /// Registration is by code and none was given.
  case codeRequired
  /// The registration code does not exist or is used up.
  case codeInvalid
  /// A pair: that match's invitation stands.
  case heldBy(MatchID)
  /// A seat: matches that wait under those terms, the longest waiting first, with who waits in
  /// each.
  case waiting([Waiting])

  /// A load: how many matches the player has.
  case load(PlayerLoad)

  /// A match that waits for anyone.
  public struct Waiting: Hashable, Sendable {
    /// The match.
    public var match: MatchID
    /// Who waits.
    public var player: PlayerID

    /// Puts a row together.
    public init(match: MatchID, player: PlayerID) {
      self.match = match
      self.player = player
    }
  }
}
