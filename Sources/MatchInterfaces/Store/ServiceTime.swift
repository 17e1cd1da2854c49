package import MatchCore

/// The service's time: the database's clock, and what is added to it since that clock has jumped.
package struct ServiceTime: Hashable, Sendable {
  /// What the database's clock shows.
  package var shown: Instant
  /// What is added to it, µs. Negative: the clock is ahead of the service's time.
  package var addedMicroseconds: Int64
  /// The last jump of the clock; nil: none was ever noticed.
  package var lastJump: Jump?

  package init(shown: Instant, addedMicroseconds: Int64 = 0, lastJump: Jump? = nil) {
    self.shown = shown
    self.addedMicroseconds = addedMicroseconds
    self.lastJump = lastJump
  }

  /// The time that everything in a match is measured with.
  package var now: Instant { shown.adding(microseconds: addedMicroseconds) }

  /// A jump of the database's clock.
  package struct Jump: Hashable, Sendable {
    /// How far the clock jumped, µs; negative: back.
    package var microseconds: Int64
    /// When, in the service's time.
    package var at: Instant

    package init(microseconds: Int64, at: Instant) {
      self.microseconds = microseconds
      self.at = at
    }
  }

  /// Another value to be added from now on.
  package struct Change: Hashable, Sendable {
    /// What was added before. If that is not so any more, nothing changes.
    package var former: Int64
    package var addedMicroseconds: Int64
    /// The jump that is the reason; nil: the service's time comes nearer to the clock again.
    package var jump: Jump?

    package init(from former: Int64, to addedMicroseconds: Int64, after jump: Jump? = nil) {
      self.former = former
      self.addedMicroseconds = addedMicroseconds
      self.jump = jump
    }
  }

  /// The time after a change.
  package mutating func take(_ change: Change) {
    guard change.former == addedMicroseconds else { return }
    addedMicroseconds = change.addedMicroseconds
    lastJump = change.jump ?? lastJump
  }
}
