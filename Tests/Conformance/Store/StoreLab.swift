import CubeLexicon
import CubeRules
package import MatchCore
package import MatchInterfaces
import MatchWire

/// Does a worker's work around the judge with a store under test: looks up, resolves, judges, and
/// builds the batch to be written.
package final class StoreLab {
  package let store: WorkerStore
  /// The players' limits; without limits nothing is counted.
  package var limits = PlayerLimits.none
  /// The clocks of the queues, all one.
  package var clock = QueueClock()
  /// The time of the last lookup.
  package private(set) var now = Instant(microseconds: 0)
  private let service: Signer = required(.ed25519(seed: Array(repeating: 0x5e, count: 32)))
  private var eventCount: UInt128

  /// Labs over the same store need different numbers, so that their events differ.
  package init(_ store: WorkerStore, number: UInt8 = 0) {
    self.store = store
    eventCount = UInt128(number) << 32
  }

  package struct Sent {
    package var player: TestPlayer
    package var event: Event
    package var signed: SignedPayload
    /// The match that the event asks for.
    package var newMatch: MatchID { MatchID(askedBy: player.id, event: event.id) }
    package var key: EventKey { EventKey(player: player.id, event: event.id) }
  }

  /// An event that a player makes now.
  package func event(_ action: Event.Action, by player: TestPlayer) throws -> Sent {
    try event(action, of: player, on: player)
  }

  /// An event of a player that another device's key signs.
  package func event(
    _ action: Event.Action, of player: TestPlayer, on device: TestPlayer
  ) throws -> Sent {
    if now.microseconds == 0 { now = try store.lookUp(Lookup()).now }
    eventCount += 1
    let event = Event(
      service: .test, id: EventID(at: now, random: eventCount), player: player.id,
      action: action)
    return Sent(player: player, event: event, signed: try device.signer.sign(event))
  }

  /// Registers players in one batch.
  package func register(_ players: TestPlayer...) throws { try register(players) }

  package func register(_ players: [TestPlayer]) throws {
    try send(players.map { try event(.playerRegistered(name: $0.name, code: nil), by: $0) })
  }

  /// Judges events as one batch and writes the result.
  @discardableResult
  package func send(_ events: [Sent]) throws -> [Reply] {
    let (write, replies) = try judge(events)
    try store.commit(write)
    return replies
  }

  /// Sends one action and gives its result.
  @discardableResult
  package func act(_ action: Event.Action, by player: TestPlayer) throws -> Acceptance {
    let reply = try send([event(action, by: player)])[0]
    guard case .accepted(let acceptance) = reply else { throw Refused(reply: reply) }
    return acceptance
  }

  package struct Refused: Error { package var reply: Reply }

  /// Looks up, resolves and judges, but writes nothing.
  package func judge(_ events: [Sent]) throws -> (write: BatchWrite, replies: [Reply]) {
    var lookup = Lookup()
    var claims: [Claim] = []
    for sent in events {
      let needs = Judge.needs(of: sent.event)
      lookup.events.append(sent.key)
      lookup.keys.append(sent.signed.key)
      lookup.players += needs.players
      lookup.matches += needs.matches
      lookup.dailies += needs.daily.map { [$0] } ?? []
      if needs.registrations { lookup.registrations = limits.registrationsPerHour }
      if needs.reports { lookup.reporting.insert(sent.player.id) }
      if let hash = needs.invitation { lookup.invitations.insert(hash) }
      if let key = needs.newKey { lookup.keys.append(key) }
      claims += needs.claim.map { [$0] } ?? []
    }
    var known = try store.lookUp(lookup)
    now = known.now
    var more = Lookup()
    for sent in events {
      let encounter = Judge.encounter(
        of: sent.event, secret: .test, match: { known.matches[$0] })
      guard let encounter else {
        continue
      }
      more.meeting.formUnion(encounter.players)
      if limits.countsMatches { claims += Set(encounter.counted).map { .load($0) } }
      if limits.countsInvitations, let invited = encounter.invited {
        claims.append(.inbox(of: invited, sender: sent.player.id, on: Day(containing: known.now)))
      }
    }
    claims = Array(Set(claims))
    var facts: [Claim: ClaimFacts] = [:]
    if !claims.isEmpty {
      claims.sort { $0.order < $1.order }
      for (claim, fact) in zip(claims, try store.resolve(claims)) { facts[claim] = fact }
      for fact in facts.values {
        if case .heldBy(let match) = fact { more.matches.append(match) }
        guard case .waiting(let found) = fact else { continue }
        more.matches += found.waiting.map(\.match)
        more.meeting.formUnion(found.waiting.map(\.seeker.player))
      }
    }
    if !more.matches.isEmpty || more.meeting.count > 1 {
      let found = try store.lookUp(more)
      known.matches.merge(found.matches) { _, newer in newer }
      known.blocks = found.blocks
    }
    var resolver = ClaimResolver(facts: facts)
    var judging = Judging(known: known, write: BatchWrite(now: known.now))
    judging.limits = limits
    for case (.load(let player), .load(let load)) in facts { judging.loads[player] = load }
    for case (.keys(let player), .keys(let keys)) in facts { judging.keys[player] = keys }
    judging.facts = facts
    let replies = events.map { judging.judge($0, &resolver, clock, service) }
    judging.finish()
    return (judging.write, replies)
  }
}

