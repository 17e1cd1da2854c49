import Conformance
@testable import EventBusLive
import CubistBasics
import Foundation
import LibRabbitMQ
import MatchInterfaces
import MatchWire
import RealServers
import Testing

extension LiveBusTests {
  @Suite("Replies")
  struct ReplyTests {
    @Test("A made-up address ends the connection for strangers and no other")
    func madeUp() async throws {
      try await BusLab.with { lab in
        try await onThread {
          let bus = try WorkerBus.live(lab.context(), layout: lab.topology.layout)
          defer { bus.close() }
          try bus.consume([0])
          let message = PlayerMessage(destination: .events(lab.slot(of: 0)), body: [1])
          let strangers = "cubist worker, replying to strangers"
          var names = try #require(
            try awaiting {
              bus.serveHeartbeats()
              let names = try Self.workers(lab)
              return names.count == 4 ? names : nil
            })
          var last: String?
          for round in 0..<10 {
            let answer = try lab.ask(message, .seconds(120), by: lab.host.url) {
              let delivery = try #require(try bus.receive(1).first)
              let address = try #require(delivery.replyTo)
              #expect(ReplyAddress(address) != nil)
              let madeUp = WorkerBus.Outgoing.reply(
                to: Self.ofAnotherNode(address), correlationID: "", body: [])
              let reply = WorkerBus.Outgoing.reply(
                to: address, correlationID: delivery.correlationID ?? "", body: [2])
              try bus.publish([madeUp, Self.malformed, reply, madeUp, Self.malformed])
              try bus.acknowledge(delivery.tag)
              last = address
            }
            #expect(answer == .reply([2]), "round \(round)")
          }
          let ended = try awaiting {
            bus.serveHeartbeats()
            return try Self.workers(lab)[strangers] == names[strangers] ? nil : true
          }
          #expect(ended == true)
          var now = try Self.workers(lab)
          (now[strangers], names[strangers]) = (nil, nil)
          #expect(now == names)
          // Nobody waits there any more, but it is an address.
          try bus.publish([.reply(to: try #require(last), correlationID: "", body: [])])
        }
      }
    }

    @Test(
      "A worker and a reader begin under a hundred made-up reply-tos a second, and all are answered"
    )
    func flood() async throws {
      try await BusLab.with { lab in
        let end = Flag()
        async let flooded: Void = onThread {
          let line = try lab.connect()
          defer { line.close() }
          var random = SplitMix64(state: 7)
          // The queries that wait when they begin, and those that come then. A machine that is too
          // slow for so many a second still comes to the end of them.
          var number = 0
          while !end.isSet, number < 1_500 {
            let node = UInt32(truncatingIfNeeded: random.next())
            let replyTo = number % 3 == 0 ? "\(ReplyAddress.prefix)made.up" : Self.address(node)
            let names = Names()
            try line.publish(
              exchange: number % 2 == 0 ? names.events : names.queries,
              routingKey: number % 2 == 0 ? lab.slot(of: 0).routingKey : names.queries,
              properties: MessageProperties(correlationID: "1", replyTo: replyTo), body: [0],
              mandatory: false)
            // A hundred a second.
            if number > 300 { Patience.pause(0.01) }
            number += 1
          }
        }
        async let done: Void = lab.withEcho {
          defer { end.set() }
          let reader = try ReaderBus.live(lab.context())
          defer { reader.close() }
          let event = PlayerMessage(destination: .events(lab.slot(of: 0)), body: [1, 2])
          for round in 0..<6 {
            let reply = try lab.player().request(event, .seconds(100))
            #expect(reply == .reply([2, 1]), "round \(round)")
            let query = PlayerMessage(destination: .queries, body: [5, UInt8(round)])
            let answer = try lab.ask(query, .seconds(100), by: lab.host.url) {
              try Self.answer(query, by: reader)
            }
            #expect(answer == .reply([5, UInt8(round)]), "round \(round)")
          }
        }
        try await done
        try await flooded
      }
    }

    /// Answers every query, as a reader does, until that one has come.
    private static func answer(_ query: PlayerMessage, by reader: ReaderBus) throws {
      _ = try awaiting {
        var isThere: Bool?
        let queries = try reader.receive(100, .milliseconds(20)).compactMap {
          incoming -> ReaderBus.Answer? in
          guard case .query(let body, let replyTo?, let id?, _) = incoming else { return nil }
          if body == query.body { isThere = true }
          return ReaderBus.Answer(replyTo: replyTo, correlationID: id, body: body)
        }
        try reader.answer(queries)
        return isThere
      }
    }

    private static let malformed = WorkerBus.Outgoing.reply(
      to: "\(ReplyAddress.prefix)made.up", correlationID: "", body: [])

    /// An address as a node with that number gives it.
    private static func address(_ node: UInt32) -> String {
      let name = "reply@\(node)"
      let process: [UInt8] =
        [131, 88, 118, 0, UInt8(name.utf8.count)] + name.utf8
        + [0, 0, 10, 0, 0, 0, 0, 0, 100, 100, 100, 100]
      return "\(ReplyAddress.prefix)\(Data(process).base64EncodedString()).AAAA"
    }

    /// The broker's names of the worker's connections, by the worker's names.
    private static func workers(_ lab: BusLab) throws -> [String: Set<String>] {
      var workers: [String: Set<String>] = [:]
      for connection in try lab.host.connections() {
        guard let name = connection.clientName, name.hasPrefix("cubist worker") else { continue }
        workers[name, default: []].insert(connection.name)
      }
      return workers
    }

    /// An address of a node that does not exist.
    private static func ofAnotherNode(_ address: String) -> String {
      let parts = address.dropFirst(ReplyAddress.prefix.count).split(separator: ".")
      var process = Array(Data(base64Encoded: String(parts[0])) ?? Data())
      // The last digit of the node's hash.
      let digit = process.count - 13
      process[digit] = process[digit] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
      return "\(ReplyAddress.prefix)\(Data(process).base64EncodedString()).\(parts[1])"
    }
  }
}

@Suite("Direct reply-to addresses")
struct ReplyAddressTests {
  /// The process id of a requester, as RabbitMQ encodes it.
  private static func process(
    _ node: String = "reply@123456", id: UInt32 = 1_000, serial: UInt32 = 2,
    head: [UInt8] = [131, 88, 118]
  ) -> [UInt8] {
    var bytes = head + [UInt8(node.utf8.count >> 8), UInt8(node.utf8.count & 0xff)] + node.utf8
    for number in [id, serial, 1_700_000_000] {
      bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
    }
    return bytes
  }

