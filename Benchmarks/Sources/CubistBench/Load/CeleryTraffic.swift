import CubistBasics
import Foundation
import LibRabbitMQ
import MatchCore
import MatchLoad
import MatchWire

/// The same turns as tasks of Celery, in its message protocol 2; made here, so that the generator
/// costs Celery no more than it costs Cubist.
final class CeleryTraffic: Traffic {
  static let queue = "bench.celery"

  private let matches: [PreparedMatch]
  private let service: ServiceID
  private var numbers: [Int]
  private var random: SplitMix64

  /// - Parameter numbers: The turn that each match waits for.
  init(_ matches: [PreparedMatch], numbers: [Int], service: ServiceID, seed: UInt64) {
    self.matches = matches
    self.numbers = numbers
    self.service = service
    random = SplitMix64(state: seed)
  }

  func next(_ lane: Int) throws -> Outgoing? {
    var match = matches[lane]
    match.number = numbers[lane]
    let player = match.playerToMove
    let envelope = try match.nextTurn(of: service, &random).envelope()
    let event = EventID(rawValue: UInt128(random.next()) << 64 | UInt128(random.next()))
    let payload = String(decoding: envelope[Envelope.headerBytes...], as: UTF8.self)
      .replacingOccurrences(of: "\"", with: "\\\"")
    let task = "\(event)"
    let arguments =
      "[\"\(match.id)\",\"\(player.id)\",\"\(CeleryTraffic.now(event))\",\(match.number),"
      + "\"\(Hex.encode(envelope[1..<33]))\",\"\(Hex.encode(envelope[33..<Envelope.headerBytes]))\","
      + "\"\(payload)\"]"
    let none = "{\"callbacks\":null,\"errbacks\":null,\"chain\":null,\"chord\":null}"
    var properties = MessageProperties(contentType: "application/json", isPersistent: true)
    properties.contentEncoding = "utf-8"
    properties.headers = [
      "lang": "py", "task": "bench.turn", "id": .string(task), "root_id": .string(task),
      "retries": .int64(0), "argsrepr": "", "kwargsrepr": "{}", "origin": "bench",
      "ignore_result": false,
    ]
    return Outgoing(
      exchange: "", routingKey: CeleryTraffic.queue, properties: properties,
      body: Array("[\(arguments),{},\(none)]".utf8))
  }

  /// An id with today's time in front, where Cubist's ids have it.
  private static func now(_ id: EventID) -> EventID {
    EventID(
      at: Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)),
      random: id.rawValue)
  }

  func took(_ answer: [UInt8], _ lane: Int) throws {
    // A task's result. Its value is the reply as text.
    guard String(decoding: answer, as: UTF8.self).contains("turnAccepted") else {
      throw BenchFailure("Celery answered \(String(decoding: answer.prefix(500), as: UTF8.self))")
    }
    numbers[lane] += 1
  }
}
