import MatchCore

/// Daily challenges that all players are told of, one after another, a piece at a time.
enum DailyRound: Equatable {
  /// Nobody is being told; for these challenges everybody has been.
  case idle(done: Set<DailyKey>)
  /// Players are being told of one.
  case telling(DailyKey, done: Set<DailyKey>)

  /// An event that changes the round.
  enum Event {
    /// Only these count from now on.
    case narrowed(to: Set<DailyKey>)
    /// Players are to be told of one.
    case begun(DailyKey)
    /// It goes on another time.
    case paused
    /// Nobody is left to be told of these.
    case ended(Set<DailyKey>)
  }

  /// The challenge that players are being told of.
  var current: DailyKey? {
    if case .telling(let key, _) = self { key } else { nil }
  }

  /// The challenges that nobody is left to be told of.
  var done: Set<DailyKey> {
    switch self {
    case .idle(let done), .telling(_, let done): done
    }
  }

  /// Takes an event.
  mutating func take(_ event: Event) {
    switch (self, event) {
    case (.telling(let key, let done), .narrowed(let kept)) where kept.contains(key):
      self = .telling(key, done: done.intersection(kept))
    case (.telling(_, let done), .narrowed(let kept)), (.idle(let done), .narrowed(let kept)):
      self = .idle(done: done.intersection(kept))
    case (.idle(let done), .begun(let key)) where !done.contains(key):
      self = .telling(key, done: done)
    case (.telling(let key, let done), .ended(let keys)) where !keys.contains(key):
      self = .telling(key, done: done.union(keys))
    case (.telling(_, let done), .ended(let keys)), (.idle(let done), .ended(let keys)):
      self = .idle(done: done.union(keys))
    case (.telling(_, let done), .paused): self = .idle(done: done)
    case (.idle, .begun), (.telling, .begun), (.idle, .paused): break
    }
  }
}
