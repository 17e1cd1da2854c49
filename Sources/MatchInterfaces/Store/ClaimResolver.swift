package import MatchCore

/// Resolves the claims of one batch one after another: a later event does not get a thing that an
/// earlier event took.
package struct ClaimResolver: Sendable {
  private var facts: [Claim: ClaimFacts]
  /// The skeletons of the names that events of the batch took.
  private var takenNames: Set<String> = []
  private var usedCodes: Set<ShareCode> = []
  private var pairs: [String: MatchID] = [:]
  private var takenSeats: Set<MatchID> = []
  private var waiting: [Terms: [Pairing.Waiting]] = [:]

  /// Begins with the facts that the store gave for each claim under its locks.
  package init(facts: [Claim: ClaimFacts]) { self.facts = facts }

  /// Resolves a claim for an event; `event` makes the id of the match that begins if nothing is
  /// found, and `mayMeet` says whether the claimant may meet a player.
  package mutating func resolve(
    _ claim: Claim, for event: EventKey, at now: Instant,
    mayMeet: (PlayerID) -> Bool = { _ in true }
  ) -> ClaimResult {
    let fact = facts[claim] ?? .free
    switch claim {
    case .name(let name, _, let code):
      switch fact {
      case .codeRequired: return .codeRequired
      case .codeInvalid: return .codeInvalid
      case .nameTaken: return .nameTaken
      default: break
      }
      let skeleton = name.skeleton
      guard !takenNames.contains(skeleton) else { return .nameTaken }
      if let code {
        guard usedCodes.insert(code).inserted else { return .codeInvalid }
      }
      takenNames.insert(skeleton)
      return fact == .admitted ? .admitted : .granted
    case .pair(let a, let b, let terms, let match):
      let key = Claim.pairKey(a, b, terms)
      if let held = pairs[key] { return .match(held) }
      if case .heldBy(let held) = fact {
        pairs[key] = held
        return .match(held)
      }
      pairs[key] = match
      return .granted
    // Counted by the batch, match by match.
    case .load, .inbox, .keys: return .granted
    case .seat(let terms, let player):
      return resolveSeat(terms, player, fact, event, now, mayMeet)
    }
  }

  private mutating func resolveSeat(
    _ terms: Terms, _ player: PlayerID, _ fact: ClaimFacts, _ event: EventKey, _ now: Instant,
    _ mayMeet: (PlayerID) -> Bool
  ) -> ClaimResult {
    var found = ClaimFacts.Waiters(rating: Pairing.standardRating)
    if case .waiting(let waiters) = fact { found = waiters }
    let seeker = Pairing.Seeker(player: player, rating: found.rating, since: now)
    let candidates = (found.waiting + (waiting[terms] ?? [])).filter { candidate in
      !takenSeats.contains(candidate.match) && mayMeet(candidate.seeker.player)
    }
    if let chosen = Pairing.choose(for: seeker, among: candidates, met: found.met, at: now) {
      takenSeats.insert(chosen.waiting.match)
      return .seat(chosen.waiting.match, chosen.reason)
    }
    // The next player who asks in this batch finds the match that begins now.
    let own = MatchID(askedBy: event.player, event: event.event)
    waiting[terms, default: []].append(Pairing.Waiting(match: own, seeker: seeker))
    return .nothing
  }
}
