import CubeLexicon
import CubeRules
import CustomDump
import Synchronization
import Testing

@testable import MatchCore

/// A small exhaustive store. It does in memory the service's work around the judge: looks up the
/// data of an event, resolves its claim, judges, writes. `send` compares all consequences of an
/// event with those that the test states, `act` only arranges. After every step, both check the
/// invariants of all steps.
final class MatchLab {
  var now: Instant = .noon
  var clock = QueueClock(time: .noon)
  /// The clocks of all queues. Empty: only this one.
  var queueClocks: [Int: QueueClock] = [:]
  var lexicons: Lexicons
  var dailies: [DailyKey: DailyChallenge] = [:]
  var isRegistrationByCode = false
  var codes: Set<String> = []
  /// The players that do not want to meet each other.
  private(set) var blocks: Set<Block> = []
  private(set) var reports: [Report] = []
  var nudges = NudgeFacts()
  var bots: Set<PlayerID> = []
  var reservedNames = ReservedNames.none
  /// The players' keys and open invitations of devices.
  private(set) var keys: [PlayerID: PlayerKeys] = [:]
  /// The events that brought later keys in.
  private(set) var origins: [PublicKey: [SignedPayload]] = [:]
  private var invitations: Set<Hash> = []
  var limits = PlayerLimits.none
  /// How often players have invited one that they had never met, by days.
  private var strangers: [Day: [[PlayerID]: Int]] = [:]
  /// The store's count of registrations in the last hour.
  var registrations = RegistrationLoad()

  private(set) var matches: [MatchID: Match] = [:]
  private(set) var records: [MatchID: [(entry: Entry, content: Replay.Content)]] = [:]
  private(set) var pushes: [PushJob] = []
  private(set) var names: [PlayerID: PlayerName] = [:]
  private var rows: [MatchID: [String]] = [:]
  /// Steps after which `Listing.stays` held, which is checked at each.
  private(set) var listingsThatStayed = 0
  /// The requests with which matches began.
  private var requests: [MatchID: ReceivedEvent] = [:]
  private var order: [MatchID] = []
  private var eventCount: UInt128 = 0
  private let said = Said()

  init(
    _ lexicon: Lexicon = .everyWord,
    players: [TestPlayer] = [.ann, .bob, .cyd]
  ) {
    lexicons = Lexicons(lexicon)
    for player in players {
      take(Registration(player: player.id, name: player.name, key: player.key, at: now))
    }
  }

  // MARK: Events

  /// An event that a player makes now.
  func event(_ action: Event.Action, by player: TestPlayer) -> SentEvent {
    event(action, of: player, on: player)
  }

  /// An event of a player that another device's key signs.
  func event(
    _ action: Event.Action, of player: TestPlayer, on device: TestPlayer
  ) -> SentEvent {
    eventCount += 1
    let event = Event(
      service: .test, id: EventID(at: now, random: eventCount), player: player.id, action: action)
    return SentEvent(event: event, player: device)
  }

  /// Lets time pass, in the database and in the queue: a tick each second.
  func pass(seconds: Int64) {
    now = now.adding(seconds: seconds)
    // As if each second had ticked: no gap, no credit.
    clock.ticked(at: now, since: Instant(microseconds: 0))
  }

  /// Lets time pass without ticks, as in an outage.
  func passWithoutTicks(seconds: Int64) { now = now.adding(seconds: seconds) }

  /// The tick that comes after all.
  func tick() { clock.ticked(at: now) }

  // MARK: Judging

  /// Sends an event and compares all its consequences with those that the test states.
  @discardableResult
  func send(
    _ sent: SentEvent, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    expect: (inout Expectation) -> Void
  ) -> Reply {
    var expected = Expectation(state: state, sent: sent, lab: self)
    expect(&expected)
    let judgement = judgeAndWrite(sent)
    expectNoDifference(
      Optional(judgement.reply), expected.reply, "the reply", fileID: fileID, filePath: filePath,
      line: line, column: column)
    expectNoDifference(
      judgement.pushes, expected.pushes, "the push jobs", fileID: fileID, filePath: filePath,
      line: line, column: column)
    expectNoDifference(
      state, expected.state, "the state", fileID: fileID, filePath: filePath, line: line,
      column: column)
    return judgement.reply
  }

