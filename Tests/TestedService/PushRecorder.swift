package import MatchCore
package import MatchInterfaces
import Synchronization

/// A push provider that records the notifications it took, and refuses others where a test says so.
package final class PushRecorder: Sendable {
  private struct State {
    var taken: [PushNotification] = []
    var refusals: [PushJob.Kind: [PushVerdict]] = [:]
    var refused: [PushJob] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// The jobs that were handed over, in order.
  package var taken: [PushJob] { notifications.flatMap(\.jobs) }
  /// The same, as players read it.
  package var notifications: [PushNotification] { state.withLock { $0.taken } }
  /// The jobs that were refused, in order.
  package var refused: [PushJob] { state.withLock { $0.refused } }

  /// Refuses the next jobs of a kind, one for each verdict.
  package func refuse(_ kind: PushJob.Kind, with verdicts: [PushVerdict]) {
    state.withLock { $0.refusals[kind, default: []] += verdicts }
  }

  /// A provider of every service.
  package var providers: [PushProvider] {
    Device.Route.Service.allCases.map { service in
      PushProvider(name: "recorder", service: service) { [self] notification, _ in
        [PushParcel(device: nil, work: .finished(take(notification)))]
      }
    }
  }

  private func take(_ notification: PushNotification) -> PushVerdict {
    let job = notification.job
    return state.withLock { state in
      guard let refusal = state.refusals[job.kind]?.first else {
        state.taken.append(notification)
        return .taken
      }
      state.refusals[job.kind]?.removeFirst()
      state.refused.append(job)
      return refusal
    }
  }
}
