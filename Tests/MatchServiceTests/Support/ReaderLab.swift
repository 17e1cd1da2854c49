import InMemoryLogging
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

/// A reader whose store and bus are `.failing` where a test overrides nothing.
final class ReaderLab {
  var store = ReaderStore.failing
  var bus = ReaderBus.failing
  var settings = ReaderSettings()
  var verifier = SignatureVerifier.live
  let clock = TestClock()
  var now = Instant.noon {
    didSet { clock.elapse(now.microseconds(since: oldValue)) }
  }
  var arriving: [ReaderBus.Incoming] = []
  var answers: [ReaderBus.Answer] = []
  /// The store's clock and the owners of keys; nil: no test may need them.
  var owners: (([PublicKey]) throws(StoreError) -> (now: Instant, owners: [PublicKey: KeyOwner]))?
  private(set) lazy var reader = Reader(
    identity: .test, layout: .standard, version: "1.2.3", store: store, bus: bus,
    clock: clock.clock, verifier: verifier, settings: settings,
    log: Logger(label: "test") { [logs] _ in logs })
  /// The reader's log, from `info` on.
  let logs = InMemoryLogHandler()

  init() {
    bus.receive.answer { [unowned self] _, _ in
      defer { arriving = [] }
      return arriving
    }
    bus.ownQueries.answer { [] }
    bus.answer.answer { [unowned self] in answers += $0 }
    store.ownersAndMatches.answer { [unowned self] keys, ids throws(StoreError) in
      guard let owners else { return try ReaderStore.failing.ownersAndMatches(keys, ids) }
      let known = try owners(keys)
      return (known.now, known.owners, ids.isEmpty ? [] : try store.matches(ids))
    }
    store.recordAndPlayers.answer { [unowned self] id, players throws(StoreError) in
      (try store.entries(id), try store.players(players), nil)
    }
  }

  /// Tells the store the owners of the keys.
  func expectOwner() {
    owners = { [unowned self] keys in
      let known = TestPlayer.all.filter { keys.contains($0.key) }
      return (now, Dictionary(uniqueKeysWithValues: known.map { ($0.key, $0.owner) }))
    }
  }

  /// Lets the store know the players.
  func expectPlayers() {
    store.players.answer { ids in
      Dictionary(
        uniqueKeysWithValues: TestPlayer.all.filter { ids.contains($0.id) }.map { ($0.id, $0.row) })
    }
  }

  /// Lets the store know matches.
  func expectMatches(_ given: Given...) {
    store.matches.answer { ids in given.map(\.match).filter { ids.contains($0.id) } }
    store.entries.answer { id in given.first { $0.match.id == id }?.entries ?? [] }
  }

  /// A query arrives with the next step.
  func ask(
    _ kind: Query.Kind, by player: TestPlayer = .ann, at time: Instant = .noon,
    id: String = "q"
  ) {
    ask(player.body(kind, at: time), id: id)
  }

  func ask(_ body: [UInt8], id: String = "q") {
    arriving.append(
      .query(body: body, replyTo: "amq.rabbitmq.reply-to.\(id)", correlationID: id))
  }

  /// A gateway's question arrives with the next step.
  func ask(
    _ question: GatewayQuery.Question, id: String = "g", trace: RequestTrace? = nil
  ) {
    let body = GatewayQuery(id: EventID(rawValue: 7), question: question).encoded
    arriving.append(
      .gatewayQuery(
        body: body, replyTo: "amq.rabbitmq.reply-to.\(id)", correlationID: id, trace: trace))
  }

  /// Word of a change arrives with the next step.
  func announce(_ match: Match) {
    arriving.append(
      .outcome(
        routingKey: Names.changedMatches,
        body: OutcomeNotice(
          .init(source: NoticeSource(rawValue: 1), number: 1),
          changes: [.init(match: match.id, version: match.version, players: match.occupants)]
        ).encoded))
  }

  func step() throws { try reader.step() }

  /// Forgets all answers so far.
  func forget() { answers = [] }

  /// The one answer that was given.
  func answer<Payload: Decodable & Sendable>(
    as: Payload.Type = Payload.self, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Payload {
    try #require(answers.count == 1, sourceLocation: sourceLocation)
    let (query, answer) = try AnswerCodec.decode(answers[0].body, as: Payload.self)
    #expect(query != nil, sourceLocation: sourceLocation)
    guard case .ok(let payload) = answer else {
      throw Unexpected(text: "\(answer)")
    }
    return payload
  }

  /// The one refusal that was given.
  func refusal(sourceLocation: SourceLocation = #_sourceLocation) throws -> QueryRefusal? {
    try #require(answers.count == 1, sourceLocation: sourceLocation)
    guard
      case .refused(_, _, let refusal) =
        try AnswerCodec.decode(answers[0].body, as: PlayerView.self).answer
    else { return nil }
    return refusal
  }

  struct Unexpected: Error { var text: String }
}
