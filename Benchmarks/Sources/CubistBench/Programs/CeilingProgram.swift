import ArgumentParser
import CubistBasics
import EventBusLive
import Foundation
import Glibc
import LibPQ
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire

/// The most that the machine could do. It takes the same messages from the same queues, writes rows
/// of the same sizes into the same tables in batches, publishes as the worker would, and
/// acknowledges. Nothing is decoded, verified, looked up or judged: ids are cut out of the payload
/// at places that never change.
struct CeilingProgram: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "ceiling", shouldDisplay: false)

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    let settings = try ServiceSettings.read(environment: ProcessInfo.processInfo.environment).get()
    let database = try PostgreSQLSettings(connectionString: settings.database).forMatchStore()
    let loop = try CeilingLoop(
      PostgreSQLConnection(database), broker: RabbitMQSettings(url: settings.broker),
      queueCount: settings.layout.queueCount)
    while true { try loop.step() }
  }
}

private final class CeilingLoop {
  /// The part of a match that the loop has to know.
  private struct Row {
    var version: Int64
    var position: Int16
    var turn: Int32
    var players: [UInt128]
    var state: [UInt8]
  }

  private let database: PostgreSQLConnection
  private let consumer: RabbitMQConnection
  private let publisher: RabbitMQConnection
  private let names = Names()
  private let shape = PayloadShape()
  private var rows: [UInt128: Row] = [:]
  private var waiting: [UInt64: [UInt128]] = [:]
  private var confirmed: [UInt128] = []
  private let source = NoticeSource(rawValue: UInt128.random(in: 1...UInt128.max))
  private var noticeCount: Int64 = 0
  private var jobCount = UInt128(UInt64.random(in: 1...UInt64.max)) << 64

  init(
    _ database: PostgreSQLConnection, broker: RabbitMQSettings, queueCount: Int
  ) throws {
    self.database = database
    consumer = try RabbitMQConnection(broker)
    publisher = try RabbitMQConnection(broker)
    try publisher.enableConfirms()
    let found = try database.query(
      """
      SELECT m.id, m.version, m.state, e.position, m.turn, a.player, b.player
      FROM matches AS m
      JOIN seats AS a ON a.match = m.id AND a.seat = 0
      JOIN seats AS b ON b.match = m.id AND b.seat = 1
      CROSS JOIN LATERAL (
        SELECT position FROM entries WHERE match = m.id ORDER BY position DESC LIMIT 1) AS e
      WHERE m.turn IS NOT NULL
      """)
    for row in found {
      rows[try row[0].uuid] = Row(
        version: try row[1].int64, position: try row[3].int16, turn: try row[4].int32,
        players: [try row[5].uuid, try row[6].uuid], state: try row[2].bytes)
    }
    for (name, sql) in CeilingSQL.all { try database.prepare(name, sql) }
    try consumer.setPrefetch(WorkerBusSettings().prefetch)
    for queue in 0..<queueCount {
      try consumer.consume(names.events(queue: queue), tag: String(queue))
    }
  }

