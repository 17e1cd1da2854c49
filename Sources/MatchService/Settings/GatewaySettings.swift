import Logging
import MatchWire

/// Everything that a gateway has to be told beside its broker. A limit that is nil does not hold.
package struct GatewaySettings: Hashable, Sendable {
  /// Where it listens.
  package var listen: ListenAddress
  /// The proxies that are believed.
  package var proxies: [AddressRange] = []
  /// The address at which players find the page, if it is known, without a slash at its end.
  package var publicAddress: String?
  /// The pages that may call it.
  package var origins = Origins.none

  /// The bytes of a request's body.
  package var bodyBytes = Envelope.sizes.upperBound
  /// The bytes of a request's head.
  package var headerBytes = 16_384
  /// The header fields of a request.
  package var headerCount = 64
  /// How long a head may take from its first byte.
  package var headTime: Duration? = .seconds(10)
  /// How long a body may take from the end of the head.
  package var bodyTime: Duration? = .seconds(10)
  /// How long a connection without a request is kept.
  package var idleTime: Duration? = .seconds(75)
  /// How long a client may take to read bytes that were sent.
  package var writeTime: Duration? = .seconds(20)

  package var connections: Int? = 20_000
  package var connectionsPerAddress: Int? = 200
  /// In a minute.
  package var requestsPerAddress: Int? = 6_000
  /// Requests with a valid signature, in a minute.
  package var requestsPerKey: Int? = 3_000
  /// In an hour.
  package var registrationsPerAddress: Int? = 60
  /// The percentage of the service's registrations in an hour that is kept for networks that have
  /// registered nobody within the hour.
  package var newNetworks = 50
  package var streams: Int? = 20_000
  package var streamsPerPlayer: Int? = 8
  package var streamsPerAddress: Int? = 100
  /// Requests that wait for an answer.
  package var waits: Int? = 4_096
  package var waitsPerAddress: Int? = 128

  /// The standard limits.
  package init(listen: ListenAddress) { self.listen = listen }

  /// The settings as an operator may see them. None of them is a secret.
  static func shown(_ settings: Self) -> [(name: String, value: Logger.MetadataValue)] {
    let shown: [(name: String, value: Logger.MetadataValue)] = [
      ("gatewayListen", "\(settings.listen)"),
      ("gatewayProxies", .stringConvertible(settings.proxies.count)),
      ("gatewayURL", "\(settings.publicAddress ?? "not set")"),
      ("gatewayOrigins", "\(settings.origins.shown)"),
    ]
    let numbers =
      sizes.map { ($0.name, settings[keyPath: $0.size]) }
      + times.map { ($0.name, Int(settings[keyPath: $0.time]?.components.seconds ?? 0)) }
      + limits.map { ($0.name, settings[keyPath: $0.limit] ?? 0) }
    return shown + numbers.map { ("\($0)", .stringConvertible($1)) }
  }

  fileprivate static var sizes:
    [(name: SettingName, size: WritableKeyPath<Self, Int>, range: ClosedRange<Int>)]
  {
    [
      (.gatewayBody, \.bodyBytes, Envelope.sizes.upperBound...65_536),
      (.gatewayHeaderBytes, \.headerBytes, 1_024...262_144),
      (.gatewayHeaderCount, \.headerCount, 8...1_000),
      (.gatewayNewNetworks, \.newNetworks, 0...100),
    ]
  }
  fileprivate static var times: [(name: SettingName, time: WritableKeyPath<Self, Duration?>)] {
    [
      (.gatewayHeadSeconds, \.headTime), (.gatewayBodySeconds, \.bodyTime),
      (.gatewayIdleSeconds, \.idleTime), (.gatewayWriteSeconds, \.writeTime),
    ]
  }
  fileprivate static var limits: [(name: SettingName, limit: WritableKeyPath<Self, Int?>)] {
    [
      (.gatewayConnections, \.connections),
      (.gatewayAddressConnections, \.connectionsPerAddress),
      (.gatewayAddressRequests, \.requestsPerAddress), (.gatewayKeyRequests, \.requestsPerKey),
      (.gatewayRegistrations, \.registrationsPerAddress), (.gatewayStreams, \.streams),
      (.gatewayPlayerStreams, \.streamsPerPlayer), (.gatewayAddressStreams, \.streamsPerAddress),
      (.gatewayWaits, \.waits), (.gatewayAddressWaits, \.waitsPerAddress),
    ]
  }

  /// The origins whose pages may call the gateway.
  package enum Origins: Hashable, Sendable {
    case all
    case some(Set<String>)
    /// Pages of other origins cannot.
    package static let none = Origins.some([])

    fileprivate var shown: String {
      switch self {
      case .all: "*"
      case .some(let origins): origins.sorted().joined(separator: ",")
      }
    }
  }
}

extension SettingsReader {
  /// The gateway's settings. Nil if it has no place to listen.
  mutating func gateway() -> GatewaySettings? {
    let listen = address(.gatewayListen)
    var settings = GatewaySettings(listen: listen ?? ListenAddress(host: "127.0.0.1", port: 0))
    settings.proxies = proxies()
    settings.origins = value(
      .gatewayOrigins, "a list of origins or *", standard: .none, parse: SettingsReader.origins)
    settings.publicAddress = value(
      .gatewayURL, "one origin, such as https://play.example", standard: nil
    ) { text in
      guard case .some(let origins)? = SettingsReader.origins(text), origins.count == 1 else {
        return nil
      }
      return origins.first
    }
    for (name, size, range) in GatewaySettings.sizes {
      settings[keyPath: size] = integer(name, in: range, standard: settings[keyPath: size])
    }
    for (name, time) in GatewaySettings.times {
      settings[keyPath: time] = seconds(name, settings[keyPath: time])
    }
    for (name, limit) in GatewaySettings.limits {
      settings[keyPath: limit] = self.limit(
        name, upTo: 10_000_000, standard: settings[keyPath: limit])
    }
    return listen == nil ? nil : settings
  }

  /// Addresses and ranges with commas between them.
  private mutating func proxies() -> [AddressRange] {
    let entries = optional(.gatewayProxies)?.split(
      separator: ",", omittingEmptySubsequences: false)
    return (entries ?? []).compactMap { entry in
      let entry = entry.filter { $0 != " " }
      if let range = AddressRange(entry) { return range }
      report(
        .gatewayProxies,
        "has the entry \"\(SettingsReader.excerpt(entry))\", which is no address and no range")
      return nil
    }
  }

  /// An address to listen at; nil if it is not given.
  mutating func address(_ name: SettingName) -> ListenAddress? {
    value(name, "ADDRESS:PORT", standard: nil, parse: ListenAddress.init)
  }

  private mutating func seconds(_ name: SettingName, _ standard: Duration?) -> Duration? {
    let whole = standard.map { Int($0.components.seconds) } ?? 0
    let number = integer(name, in: 0...3_600, standard: whole)
    return number == 0 ? nil : .seconds(number)
  }

  private static func origins(_ text: String) -> GatewaySettings.Origins? {
    if text == "*" { return .all }
    let origins = text.split(separator: ",").map { $0.filter { $0 != " " } }
    let haveForm = origins.allSatisfy { origin in
      ["http://", "https://"].contains {
        origin.hasPrefix($0) && origin.count > $0.count
          && !origin.dropFirst($0.count).contains("/")
      }
    }
    return haveForm && !origins.isEmpty ? .some(Set(origins)) : nil
  }
}
