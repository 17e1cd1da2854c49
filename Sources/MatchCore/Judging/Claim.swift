/// A conditional write on a resource that matches share, resolved in the store before the event is
/// judged.
public enum Claim: Hashable, Sendable {
  /// A name for a player, with the registration code if one is given.
  case name(PlayerName, PlayerID, code: ShareCode?)
  /// Any free seat of a random match with these terms that does not belong to the player.
  case seat(Terms, for: PlayerID)
  /// The one invitation with these terms between two players. `match` takes it unless another one
  /// is open.
  case pair(PlayerID, PlayerID, Terms, match: MatchID)
  /// The number of a player's matches: it is counted, and only this batch may change it.
  case load(PlayerID)
  /// The numbers of waiting invitations to a player and of invitations by strangers on a day. They
  /// are counted, and only this batch may increase them.
  case inbox(of: PlayerID, sender: PlayerID, on: Day)
  /// The keys of a player and their invitations: only this batch may change them.
  case keys(of: PlayerID)

  /// Claims are resolved in this order within a batch, so that two batches never wait for one
  /// another: kind first, then key.
  public var order: String {
    switch self {
    case .name(let name, _, _): "0 \(name.skeleton)"
    case .pair(let a, let b, let terms, _): "1 \(Claim.pairKey(a, b, terms))"
    case .load(let player): "3 \(player)"
    case .inbox(let player, _, _): "4 \(player)"
    case .keys(let player): "5 \(player)"
    case .seat(let terms, _): "2 \(Claim.termsKey(terms))"
    }
  }

  /// The key of a pair's claim: lower player, higher player and terms, in either direction.
  public static func pairKey(_ a: PlayerID, _ b: PlayerID, _ terms: Terms) -> String {
    "\(min(a, b)) \(max(a, b)) \(termsKey(terms))"
  }

  /// The terms that two players must agree on.
  private static func termsKey(_ terms: Terms) -> String {
    let key = "\(terms.turnLimitSeconds ?? 0) \(terms.language.rawValue)"
    return terms.isCasual ? key + " casual" : key
  }
}

/// The result of a claim.
public enum ClaimResult: Hashable, Sendable {
  /// It is the claimant's.
  case granted
  /// A name: it is the claimant's, even if it is reserved.
  case admitted
  /// A name: somebody else has it, or one that looks like it.
  case nameTaken
  /// A registration code is needed.
  case codeRequired
  /// The registration code is not valid.
  case codeInvalid
  /// A pair: that match's invitation stands.
  case match(MatchID)
  /// A seat: the match that offers it, and the reason for the choice.
  case seat(MatchID, MeetingReason)
  /// A seat: nobody waits.
  case nothing
}
