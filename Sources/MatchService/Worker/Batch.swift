import CubeLexicon
import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire

/// One transaction in the making: its deliveries, the look-ups for them, and the rows to write.
///
/// A value without I/O: the worker looks up and commits, the batch decides. After a conflict it is
/// judged again from the start.
struct Batch {
  /// A delivery's answer and the push jobs that it owes.
  struct Answer {
    var delivery: EventDelivery
    /// The reply's bytes; nil if nobody waits for one.
    var reply: [UInt8]?
    var outcome: Outcome
    var event: Event?

    /// The outcome of an event, for logs and metrics.
    enum Outcome {
      /// Nothing is new: the reply was stored before, or an event of the service changed nothing.
      case repeated
      case accepted
      /// If the reply is kept, a player's limit of events bounds how many there are.
      case refused(Refusal, isKept: Bool)
    }
  }

  /// The inputs of judging besides the store's.
  struct Environment: Sendable {
    var identity: ServiceIdentity
    var layout: QueueLayout
    var rules = Rulebook.standard
    var lexicons: Lexicons
    var limits = PlayerLimits.none
    var reservedNames = ReservedNames.none
  }

  let environment: Environment
  let intakes: [DecodedDelivery]
  private let speaker: ServiceSpeaker?
  private(set) var write: BatchWrite
  private(set) var answers: [Answer] = []
  /// Events that were refused for good, in a row that is kept.
  private(set) var keptRefusals: [Event] = []
  /// Why the service may not sign at the batch's time. Then no event of it was judged, or none of
  /// it may be written.
  private(set) var keyFailure: ServiceKeyError?
  private(set) var pushes: [PushJob] = []
  /// The store's answers and what was remembered, with the consequences of the events that were
  /// judged.
  private(set) var known: LookupResult
  private(set) var clocks: [Int: QueueClock]
  private var changes: [MatchID: MatchChange] = [:]
  private var derivedFrom: Set<MatchID> = []
  private var changeOrder: [MatchID] = []
  private var resolver = ClaimResolver(facts: [:])
  private var loads: [PlayerID: PlayerLoad] = [:]
  private var inboxes = Inboxes(facts: [:])
  private var keyBook = KeyBook(facts: [:])
  let layout: StoredLayout
  private let attendance: Attendance
  /// Events that come too soon, and after how many seconds they may come again.
  let tooSoon: [EventKey: Refusal]

  /// Begins a batch with the answers to the first look-up.
  init(
    _ intakes: [DecodedDelivery], environment: Environment, known: LookupResult,
    clocks: [Int: QueueClock], tooSoon: [EventKey: Refusal] = [:], slotCredits: [Int64] = [],
    attendance: Attendance = .init()
  ) {
    self.environment = environment
    layout = StoredLayout(environment.layout, slotCredits: slotCredits)
    self.attendance = attendance
    self.intakes = intakes
    do throws(ServiceKeyError) {
      speaker = try environment.identity.speaker(at: known.now)
    } catch {
      (speaker, keyFailure) = (nil, error)
    }
    self.clocks = clocks
    self.known = known
    self.tooSoon = tooSoon
    write = BatchWrite(now: known.now)
  }

  /// Takes the facts about claims, found under their locks.
  mutating func take(_ facts: [Claim: ClaimFacts]) {
    resolver = ClaimResolver(facts: facts)
    inboxes = Inboxes(facts: facts)
    keyBook = KeyBook(facts: facts)
    for case (.load(let player), .load(let load)) in facts { loads[player] = load }
  }

  /// Takes what was looked up under the locks of the claims.
  mutating func take(_ found: LookupResult) {
    known.matches.merge(found.matches) { _, newer in newer }
    known.blocks.formUnion(found.blocks)
    known.players.formUnion(found.players)
    known.absences.merge(found.absences) { _, newer in newer }
  }

