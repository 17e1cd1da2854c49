package import MatchCore

/// The time zones of the world.
package struct TimeZones: Sendable {
  /// The time between two changes of a zone's clocks.
  package struct Period: Hashable, Sendable {
    /// The seconds by which local time is ahead of UTC.
    package var offset: Int
    /// When it began. Nil: it is the first one.
    package var since: Instant?
    /// When the next one begins. Nil: it is the last one.
    package var until: Instant?

    package init(offset: Int, since: Instant? = nil, until: Instant? = nil) {
      self.offset = offset
      self.since = since
      self.until = until
    }
  }

  /// The period of a zone that an instant lies in. An unknown zone is UTC.
  package var period: @Sendable (TimeZoneName, Instant) -> Period

  package init(period: @escaping @Sendable (TimeZoneName, Instant) -> Period) {
    self.period = period
  }

  /// A world in which every zone is UTC.
  package static let utc = TimeZones { _, _ in Period(offset: 0) }
}
