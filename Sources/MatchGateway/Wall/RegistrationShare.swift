/// Keeps a part of an hour's registrations for networks that have registered nobody within the hour.
/// So those who have some networks do not use up everybody's.
struct RegistrationShare: Sendable {
  /// A registration that was let through.
  enum Place: Hashable, Sendable {
    /// The first one of its network.
    case first(Network)
    case further(at: UInt64)
  }

  private static let hour: UInt64 = 3_600_000_000_000

  /// When each network last registered somebody.
  private var known: BoundedTable<Network, UInt64>
  /// When networks registered somebody besides their first player, within the last hour and in order.
  private var further: ArraySlice<UInt64> = []

  /// - Parameter capacity: The most networks that are remembered.
  init(capacity: Int) { known = BoundedTable(capacity: capacity) }

  /// The seconds until a network may register somebody; nil: now.
  /// - Parameter limit: The most registrations in an hour besides those of new networks.
  mutating func wait(for network: Network, limit: Int, at uptime: UInt64) -> Int64? {
    further = further.drop { uptime.elapsed(since: $0) >= Self.hour }
    guard isKnown(network, at: uptime), further.count >= limit else { return nil }
    // There is room again once those that are too many have left.
    let tooMany = further.dropLast(max(0, limit - 1))
    let last = tooMany.last ?? known[network] ?? uptime
    let passed = min(uptime.elapsed(since: last), Self.hour)
    return Int64((Self.hour - passed) / 1_000_000_000) + 1
  }

  /// A network registers somebody.
  mutating func enter(_ network: Network, at uptime: UInt64) -> Place {
    let isKnown = isKnown(network, at: uptime)
    known[network] = uptime
    guard isKnown else { return .first(network) }
    further.append(uptime)
    return .further(at: uptime)
  }

  /// Nobody was registered after all.
  mutating func leave(_ place: Place) {
    switch place {
    case .first(let network): known[network] = 0
    case .further(let time):
      if let index = further.lastIndex(of: time) { further.remove(at: index) }
    }
  }

  private func isKnown(_ network: Network, at uptime: UInt64) -> Bool {
    guard let last = known[network], last > 0 else { return false }
    return uptime.elapsed(since: last) < Self.hour
  }
}
