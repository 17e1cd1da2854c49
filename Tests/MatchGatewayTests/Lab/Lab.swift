import Glibc
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import RawHTTP
import Synchronization
import SystemCalls
import Testing

@testable import MatchGateway

/// A gateway that really listens, with a broker that is not real.
final class Lab: Sendable {
  /// What the broker does with a message.
  typealias Broker = @Sendable (GatewayBus.Outgoing) -> [GatewayBus.Incoming]

  let gateway: Gateway
  let broker: FakeBroker
  let stop = StopSignal()
  let runners: [RoleRunner]
  private let port: PortBox

  /// - Parameters:
  ///   - clock: The gateway's, but not its connections', whose times are always real.
  ///   - info: What readers tell of the service.
  ///   - change: Changes the settings; all limits are off, and a client may take any time.
  ///   - answer: Answers what the standard broker does not.
  init(
    log: Logger = Logger(label: "lab") { _ in SwiftLogNoOpLogHandler() }, isMute: Bool = false,
    clock: WallClock = .live, info: ServiceInfo = .test,
    _ change: (inout GatewaySettings) -> Void = { _ in },
    answer: @escaping Broker = { _ in [] }
  ) throws {
    var settings = GatewaySettings(listen: ListenAddress(host: "127.0.0.1", port: 0))
    settings.connectionsPerAddress = nil
    settings.requestsPerAddress = nil
    settings.requestsPerKey = nil
    settings.registrationsPerAddress = nil
    (settings.headTime, settings.bodyTime) = (nil, nil)
    (settings.idleTime, settings.writeTime) = (nil, nil)
    change(&settings)
    let wakeup = try Wakeup()
    let broker = FakeBroker(wakeup, info, answer)
    broker.fallMute(isMute)
    let gateway = Gateway(
      settings, clock: clock, randomness: .live, log: log, wake: { wakeup.wake() })
    let (port, stop) = (PortBox(), self.stop)
    (self.gateway, self.broker, self.port) = (gateway, broker, port)
    let runner = {
      (name: String, make: @escaping @Sendable () throws(Interruption) -> any Role) in
      RoleRunner(
        name: name, stop: stop, clock: .live, randomness: .live, log: log, make: make)
    }
    runners = [
      runner(
        "gateway",
        { () throws(Interruption) in
          try broker.open()
          return GatewayRole(
            bus: broker.bus, desk: gateway.desk, service: gateway.service, life: gateway.life,
            clock: clock, log: log)
        }),
      runner(
        "notices",
        { () throws(Interruption) in
          try broker.open()
          return NoticeRole(bus: broker.noticeBus, changes: gateway.changes)
        }),
      runner(
        "http",
        { () throws(Interruption) in
          try ListenerRole(gateway, threads: 2) { port.set($0) }
        }),
    ]
    for runner in runners { try runner.start() }
    try wait("the gateway works") {
      runners.allSatisfy { $0.state == .working } && (isMute || gateway.service.service != nil)
    }
  }

  /// The port that it listens at.
  var portNumber: Int { port.get() }

  /// A connection to it.
  func connect() throws -> RawClient { try RawClient(port: port.get()) }

  /// Asks it to leave, and waits until it has.
  func leave() throws {
    stop.ask()
    try wait("the gateway leaves") { runners.allSatisfy { $0.state == .stopped } }
  }

  deinit { stop.ask() }

  /// A UUIDv7 of now.
  static func id(_ number: UInt128) -> EventID {
    EventID(at: WallClock.live.now(), random: number)
  }

  private final class PortBox: Sendable {
    private let port = Mutex(0)

    func set(_ new: Int) { port.withLock { $0 = new } }
    func get() -> Int { port.withLock { $0 } }
  }
}

/// A broker with readers and workers behind it, in memory.
final class FakeBroker: Sendable {
  private struct State {
    var incoming: [GatewayBus.Incoming] = []
    var sent: [GatewayBus.Outgoing] = []
    var forgotten: [UInt64] = []
    var notices: [[UInt8]] = []
    var isDown = false
    var isMute = false
    var info = ServiceInfo.test
  }

