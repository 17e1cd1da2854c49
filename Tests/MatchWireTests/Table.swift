// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry

import CubeLexicon
import CubeRules
import CubistBasics
import MatchCore
import MatchWire

/// Three players and a service at one table: every event is signed, judged and put into a record.
struct Table {
  let service = ServiceID(rawValue: 0x5e71_ce00_0000_0000_0000_0000_0000_0001)
  let root = signer(1)
  let working = signer(2)
  let players = [signer(3), signer(4), signer(0x40)]
  let certificate: KeyCertificate
  var now = Instant(microseconds: 1_777_600_000_000_000)
  var clock = QueueClock()
  var matches: [MatchID: Match] = [:]
  var entries: [MatchID: [Entry]] = [:]
  var random: SplitMix64

  static let lexicons = MatchCore.Lexicons(.everyWord)

  init(seed: UInt64 = 1) {
    random = SplitMix64(state: seed)
    certificate = KeyCertificate(
      workingKey: working.publicKey, validFrom: now.adding(seconds: -86_400),
      validUntil: now.adding(seconds: 90 * 86_400), service: service, root: root)
    clock.ticked(at: now)
  }

  static func signer(_ number: UInt8) -> Signer {
    Signer.ed25519(seed: Array(repeating: number, count: 32))!
  }

  func id(_ player: Int) -> PlayerID { PlayerID(firstKey: players[player].publicKey) }

  var names: [PlayerID: PlayerName] {
    [id(0): PlayerName("Anna")!, id(1): PlayerName("Bert")!, id(2): PlayerName("Cleo")!]
  }

  mutating func pass(seconds: Int64) {
    now = now.adding(seconds: seconds)
    clock.ticked(at: now, since: Instant(microseconds: 0))
  }

  mutating func event(_ action: Event.Action, by player: Int) -> Event {
    let bits = UInt128(random.next()) << 64 | UInt128(random.next())
    return Event(
      service: service, id: EventID(at: now, random: bits), player: id(player), action: action)
  }

  /// A player does something a second later; it must be accepted.
  @discardableResult
  mutating func act(_ action: Event.Action, by player: Int) -> Acceptance? {
    pass(seconds: 1)
    let event = event(action, by: player)
    guard let signed = try? players[player].sign(event) else { return nil }
    let (working, service, clock) = (working, service, clock)
    var claim: ClaimResult?
    switch Judge.needs(of: event).claim {
    case .seat:
      let waiting = matches.values.first { $0.stage == .waiting && $0.terms.kind == .random }
      let why = MeetingReason(ratingDistance: 0, window: 100, waitedSeconds: 1)
      claim = waiting.map { .seat($0.id, why) } ?? .nothing
    case .pair: claim = .granted
    default: claim = nil
    }
    let context = JudgingContext(
      now: now, clock: { _ in clock }, matches: matches, knownPlayers: [id(0), id(1), id(2)],
      senderName: names[event.player], claim: claim, lexicons: Table.lexicons,
      secret: ServiceSecret(bytes: Array(repeating: 7, count: 16))!,
      sign: { working.sign($0, match: $1, service: service) })
    let judgement = Judge.judge(ReceivedEvent(event: event, signed: signed), context)
    for change in judgement.changes {
      matches[change.after.id] = change.after
      entries[change.after.id, default: []] += change.entries
    }
    if case .accepted(let acceptance) = judgement.reply { return acceptance }
    return nil
  }

  /// A match of two players, met by chance.
  mutating func start(turnLimit: Int64 = 86_400) -> MatchID {
    let request = MatchRequest(opponent: .random, turnLimitSeconds: turnLimit)
    act(.matchRequested(request), by: 0)
    act(.matchRequested(request), by: 1)
    return matches.keys.first!
  }

  /// The player whose turn it is plays.
  mutating func play(_ moves: [Move], in id: MatchID) {
    guard let match = matches[id] else { return }
    let turn = Turn(number: match.turnNumber, previous: match.previousTurnHash, moves: moves)
    let mover = match.seats[match.seatToPlay].player
    act(.turnPlayed(id, turn), by: players.indices.first { self.id($0) == mover }!)
  }

