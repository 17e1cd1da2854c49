import MatchCore
import MatchInterfaces
import Synchronization

/// A push provider that records the notifications it took, and refuses others where a test says so.
final class PushRecorder: Sendable {
  private struct State {
    var taken: [PushSender.Notification] = []
    var refusals: [PushJob.Kind: [PushSender.PushError]] = [:]
    var refused: [PushJob] = []
  }

  private let state = Mutex(State())

  /// The jobs that were handed over, in order.
  var taken: [PushJob] { notifications.map(\.job) }
  /// The same, as players read it.
  var notifications: [PushSender.Notification] { state.withLock { $0.taken } }
  /// The jobs that were refused, in order.
  var refused: [PushJob] { state.withLock { $0.refused } }

  /// Refuses the next jobs of a kind, one for each error.
  func refuse(_ kind: PushJob.Kind, with errors: [PushSender.PushError]) {
    state.withLock { $0.refusals[kind, default: []] += errors }
  }

  var sender: PushSender {
    PushSender { [self] notification throws(PushSender.PushError) in
      if let error = take(notification) { throw error }
    }
  }

  private func take(_ notification: PushSender.Notification) -> PushSender.PushError? {
    let job = notification.job
    return state.withLock { state in
      guard let error = state.refusals[job.kind]?.first else {
        state.taken.append(notification)
        return nil
      }
      state.refusals[job.kind]?.removeFirst()
      state.refused.append(job)
      return error
    }
  }
}
