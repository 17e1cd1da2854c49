import Synchronization

/// Asks its holders to finish their work and leave. Once asked, it stays asked.
public final class StopSignal: Sendable {
  private let asked = Atomic(false)

  /// A signal that nobody has given yet.
  public init() {}

  /// Whether somebody has asked to stop.
  public var isAsked: Bool { asked.load(ordering: .acquiring) }

  /// Asks to stop. Safe in a signal handler.
  public func ask() { asked.store(true, ordering: .releasing) }
}
