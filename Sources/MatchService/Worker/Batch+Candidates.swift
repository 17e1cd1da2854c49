import MatchCore
import MatchInterfaces

extension Batch {
  /// An event of a delivery that may have consequences.
  struct Candidate {
    let event: Event
    let needs: Judge.Needs
    /// Whether its key is registered, or the service's.
    let isRegistered: Bool
  }

  /// The events that are worth look-ups in the store. Events that were handled before, come too
  /// soon or are signed by a stranger are answered without look-ups, so that nobody can cause
  /// look-ups by them.
  var candidates: [Candidate] {
    // A key that registers or is added earlier in the batch may act later in it, for that player.
    var newcomers: [PublicKey: Set<PlayerID>] = [:]
    // Invitations of devices and recovery keys by earlier events of the batch.
    var invited: [Hash: PlayerID] = [:]
    var recoveryKeys = known.recoveryKeys
    return intakes.compactMap { intake in
      guard case .event(let received) = intake.content else { return nil }
      let (event, signer) = (received.event, received.signed.key)
      let key = EventKey(player: event.player, event: event.id)
      guard known.replies[key] == nil, tooSoon[key] == nil,
        Judge.refusal(of: event, now: known.now) == nil
      else { return nil }
      if event.isFromService {
        // Nobody else takes a lock by such an event.
        guard environment.identity.isWorkingKey(signer, at: known.now) else { return nil }
        return Candidate(event: event, needs: intake.needs, isRegistered: true)
      }
      let isRecoveryKey =
        intake.needs.byRecoveryKey && recoveryKeys[event.player]?.contains(signer) == true
      // A player's key speaks for that player alone. Nobody takes locks of others by it.
      let owner = isRecoveryKey ? nil : known.keys[signer]
      guard owner == nil || owner?.player == event.player, owner?.isRevoked != true else {
        return nil
      }
      if owner == nil, mayBecomeKey(event, signer, invited) {
        newcomers[signer, default: []].insert(event.player)
      }
      let isNewcomer = newcomers[signer]?.contains(event.player) == true
      guard owner != nil || isNewcomer || isRecoveryKey else { return nil }
      switch event.action {
      case .deviceInvited(let invitation): invited[invitation.invitation] = event.player
      case .recoveryKeyNamed(let named): recoveryKeys[event.player, default: []].append(named.key)
      default: break
      }
      return Candidate(event: event, needs: intake.needs, isRegistered: owner != nil)
    }
  }

  /// Whether an event may make its unknown signer a key of its player. A made-up code or another's
  /// id does not, so that nobody takes others' locks by one.
  private func mayBecomeKey(
    _ event: Event, _ signer: PublicKey, _ invited: [Hash: PlayerID]
  ) -> Bool {
    switch event.action {
    case .playerRegistered: return event.player == PlayerID(firstKey: signer)
    case .keyAdded(let added):
      let hash = added.code.hash(at: event.service)
      guard let known = known.invitations[hash] else { return invited[hash] == event.player }
      return known.isOpen && known.player == event.player
    default: return false
    }
  }

  /// The players who may meet by those events.
  func encounters(of candidates: [Candidate]) -> Set<PlayerID> {
    Set(candidates.flatMap { encounter(of: $0.event)?.players ?? [] })
  }

  private func encounter(of event: Event) -> Judge.Encounter? {
    Judge.encounter(of: event, secret: environment.identity.secret) { known.matches[$0] }
  }

  /// The claims of those events, in the order in which their locks are taken, each once.
  func claims(of candidates: [Candidate]) -> [Claim] {
    let (limits, day) = (environment.limits, Day(containing: known.now))
    var claims: [Claim] = []
    for candidate in candidates {
      let event = candidate.event
      if limits.countsMatches || limits.countsInvitations, let encounter = encounter(of: event) {
        if limits.countsMatches { claims += encounter.counted.map { .load($0) } }
        if limits.countsInvitations, let invited = encounter.invited, invited != event.player {
          claims.append(.inbox(of: invited, sender: event.player, on: day))
        }
      }
      guard let claim = candidate.needs.claim else { continue }
      // A registered player has a name.
      if case .name = claim, candidate.isRegistered { continue }
      claims.append(claim)
    }
    guard claims.count > 1 else { return claims }
    // Claims of one lock stay in the order of arrival.
    var seen: Set<Claim> = []
    return claims.enumerated().filter { seen.insert($1).inserted }
      .map { (lock: $1.order, place: $0, claim: $1) }
      .sorted { ($0.lock, $0.place) < ($1.lock, $1.place) }
      .map(\.claim)
  }
}
