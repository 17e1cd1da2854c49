import Synchronization

/// What the parts of a test find together.
final class PartSum<Value: Sendable>: Sendable {
  private let count: Int
  private let state: Mutex<(parts: Int, value: Value)>

  init(of count: Int, _ value: Value) {
    self.count = count
    state = Mutex((0, value))
  }

  /// Adds what a part has found; gives the sum of all to the last part.
  func add(_ change: (inout Value) -> Void) -> Value? {
    state.withLock { state in
      change(&state.value)
      state.parts += 1
      return state.parts == count ? state.value : nil
    }
  }
}