  /// Sends an event that is refused and changes nothing.
  func refuse(
    _ sent: SentEvent, _ refusal: Refusal, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    send(sent, fileID: fileID, filePath: filePath, line: line, column: column) {
      $0.reply = .refused(refusal)
    }
  }

  /// Sends an event only to get somewhere.
  @discardableResult
  func act(_ sent: SentEvent) -> Reply { judgeAndWrite(sent).reply }

  /// Sends an event only to get somewhere.
  @discardableResult
  func act(_ action: Event.Action, by player: TestPlayer) -> Reply {
    act(event(action, by: player))
  }

  /// Resolves the claim of an event as the real store would, in the same transaction.
  func resolve(_ claim: Claim) -> ClaimResult {
    switch claim {
    case .name(let name, _, let code):
      if let code {
        guard codes.contains(code.text) else { return .codeInvalid }
      } else if isRegistrationByCode {
        return .codeRequired
      }
      if names.values.contains(where: { $0.skeleton == name.skeleton }) { return .nameTaken }
      return code != nil && !isRegistrationByCode ? .admitted : .granted
    case .seat(let terms, let player):
      let waiting = order.compactMap { id -> Pairing.Waiting? in
        guard let match = matches[id], let seat = Listing(of: match).openSeat,
          seat.terms == terms, !seat.leavers.contains(player),
          let other = match.players.first, mayMeet(player, other)
        else { return nil }
        return Pairing.Waiting(
          match: id, seeker: .init(player: other, rating: 1_500, since: match.dealtAt))
      }
      let seeker = Pairing.Seeker(player: player, rating: 1_500, since: now)
      return Pairing.choose(for: seeker, among: waiting, met: [], at: now)
        .map { .seat($0.waiting.match, $0.reason) } ?? .nothing
    case .load, .inbox, .keys: return .granted
    case .pair(let a, let b, let terms, _):
      let key = Claim.pairKey(a, b, terms)
      let standing = order.first { id in
        matches[id].map { Listing(of: $0).pairKey == key } ?? false
      }
      return standing.map { .match($0) } ?? .granted
    }
  }

  /// The context for judging an event: the data that it needs, and nothing else.
  func context(for sent: SentEvent) -> JudgingContext {
    let (event, key) = (sent.event, sent.player.key)
    let needs = Judge.needs(of: event)
    let claim = needs.claim.map(resolve)
    var wanted = needs.matches
    switch claim {
    case .match(let id)?, .seat(let id, _)?: wanted.append(id)
    default: break
    }
    let clock = clock
    var context = JudgingContext(
      now: now, clock: { _ in clock },
      matches: matches.filter { wanted.contains($0.key) },
      knownPlayers: Set(needs.players.filter { names[$0] != nil }),
      senderName: keys[event.player]?.keys[key] == nil ? nil : names[event.player],
      claim: claim,
      daily: needs.daily.flatMap { dailies[$0] }, lexicons: lexicons, secret: .test,
      sign: { [said] statement, match in
        let signed = SignedPayload.statement(statement, in: match)
        said.note(signed, .statement(statement))
        return signed
      })
    for id in needs.requests { context.requests[id] = requests[id] }
    (context.limits, context.registrations) = (limits, registrations)
    context.reservedNames = reservedNames
    context.queueClocks = queueClocks
    if case .keys(let player)? = needs.claim {
      context.keys = keys[player] ?? PlayerKeys()
      context.isInvitationKnown = needs.invitation.map(invitations.contains) ?? false
      context.isKeyKnown =
        needs.newKey.map { key in keys.values.contains { $0.keys[key] != nil } } ?? false
      context.playerClock = clock
      context.signRecovery = { .recovery($0) }
    }
    if needs.reports {
      let oldest = now.adding(seconds: -86_400)
      var first: [MatchID: Instant] = [:]
      for report in reports where report.player == event.player {
        first[report.match] = first[report.match] ?? report.at
      }
      context.reports = first.filter { $0.value > oldest }
    }
    if needs.nudges { context.nudges = nudges }
    if needs.leavings {
      context.leavings = matches.values.flatMap(\.leavings).filter { $0.player == event.player }
        .map(\.at)
    }
    if case .playerBlocked(let wish) = event.action {
      context.blocks = blocks.filter { $0 == Block(event.player, wish.other) }
      context.blockCount = blocks.count { $0.player == event.player }
    }
    if let encounter = Judge.encounter(of: event, secret: .test, match: { matches[$0] }) {
      context.blocks = blocks.filter {
        encounter.players.contains($0.player) && encounter.players.contains($0.blocked)
      }
      if let invited = encounter.invited {
        context.inbox = inbox(of: invited, sender: event.player)
      }
      for player in encounter.counted { context.loads[player] = load(of: player) }
    }
    return context
  }