  private static func address(_ process: [UInt8], key: String = "pKx0uQ+/Cw==") -> String {
    "amq.rabbitmq.reply-to.\(Data(process).base64EncodedString()).\(key)"
  }

  @Test("An address names the asker's node")
  func known() {
    #expect(ReplyAddress(Self.address(Self.process()))?.node == 123_456)
    #expect(ReplyAddress(Self.address(Self.process("reply@0")))?.node == 0)
    let last = Self.process("reply@\(UInt32.max)", id: 0x7fff, serial: 0x1fff)
    #expect(ReplyAddress(Self.address(last))?.node == .max)
  }

  @Test("An address that no node gives out is none")
  func madeUp() {
    let good = Self.process()
    let names = [
      "", "reply@", "reply@-1", "reply@+1", "reply@01", "reply@1x", "reply@4294967296", "rabbit@1",
      "reply@1@1", "replyy@1",
    ]
    var wrong = names.map { Self.address(Self.process($0)) }
    wrong += [
      Self.process(id: 0x8000), Self.process(serial: 0x2000), good + [0], Array(good.dropLast()),
      Self.process(head: [131, 103, 118]), Self.process(head: [131, 88, 119]), [131], [],
    ].map { Self.address($0) }
    wrong += ["", "a.b", "a b", "é", String(repeating: "a", count: 65)].map {
      Self.address(good, key: $0)
    }
    // A byte less than a multiple of three: two bits say nothing.
    let text = Self.address(Self.process("reply@12345")).split(separator: ".").map(String.init)
    #expect(text[3].hasSuffix("="))
    wrong += [text[3].dropLast(), text[3].dropLast(2) + "B=", text[3] + "=", "\(text[3])\n"].map {
      "amq.rabbitmq.reply-to.\($0).\(text[4])"
    }
    wrong += ["amq.rabbitmq.reply-to", "amq.rabbitmq.reply-to.", "cubist.jobs", ""]
    wrong.append("x" + Self.address(good))
    for address in wrong { #expect(ReplyAddress(address) == nil, "\(address)") }
  }

  @Test("Base 64 is read as a library reads it, in its one form only", arguments: 0..<40)
  func base64(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let digits = String(random.next() % 4_294_967_296)
    let good = Self.address(Self.process("reply@\(digits)")).split(separator: ".").map(String.init)
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_ \n")
    for _ in 0..<200 {
      var text = Array(good[3])
      let place = text.indices.randomElement(using: &random) ?? 0
      switch random.next() % 4 {
      case 0: text.remove(at: place)
      case 1: text.insert(letters.randomElement(using: &random) ?? "A", at: place)
      default: text[place] = letters.randomElement(using: &random) ?? "A"
      }
      let address = "amq.rabbitmq.reply-to.\(String(text)).\(good[4])"
      var expected: UInt32?
      if let data = Data(base64Encoded: String(text)), data.base64EncodedString() == String(text) {
        expected = Self.node(in: Array(data))
      }
      #expect(ReplyAddress(address)?.node == expected, "\(address)")
    }
  }

  /// The node of a process id, by making it again.
  private static func node(in bytes: [UInt8]) -> UInt32? {
    func number(_ part: ArraySlice<UInt8>) -> UInt32 { part.reduce(0) { $0 << 8 | UInt32($1) } }
    guard bytes.count > 17 else { return nil }
    let name = String(decoding: bytes[5..<(bytes.count - 12)], as: UTF8.self)
    let (id, serial) = (
      number(bytes.suffix(12).prefix(4)), number(bytes.suffix(8).prefix(4))
    )
    guard id <= 0x7fff, serial <= 0x1fff, name.hasPrefix("reply@"),
      let node = UInt32(name.dropFirst(6)), "reply@\(node)" == name,
      process(name, id: id, serial: serial).dropLast(4) == bytes.dropLast(4)
    else { return nil }
    return node
  }
}
