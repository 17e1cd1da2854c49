import MatchCore
import MatchInterfaces
import Synchronization

/// The providers of notifications. They make requests, and `SimulatedReceiver` answers them.
final class SimulatedProvider: Sendable {
  /// The contents of a request.
  struct Made: Sendable {
    var notification: PushNotification
    /// When it was made, by the clock of the push worker.
    var at: Instant
  }

  private struct State {
    var made: [String: Made] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())
  private let bug: PlantedBug?

  init(bug: PlantedBug? = nil) { self.bug = bug }

  /// The way to the devices of one service, and to players without any.
  /// - Parameter hasParcelPerDevice: Whether each device has a request of its own.
  func provider(
    of service: Device.Route.Service = .app, hasParcelPerDevice: Bool = false
  ) -> PushProvider {
    PushProvider(name: "simulated \(service.rawValue)", service: service) { notification, now in
      guard hasParcelPerDevice, !notification.devices.isEmpty else {
        return [self.parcel(notification, of: service, to: nil, now)]
      }
      return notification.devices.map { device in
        var own = notification
        own.devices = [device]
        return self.parcel(own, of: service, to: device, now)
      }
    }
  }

  /// The contents of a request that arrives. A request arrives once.
  func contents(of request: PushRequest) -> Made? {
    state.withLock { $0.made.removeValue(forKey: request.url) }
  }

  private func parcel(
    _ notification: PushNotification, of service: Device.Route.Service, to device: Device?,
    _ now: Instant
  ) -> PushParcel {
    let url = state.withLock { state in
      state.lastNumber += 1
      let url = "https://\(service.rawValue).example/\(state.lastNumber)"
      var sent = notification
      if bug == .newTopicEachTime { sent.collapseKey += "-\(state.lastNumber)" }
      state.made[url] = Made(notification: sent, at: now)
      return url
    }
    let request = PushRequest(url: url, headers: [:], body: [], isForeign: false)
    return PushParcel(
      device: device, work: .request(request, verdict: SimulatedProvider.verdict))
  }

  /// The meaning of an answer.
  @Sendable
  private static func verdict(_ response: PushResponse) -> PushVerdict {
    switch response.status {
    case 200..<300: .taken
    case 410: .gone("status 410")
    case 429, 500...: .later("status \(response.status)", after: response.retryAfter)
    default: .refused("status \(response.status)")
    }
  }
}