  func step() throws {
    let deliveries = try consumer.poll(
      maxCount: TurnWorkerSettings().batchLimit, maxBytes: 16 << 20, wait: .milliseconds(200))
    try settle()
    guard let last = deliveries.map(\.tag).max() else { return }
    var batch = CeilingBatch()
    var turns: [(delivery: Delivery, match: UInt128, job: PushJob)] = []
    for delivery in deliveries {
      // Every other message is too short to be a turn.
      guard delivery.body.count >= Envelope.headerBytes + shape.length,
        let event = shape.uuid(delivery.body, at: shape.event),
        let player = shape.uuid(delivery.body, at: shape.player),
        let match = shape.uuid(delivery.body, at: shape.match), var row = rows[match]
      else { continue }
      row.version += 1
      row.position += 1
      row.turn += 1
      row.state[row.state.count - 1] &+= 1
      rows[match] = row
      jobCount += 1
      // The job is still due when it is handed over, as Cubist's is: it is the other player's turn.
      let job = PushJob(
        id: PushJobID(rawValue: jobCount), kind: .yourTurn,
        player: PlayerID(rawValue: row.players.first { $0 != player } ?? player),
        match: MatchID(rawValue: match), turn: Int(row.turn))
      batch.add(
        match: match, version: row.version, position: row.position, state: row.state,
        player: player, event: event, job: job, body: delivery.body)
      turns.append((delivery, match, job))
    }
    if !turns.isEmpty {
      try database.run(batch.statements(deleting: confirmed), .whole)
      confirmed = []
    }
    try consumer.acknowledge(last, multiple: true)
    publisher.gather(true)
    for turn in turns {
      try publish(
        to: turn.delivery.properties.replyTo ?? "", CeilingSQL.reply,
        MessageProperties(
          isPersistent: false, correlationID: turn.delivery.properties.correlationID))
    }
    for start in stride(from: 0, to: turns.count, by: OutcomeNotice.changeLimit) {
      let changes = turns[start..<min(start + OutcomeNotice.changeLimit, turns.count)].map {
        OutcomeNotice.Change(
          match: MatchID(rawValue: $0.match), version: 20,
          players: [PlayerID(rawValue: $0.match), PlayerID(rawValue: ~$0.match)])
      }
      noticeCount += 1
      let notice = OutcomeNotice(.init(source: source, number: noticeCount), changes: changes)
      try publisher.publish(
        exchange: names.outcomes, routingKey: Names.changedMatches,
        properties: MessageProperties(isPersistent: false), body: notice.encoded,
        mandatory: false)
    }
    for message in PushJobMessage.messages(of: turns.map(\.job)) {
      let sequence = try publisher.publish(
        exchange: "", routingKey: names.push,
        properties: MessageProperties(contentType: "application/x-ndjson", isPersistent: true),
        body: message.body, mandatory: true)
      waiting[sequence] = message.jobs.map(\.id.rawValue)
    }
    publisher.gather(false)
    try settle()
  }

  private func publish(to queue: String, _ body: [UInt8], _ properties: MessageProperties) throws {
    try publisher.publish(
      exchange: "", routingKey: queue, properties: properties, body: body, mandatory: false)
  }

  private func settle() throws {
    try publisher.serveHeartbeats()
    for confirmation in publisher.takeConfirmations() {
      confirmed += waiting.removeValue(forKey: confirmation.sequence) ?? []
    }
  }
}

/// The places of the ids in the payload of a turn.
private struct PayloadShape {
  let event: Int
  let player: Int
  let match: Int
  let length: Int

  init() {
    func id(_ digit: UInt8) -> UInt128 {
      (0..<16).reduce(0) { sum, _ in sum << 8 | UInt128(digit) }
    }
    let event = EventID(rawValue: id(0xee))
    let player = PlayerID(rawValue: id(0xaa))
    let match = MatchID(rawValue: id(0xdd))
    let payload = PayloadCodec.encode(
      Event(
        service: ServiceID(rawValue: id(0x55)), id: event, player: player,
        action: .turnPlayed(match, Turn(number: 1, previous: .zero, moves: []))))
    let text = String(decoding: payload, as: UTF8.self)
    func place(_ id: some Identifier) -> Int {
      let found = text.range(of: "\(id)")?.lowerBound ?? text.startIndex
      return Envelope.headerBytes + text.utf8.distance(from: text.startIndex, to: found)
    }
    (self.event, self.player, self.match) = (place(event), place(player), place(match))
    length = payload.count
  }

  func uuid(_ body: [UInt8], at place: Int) -> UInt128? {
    var value: UInt128 = 0
    for byte in body[place..<(place + 36)] where byte != UInt8(ascii: "-") {
      guard let digit = Hex.value(of: byte) else { return nil }
      value = value << 4 | UInt128(digit)
    }
    return value
  }
}

