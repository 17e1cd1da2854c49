import Chaos
import Conformance
@testable import EventBusLive
import Foundation
import GatewayLab
import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import RealServers
import Synchronization
import Testing

extension LiveBusTests {
  @Suite("Conformance")
  struct ConformanceTests {
    @Test(
      "The bus passes the conformance tests of every event bus",
      arguments: BusCase.all)
    func conforms(_ example: BusCase) async throws {
      var limits = TopologyLimits()
      limits.events.messages = example.limits.events
      limits.push.messages = example.limits.push
      try await BusLab.with(limits: limits) { lab in
        try await lab.run(example) { _ in
          throw ChaosFailure("an alarm would stop the tests of others")
        }
      }
    }

    @Test(
      "A player's bus by HTTP, through a gateway, meets the same requirements as the one by AMQP",
      arguments: BusCase.requesting)
    func http(_ example: BusCase) async throws {
      try await BusLab.with { lab in
        try await onThread {
          let (proxy, url) = try TCPProxy.inFront(ofURL: lab.host.url)
          defer { proxy.close() }
          let gateway = try RunningGateway(lab.context(url))
          defer { gateway.leave() }
          try lab.tellService(to: gateway)
          var buses = lab.buses(by: url, through: proxy) { _ in
            throw ChaosFailure("an alarm would stop the tests of others")
          }
          let address = try GatewayAddress(url: gateway.url)
          buses.ask = { message, timeout, meanwhile in
            try lab.ask(message, timeout, on: { .http(address) }, meanwhile: meanwhile)
          }
          try example.run(buses)
        }
      }
    }

    @Test("No question of a player's bus or of dead letters is left without an answer")
    func answers() async throws {
      try await BusLab.with { lab in
        let (player, dead) = (try lab.player(), try DeadLetterBus.live(lab.context()))
        defer {
          player.close()
          dead.close()
        }
        #expect(player.unanswered + dead.unanswered == [])
      }
    }

    @Test("The bus bears an alarm as every event bus has to")
    func alarm() async throws {
      // The same servers for all cases: starting them takes longer than a case.
      try await PrivateServers.with { servers in
        for example in BusCase.alarming {
          try await BusLab.with(of: servers.environment) { lab in
            try await lab.run(example) { isOn in try servers.alarm(isOn) }
          }
        }
      }
    }
  }
}

extension BusLab {
  /// Answers the gateway's question for the service, as a reader does.
  fileprivate func tellService(to gateway: RunningGateway) throws {
    let reader = try ReaderBus.live(context())
    defer { reader.close() }
    let root = try #require(PublicKey(bytes: Array(repeating: 7, count: 32)))
    let info = ServiceInfo(
      service: PlayerRequest.service, rootKey: root, certificates: [], version: "test",
      now: WallClock.live.now(), registration: .open, queueCount: 2, limits: .current)
    try waitUntil("the gateway knows its service") {
      for case .gatewayQuery(let body, let replyTo?, let id?, _)
        in try reader.receive(10, .milliseconds(100))
      {
        let query = try GatewayQuery(body)
        try reader.answer([
          .init(
            replyTo: replyTo, correlationID: id, body: AnswerCodec.encode(info, query: query.id))
        ])
      }
      return gateway.isReady
    }
  }

  /// Runs a case on buses with connections that can be cut.
  fileprivate func run(
    _ example: BusCase, alarm: @escaping @Sendable (_ isOn: Bool) throws -> Void
  ) async throws {
    try await onThread {
      let (proxy, url) = try TCPProxy.inFront(ofURL: host.url)
      defer { proxy.close() }
      try example.run(buses(by: url, through: proxy, alarm: alarm))
    }
  }

  /// Buses with connections through a proxy.
  fileprivate func buses(
    by url: String, through proxy: TCPProxy, alarm: @escaping (_ isOn: Bool) throws -> Void
  ) -> BusSet {
    // A case serves one bus after another. The others may be silent for longer than 20 seconds
    // where the machine is busy.
    let url = BusLab.silent(url)
    return BusSet(
      worker: { try .live(context(url), layout: topology.layout) },
      scheduler: { try .live(context(url)) },
      relay: { try .live(context(url)) }, push: { try .live(context(url)) },
      reader: { try .live(context(url)) },
      gateway: { try .live(context(url), wakeup: $0) }, notices: { try .live(context(url)) },
      ask: { message, timeout, meanwhile in
        try ask(message, timeout, by: url, meanwhile: meanwhile)
      },
      send: { message, properties in try send(message, properties) },
      slot: { slot(of: $0) },
      // A broker says nothing by itself; asking without a pause would keep it from working.
      tick: { Patience.pause(0.1) }, cut: { proxy.cut() },
      putPush: { body in
        let connection = try connect()
        defer { connection.close() }
        try connection.publish(
          exchange: "", routingKey: "cubist.jobs", properties: .init(), body: body,
          mandatory: false)
      },
      remove: { removal in
        let connection = try connect()
        defer { connection.close() }
        switch removal {
        case .events(let queue): try connection.deleteQueue("cubist.slots.0\(queue)")
        case .push: try connection.deleteQueue("cubist.jobs")
        case .gatewayQueries: try connection.deleteQueue("cubist.gateways")
        }
      },
      alarm: alarm)
  }

  private func send(_ message: PlayerMessage, _ properties: PublisherProperties) throws {
    let names = topology.names
    let (exchange, key) =
      switch message.destination {
      case .events(let slot): (names.events, slot.routingKey)
      case .queries: (names.queries, names.queries)
      }
    var raw = RawProperties(
      headers: properties.headers.map { header in
        switch header.value {
        case .number(let number): .init(header.name, .int64(number))
        case .text(let text): .init(header.name, .text(Array(text.utf8)))
        }
      })
    raw.texts[.replyTo] = properties.replyTo.map { Array($0.utf8) }
    raw.texts[.correlationID] = properties.correlationID.map { Array($0.utf8) }
    raw.texts[.expiration] = properties.expiration.map { Array($0.utf8) }
    raw.priority = properties.priority
    let publisher = try RawPublisher(url: host.url)
    let word = try publisher.publish(
      exchange: exchange, routingKey: key, raw, body: message.body)
    guard word == .confirmed else { throw ChaosFailure("the broker said \(word)") }
  }

  /// Asks on a thread of its own, while something is done on this one.
  func ask(
    _ message: PlayerMessage, _ timeout: Duration, by url: String, meanwhile: () throws -> Void
  ) throws -> PlayerAnswer {
    try ask(message, timeout, on: { [self] in try player(url) }, meanwhile: meanwhile)
  }

  func ask(
    _ message: PlayerMessage, _ timeout: Duration,
    on makeBus: @escaping @Sendable () throws -> PlayerBus, meanwhile: () throws -> Void
  ) throws -> PlayerAnswer {
    let answer = Mutex<Result<PlayerAnswer, any Error>?>(nil)
    let isAnswered = DispatchSemaphore(value: 0)
    let thread = Thread {
      let result = Result {
        let bus = try makeBus()
        defer { bus.close() }
        return try bus.request(message, timeout)
      }
      answer.withLock { $0 = result }
      isAnswered.signal()
    }
    thread.stackSize = 8 * 1_024 * 1_024
    thread.start()
    // The other action is over before the answer is looked at, even if it throws.
    let done = Result { try meanwhile() }
    isAnswered.wait()
    try done.get()
    return try #require(answer.withLock { $0 }).get()
  }
}