  /// The look-ups that deliveries need before they can be judged. A match in which the sender has
  /// no part is looked up like one that does not exist, cached or not. An unknown working key may
  /// come from another worker's key file: the store knows its certificate.
  static func lookup(
    for intakes: [DecodedDelivery], cached: (MatchID) -> Match?,
    owners: [PublicKey: KeyOwner], players: Set<PlayerID>, limits: PlayerLimits = .none,
    isCertified: (PublicKey) -> Bool = { _ in true }
  ) -> Lookup {
    var lookup = Lookup()
    var matches: Set<MatchID> = []
    var keys: Set<PublicKey> = []
    var others: Set<PlayerID> = []
    var dailies: Set<DailyKey> = []
    for intake in intakes {
      guard case .event(let received) = intake.content else { continue }
      let event = received.event
      let needs = intake.needs
      if event.isFromService {
        lookup.certificates = lookup.certificates || !isCertified(received.signed.key)
      } else {
        lookup.events.append(EventKey(player: event.player, event: event.id))
        if owners[received.signed.key] == nil { keys.insert(received.signed.key) }
      }
      matches.formUnion(
        needs.matches.filter { id in
          guard let match = cached(id) else { return true }
          return !event.isFromService && !match.concerns(event.player)
        })
      others.formUnion(needs.players.filter { !players.contains($0) })
      if let daily = needs.daily { dailies.insert(daily) }
      lookup.requests += needs.requests
      if needs.registrations { lookup.registrations = limits.registrationsPerHour }
      if needs.reports { lookup.reporting.insert(event.player) }
      if needs.nudges { lookup.nudging.formUnion(needs.matches) }
      if needs.leavings { lookup.leaving.insert(event.player) }
      if needs.leavesSeat { lookup.leavesSeat = true }
      if let hash = needs.invitation { lookup.invitations.insert(hash) }
      if let key = needs.newKey { keys.insert(key) }
      if needs.byRecoveryKey { lookup.recoveries.insert(event.player) }
      if let block = needs.block {
        lookup.blockLimit = limits.blocks
        if limits.blocks != nil { lookup.changing.insert(block) }
      }
    }
    (lookup.keys, lookup.players) = (Array(keys), Array(others))
    (lookup.matches, lookup.dailies) = (Array(matches), Array(dailies))
    return lookup
  }

  /// Judges every delivery in order.
  mutating func judgeAll() {
    guard let speaker else { return }
    let loadedVersions = known.matches.mapValues(\.version)
    endStandstills()
    for intake in intakes { judge(intake, speaker) }
    write.changes = changeOrder.compactMap { changes[$0] }
    // If the store's clock was set back, events at the queue's time happen later than now.
    for change in write.changes {
      guard let last = change.entries.last, !speaker.covers(last.acceptedAt) else { continue }
      keyFailure = .noCertificate(environment.identity.signer.publicKey, at: last.acceptedAt)
    }
    if environment.limits.strangerInvitations != nil {
      write.strangerInvitations = inboxes.fromStrangers
    }
    write.unchanged = loadedVersions.filter {
      changes[$0.key] == nil && derivedFrom.contains($0.key)
    }
  }

  private mutating func judge(_ intake: DecodedDelivery, _ speaker: ServiceSpeaker) {
    switch intake.content {
    case .refused(let refusal, let event):
      answer(intake, refusal: refusal, event: nil, id: event)
    case .event(let received):
      if received.event.isFromService {
        judgeService(received, intake, speaker)
      } else {
        judgePlayer(received, intake, speaker)
      }
    }
  }

  private mutating func judgeService(
    _ received: ReceivedEvent, _ intake: DecodedDelivery, _ speaker: ServiceSpeaker
  ) {
    let identity = environment.identity
    guard identity.isWorkingKey(received.signed.key, at: write.now) else {
      return answer(intake, refusal: .badSignature, event: received.event)
    }
    if case .ticked(let tick) = received.event.action {
      changeClock(of: tick.queue) { $0.ticked(at: tick.time, since: tick.since) }
      answers.append(
        Answer(
          delivery: intake.delivery, reply: nil, outcome: .repeated, event: received.event))
      return
    }
    let judgement = Judge.judge(
      received,
      context(
        for: intake.needs, of: received.event, senderName: nil, claim: nil, speaker: speaker))
    var dependsOnKeys = judgement.keyChange != nil
    // A player whose account ends meanwhile meets nobody.
    if case .mergeProposed = received.event.action { dependsOnKeys = true }
    if dependsOnKeys { write.revocationCount = known.revocationCount }
    absorb(judgement, from: received)
    answers.append(
      Answer(
        delivery: intake.delivery, reply: nil,
        outcome: judgement.changes.isEmpty && judgement.keyChange == nil ? .repeated : .accepted,
        event: received.event))
  }