/// The rows of a batch as parallel arrays.
private struct CeilingBatch {
  private var matches: [UInt128: (version: Int64, state: [UInt8])] = [:]
  private var ids: [UInt128?] = []
  private var positions: [Int16?] = []
  private var keys: [[UInt8]?] = []
  private var signatures: [[UInt8]?] = []
  private var payloads: [[UInt8]?] = []
  private var players: [UInt128?] = []
  private var events: [UInt128?] = []
  private var jobs: [PushJob] = []

  mutating func add(
    match: UInt128, version: Int64, position: Int16, state: [UInt8], player: UInt128,
    event: UInt128, job: PushJob, body: [UInt8]
  ) {
    matches[match] = (version, state)
    ids.append(match)
    positions.append(position)
    keys.append(Array(body[1..<33]))
    signatures.append(Array(body[33..<Envelope.headerBytes]))
    payloads.append(Array(body[Envelope.headerBytes...]))
    players.append(player)
    events.append(event)
    jobs.append(job)
  }

  func statements(deleting confirmed: [UInt128]) -> [LibPQ.SQLStatement] {
    let now = WallClock.live.now().microseconds
    let changed = matches.sorted { $0.key < $1.key }
    let hashes = [[UInt8]?](repeating: Array(repeating: 7, count: 32), count: ids.count)
    var statements = [
      LibPQ.SQLStatement(
        prepared: "matches",
        [
          .uuidArray(changed.map(\.key)), .int64Array(changed.map(\.value.version)),
          .timestamp(microseconds: now), .bytesArray(changed.map(\.value.state)),
        ]),
      LibPQ.SQLStatement(
        prepared: "entries",
        [
          .uuidArray(ids), .int16Array(positions), .timestamp(microseconds: now),
          .bytesArray(keys), .bytesArray(signatures), .bytesArray(payloads), .bytesArray(hashes),
        ]),
      LibPQ.SQLStatement(
        prepared: "events",
        [
          .uuidArray(players), .uuidArray(events), .bytesArray(hashes),
          .bytesArray(.init(repeating: CeilingSQL.reply, count: ids.count)),
          .timestamp(microseconds: now),
        ]),
      LibPQ.SQLStatement(
        prepared: "jobs",
        [
          .uuidArray(jobs.map(\.id.rawValue)), .uuidArray(jobs.map(\.player.rawValue)),
          .uuidArray(ids), .int32Array(jobs.map { $0.turn.map(Int32.init) }),
        ]),
    ]
    if !confirmed.isEmpty {
      statements.append(LibPQ.SQLStatement(prepared: "delete", [.uuidArray(confirmed)]))
    }
    return statements
  }
}

private enum CeilingSQL {
  static let all = [
    (
      "matches",
      """
      UPDATE matches AS m SET version = u.version, deadline = $3::timestamptz + interval '1 day',
        turn = m.turn + 1, state = u.state
      FROM unnest($1::uuid[], $2::bigint[], $4::bytea[]) AS u (id, version, state)
      WHERE m.id = u.id
      """
    ),
    (
      "entries",
      """
      INSERT INTO entries (match, position, accepted_at, key, signature, payload, hash)
      SELECT u.match, u.position, $3::timestamptz, u.key, u.signature, u.payload, u.hash
      FROM unnest($1::uuid[], $2::smallint[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[])
        AS u (match, position, key, signature, payload, hash)
      """
    ),
    (
      "events",
      """
      INSERT INTO events (player, id, payload_hash, reply, handled_at)
      SELECT u.*, $5::timestamptz
      FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bytea[]) AS u
      """
    ),
    (
      "jobs",
      """
      INSERT INTO outbox (job, player, match, turn, kind, created_at)
      SELECT u.*, 'yourTurn', clock_timestamp()
      FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[]) AS u
      """
    ),
    ("delete", "DELETE FROM outbox WHERE job = ANY($1::uuid[])"),
  ]

  /// As long as a real one.
  static let reply = ReplyCodec.encode(
    .accepted(
      .turnAccepted(
        TurnReceipt(
          match: MatchID(rawValue: .max), version: 20, turn: 17, scores: [36], points: [412, 388],
          hash: .zero, seatToPlay: 1, outcome: nil))), event: EventID(rawValue: .max))
}
