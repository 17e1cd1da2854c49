import Conformance
@testable import EventBusLive
import Foundation
import LibRabbitMQ
import MatchInterfaces
import RealServers
import Synchronization
import Testing

extension LiveBusTests {
  @Suite("Conformance")
  struct ConformanceTests {
    @Test(
      "The bus does what every event bus has to do", .timeLimit(.minutes(2)), .serialized,
      arguments: BusCase.all)
    func conforms(_ example: BusCase) async throws {
      var limits = TopologyLimits()
      limits.events.messages = example.limits.events
      limits.push.messages = example.limits.push
      try await BusLab.with(limits: limits) { lab in
        try await onThread {
          let (proxy, url) = try TCPProxy.inFront(ofURL: lab.host.url)
          defer { proxy.close() }
          try example.run(
            lab.buses(by: url, through: proxy) { _ in
              throw PrivateServers.Failure("an alarm would stop the tests of others")
            })
        }
      }
    }

    @Test(
      "The bus bears an alarm as every event bus has to", .timeLimit(.minutes(3)), .serialized,
      arguments: BusCase.alarming)
    func alarm(_ example: BusCase) async throws {
      try await PrivateServers.with { servers in
        try await BusLab.with(of: servers.environment) { lab in
          try await onThread {
            let (proxy, url) = try TCPProxy.inFront(ofURL: lab.host.url)
            defer { proxy.close() }
            try example.run(
              lab.buses(by: url, through: proxy) { isOn in
                try servers.run("memory-alarm", isOn ? "on" : "off")
              })
          }
        }
      }
    }
  }
}

extension BusLab {
  /// Buses whose connections lead through a proxy.
  func buses(
    by url: String, through proxy: TCPProxy, alarm: @escaping (_ isOn: Bool) throws -> Void
  ) -> BusSet {
    BusSet(
      worker: { try .live(context(url)) }, scheduler: { try .live(context(url)) },
      relay: { try .live(context(url)) }, push: { try .live(context(url)) },
      reader: { try .live(context(url)) },
      ask: { message, timeout, meanwhile in
        try ask(message, timeout, by: url, meanwhile: meanwhile)
      },
      slot: { slot(of: $0) },
      tick: { Thread.sleep(forTimeInterval: 0.02) }, cut: { proxy.cut() },
      putPush: { body in
        let connection = try connect()
        defer { connection.close() }
        try connection.publish(
          exchange: "", routingKey: "cubist.push", properties: .init(), body: body,
          mandatory: false)
      },
      remove: { removal in
        let connection = try connect()
        defer { connection.close() }
        switch removal {
        case .events(let queue): try connection.deleteQueue("cubist.events.0\(queue)")
        case .push: try connection.deleteQueue("cubist.push")
        }
      },
      takeDead: {
        let connection = try connect()
        defer { connection.close() }
        var bodies: [[UInt8]] = []
        while let delivery = try connection.get("cubist.dead") {
          bodies.append(delivery.body)
          try connection.acknowledge(delivery.tag)
        }
        return bodies
      },
      alarm: alarm)
  }

  /// Asks on a thread of its own, while something is done on this one.
  private func ask(
    _ message: PlayerMessage, _ timeout: Duration, by url: String, meanwhile: () throws -> Void
  ) throws -> PlayerAnswer {
    let answer = Mutex<Result<PlayerAnswer, any Error>?>(nil)
    let isAnswered = DispatchSemaphore(value: 0)
    let thread = Thread { [self] in
      let result = Result {
        let bus = try player(url)
        defer { bus.close() }
        return try bus.request(message, timeout)
      }
      answer.withLock { $0 = result }
      isAnswered.signal()
    }
    thread.stackSize = 8 * 1_024 * 1_024
    thread.start()
    // What is done is over before the answer is looked at, whatever comes of it.
    let done = Result { try meanwhile() }
    isAnswered.wait()
    try done.get()
    return try #require(answer.withLock { $0 }).get()
  }
}
