import CubeRules
package import MatchCore
package import MatchInterfaces
import MatchWire
import Testing

extension BusCase {
  /// What a player may rely on, whatever carries the requests. All messages are real ones, since a
  /// gateway lets no others through.
  package static let requesting: [BusCase] = [
    BusCase("A reply comes back byte for byte, whatever the service says") { buses in
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      let replies: [Reply] = [
        .accepted(.noted), .refused(.nameTaken("Ada")), .refused(.notRegistered),
        .refused(.unavailable), .refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: 2)),
        .refused(.unknownMatch), .refused(.malformed("text")),
      ]
      for (number, reply) in replies.enumerated() {
        let event = PlayerRequest.event(in: buses.slot(0), number: number)
        let bytes = ReplyCodec.encode(reply, event: event.id)
        let answer = try buses.ask(event.message, .seconds(120)) {
          try hand(event.message.body, as: bytes, bus, buses)
        }
        #expect(answer == .reply(bytes), "\(reply)")
      }
    },
    BusCase("An event without an answer is confirmed; the same bytes are answered later") { buses in
      let event = PlayerRequest.event(in: buses.slot(0), number: 1)
      #expect(try buses.ask(event.message, .seconds(3)) {} == .confirmed)
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      let bytes = ReplyCodec.encode(.accepted(.noted), event: event.id)
      let answer = try buses.ask(event.message, .seconds(120)) {
        // The first copy was sent by an asker who is gone.
        try hand(event.message.body, as: bytes, bus, buses)
        try hand(event.message.body, as: bytes, bus, buses)
      }
      #expect(answer == .reply(bytes))
    },
    BusCase("A turn of any length gets through") { buses in
      let bus = try buses.worker()
      defer { bus.close() }
      try bus.consume([0])
      let faces = Array(Face.all.prefix(40))
      for count in [1, 12] {
        let moves = Array(repeating: Move.word(faces), count: count)
        let event = PlayerRequest.event(in: buses.slot(0), number: count, moves: moves)
        let bytes = ReplyCodec.encode(.refused(.notYourTurn(whose: nil)), event: event.id)
        let answer = try buses.ask(event.message, .seconds(120)) {
          try hand(event.message.body, as: bytes, bus, buses)
        }
        #expect(answer == .reply(bytes))
      }
    },
    BusCase("An answer to a query comes back byte for byte, up to the largest") { buses in
      let reader = try buses.reader()
      defer { reader.close() }
      for length in [1, 100_000, 130_900] {
        let query = PlayerRequest.query(.matches, number: length)
        let bytes = AnswerCodec.encode(
          RecordAnswer(record: String(repeating: "x", count: length)), query: query.id)
        let answer = try buses.ask(query.message, .seconds(120)) {
          guard
            case .query(query.message.body, let replyTo?, let id?, _)? =
              try buses.collect(
                1,
                {
                  try reader.receive(1, .milliseconds(100)).filter {
                    if case .query(query.message.body, _, _, _) = $0 { true } else { false }
                  }
                }
              ).first
          else {
            Issue.record("no query came")
            return
          }
          try reader.answer([.init(replyTo: replyTo, correlationID: id, body: bytes)])
        }
        #expect(answer == .reply(bytes))
      }
    },
    BusCase("A query that nobody answers has no answer") { buses in
      let query = PlayerRequest.query(.matches, number: 1)
      let answer = try buses.ask(query.message, .seconds(10)) {}
      let isUnanswered =
        switch answer {
        case .confirmed, .unknown, .unanswered: true
        default: false
        }
      #expect(isUnanswered)
    },
    BusCase("An event that no queue takes is an error") { buses in
      try buses.remove(.events(0))
      let event = PlayerRequest.event(in: buses.slot(0), number: 1)
      let kind = try busError { _ = try buses.ask(event.message, .seconds(120)) {} }.kind
      #expect(["unroutable", "refused"].contains(kind))
    },
    BusCase("A break while a request waits is no error, and later ones go through") { buses in
      let event = PlayerRequest.event(in: buses.slot(0), number: 1)
      let answer = try buses.ask(event.message, .seconds(30)) {
        let bus = try buses.worker()
        defer { bus.close() }
        try bus.consume([0])
        _ = try buses.receive(1, bus)
        try buses.cut()
      }
      #expect(answer == .confirmed || answer == .unknown)
      let bytes = ReplyCodec.encode(.accepted(.noted), event: event.id)
      let later = try buses.collect(1) { () -> [PlayerAnswer] in
        // The break may still meet the next connection while it opens.
        guard let bus = try? buses.worker() else { return [] }
        defer { bus.close() }
        do throws(BusError) { try bus.consume([0]) } catch { return [] }
        let answer = try? buses.ask(event.message, .seconds(5)) {
          for _ in 0..<20 {
            for delivery in try bus.receive(10, .milliseconds(100)) {
              try bus.publish([
                .reply(
                  to: delivery.replyTo ?? "", correlationID: delivery.correlationID ?? "",
                  body: bytes)
              ])
              try bus.acknowledge(delivery.tag)
            }
          }
        }
        return answer.map { $0 == .reply(bytes) ? [$0] : [] } ?? []
      }
      #expect(later.first == .reply(bytes))
    },
  ]

  /// Answers the one event that has to come.
  private static func hand(
    _ body: [UInt8], as bytes: [UInt8], _ bus: WorkerBus, _ buses: BusSet
  ) throws {
    let delivery = try #require(try buses.receive(1, bus).first)
    #expect(delivery.body == body)
    try bus.publish([
      .reply(
        to: delivery.replyTo ?? "", correlationID: delivery.correlationID ?? "", body: bytes)
    ])
    try bus.acknowledge(delivery.tag)
  }
}

/// Signed messages of a player.
package struct PlayerRequest: Sendable {
  package var id: EventID
  package var message: PlayerMessage

  /// The service that all of them name.
  package static let service = ServiceID(rawValue: 0x5e5e)

  // swift-format-ignore: NeverForceUnwrap
  private static let signer = Signer.ed25519(seed: Array(1...32))!
  private static let player = PlayerID(firstKey: signer.publicKey)

  private static func id(_ number: Int) -> EventID {
    EventID(at: WallClock.live.now(), random: UInt128(number + 1))
  }

  /// An event that goes to a slot.
  static func event(in slot: Slot, number: Int, moves: [Move] = []) -> PlayerRequest {
    var match = MatchID(rawValue: 0)
    while Slot(of: match) != slot { match = MatchID(rawValue: match.rawValue + 1) }
    let turn = Turn(number: 1, previous: .zero, moves: moves)
    let event = Event(
      service: service, id: id(number), player: player,
      action: moves.isEmpty
        ? .gameShared(Event.GameShared(match: match))
        : .turnPlayed(Event.TurnPlayed(match: match, turn: turn)))
    guard let signed = try? signer.sign(event) else { preconditionFailure("the event is too long") }
    return PlayerRequest(
      id: event.id,
      message: PlayerMessage(destination: .events(slot), body: Envelope.encode(signed)))
  }

  static func query(_ kind: Query.Kind, number: Int) -> PlayerRequest {
    let query = Query(service: service, id: id(number), player: player, kind: kind)
    return PlayerRequest(
      id: query.id,
      message: PlayerMessage(destination: .queries, body: Envelope.encode(signer.sign(query))))
  }
}
