import Chaos
import EventBusLive
import LibPQ
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

/// A client with a player's account at the broker. It sends any bytes with any properties.
final class Intruder {
  private let requester: Requester
  private let names = Names()

  init(in lab: ServiceLab) throws {
    var settings = try RabbitMQSettings(url: lab.playersURL)
    // On a busy machine half a minute may pass between two attacks.
    settings.heartbeatSeconds = 0
    requester = try Requester(RabbitMQConnection(settings))
  }

  deinit { requester.close() }

  /// Replies that came for no request of the last ones.
  var strayReplyCount: Int { requester.lateReplyCount }

  /// Sends bytes as an event and gives the reply to them.
  func event(
    _ body: [UInt8], to slot: Slot, headers: [String: Argument] = [:]
  ) throws -> (event: EventID?, reply: ReceivedReply) {
    let delivery = try requester.request(
      exchange: names.events, routingKey: slot.routingKey,
      properties: MessageProperties(headers: headers), body: body, timeout: .seconds(120))
    return try ReplyCodec.decode(delivery.body)
  }

  /// Sends bytes as a query and gives the answer to them. Sends again where an answer was lost: the
  /// broker closes a connection over which somebody answers to an impossible address.
  func query(_ body: [UInt8], attempts: Int = 5) throws -> ReceivedAnswer<PlayerView> {
    // Nothing follows the last attempt, and a query is good for a minute.
    let limit = attempts > 1 ? Duration.seconds(5) : .seconds(60)
    do {
      let delivery = try requester.request(
        exchange: names.queries, routingKey: names.queries, body: body, timeout: limit)
      return try AnswerCodec.decode(delivery.body, as: PlayerView.self).answer
    } catch RequestError.timedOut where attempts > 1 {
      return try query(body, attempts: attempts - 1)
    }
  }

  /// Sends bytes as a query and gives the bytes that it is answered with.
  func answer(_ body: [UInt8]) throws -> [UInt8] {
    try requester.request(
      exchange: names.queries, routingKey: names.queries, body: body, timeout: .seconds(60)
    ).body
  }

  /// Takes replies that nobody waits for until so many have come.
  func awaitStrayReplies(_ count: Int) throws {
    try waitUntil("\(count) more replies have come") {
      _ = try requester.poll(wait: .milliseconds(100))
      return strayReplyCount >= count
    }
  }

  /// Publishes with any reply-to and returns once the broker has the message.
  func publish(
    _ body: [UInt8], to slot: Slot? = nil, replyTo: String, correlationID: String = "1"
  ) throws {
    let connection = requester.connection
    try connection.publish(
      exchange: slot == nil ? names.queries : names.events,
      routingKey: slot?.routingKey ?? names.queries,
      properties: MessageProperties(correlationID: correlationID, replyTo: replyTo), body: body,
      mandatory: true)
    _ = try requester.poll(wait: .seconds(20))
  }
}

/// An attack with the name of the refusal that it gets.
struct Attack {
  let what: String
  let refusal: String
  let body: [UInt8]
  let slot: Slot
}

extension ServiceLab {
  /// The number of rows of each table. Rows that the service writes by itself are not counted, nor
  /// push jobs and their answers, which may still be on their way: `violations` finds one too many.
  func rowCounts() throws -> [String: Int64] {
    let connection = try connection()
    defer { connection.close() }
    let tables = try connection.run([
      SQLStatement(
        """
        SELECT relname::text FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
          AND NOT relispartition AND relname NOT IN (
            'workers', 'queue_clocks', 'outbox', 'owed_jobs', 'held_jobs', 'deliveries',
            'push_answers')
        """)
    ])
    var counts: [String: Int64] = [:]
    for row in try #require(tables.first) {
      let table = try row[0].text
      let rows = try connection.run([SQLStatement("SELECT count(*) FROM \"\(table)\"")])
      counts[table] = try rows.first?.only[0].int64
    }
    #expect(counts.count > 13)
    return counts
  }

  /// Sends attacks one after the other: each gets its refusal, and no table has a row more or less.
  func expectRefused(_ attacks: [Attack]) throws {
    let before = try rowCounts()
    let intruder = try Intruder(in: self)
    for attack in attacks {
      let answer = try intruder.event(attack.body, to: attack.slot)
      guard case .refused(let name, _, _) = answer.reply else {
        Issue.record("\(attack.what) was accepted")
        continue
      }
      #expect(name == attack.refusal, "\(attack.what)")
    }
    #expect(try rowCounts() == before)
    if !isShared { #expect(try violations() == []) }
  }
}