  private mutating func changeClock(of queue: Int, _ change: (inout QueueClock) -> Void) {
    let before = clocks[queue] ?? QueueClock()
    var after = before
    change(&after)
    guard after != before else { return }
    clocks[queue] = after
    write.clocks[queue, default: ClockChange(before: before, after: after)].after = after
  }

  /// If nobody has judged a queue for a while, no deadline passes before the events that have
  /// waited in it.
  private mutating func endStandstills() {
    let now = write.now
    guard attendance.mayHaveLapsed(at: now) else { return }
    for queue in Set(intakes.map(\.delivery.queue)).sorted() {
      guard let clock = clocks[queue], attendance.hasLapsed(queue, clock, at: now) else { continue }
      changeClock(of: queue) { $0.resumed(at: now) }
    }
  }

  private mutating func judgePlayer(
    _ received: ReceivedEvent, _ intake: DecodedDelivery, _ speaker: ServiceSpeaker
  ) {
    let event = received.event
    let key = EventKey(player: event.player, event: event.id)
    // A recovery key may be a player's, too: whoever has its words can register it. It recovers and
    // withdraws all the same.
    let isRecovery = intake.needs.byRecoveryKey && isRecoveryKey(received)
    let owner = isRecovery ? nil : known.keys[received.signed.key]
    // From here on everything depends on the key's state.
    write.revocationCount = known.revocationCount
    switch event.action {
    case .playerRegistered:
      // A key that is not registered yet speaks for the player that it registers.
      guard owner?.player ?? PlayerID(firstKey: received.signed.key) == event.player else {
        return answer(intake, refusal: .notPermitted, event: event)
      }
    case .keyAdded, .playerRecovered, .recoveryWithdrawn:
      // A key of nobody names any player: its code decides, or whether it is the recovery key.
      guard owner?.player ?? event.player == event.player else {
        return answer(intake, refusal: .notPermitted, event: event)
      }
    default:
      guard let owner else { return answer(intake, refusal: .notRegistered, event: event) }
      guard owner.player == event.player else {
        return answer(intake, refusal: .notPermitted, event: event)
      }
    }
    let payloadHash = Hash(sha256Of: received.signed.payload)
    if let stored = known.replies[key] {
      // A key of nobody gets no answer that another key got.
      let isKnown = owner != nil || isRecovery
      guard stored.payloadHash == payloadHash, isKnown else {
        // The same event again, by a key that others have replaced since.
        let isSame = stored.payloadHash == payloadHash && intake.needs.byRecoveryKey
        return answer(
          intake, refusal: isSame ? .notRecoverable : .idempotencyMismatch, event: event)
      }
      answers.append(
        Answer(
          delivery: intake.delivery, reply: stored.reply, outcome: .repeated, event: event))
      return
    }
    // An event that was answered before keeps its answer. A revoked key cannot do anything new.
    if owner?.isRevoked == true { return answer(intake, refusal: .keyRevoked, event: event) }
    if let refusal = tooSoon[key] { return answer(intake, refusal: refusal, event: event) }
    let claim = intake.needs.claim.flatMap { resolve($0, of: event, owner: owner) }
    var judgement = Judge.judge(
      received,
      context(
        for: intake.needs, of: event, senderName: owner?.name, claim: claim, speaker: speaker))
    if beginsWhatExists(judgement.changes) {
      judgement = .refused(.malformed("its match id is another match's; ask with a new event"))
    }
    absorb(judgement, from: received)
    if let registration = judgement.registration {
      known.keys[registration.key] = KeyOwner(
        player: registration.player, name: registration.name)
      known.players.insert(registration.player)
      keyBook.take(registration)
      if case .playerRegistered(let registered) = event.action, let code = registered.code {
        write.usedCodes[code] = registration.player
      }
    }
    var refusal: Refusal?
    if case .refused(let reason) = judgement.reply { refusal = reason }
    let reply = StoredReply(
      payloadHash: payloadHash, reply: ReplyCodec.encode(judgement.reply, event: event.id))
    // Kept refusals of strangers would let them fill the store. An event that is dated far ahead
    // would stay in it until its time has come.
    let isFarAhead =
      event.id.time.microseconds(since: write.now) > Event.rememberedAheadSeconds * 1_000_000
    let isKept = refusal.map { $0.isStored && owner != nil && !isFarAhead } ?? true
    if isKept {
      if refusal != nil { keptRefusals.append(event) }
      known.replies[key] = reply
      write.replies.append(BatchWrite.Reply(key: key, reply: reply))
    }
    answers.append(
      Answer(
        delivery: intake.delivery, reply: reply.reply,
        outcome: refusal.map { .refused($0, isKept: isKept) } ?? .accepted, event: event))
  }

