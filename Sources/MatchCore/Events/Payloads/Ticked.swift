extension Event {
  /// Time has passed in a queue.
  public struct Ticked: ServicePayload {
    package static let name = "ticked"

    public var queue: Int
    public var time: Instant
    /// The start of the time in which the scheduler has watched without a gap.
    public var since: Instant?

    public init(queue: Int, time: Instant, since: Instant? = nil) {
      self.queue = queue
      self.time = time
      self.since = since
    }
  }
}

extension Event.Ticked {
  package var action: Event.Action { .ticked(self) }

  package var fields: [(String, JSON?)] {
    [
      ("queue", .number(queue)), ("time", .number(time.microseconds)),
      ("since", since.map { .number($0.microseconds) }),
    ]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(
      queue: try object.smallInteger("queue", in: 0...Int64(WireLimits.slotCount - 1)),
      time: try object.instant("time"), since: try object.optionalInstant("since"))
  }
}

extension Event.Action {
  public static func ticked(queue: Int, time: Instant, since: Instant? = nil) -> Self {
    .ticked(Event.Ticked(queue: queue, time: time, since: since))
  }
}
