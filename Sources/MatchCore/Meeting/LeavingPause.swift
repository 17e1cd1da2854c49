/// The pause before a player who left a match after joining it may join another one by chance or by
/// code. It grows with each seat that the player leaves, and is forgotten after a day.
public enum LeavingPause {
  /// For this time a leaving counts.
  public static let windowSeconds: Int64 = 86_400
  /// The pause after the first, second, third leaving and so on. The last one is for all further ones.
  public static let seconds: [Int64] = [60, 300, 900, 3_600, 14_400, 43_200]
  /// The most leavings of a player that are looked at: more give no longer pause.
  public static let countLimit = seconds.count
  /// An account with this many leavings within the window is named to operators.
  public static let notedCount = seconds.count

  /// The end of the pause after leavings at those times, in any order. Nil: there is none now.
  public static func end(after leavings: [Instant], at now: Instant) -> Instant? {
    let since = now.adding(seconds: -windowSeconds)
    let counted = leavings.filter { $0 > since }
    guard let last = counted.max() else { return nil }
    let end = last.adding(seconds: seconds[min(counted.count, seconds.count) - 1])
    return end > now ? end : nil
  }
}

extension JudgingContext {
  /// Why the sender may not join a match by chance or by code now. Nil: the sender may.
  func refusalToJoin() -> Refusal? {
    guard let end = LeavingPause.end(after: leavings, at: now) else { return nil }
    let seconds = (end.microseconds(since: now) + 999_999) / 1_000_000
    return .rateLimited(.seatsLeft, retryAfterSeconds: seconds)
  }
}
