import CubistBasics
import LibRabbitMQ
import MatchCore
import MatchWire
import PlayerClient
import RealServers

/// Attacks by properties, headers and addresses.
extension HostileMind {
  /// The messages of an attack; nil where it is not one of these.
  mutating func properties(_ kind: AttackKind) -> [HostileMessage]? {
    switch kind {
    case .countHuge: counted([.int64(.max), .int32(.max), .int64(1 << 62)])
    case .countNegative: counted([.int64(.min), .int64(-1), .int8(-1)])
    case .countOdd:
      counted(["12", .double(1e300), ["x-delivery-count": 20], .void, .boolean(true), .array([9])])
    case .countOverLimit: counted([2, 3, 9, 10, 20, 21, 1_000])
    case .countTwice:
      [(0, 20), (20, 0), (.max, .max)].map { first, second in
        some().with {
          $0.rawHeaders = [first, second].map { .init("x-delivery-count", .int64($0)) }
        }
      }
    case .replayCounted: replays(10).map { forgeCount($0) }
    case .expiration: expiring(["0", "1", "50", "1000", "4294967295"]) + expiringFlood()
    case .expirationOdd: expiring([pick(["soon", "-1", "", "1.5", " 1"]) ?? "soon"])
    case .priority: urgent([5, 9, 255])
    case .carbonCopies: carbonCopies()
    case .deathHeaders: deathHeaders()
    case .nestedHeaders:
      [10, 40, 1_000].map { depth in
        some().with { $0.rawHeaders = Self.nested(depth) }
      }
    case .longProperties: longProperties()
    case .transient: (0..<6).map { _ in some().with { $0.properties.isPersistent = false } }
    case .foreignUser: [some().with { $0.properties.userID = "guest" }]
    default: nil
    }
  }

  /// An event or, sometimes, a query.
  mutating func some() -> HostileMessage {
    random.happens(70) ? harmless(account()) : query(.whoAmI, of: account())
  }

  /// Tables within each other.
  private static func nested(_ depth: Int) -> [RawProperties.Header] {
    (1..<depth).reduce([.init("x-delivery-count", .int64(20))]) { inner, _ in
      [.init("t", .table(inner))]
    }
  }

  private mutating func counted(_ counts: [Argument]) -> [HostileMessage] {
    var messages: [HostileMessage] = []
    for count in counts {
      for message in [harmless(account()), solo(account()), query(.matches, of: account())] {
        messages.append(message.with { $0.properties.headers["x-delivery-count"] = count })
      }
    }
    return messages
  }

  /// Honest players' events as they were sent.
  mutating func replays(_ count: Int) -> [HostileMessage] {
    (0..<count).compactMap { _ in
      world.honest.confirmed(random.next()).map { HostileMessage($0.envelope, to: $0.slot) }
    }
  }

  private mutating func forgeCount(_ message: HostileMessage) -> HostileMessage {
    let count: Argument = pick([.int64(.max), 2, 9, 10, 21, -1]) ?? 9
    return message.with { $0.properties.headers["x-delivery-count"] = count }
  }

  private mutating func expiring(_ times: [String]) -> [HostileMessage] {
    times.flatMap { time in
      [harmless(account()), solo(account()), query(.matches, of: account())].map { message in
        message.with { $0.properties.expiration = time }
      }
    }
  }

  /// More than a worker takes at once, so that some of it waits until its time is over.
  private mutating func expiringFlood() -> [HostileMessage] {
    let key = account()
    return (0..<300).map { _ in harmless(key).with { $0.properties.expiration = "1" } }
  }

  private mutating func urgent(_ priorities: [UInt8]) -> [HostileMessage] {
    priorities.flatMap { priority in
      ([harmless(account()), solo(account())] + replays(3)).map { message in
        message.with { $0.properties.priority = priority }
      }
    }
  }

  private mutating func carbonCopies() -> [HostileMessage] {
    let names = Names()
    let keys = Argument.array(
      [names.formerDead, names.push, names.queries, names.events(queue: 0), "#", "*"].map {
        .string($0)
      } + (0..<Slot.count).map { .string(String($0)) })
    return ["CC", "BCC"].flatMap { header in
      [harmless(account()), query(.whoAmI, of: account())].map { message in
        message.with { $0.properties.headers[header] = keys }
      }
    }
  }

