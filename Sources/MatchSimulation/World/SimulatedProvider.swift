import MatchCore
import MatchInterfaces
import Synchronization

/// The provider of notifications. It notes every job handed to it, and refuses for now when a fault
/// strikes.
final class SimulatedProvider: Sendable {
  private struct State {
    var handed: [PushJobID: Int] = [:]
    var refusal: Double
    var refusals = 0
  }

  private let state: Mutex<State>
  private let random: SeededRandom

  init(refusal: Double, random: SeededRandom) {
    state = Mutex(State(refusal: refusal))
    self.random = random
  }

  /// The number of times that it was handed each job.
  var handed: [PushJobID: Int] { state.withLock { $0.handed } }

  var refusals: Int { state.withLock { $0.refusals } }

  /// Refuses no more.
  func calm() { state.withLock { $0.refusal = 0 } }

  /// The way to the devices of one service, and to players without any.
  func provider(of service: Device.Route.Service = .app) -> PushProvider {
    PushProvider(name: "simulated \(service.rawValue)", service: service) { notification, _ in
      let isRefused = self.state.withLock { state in
        guard !self.random.happens(state.refusal) else {
          state.refusals += 1
          return true
        }
        for job in notification.jobs { state.handed[job.id, default: 0] += 1 }
        return false
      }
      return [
        PushParcel(
          device: nil, work: .finished(isRefused ? .later("not now", after: nil) : .taken))
      ]
    }
  }
}