extension StoreLab {
  /// Judges a merger as the scheduler proposes it, but writes nothing.
  package func judge(_ merger: Merger) throws -> (write: BatchWrite, reply: Reply) {
    var lookup = Lookup()
    lookup.matches = [merger.kept, merger.merged]
    lookup.requests = [merger.merged]
    let known = try store.lookUp(lookup)
    var judging = Judging(known: known, write: BatchWrite(now: known.now))
    let event = Event(
      service: .test, id: EventID(at: known.now, random: 1), player: PlayerID(rawValue: 0),
      action: .mergeProposed(merger))
    let reply = try judging.judge(event, clock, service)
    judging.finish()
    return (judging.write, reply)
  }
}

/// One batch while it is judged.
private struct Judging {
  var known: LookupResult
  var write: BatchWrite
  var limits = PlayerLimits.none
  var loads: [PlayerID: PlayerLoad] = [:]
  var keys: [PlayerID: PlayerKeys] = [:]
  var facts: [Claim: ClaimFacts] = [:]
  private var loaded: [MatchID: Int64]
  private var derivedFrom: Set<MatchID> = []

  init(known: LookupResult, write: BatchWrite) {
    self.known = known
    self.write = write
    self.write.revocationCount = known.revocationCount
    loaded = known.matches.mapValues(\.version)
  }

  mutating func judge(
    _ sent: StoreLab.Sent, _ resolver: inout ClaimResolver, _ clock: QueueClock,
    _ service: Signer
  ) -> Reply {
    let needs = Judge.needs(of: sent.event)
    let claim = needs.claim.map {
      resolver.resolve($0, for: sent.key, at: known.now, mayMeet: { mayMeet(sent.player.id, $0) })
    }
    var ids = needs.matches
    switch claim {
    case .match(let id)?, .seat(let id, _)?: ids.append(id)
    default: break
    }
    derivedFrom.formUnion(ids)
    var context =
      JudgingContext(
        now: known.now, clock: { _ in clock },
        matches: known.matches.filter { ids.contains($0.key) },
        knownPlayers: known.players, senderName: known.keys[sent.signed.key]?.name, claim: claim,
        daily: needs.daily.flatMap { known.dailies[$0] }, lexicons: Lexicons(.everyWord),
        secret: .test, sign: { service.sign($0, match: $1, service: .test) })
    (context.blocks, context.loads, context.limits) = (known.blocks, loads, limits)
    context.registrations = known.registrations
    if needs.reports { context.reports = known.reports[sent.player.id] ?? [:] }
    if case .keys(let player)? = needs.claim { context.keys = keys[player] }
    context.isInvitationKnown = needs.invitation.map { known.invitations[$0] != nil } ?? false
    context.isKeyKnown = needs.newKey.map { known.keys[$0] != nil } ?? false
    context.playerClock = clock
    context.signRecovery = { service.sign($0, service: .test) }
    if case .matchRequested(let request) = sent.event.action,
      case .player(let other) = request.opponent,
      case .inbox(let inbox)? = facts[
        .inbox(of: other, sender: sent.player.id, on: Day(containing: known.now))]
    {
      context.inbox = inbox
    }
    let judgement = Judge.judge(
      ReceivedEvent(event: sent.event, signed: sent.signed), context)
    absorb(judgement, of: sent)
    if let change = judgement.playerChange {
      write.playerChanges.append(
        BatchWrite.PlayerRow(player: sent.player.id, change: change, key: sent.signed.key))
    }
    return judgement.reply
  }

  /// Judges an event of the service; only its effects are written.
  mutating func judge(_ event: Event, _ clock: QueueClock, _ service: Signer) throws -> Reply {
    let needs = Judge.needs(of: event)
    derivedFrom.formUnion(needs.matches)
    var context = JudgingContext(
      now: known.now, clock: { _ in clock }, matches: known.matches, lexicons: Lexicons(.everyWord),
      secret: .test, sign: { service.sign($0, match: $1, service: .test) })
    for id in needs.requests {
      guard let signed = known.requests[id] else { continue }
      context.requests[id] = ReceivedEvent(
        event: try PayloadCodec.decodeEvent(signed.payload), signed: signed)
    }
    let signed = SignedPayload(key: service.publicKey, signature: [], payload: [])
    let judgement = Judge.judge(ReceivedEvent(event: event, signed: signed), context)
    write.changes += judgement.changes
    write.outbox += judgement.pushes
    return judgement.reply
  }