  private mutating func deathHeaders() -> [HostileMessage] {
    let death: Argument = [
      [
        "queue": .string(Names().push), "reason": "expired", "count": .int64(.max),
        "exchange": "", "routing-keys": ["1"], "time": .timestamp(.max),
      ]
    ]
    let headers: [String: Argument] = [
      "x-death": death, "x-first-death-queue": .string(Names().push),
      "x-first-death-reason": "delivery_limit", "x-first-death-exchange": "", "x-attempts": 99,
      "x-opt-delivery-count": 21, "x-acquired-count": 21, "deaths": death,
      "x-request-id": .string("a\nb"), "traceparent": death,
    ]
    return (0..<4).map { _ in some().with { $0.properties.headers = headers } }
  }

  private mutating func longProperties() -> [HostileMessage] {
    let long = String(repeating: "x", count: 255)
    var many: [String: Argument] = [:]
    // As much as fits into a frame.
    for number in 0..<25 { many["\(number)\(long.prefix(200))"] = .string(long) }
    return (0..<4).map { number in
      some().with {
        $0.properties.contentType = long
        $0.properties.contentEncoding = "gzip"
        $0.properties.messageID = long
        $0.properties.type = long
        $0.properties.appID = long
        $0.properties.priority = 255
        $0.properties.timestamp = .max
        $0.properties.correlationID = long
        if number % 2 == 0 { $0.properties.headers = many }
      }
    }
  }

  // MARK: Addresses

  /// The messages of an attack; nil where it is not one of these.
  mutating func addresses(_ kind: AttackKind) -> [HostileMessage]? {
    switch kind {
    case .wrongSlot: wrongSlots()
    case .forbiddenExchange:
      [
        some().with {
          ($0.exchange, $0.routingKey) =
            random.happens(50) ? ("", Names().push) : ("amq.topic", "#")
        }
      ]
    // There is nothing to send: reading is asked for.
    case .forbiddenQueue: []
    case .madeUpReplies: madeUpReplies()
    case .foreignReplies: foreignReplies()
    case .deafAsker:
      (0..<60).map { _ in
        query(random.happens(50) ? .matches : .serviceInfo, of: account())
      }
    default: nil
    }
  }

  private mutating func wrongSlots() -> [HostileMessage] {
    // A slot of the same queue is as good as the right one.
    let layout = world.layout
    let wrong = (0..<6).map { number in
      solo(account()).with { message in
        let slot = Int(message.routingKey) ?? 0
        let others = (slot + 1 + number..<slot + Slot.count).map { $0 % Slot.count }
        let right = Slot(number: slot).map(layout.queue)
        message.routingKey =
          others.first { Slot(number: $0).map(layout.queue) != right }.map(String.init) ?? "-1"
      }
    }
    return wrong
      + ["1024", "-1", "", "007", "#", Names().queries].map { key in
        harmless(account()).with { $0.routingKey = key }
      }
  }

  private mutating func madeUpReplies() -> [HostileMessage] {
    let endings = [
      "made.up", "g1h2AA5y.AAAA", "g1h2AA5yZXBseUAxMjM0NTY3OAAA.AAAAAAAAAAAAAA==", "", ".", "g2c.",
    ]
    return (0..<100).map { number in
      let address = "amq.rabbitmq.reply-to.\(endings[number % endings.count])"
      let own = number % 3 == 0 ? "\(address)\(random.next())" : address
      return some().with { $0.answer = .address(own) }
    }
  }

  private mutating func foreignReplies() -> [HostileMessage] {
    let names = Names()
    let queues = [
      names.formerDead, names.push, names.queries, names.events(queue: 0), names.events, "", "*",
      "#",
      "amq.gen-JzTY20BRgKO-HjmUJj0wLg",
    ]
    return queues.map { queue in some().with { $0.answer = .address(queue) } }
      + [some().with { $0.answer = .nowhere }]
  }
}