  private func mayMeet(_ one: PlayerID, _ other: PlayerID) -> Bool {
    blocks.isDisjoint(with: Block.between(one, other))
  }

  private func inbox(of player: PlayerID, sender: PlayerID) -> Inbox {
    let invitations = matches.values.filter {
      $0.outcome == nil && $0.concerns(player) && $0.seat(of: player) == nil
    }
    let played = matches.values.filter { match in
      match.seat(of: player) != nil && (match.outcome?.wasPlayed ?? true)
    }
    let known = Set(played.flatMap(\.players))
    let today = (strangers[Day(containing: now)] ?? [:]).filter { $0.key.first == player }
    return Inbox(
      waiting: invitations.count,
      fromStrangers: invitations.count { known.isDisjoint(with: $0.players) },
      fromSender: invitations.count { $0.players.contains(sender) },
      strangersToday: today.values.reduce(0, +), senderToday: today[[player, sender]] ?? 0,
      knowsSender: known.contains(sender))
  }

  private func load(of player: PlayerID) -> PlayerLoad {
    let running = matches.values.filter { $0.outcome == nil && $0.seat(of: player) != nil }
    var bot: BotLoad?
    if bots.contains(player) {
      let found = matches.values.filter { $0.outcome == nil && $0.concerns(player) }
      bot = BotLoad(matches: found.count)
      for other in found.flatMap(\.occupants) where other != player {
        bot?.byPlayer[other, default: 0] += 1
      }
    }
    return PlayerLoad(
      waiting: running.count { $0.stage == .waiting }, total: running.count, bot: bot)
  }

  private func judgeAndWrite(_ sent: SentEvent) -> Judgement {
    let received = sent.player.receive(sent.event)
    said.note(received.signed, .event(sent.event))
    let context = context(for: sent)
    let judgement = Judge.judge(received, context)
    expectNoDifference(Judge.judge(received, context), judgement, "judging is a function")
    for change in judgement.changes {
      write(change)
      if change.before == nil, case .invited(let player)? = change.after.seats.last?.holder,
        context.inbox?.knowsSender == false
      {
        strangers[Day(containing: now), default: [:]][[player, sent.event.player], default: 0] += 1
      }
      if change.before == nil { requests[change.after.id] = received }
    }
    if let change = judgement.block {
      if change.isStanding { blocks.insert(change.block) } else { blocks.remove(change.block) }
    }
    if let report = judgement.report { reports.append(report) }
    if let nudge = judgement.nudge { nudges.turns[nudge.match] = nudge.turn }
    if let registration = judgement.registration {
      #expect(names[registration.player] == nil)
      take(registration)
    }
    if let change = judgement.keyChange { take(change) }
    for push in judgement.pushes {
      #expect(!pushes.contains { $0.id == push.id }, "the id of each push job is its own")
      pushes.append(push)
    }
    return judgement
  }

  private func take(_ registration: Registration) {
    names[registration.player] = registration.name
    keys[registration.player, default: PlayerKeys()].take(registration)
  }

