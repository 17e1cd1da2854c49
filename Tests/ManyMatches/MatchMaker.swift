import CubeLexicon
import CubistBasics
import MatchCore
import MatchInterfaces
import MatchLoad
import MatchService
import MatchWire

/// Plays whole matches of two by the shipped judge: every event is signed by its player, every
/// statement by the service.
struct MatchMaker {
  let identity: ServiceIdentity
  let players: [LoadPlayer]
  /// Turns played so far.
  private(set) var turnCount = 0
  private let known: Set<PlayerID>
  private var random: SplitMix64
  private var now: Instant

  init(identity: ServiceIdentity, playerCount: Int, seed: UInt64, start: Instant) throws {
    self.identity = identity
    var random = SplitMix64(state: seed)
    players = try (0..<playerCount).map { try LoadPlayer(name: "bot\($0)", &random) }
    known = Set(players.map(\.id))
    self.random = random
    now = start
  }

  /// The rows that register the players.
  func registrations() -> BatchWrite {
    var write = BatchWrite(now: now)
    write.registrations = players.map {
      Registration(player: $0.id, name: $0.name, key: $0.signer.publicKey, at: now)
    }
    return write
  }

  /// Adds a match that was played to its end.
  mutating func play(into write: inout BatchWrite) throws {
    write.now = now
    guard let first = players.randomElement(using: &random),
      let second = players.randomElement(using: &random), first.id != second.id
    else { return }
    var made: MatchChange?
    let request = MatchRequest(opponent: .player(second.id), turnLimitSeconds: 86_400)
    try send(.matchRequested(request), by: first, &made, &write)
    guard let match = made?.after.id else { return }
    try send(.invitationAccepted(match, code: nil), by: second, &made, &write)
    var choice = SplitMix64(state: random.next())
    while let match = made?.after, match.outcome == nil {
      let turn = try Turn(
        number: match.turnNumber, previous: match.previousTurnHash,
        moves: Strategy.turn(in: match.game, tries: 24, &choice))
      let player = match.seats[match.seatToPlay].player == first.id ? first : second
      try send(.turnPlayed(match.id, turn), by: player, &made, &write)
      turnCount += 1
    }
    if let made { write.changes.append(made) }
  }

  struct Refused: Error {
    var refusal: Refusal
  }

  private mutating func send(
    _ action: Event.Action, by player: LoadPlayer, _ made: inout MatchChange?,
    _ write: inout BatchWrite
  ) throws {
    now = now.adding(microseconds: 100_000)
    let event = Event(
      service: identity.service,
      id: EventID(at: now, random: UInt128(random.next()) << 64 | UInt128(random.next())),
      player: player.id, action: action)
    let signed = try player.signer.sign(event)
    let judgement = Judge.judge(
      ReceivedEvent(event: event, signed: signed), context(made?.after, player))
    if case .refused(let refusal) = judgement.reply { throw Refused(refusal: refusal) }
    for change in judgement.changes {
      made = MatchChange(
        before: nil, after: change.after, entries: (made?.entries ?? []) + change.entries)
    }
    write.outbox += judgement.pushes
    write.replies.append(
      BatchWrite.Reply(
        key: EventKey(player: player.id, event: event.id),
        reply: StoredReply(
          payloadHash: Hash(sha256Of: signed.payload),
          reply: ReplyCodec.encode(judgement.reply, event: event.id))))
  }

  private func context(_ match: Match?, _ player: LoadPlayer) -> JudgingContext {
    let (clock, identity) = (QueueClock(time: now), identity)
    return JudgingContext(
      now: now, clock: { _ in clock }, matches: match.map { [$0.id: $0] } ?? [:],
      knownPlayers: known, senderName: player.name, claim: .granted,
      lexicons: .standard, secret: identity.secret,
      sign: { identity.signer.sign($0, match: $1, service: identity.service) })
  }
}