  /// Whether an event that only a recovery key may sign is signed by one of its player's.
  private func isRecoveryKey(_ received: ReceivedEvent) -> Bool {
    known.recoveryKeys[received.event.player]?.contains(received.signed.key) == true
  }

  /// Whether a match begins under the id of another one. It goes by indices, so that a turn copies
  /// nothing.
  private func beginsWhatExists(_ changes: [MatchChange]) -> Bool {
    for index in changes.indices where changes[index].before == nil {
      if known.matches[changes[index].after.id] != nil { return true }
    }
    return false
  }

  private mutating func resolve(
    _ claim: Claim, of event: Event, owner: KeyOwner?
  ) -> ClaimResult? {
    guard Judge.refusal(of: event, now: write.now) == nil else { return nil }
    if case .name = claim, owner != nil { return nil }
    if case .pair(_, let other, _, _) = claim, !known.players.contains(other) { return nil }
    return resolver.resolve(
      claim, for: EventKey(player: event.player, event: event.id), at: write.now,
      mayMeet: { [known] in
        Meeting(absences: known.absences, blocks: known.blocks)
          .refusal(of: event.player, to: .chance, $0) == nil
      })
  }

  private mutating func context(
    for needs: Judge.Needs, of event: Event, senderName: PlayerName?, claim: ClaimResult?,
    speaker: ServiceSpeaker
  ) -> JudgingContext {
    var found: [MatchID: Match] = [:]
    for id in needs.matches {
      let match = known.matches[id]
      // Nothing follows from a match of others, not even that it has to stay as it is.
      if let match, !match.isThere(for: event, secret: environment.identity.secret) { continue }
      derivedFrom.insert(id)
      found[id] = match
    }
    switch claim {
    case .match(let id)?, .seat(let id, _)?:
      derivedFrom.insert(id)
      found[id] = known.matches[id]
    default: break
    }
    let (clocks, layout, identity) = (clocks, layout, environment.identity)
    var context = JudgingContext(
      now: write.now,
      clock: { layout.clock(of: $0, clocks) },
      matches: found, knownPlayers: known.players, senderName: senderName, claim: claim,
      daily: needs.daily.flatMap { known.dailies[$0] }, rules: environment.rules,
      lexicons: environment.lexicons,
      secret: identity.secret, sign: { speaker.signed($0, in: $1) })
    (context.blocks, context.loads, context.limits) = (known.blocks, loads, environment.limits)
    context.absences = known.absences
    if needs.daily != nil || found.values.contains(where: { $0.terms.isAgainstClock }) {
      context.queueClocks = clocks
    }
    context.blockCount = known.blockCounts[event.player]
    if needs.reports { context.reports = known.reports[event.player] ?? [:] }
    if needs.nudges { context.nudges = known.nudges }
    if needs.leavings { context.leavings = known.leavings[event.player] ?? [] }
    context.maySeatsBeLeft = known.maySeatsBeLeft
    context.reservedNames = environment.reservedNames
    (context.inbox, context.registrations) = (inboxes.inbox(for: event), known.registrations)
    if case .keys(let player)? = needs.claim {
      context.keys = keyBook.keys(of: player)
      context.isInvitationKnown = needs.invitation.map { known.invitations[$0] != nil } ?? false
      // The service's own key is public, and must become no player's.
      context.isKeyKnown =
        needs.newKey.map {
          known.keys[$0] != nil || environment.identity.isWorkingKey($0, at: known.now)
        } ?? false
      context.playerClock = layout.clock(of: Slot(of: player), clocks)
      context.signRecovery = { speaker.signed($0) }
    }
    for id in needs.requests {
      // The contents of a record can be read; a match that began in this batch waits for the next
      // one.
      guard let signed = known.requests[id],
        let event = try? PayloadCodec.decodeEvent(signed.payload)
      else { continue }
      context.requests[id] = ReceivedEvent(event: event, signed: signed)
    }
    return context
  }

