import CubeRules
import CubistBasics
import CustomDump
import MatchCore
import Testing

@testable import MatchCore
@testable import MatchRecord
@testable import MatchWire

@Suite("Values read and written without JSON in between")
struct FastFormsTests {
  /// Numbers where forms change: of digits, of signs, of widths.
  private static func number(_ random: inout SplitMix64) -> Int64 {
    let bits = random.next()
    return [0, 1, 9, 10, -1, Int64(bits % 1_000), Int64(bits >> 12), 1 << 53].randomElement(
      using: &random) ?? 0
  }

  private static func wide(_ random: inout SplitMix64) -> UInt128 {
    let bits = UInt128(random.next()) << 64 | UInt128(random.next())
    return [bits, bits >> 70, 0, .max].randomElement(using: &random) ?? 0
  }

  private static func hash(_ random: inout SplitMix64) -> Hash {
    Hash(sha256Of: [UInt8(truncatingIfNeeded: random.next())])
  }

  private static func turn(_ random: inout SplitMix64) -> Event {
    let moves = (0..<Int.random(in: 0...3, using: &random)).map { _ -> Move in
      let faces = Face.all.shuffled(using: &random)
      if Bool.random(using: &random) { return .removal(faces[0].cube) }
      return .word(Array(faces.prefix(Int.random(in: 1...81, using: &random))))
    }
    let turn = Turn(
      number: Int.random(in: 1...WireLimits.turnNumber, using: &random), previous: hash(&random),
      moves: moves)
    return Event(
      service: ServiceID(rawValue: wide(&random)), id: EventID(rawValue: wide(&random)),
      player: PlayerID(rawValue: wide(&random)),
      action: .turnPlayed(MatchID(rawValue: wide(&random)), turn))
  }

  private static func outcome(_ payload: [UInt8]) -> Result<Event, Refusal> {
    Result { () throws(Refusal) in try PayloadCodec.decodeAnyEvent(payload) }
  }

  @Test("A turn in the form that is written is read as by the reader of any form")
  func turns() {
    var random = SplitMix64(state: 71)
    var readCount = 0
    for _ in 0..<500 {
      let event = Self.turn(&random)
      let payload = PayloadCodec.encode(event)
      guard let read = CanonicalTurn.event(in: payload) else {
        // Left to the other reader: a turn without moves, and one that is too long.
        guard case .turnPlayed(let played) = event.action else { continue }
        #expect(played.turn.moves.isEmpty || payload.count > WireLimits.turnPayloadBytes)
        continue
      }
      readCount += 1
      expectNoDifference(Result<Event, Refusal>.success(read), Self.outcome(payload))
    }
    #expect(readCount > 300)
  }

  @Test("A turn that was changed in one place is read as by the reader of any form, or not at all")
  func changedTurns() {
    var random = SplitMix64(state: 72)
    var (readCount, leftCount) = (0, 0)
    for _ in 0..<100 {
      let payload = PayloadCodec.encode(Self.turn(&random))
      for _ in 0..<40 {
        var changed = payload
        let place = Int.random(in: 0..<changed.count, using: &random)
        let other = Array("0123456789abcdefABCDEFTLR-\", {}[]:xyz\\ \u{0}".utf8)
        switch random.next() % 4 {
        case 0: changed.remove(at: place)
        case 1: changed.insert(other.randomElement(using: &random) ?? 0, at: place)
        case 2: changed[place] = other.randomElement(using: &random) ?? 0
        default: changed = Array(changed[..<place])
        }
        guard let read = CanonicalTurn.event(in: changed) else {
          leftCount += 1
          continue
        }
        readCount += 1
        expectNoDifference(Result<Event, Refusal>.success(read), Self.outcome(changed))
      }
    }
    #expect(readCount > 100)
    #expect(leftCount > 500)
  }

  @Test("The reply to a turn is written as any reply is")
  func replies() {
    var random = SplitMix64(state: 73)
    for _ in 0..<500 {
      let receipt = TurnReceipt(
        match: MatchID(rawValue: Self.wide(&random)), version: Self.number(&random),
        turn: Int(Self.number(&random)),
        scores: (0..<(random.next() % 4)).map { _ in Int(Self.number(&random)) },
        points: (0..<(random.next() % 3)).map { _ in Int(Self.number(&random)) },
        hash: Self.hash(&random), seatToPlay: Int(random.next() % 8), outcome: nil)
      let event = EventID(rawValue: Self.wide(&random))
      let reply = Reply.accepted(.turnAccepted(receipt))
      #expect(receipt.reply(to: event) != nil)
      expectNoDifference(
        ReplyCodec.encode(reply, event: event), ReplyCodec.encodeAny(reply, event: event))
      expectNoDifference(
        ReplyCodec.encode(reply, event: nil), ReplyCodec.encodeAny(reply, event: nil))
    }
  }

  private static func players(_ random: inout SplitMix64) -> [PlayerID] {
    (0..<random.next() % 3).map { _ in PlayerID(rawValue: wide(&random)) }
  }

  @Test("Push jobs and notices are written as JSON is")
  func jobs() {
    var random = SplitMix64(state: 74)
    for _ in 0..<500 {
      let job = PushJob(
        id: PushJobID(rawValue: Self.wide(&random)),
        kind: PushJob.Kind.allCases.randomElement(using: &random) ?? .yourTurn,
        player: PlayerID(rawValue: Self.wide(&random)),
        match: random.next() % 4 == 0 ? nil : MatchID(rawValue: Self.wide(&random)),
        turn: random.next() % 4 == 0 ? nil : Int(Self.number(&random)),
        hasWaitedForOthers: random.next() % 4 == 0)
      expectNoDifference(PushJobCodec.encode(job), PushJobCodec.encodeAny(job))
      let notice = OutcomeNotice(
        .init(
          source: NoticeSource(rawValue: Self.wide(&random)), number: Self.number(&random)),
        changes: (0..<random.next() % 4).map { _ in
          .init(
            match: MatchID(rawValue: Self.wide(&random)), version: Self.number(&random),
            players: Self.players(&random))
        }, players: Self.players(&random))
      expectNoDifference(notice.encoded, notice.encodedAsJSON)
    }
  }
}
