import EventBusLive
import Glibc
import Logging
import MatchGateway
import MatchInterfaces
import MatchService
import SystemCalls

/// How a gateway is put together: its broker's connections and its listener. It has no database.
struct GatewayWiring: Sendable {
  private let gateway: Gateway
  private let bus: BusContext
  private let wakeup: Wakeup
  /// Reads anew how the broker is reached; nil: it is as it was.
  private let readAddress: @Sendable () -> BrokerAddress?

  /// The roles that connect to the broker as the gateways' user.
  static let roleNames: Set = ["gateway", "notices"]

  /// Descriptors that are not for connections of clients. Half of them are for refused ones.
  private static let ownDescriptors = 256

  /// The gateway that settings describe.
  init(
    _ settings: ServiceSettings, log: Logger, clock: WallClock = .live,
    randomness: Randomness = .live,
    readAgain: @escaping @Sendable () -> ServiceSettings? = { nil }
  ) throws(OperatorFailure) {
    guard let gateway = settings.gateway, let account = try settings.gatewayAccount() else {
      throw .settings([
        "a gateway needs \(SettingName.gatewayListen.rawValue) and "
          + SettingName.gatewayBroker.rawValue
      ])
    }
    do throws(SystemError) { wakeup = try Wakeup() } catch {
      throw .servers("the gateway cannot begin: \(error)")
    }
    readAddress = { () -> BrokerAddress? in try? readAgain()?.gatewayAccount()?.address }
    let log = log.of(RoleName.gateway.rawValue)
    bus = BusContext(address: account.address, clock: clock, randomness: randomness, log: log)
    self.gateway = Gateway(
      gateway, descriptors: GatewayWiring.descriptors(), clock: clock, randomness: randomness,
      log: log, wake: { [wakeup] in wakeup.wake() })
  }

  /// The runners of its roles.
  func runners(stop: StopSignal) -> [RoleRunner] {
    let (gateway, bus, wakeup, readAddress) = (gateway, bus, wakeup, readAddress)
    // A password that was changed is known at the next connection.
    @Sendable func busOfNow() -> BusContext {
      var now = bus
      now.address = readAddress() ?? bus.address
      return now
    }
    return [
      runner("gateway", stop) { () throws(Interruption) in
        GatewayRole(
          bus: try interruptingBus(try GatewayBus.live(busOfNow(), wakeup: wakeup)),
          desk: gateway.desk,
          service: gateway.service, life: gateway.life, clock: bus.clock, log: bus.log)
      },
      runner("notices", stop) { () throws(Interruption) in
        NoticeRole(
          bus: try interruptingBus(try NoticeBus.live(busOfNow())), changes: gateway.changes)
      },
      runner("http", stop) { () throws(Interruption) in try ListenerRole(gateway) },
    ]
  }

  private func runner(
    _ name: String, _ stop: StopSignal,
    _ make: @escaping @Sendable () throws(Interruption) -> any Role
  ) -> RoleRunner {
    RoleRunner(
      name: name, stop: stop, clock: bus.clock, randomness: bus.randomness, log: bus.log.of(name),
      make: make)
  }

  /// Asks the system for as many descriptors as this process may have, and gives those that
  /// connections of clients may take.
  private static func descriptors() -> Int? {
    var limit = rlimit()
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(kind, &limit) == 0 else { return nil }
    if limit.rlim_cur < limit.rlim_max {
      limit.rlim_cur = limit.rlim_max
      guard setrlimit(kind, &limit) == 0, getrlimit(kind, &limit) == 0 else { return nil }
    }
    return max(1, Int(clamping: limit.rlim_cur) - ownDescriptors)
  }
}