  /// Takes an event's consequences into the batch's state.
  private mutating func absorb(_ judgement: Judgement, from received: ReceivedEvent) {
    if let change = judgement.block {
      write.blocks.append(change)
      let player = change.block.player
      if change.isStanding {
        if known.blocks.insert(change.block).inserted { known.blockCounts[player]? += 1 }
      } else if known.blocks.remove(change.block) != nil {
        known.blockCounts[player]? -= 1
      }
    }
    if let report = judgement.report {
      write.reports.append(report)
      let first = known.reports[report.player]?[report.match] ?? report.at
      known.reports[report.player, default: [:]][report.match] = first
    }
    if let nudge = judgement.nudge {
      write.nudges.append(nudge)
      known.nudges.turns[nudge.match] = nudge.turn
    }
    for change in judgement.changes {
      let id = change.after.id
      // Nobody else's load changes; a batch that begins nothing counts none.
      if !loads.isEmpty {
        for player in Set((change.before?.occupants ?? []) + change.after.occupants) {
          loads[player]?.add(change, for: player)
        }
      }
      inboxes.add(change)
      for left in change.leavings { known.leavings[left.player, default: []].append(left.at) }
      known.matches[id] = change.after
      if var first = changes[id] {
        first.after = change.after
        first.entries += change.entries
        changes[id] = first
      } else {
        changes[id] = change
        changeOrder.append(id)
      }
      if change.before == nil, change.after.terms.kind == .open {
        let code = ShareCode(invitationTo: id, secret: environment.identity.secret)
        write.codes.append(BatchWrite.Code(code: code, match: id))
      }
    }
    if let (match, code) = judgement.share {
      write.shares.append(BatchWrite.Code(code: code, match: match))
    }
    if let registration = judgement.registration {
      write.registrations.append(registration)
      known.registrations.count += 1
    }
    if let change = judgement.keyChange { absorb(change) }
    if let change = judgement.playerChange {
      write.playerChanges.append(
        BatchWrite.PlayerRow(
          player: received.event.player, change: change, key: received.signed.key))
    }
    write.outbox += judgement.pushes
    pushes += judgement.pushes
  }

  private mutating func absorb(_ change: KeyChange) {
    write.keyChanges.append(change)
    keyBook.take(change)
    switch change {
    case .invited(let invitation):
      known.invitations[invitation.hash] = InvitationFacts(player: invitation.player, isOpen: true)
    case .added(let added):
      known.invitations[added.invitation]?.isOpen = false
      known.keys[added.key] = KeyOwner(player: added.player, name: added.name)
    case .removed(let removed): known.keys[removed.key]?.isRevoked = true
    case .recoverySet(let set): known.recoveryKeys[set.player] = set.after.keys
    case .recovered(let recovered):
      for key in recovered.removed { known.keys[key]?.isRevoked = true }
      write.playerChanges.append(
        BatchWrite.PlayerRow(player: recovered.player, change: .devicesRemoved))
      known.keys[recovered.key] = KeyOwner(player: recovered.player, name: recovered.name)
    }
  }

  private mutating func answer(
    _ intake: DecodedDelivery, refusal: Refusal, event: Event?, id: EventID? = nil
  ) {
    answers.append(
      Answer(
        delivery: intake.delivery,
        reply: ReplyCodec.encode(.refused(refusal), event: event?.id ?? id),
        outcome: .refused(refusal, isKept: false), event: event))
  }

  /// Adds the push jobs with outbox rows that may go.
  mutating func forget(published: [PushJobID]) { write.published = published }
}
