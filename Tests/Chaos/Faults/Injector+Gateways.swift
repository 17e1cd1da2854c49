import CubistBasics
import RealServers

// Faults of players' way by HTTP.
extension Injector {
  /// Cuts one gateway off from the broker: its connections end and none can be made, or they stay and
  /// pass nothing on.
  func cutGateway(
    _ random: inout SplitMix64, _ status: StatusListener?, _ strike: (String) -> Void,
    _ begin: () -> Void
  ) throws {
    let gateways = service.doors.filter { $0.users == .gateways }
    let number = Int(random.next() % UInt64(gateways.count))
    let doors = gateways[number]
    // Another fault may have ended them just before.
    try Injector.untilAnswered {
      guard doors.connectionCount(.broker) > 0 else {
        throw ChaosFailure("gateway-\(number + 1) is not connected")
      }
    }
    if random.happens(50) { doors.refuse(.broker) } else { doors.stall(.broker, .both) }
    strike("gateway-\(number + 1)")
    hold(.gatewayCut, &random, status)
    // Bytes that were held back do not come any more: that gateway's connections begin anew.
    doors.cut(.broker)
    try doors.resume(.broker)
    begin()
  }

  /// Has the proxies in front of all gateways send each POST twice, and lose a third of the answers.
  func doubleRequests(
    _ random: inout SplitMix64, _ status: StatusListener?, _ strike: (String) -> Void,
    _ begin: () -> Void
  ) {
    let before = service.proxies.map(\.deeds)
    for proxy in service.proxies { proxy.setDoubling(true) }
    hold(.requestsDoubled, &random, status)
    for proxy in service.proxies { proxy.setDoubling(false) }
    for (before, after) in zip(before, service.proxies.map(\.deeds))
    where after.doubled > before.doubled && after.lost > before.lost {
      strike("proxy")
    }
    begin()
  }
}
