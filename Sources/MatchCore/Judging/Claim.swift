/// A conditional write on something that matches share, settled in the store before the event is
/// judged.
public enum Claim: Hashable, Sendable {
  /// A name for a player, with the registration code where one is given.
  case name(PlayerName, PlayerID, code: ShareCode?)
  /// Any free seat of a random match with these terms that does not belong to the player.
  case seat(Terms, for: PlayerID)
  /// The one invitation of these terms between two players; taken by `match` unless another one
  /// stands.
  case pair(PlayerID, PlayerID, Terms, match: MatchID)
  /// How many matches a player has: to be counted, and to change by this batch only.
  case load(PlayerID)
  /// How many invitations to a player wait, and how many strangers have sent on a day: to be counted,
  /// and to become more by this batch only.
  case inbox(of: PlayerID, sender: PlayerID, on: Day)

  /// Claims are settled in this order within a batch, so that two batches never wait for one
  /// another: kind first, then key.
  public var order: String {
    switch self {
    case .name(let name, _, _): "0 \(name.key)"
    case .pair(let a, let b, let terms, _): "1 \(Claim.pairKey(a, b, terms))"
    case .load(let player): "3 \(player)"
    case .inbox(let player, _, _): "4 \(player)"
    case .seat(let terms, _): "2 \(Claim.termsKey(terms))"
    }
  }

  /// What a pair's claim is on: lower player, higher player and terms, whoever invites whom.
  public static func pairKey(_ a: PlayerID, _ b: PlayerID, _ terms: Terms) -> String {
    "\(min(a, b)) \(max(a, b)) \(termsKey(terms))"
  }

  /// What two who want to meet have to agree on.
  private static func termsKey(_ terms: Terms) -> String {
    let key = "\(terms.turnLimitSeconds ?? 0) \(terms.language.rawValue)"
    return terms.isCasual ? key + " casual" : key
  }
}

/// How a claim was settled.
public enum ClaimResult: Hashable, Sendable {
  /// It is the claimant's.
  case granted
  /// A name: somebody else has it.
  case nameTaken
  /// A registration code is needed.
  case codeRequired
  /// The registration code is not valid.
  case codeInvalid
  /// A pair: that match's invitation stands.
  case match(MatchID)
  /// A seat: that match's, and why it is that one.
  case seat(MatchID, MeetingReason)
  /// A seat: nobody waits.
  case nothing
}
