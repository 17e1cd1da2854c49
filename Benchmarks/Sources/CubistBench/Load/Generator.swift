import CubistBasics
import LibRabbitMQ
import MatchCore
import MatchLoad
import MatchWire

/// The messages to send, and the meaning of their answers. The loops around them are the same for
/// every measured system.
protocol Traffic: AnyObject {
  /// The next message of a lane; nil where the lane has nothing more to send.
  func next(_ lane: Int) throws -> Outgoing?
  /// Takes the answer to a lane's last message.
  func took(_ answer: [UInt8], _ lane: Int) throws
}

struct Outgoing {
  var exchange: String
  var routingKey: String
  var properties = MessageProperties()
  var body: [UInt8]
}

/// Sends messages and takes their replies, one thread for all lanes. In a lane there is never more
/// than one turn under way, as in a match.
struct Generator {
  let connect: () throws -> RabbitMQConnection
  let traffic: any Traffic

  struct Saturated {
    var turns: Int
    var seconds: Double
  }

  /// Sends as fast as answers come; counts the turns that were answered in the time after the
  /// warm-up.
  ///
  /// - Parameter before: Called when the measured time begins.
  func saturate(
    lanes: Int, warmUp: Double, seconds duration: Double, before: () throws -> Void = {}
  ) throws -> Saturated {
    let requester = try Requester(connect())
    defer { requester.close() }
    var open: [Requester.RequestID: Int] = [:]
    for lane in 0..<lanes { try send(lane, requester, &open) }
    var began = monotonic()
    var isWarm = false
    var turns = 0
    while true {
      for update in try requester.poll(wait: .milliseconds(20)) {
        switch update {
        case .confirmed: break
        case .failure(_, let error): throw BenchFailure("\(error)")
        case .reply(let id, let delivery):
          guard let lane = open.removeValue(forKey: id) else { break }
          turns += 1
          try traffic.took(delivery.body, lane)
          try send(lane, requester, &open)
        }
      }
      try Interruption.check()
      let passed = seconds(from: began, to: monotonic())
      if !isWarm, passed >= warmUp {
        try before()
        (isWarm, began, turns) = (true, monotonic(), 0)
      } else if isWarm, passed >= duration {
        try finish(&open, requester)
        return Saturated(turns: turns, seconds: passed)
      }
      if open.isEmpty { throw BenchFailure("no matches are left after \(turns) turns") }
    }
  }

  private func send(
    _ lane: Int, _ requester: Requester, _ open: inout [Requester.RequestID: Int]
  ) throws {
    guard let message = try traffic.next(lane) else { return }
    let id = try requester.submit(
      exchange: message.exchange, routingKey: message.routingKey, properties: message.properties,
      body: message.body)
    open[id] = lane
  }

  /// Takes the answers still under way, so that no match is left in the middle of a turn.
  private func finish(_ open: inout [Requester.RequestID: Int], _ requester: Requester) throws {
    let began = monotonic()
    while !open.isEmpty {
      for update in try requester.poll(wait: .milliseconds(20)) {
        guard case .reply(let id, let delivery) = update,
          let lane = open.removeValue(forKey: id)
        else { continue }
        try traffic.took(delivery.body, lane)
      }
      guard seconds(from: began, to: monotonic()) < 30 else {
        throw BenchFailure("\(open.count) turns were never answered")
      }
    }
  }

  /// Sends so many turns a second, whether answers come or not. Each latency counts from the moment
  /// when its turn was due, so that every turn that had to wait feels a stall (no coordinated
  /// omission). Gives microseconds.
  func offer(
    _ rate: Double, lanes: Int, seconds duration: Double
  ) throws -> [UInt64] {
    let requester = try Requester(connect())
    defer { requester.close() }
    var latencies: [UInt64] = []
    var free = Array(0..<lanes)
    var under: [Requester.RequestID: (lane: Int, due: UInt64)] = [:]
    let interval = UInt64(1_000_000_000 / rate)
    let began = monotonic() + 1_000_000
    var number: UInt64 = 0
    let total = UInt64(rate * duration)
    while number < total || !under.isEmpty {
      while number < total, !free.isEmpty, began + number * interval <= monotonic() {
        let lane = free.removeFirst()
        guard let message = try traffic.next(lane) else {
          throw BenchFailure("no matches are left after \(number) turns")
        }
        let id = try requester.submit(
          exchange: message.exchange, routingKey: message.routingKey,
          properties: message.properties, body: message.body)
        under[id] = (lane, began + number * interval)
        number += 1
      }
      var wait = UInt64(20_000_000)
      if number < total, !free.isEmpty {
        let (due, now) = (began + number * interval, monotonic())
        wait = due > now ? min(wait, due - now) : 0
      }
      for update in try requester.poll(wait: .nanoseconds(Int64(wait))) {
        switch update {
        case .confirmed: break
        case .failure(_, let error): throw BenchFailure("\(error)")
        case .reply(let id, let delivery):
          guard let (lane, due) = under.removeValue(forKey: id) else { break }
          latencies.append((monotonic() - due) / 1_000)
          try traffic.took(delivery.body, lane)
          free.append(lane)
        }
      }
      try Interruption.check()
      guard seconds(from: began, to: monotonic()) < duration + 60 else {
        throw BenchFailure("\(under.count) turns were never answered")
      }
    }
    return latencies
  }
}

/// Turns of matches as players sign and send them.
final class TurnTraffic: Traffic {
  private let service: ServiceID
  /// The source of a lane's next match. Without it nobody judges: replies are read, as every player
  /// would, but mean nothing, and matches never end.
  private let stock: Stock?
  private var lanes: [PreparedMatch]
  private var random: SplitMix64

  init(_ stock: Stock, service: ServiceID, lanes: Int, seed: UInt64) throws {
    self.stock = stock
    self.service = service
    self.lanes = try stock.take(lanes)
    random = SplitMix64(state: seed)
  }

  /// The same matches again and again, judged by nobody.
  init(unjudged lanes: [PreparedMatch], service: ServiceID, seed: UInt64) {
    stock = nil
    self.service = service
    self.lanes = lanes
    random = SplitMix64(state: seed)
  }

  func next(_ lane: Int) throws -> Outgoing? {
    if lanes[lane].isOver, let stock {
      guard let match = stock.next() else { return nil }
      lanes[lane] = match
    }
    let match = lanes[lane]
    return Outgoing(
      exchange: Names().events, routingKey: match.slot.routingKey,
      body: try match.nextTurn(of: service, &random).envelope())
  }

  func took(_ answer: [UInt8], _ lane: Int) throws {
    guard case .accepted(.turnAccepted(let receipt)) = try ReplyCodec.decode(answer).reply else {
      throw BenchFailure("refused: \(String(decoding: answer, as: UTF8.self))")
    }
    lanes[lane].took(receipt)
  }
}
