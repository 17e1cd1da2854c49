import CubistBasics
package import MatchCore
package import MatchInterfaces
package import MatchService
import Synchronization

/// What one address, key or player may use at a time, and all of them together.
package final class Wall: Sendable {
  /// The most registrations that are remembered, so that a resend does not count.
  static let registrationCount = 4_096
  /// The most addresses, and the most keys, whose requests are counted.
  static let tableSize = 65_536

  /// Refused by a limit.
  package struct Refusal: Error, Hashable, Sendable {
    package var limit: Limit
    /// Seconds; nil: nobody knows.
    package var retryAfter: Int64?
  }

  /// What is counted while it lasts.
  package enum Place: Hashable, Sendable, CaseIterable {
    case connection
    case stream
    case wait
    /// A wait that its sender has asked for: a query that is answered when something has changed. It
    /// takes a place of a wait, too.
    case watch
  }

  private struct Counts {
    var total = 0
    var byAddress: [InternetAddress: Int] = [:]
    /// By networks of 48 bits of IPv6, or 24 of IPv4.
    var byNetwork: [Network: Int] = [:]
  }

  /// A key at an address. Records publish what a key has signed, so that anybody can send it again:
  /// nobody elsewhere may use up what is the player's.
  private struct Signer: Hashable {
    var key: PublicKey
    var address: InternetAddress?
  }

  /// A registration that was let through.
  private struct Registered {
    var player: PlayerID
    /// Its part of the hour's registrations; nil: it has none.
    var place: RegistrationShare.Place?
  }

  private struct State {
    var counts: [Place: Counts] = [:]
    var requests: RateTable<InternetAddress>?
    /// By the factor of the networks that each counts.
    var registrations: [Int: RateTable<Network>] = [:]
    var share = RegistrationShare(capacity: Wall.tableSize)
    var registered = BoundedTable<EventID, Registered>(capacity: Wall.registrationCount)
    var keys: RateTable<Signer>?
  }

  private let state: Mutex<State>
  private let settings: GatewaySettings
  /// The connections that the process can have; nil: as many as it wants.
  private let connectionLimit: Int?
  private let clock: WallClock

  /// - Parameter descriptors: The file descriptors that the process may have for connections.
  package init(_ settings: GatewaySettings, descriptors: Int? = nil, clock: WallClock) {
    self.settings = settings
    self.clock = clock
    connectionLimit = [settings.connections, descriptors].compactMap { $0 }.min()
    state = Mutex(
      State(
        requests: settings.requestsPerAddress.map {
          RateTable(limit: $0, in: .seconds(60), capacity: Wall.tableSize)
        },
        registrations: settings.registrationsPerAddress.map { limit in
          let tables = Network.factors.map { factor in
            let most = limit.multipliedReportingOverflow(by: factor)
            return (
              factor,
              RateTable<Network>(
                limit: most.overflow ? .max : most.partialValue, in: .seconds(3_600),
                capacity: Wall.tableSize)
            )
          }
          return Dictionary(uniqueKeysWithValues: tables)
        } ?? [:],
        keys: settings.requestsPerKey.map {
          RateTable(limit: $0, in: .seconds(60), capacity: Wall.tableSize)
        }))
  }

  /// Whether an address is a proxy's, which is believed.
  package func isProxy(_ address: InternetAddress?) -> Bool {
    guard let address else { return false }
    return settings.proxies.contains { $0.contains(address) }
  }

  /// Takes a place; `leave` gives it back. A nil address is counted in the total only. A network has a
  /// quarter of all places at most, or those of four addresses if these are more.
  package func enter(_ place: Place, _ address: InternetAddress?) throws(Refusal) {
    let (total, single, limits) = limits(of: place)
    let broken: Limit? = state.withLock { state in
      var counts = state.counts[place] ?? Counts()
      if let total, counts.total >= total { return limits.total }
      if let address = address?.counted {
        let count = counts.byAddress[address] ?? 0
        if let single, count >= single { return limits.single }
        let network = Network.largest(of: address)
        let others = counts.byNetwork[network] ?? 0
        if let single, let total, others / 4 >= single, others >= total / 4 { return limits.single }
        counts.byAddress[address] = count + 1
        counts.byNetwork[network] = others + 1
      }
      counts.total += 1
      state.counts[place] = counts
      return nil
    }
    if let broken { throw Refusal(limit: broken, retryAfter: 1) }
  }

  /// Gives a place back.
  package func leave(_ place: Place, _ address: InternetAddress?) {
    state.withLock { state in
      state.counts[place]?.total -= 1
      guard let address = address?.counted, let count = state.counts[place]?.byAddress[address]
      else { return }
      state.counts[place]?.byAddress[address] = count > 1 ? count - 1 : nil
      let network = Network.largest(of: address)
      let others = state.counts[place]?.byNetwork[network] ?? 0
      state.counts[place]?.byNetwork[network] = others > 1 ? others - 1 : nil
    }
  }

  /// How many places are taken.
  package func count(of place: Place) -> Int { state.withLock { $0.counts[place]?.total ?? 0 } }

  private func limits(of place: Place) -> (Int?, Int?, (total: Limit, single: Limit)) {
    switch place {
    case .connection:
      (connectionLimit, settings.connectionsPerAddress, (.connections, .addressConnections))
    case .stream: (settings.streams, settings.streamsPerAddress, (.streams, .addressStreams))
    case .wait: (settings.waits, settings.waitsPerAddress, (.waits, .addressWaits))
    // The other half is left to turns and to questions that are answered at once.
    case .watch:
      (settings.waits.map { ($0 + 1) / 2 }, settings.waitsPerAddress, (.waits, .addressWaits))
    }
  }

  /// Counts a request of an address.
  package func request(from address: InternetAddress?) throws(Refusal) {
    guard let address = address?.counted else { return }
    let uptime = clock.uptimeNanoseconds()
    if let seconds = state.withLock({ $0.requests?.take(address, at: uptime) ?? nil }) {
      throw Refusal(limit: .addressRequests, retryAfter: seconds)
    }
  }

  /// Counts a registration from an address, in each of its networks. The same event sent again does
  /// not count.
  /// - Parameter hourly: The most that the service registers in an hour; nil: this one is not counted
  ///   there.
  package func registration(
    of player: PlayerID, _ event: EventID, from address: InternetAddress?, hourly: Int? = nil
  ) throws(Refusal) {
    guard let address else { return }
    let (networks, largest) = (Network.all(of: address), Network.largest(of: address))
    let uptime = clock.uptimeNanoseconds()
    let share = 100 - settings.newNetworks
    let further = hourly.map { max(0, $0 / 100 * share + $0 % 100 * share / 100) }
    let seconds: Int64? = state.withLock { state in
      var registered = state.registered[event].flatMap { $0.player == player ? $0 : nil }
      if registered == nil {
        for (network, factor) in networks {
          if let seconds = state.registrations[factor]?.wait(for: network, at: uptime) ?? nil {
            return seconds
          }
        }
      }
      if let further, registered?.place == nil {
        if let seconds = state.share.wait(for: largest, limit: further, at: uptime) {
          return seconds
        }
      }
      if registered == nil {
        for (network, factor) in networks {
          _ = state.registrations[factor]?.take(network, at: uptime)
        }
        registered = Registered(player: player)
      }
      if further != nil, registered?.place == nil {
        registered?.place = state.share.enter(largest, at: uptime)
      }
      state.registered[event] = registered
      return nil
    }
    if let seconds { throw Refusal(limit: .registrations, retryAfter: seconds) }
  }

  /// The service has refused a registration: its part of the hour's registrations is free again.
  package func refused(registration event: EventID, of player: PlayerID) {
    state.withLock { state in
      guard var registered = state.registered[event], registered.player == player,
        let place = registered.place
      else { return }
      state.share.leave(place)
      registered.place = nil
      state.registered[event] = registered
    }
  }

  /// Counts a request that a key has signed. Only a valid signature counts, and only for its sender's
  /// address.
  package func request(
    signedBy key: PublicKey, from address: InternetAddress?
  ) throws(Refusal) {
    let uptime = clock.uptimeNanoseconds()
    let signer = Signer(key: key, address: address?.counted)
    if let seconds = state.withLock({ $0.keys?.take(signer, at: uptime) ?? nil }) {
      throw Refusal(limit: .keyRequests, retryAfter: seconds)
    }
  }
}