  private func take(_ change: KeyChange) {
    switch change {
    case .invited(let invitation): #expect(invitations.insert(invitation.hash).inserted)
    case .added(let added): origins[added.key] = added.origin
    case .recovered(let recovered): origins[recovered.key] = recovered.origin
    case .removed, .recoverySet: break
    }
    keys[change.player]?.take(change)
  }

  /// An operator revokes the only key of a player.
  func revoke(_ player: TestPlayer) { keys[player.id]?.keys[player.key]?.isRemoved = true }

  /// As if so many keys had spoken for a player.
  func setLifetimeCount(_ count: Int, of player: TestPlayer) {
    keys[player.id]?.lifetimeCount = count
  }

  /// Changes the recovery that is under way, as somebody who writes the database does.
  func tamper(of player: TestPlayer, _ change: (inout PlayerRecovery.Pending) -> Void) {
    guard var pending = keys[player.id]?.recovery.pending else { return }
    change(&pending)
    keys[player.id]?.recovery.pending = pending
  }

  private func write(_ change: MatchChange) {
    let (id, after) = (change.after.id, change.after)
    #expect(change.before == matches[id])
    #expect(after.version == (change.before?.version ?? 0) + 1)
    #expect(after.entryCount == (change.before?.entryCount ?? 0) + change.entries.count)
    #expect(after.head == change.entries.last?.hash ?? change.before?.head)
    var unchanged = after
    unchanged.version = change.before?.version ?? 0
    #expect(change.before != unchanged, "a change of nothing")
    for entry in change.entries {
      guard let content = said.content(of: entry.signed) else {
        Issue.record("an entry that nobody signed")
        return
      }
      records[id, default: []].append((entry, content))
    }
    if matches[id] == nil { order.append(id) }
    matches[id] = after
    rows[id] = Listing(of: after).lines(names)
    if let before = change.before, Listing.stays(before, after) {
      listingsThatStayed += 1
      #expect(Listing(of: before) == Listing(of: after))
    }
    checkStored(after)
  }

  /// Checks the invariants of every stored match: it can be read again, and its record gives it.
  private func checkStored(_ match: Match) {
    let decoded = Match(
      id: match.id, version: match.version, encodedState: match.encodedState())
    expectNoDifference(decoded.map(MatchSnapshot.init), MatchSnapshot(match), "the stored form")
    do {
      let folded = try replay(match.id).map(MatchSnapshot.init)
      expectNoDifference(
        folded?.asReplayed, MatchSnapshot(match).asReplayed, "the fold of the record")
    } catch {
      Issue.record("the record does not hold: \(error)")
    }
  }

  /// The fold of a match's record.
  func replay(_ id: MatchID) throws -> Match? {
    var replay = Replay(id: id)
    for (entry, content) in records[id] ?? [] {
      try replay.take(entry, content, words: lexicon(of: id))
    }
    return replay.match
  }

  /// The word list that a match pins.
  func lexicon(of id: MatchID) -> Lexicon {
    matches[id].flatMap { lexicons.named($0.lexicon) } ?? .everyWord
  }

  /// The contents of the store, in the form in which a test states them.
  var state: LabState {
    LabState(
      matches: matches.mapValues(MatchSnapshot.init),
      records: records.mapValues { $0.map { EntryKind($0.content) } }, rows: rows, players: names)
  }
}

/// An event with its sender.
struct SentEvent {
  var event: Event
  var player: TestPlayer

  /// The match that the event asks for.
  var newMatch: MatchID { MatchID(askedBy: event.player, event: event.id) }
}

/// The contents of signed bytes: the tests' stand-in for decoding a payload.
final class Said: Sendable {
  private let contents = Mutex<[SignedPayload: Replay.Content]>([:])

  func note(_ signed: SignedPayload, _ content: Replay.Content) {
    contents.withLock { $0[signed] = content }
  }

  func content(of signed: SignedPayload) -> Replay.Content? {
    contents.withLock { $0[signed] }
  }
}
