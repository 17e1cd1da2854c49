public import MatchWire

/// News of what concerns one player, as it happens: versions, not contents.
public struct ChangeStream {
  /// The next news; waits so long at most, and gives nil if there is none. News of the same thing
  /// that nobody has taken yet are one.
  /// - Throws: the error that ended the stream. Open another one.
  public var next: (Duration) throws(BusError) -> News?
  /// Ends the stream. Any thread may call it: a `next` that waits throws.
  public var close: @Sendable () -> Void

  public enum News: Hashable, Sendable {
    /// Everything as it stands: first of all, and whenever anything but a match has changed.
    case overview(Overview)
    /// A match has a new version.
    case match(Overview.Version)
  }

  public init(
    next: @escaping (Duration) throws(BusError) -> News?, close: @escaping @Sendable () -> Void
  ) {
    self.next = next
    self.close = close
  }
}

/// The answer to the wish for a stream of changes.
public enum ChangesAnswer {
  case stream(ChangeStream)
  /// The service's answer to the query that should open it: a refusal.
  case answer([UInt8])
}