  private mutating func absorb(_ judgement: Judgement, of sent: StoreLab.Sent) {
    if let change = judgement.block {
      write.blocks.append(change)
      if change.isStanding {
        known.blocks.insert(change.block)
      } else {
        known.blocks.remove(change.block)
      }
    }
    if let change = judgement.keyChange {
      write.keyChanges.append(change)
      keys[change.player]?.take(change)
      if case .recovered(let recovered) = change {
        write.playerChanges.append(
          BatchWrite.PlayerRow(player: recovered.player, change: .devicesRemoved))
        known.keys[recovered.key] = KeyOwner(player: recovered.player, name: recovered.name)
      }
    }
    if let report = judgement.report {
      write.reports.append(report)
      let first = known.reports[report.player]?[report.match] ?? report.at
      known.reports[report.player, default: [:]][report.match] = first
    }
    for change in judgement.changes {
      for player in loads.keys { loads[player]?.add(change, for: player) }
      known.matches[change.after.id] = change.after
      if let index = write.changes.firstIndex(where: { $0.after.id == change.after.id }) {
        write.changes[index].after = change.after
        write.changes[index].entries += change.entries
      } else {
        write.changes.append(change)
      }
      if change.before == nil, change.after.terms.kind == .open {
        let code = ShareCode(invitationTo: change.after.id, secret: .test)
        write.codes.append(BatchWrite.Code(code: code, match: change.after.id))
      }
    }
    if let (match, code) = judgement.share {
      write.shares.append(BatchWrite.Code(code: code, match: match))
    }
    if let registration = judgement.registration {
      write.registrations.append(registration)
      if case .playerRegistered(let new) = sent.event.action, let code = new.code {
        write.usedCodes[code] = registration.player
      }
    }
    write.outbox += judgement.pushes
    guard !sent.event.isFromService else { return }
    let reply = StoredReply(
      payloadHash: Hash(sha256Of: sent.signed.payload),
      reply: ReplyCodec.encode(judgement.reply, event: sent.event.id))
    if case .refused(let refusal) = judgement.reply, !refusal.isStored { return }
    write.replies.append(BatchWrite.Reply(key: sent.key, reply: reply))
  }

  private func mayMeet(_ one: PlayerID, _ other: PlayerID) -> Bool {
    !known.blocks.contains(Block(one, other)) && !known.blocks.contains(Block(other, one))
  }

  mutating func finish() {
    let changed = Set(write.changes.map(\.after.id))
    write.unchanged = loaded.filter { derivedFrom.contains($0.key) && !changed.contains($0.key) }
  }
}

extension StoreLab {
  /// The match as it is stored.
  package func match(_ id: MatchID) throws -> Match? {
    var lookup = Lookup()
    lookup.matches = [id]
    return try store.lookUp(lookup).matches[id]
  }

  /// A turn that is legal now: two removals, or the last cube.
  package func turn(in match: Match) throws -> Event.Action {
    var game = match.game
    var moves: [Move] = []
    for cube in Cube.all.reversed() where moves.count < 2 {
      var next = game
      if (try? next.apply(.removal(cube), words: Lexicon.everyWord)) != nil {
        moves.append(.removal(cube))
        game = next
      }
    }
    return .turnPlayed(
      match.id, Turn(number: match.turnNumber, previous: match.previousTurnHash, moves: moves))
  }

  /// A match of two players that has begun, by an invitation.
  package func begin(_ first: TestPlayer = .ann, _ second: TestPlayer = .bob) throws -> MatchID {
    let asked = try event(
      .matchRequested(MatchRequest(opponent: .player(second.id), turnLimitSeconds: 3_600)),
      by: first)
    try send([asked])
    try act(.invitationAccepted(asked.newMatch, code: nil), by: second)
    return asked.newMatch
  }

  /// Registers so many players in one batch, and begins a solo game of each in another one.
  package func soloGames(_ count: Int) throws -> (crowd: [TestPlayer], ids: [MatchID]) {
    let crowd = (0..<count).map(TestPlayer.member)
    try register(crowd)
    let asked = try crowd.map {
      try event(.matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)), by: $0)
    }
    try send(asked)
    return (crowd, asked.map(\.newMatch))
  }

  /// Registers Ann and keeps an event of hers that could not be handled.
  package func buryEvent() throws -> DeadEvent {
    try register(.ann)
    let sent = try event(.matchForfeited(MatchID(rawValue: 5)), by: .ann)
    let dead = DeadEvent(
      queue: 3, player: sent.player.id, event: sent.event.id, reason: "delivered 10 times",
      body: [0, 1, 255])
    var write = BatchWrite(now: now)
    write.dead = [dead]
    try store.commit(write)
    return dead
  }

  /// Plays a match of two to its end.
  package func playOut(_ id: MatchID, _ players: [TestPlayer] = [.ann, .bob]) throws {
    while let match = try match(id), match.outcome == nil {
      try act(turn(in: match), by: players[match.seatToPlay])
    }
  }
}