  private let state = Mutex(State())
  private let wakeup: Wakeup
  private let answer: Lab.Broker

  init(
    _ wakeup: Wakeup, _ info: ServiceInfo = .test, _ answer: @escaping Lab.Broker
  ) {
    (self.wakeup, self.answer) = (wakeup, answer)
    state.withLock { $0.info = info }
  }

  /// The messages of players that came.
  var messages: [GatewayBus.Outgoing] {
    state.withLock { $0.sent.filter { $0.destination != .gatewayQueries } }
  }
  /// The questions of the gateway's own.
  var questions: [GatewayQuery] {
    state.withLock {
      $0.sent.filter { $0.destination == .gatewayQueries }.compactMap { try? GatewayQuery($0.body) }
    }
  }
  var forgotten: [UInt64] { state.withLock { $0.forgotten } }
  /// Nobody reaches it.
  func goDown() { state.withLock { $0.isDown = true } }
  func comeBack() { state.withLock { $0.isDown = false } }
  /// No reader answers the gateway's own questions.
  func fallMute(_ isMute: Bool = true) { state.withLock { $0.isMute = isMute } }

  func deliver(_ incoming: [GatewayBus.Incoming]) {
    state.withLock { $0.incoming += incoming }
    wakeup.wake()
  }

  func notify(_ notices: [OutcomeNotice]) {
    state.withLock { $0.notices += notices.map(\.encoded) }
  }

  func open() throws(Interruption) {
    if state.withLock({ $0.isDown }) { throw .bus(.disconnected("down")) }
  }

  private func check() throws(BusError) {
    if state.withLock({ $0.isDown }) { throw .disconnected("down") }
  }

  var bus: GatewayBus {
    GatewayBus.failing.with { bus in
      bus.send.answer { [self] (messages: [GatewayBus.Outgoing]) throws(BusError) in
        try check()
        for message in messages {
          let standard = standardAnswer(message)
          let incoming = standard.isEmpty ? answer(message) : standard
          state.withLock {
            $0.sent.append(message)
            $0.incoming += incoming
          }
        }
      }
      bus.receive.answer { [self] (wait: Duration) throws(BusError) in
        try check()
        let end = MonotonicClock.now + UInt64(wait / .nanoseconds(1))
        repeat {
          let incoming = state.withLock { state in
            defer { state.incoming = [] }
            return state.incoming
          }
          if !incoming.isEmpty { return incoming }
          // Answers are put here by several threads, and some without a wake-up.
          WallClock.live.sleep(.milliseconds(1))
          try check()
        } while MonotonicClock.now < end && !isWoken
        wakeup.clear()
        return []
      }
      bus.forget.answer { [self] (numbers: [UInt64]) in
        state.withLock { $0.forgotten += numbers }
      }
      bus.close.answer {}
    }
  }

  private var isWoken: Bool {
    var descriptor = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) == 1
  }

  var noticeBus: NoticeBus {
    NoticeBus.failing.with { bus in
      bus.receive.answer { [self] (_: Int, _: Duration) throws(BusError) in
        try check()
        // As the real one waits: its role asks again as soon as it has the answer.
        WallClock.live.sleep(.milliseconds(2))
        return state.withLock { state in
          defer { state.notices = [] }
          return state.notices
        }
      }
      bus.close.answer {}
    }
  }

  private func standardAnswer(_ message: GatewayBus.Outgoing) -> [GatewayBus.Incoming] {
    guard message.destination == .gatewayQueries, !state.withLock({ $0.isMute }),
      let query = try? GatewayQuery(message.body), query.question == .asAnybody(.serviceInfo)
    else { return [] }
    let info = state.withLock { $0.info }
    return [.reply(message.number, AnswerCodec.encode(info, query: query.id))]
  }
}
