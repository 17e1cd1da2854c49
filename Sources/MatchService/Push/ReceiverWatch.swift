import MatchInterfaces

/// Whether the receiver of notifications takes any, as one push worker finds.
struct ReceiverWatch {
  /// If a job has been due again for this long, another worker has it, in nanoseconds.
  private static let spare: UInt64 = 60_000_000_000

  /// The first attempt that failed since the last that went well, or since nothing was tried.
  private var failingSince: UInt64?
  /// Until when that means anything: by then the jobs have been tried again.
  private var until: UInt64 = 0
  private var reason = ""

  /// A notification was taken.
  mutating func took() { failingSince = nil }

  /// A notification was not taken, and is tried again.
  mutating func failed(
    _ reason: String, at uptime: UInt64, triedAgainAfter delay: PushBus.RetryDelay
  ) {
    failingSince = uptime < until ? failingSince ?? uptime : uptime
    until = max(until, uptime &+ UInt64(delay.rawValue) * 1_000_000_000 &+ Self.spare)
    self.reason = reason
  }

  /// The text of the complaint if none has been taken for so long; nil: no complaint.
  func complaint(at uptime: UInt64, after patience: Duration) -> String? {
    guard let failingSince, uptime < until,
      uptime &- failingSince >= UInt64(max(0, patience / .nanoseconds(1)))
    else { return nil }
    return "the receiver of notifications has taken none for more than "
      + "\(patience.components.seconds) s: \(reason)"
  }
}