  /// Any legal word of three letters, after a removal if one is given.
  func word(in id: MatchID, after removal: Move? = nil) -> Move? {
    guard var game = matches[id]?.game else { return nil }
    if let removal { _ = try? game.apply(removal, words: Lexicon.everyWord) }
    for first in game.playable {
      for second in game.playable.intersection(first.neighbors) {
        for third in game.playable.intersection(second.neighbors) where third != first {
          let move = Move.word([first, second, third])
          if (try? game.judge(move, words: Lexicon.everyWord)) != nil { return move }
        }
      }
    }
    return nil
  }

  /// Cubes in sight, at most two, that can be removed one after the other.
  func removals(in id: MatchID) -> [Move] {
    guard var game = matches[id]?.game else { return [] }
    var moves: [Move] = []
    for _ in 0..<2 {
      guard let face = game.playable.first(where: { _ in true }) else { break }
      let move = Move.removal(face.cube)
      guard (try? game.apply(move, words: Lexicon.everyWord)) != nil else { break }
      moves.append(move)
    }
    return moves
  }

  func document(of id: MatchID) -> RecordDocument? {
    matches[id].flatMap { match in
      RecordDocument(
        match: match, entries: entries[id] ?? [], service: service, rootKey: root.publicKey,
        certificates: [certificate])
    }
  }

  func replay(of id: MatchID) throws -> Replay {
    var replay = Replay(id: id)
    for entry in entries[id] ?? [] {
      let content = try PayloadCodec.decodeContent(entry.signed.payload)
      try replay.take(entry, content.replayed, words: Lexicon.everyWord)
    }
    return replay
  }
}

/// One match of each way to end.
enum Game: CaseIterable {
  case cleared
  case forfeited
  case timedOut
  case withdrawn
  case rematch
  case solo
  /// A joiner left before anybody had played, and another one came.
  case left

  func played(seed: UInt64 = 1) -> (table: Table, match: MatchID) {
    var table = Table(seed: seed)
    switch self {
    case .cleared:
      let id = table.start()
      table.finish(id)
      return (table, id)
    case .forfeited:
      let id = table.start()
      if let word = table.word(in: id) { table.play([word], in: id) }
      table.act(.matchForfeited(id), by: 0)
      return (table, id)
    case .timedOut:
      let id = table.start(turnLimit: 60)
      for _ in 0..<3 { table.word(in: id).map { table.play([$0], in: id) } }
      table.pass(seconds: 61)
      let match = table.matches[id]!
      let deadline = match.deadline!.at
      table.act(.deadlinePassed(id, turn: match.turnNumber, deadline: deadline), by: 0)
      return (table, id)
    case .withdrawn:
      table.act(
        .matchRequested(MatchRequest(opponent: .player(table.id(1)), turnLimitSeconds: 60)), by: 0)
      let id = table.matches.keys.first!
      table.act(.requestWithdrawn(id), by: 0)
      return (table, id)
    case .rematch:
      let first = table.start()
      table.act(.matchForfeited(first), by: 0)
      table.act(.rematchRequested(first), by: 0)
      table.act(.rematchRequested(first), by: 1)
      let id = MatchID(successorOf: first)
      if let word = table.word(in: id) { table.play([word], in: id) }
      table.act(.matchForfeited(id), by: 0)
      return (table, id)
    case .left:
      let id = table.start()
      table.act(.matchForfeited(id), by: 1)
      table.act(
        .matchRequested(MatchRequest(opponent: .random, turnLimitSeconds: 86_400)), by: 2)
      for _ in 0..<3 { table.word(in: id).map { table.play([$0], in: id) } }
      table.act(.matchForfeited(id), by: 2)
      return (table, id)
    case .solo:
      table.act(.matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)), by: 0)
      let id = table.matches.keys.first!
      for _ in 0..<4 { table.word(in: id).map { table.play([$0], in: id) } }
      table.act(.matchForfeited(id), by: 0)
      return (table, id)
    }
  }
}

extension Table {
  /// Four words, then nothing but removals until no cube is left.
  mutating func finish(_ id: MatchID) {
    for _ in 0..<4 { word(in: id).map { play([$0], in: id) } }
    for _ in 0..<20 where matches[id]?.outcome == nil { play(removals(in: id), in: id) }
  }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// The fault that a text has as the file of a record.
func fileError(_ text: String) -> RecordFileError? {
  do throws(RecordFileError) {
    _ = try RecordDocument(bytes(text))
    return nil
  } catch {
    return error
  }
}
