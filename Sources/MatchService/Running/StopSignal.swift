import Synchronization

/// Asks its holders to finish their work and leave. Once asked, it stays asked.
package final class StopSignal: Sendable {
  private let asked = Atomic(false)

  /// A signal that nobody has given yet.
  package init() {}

  /// Whether somebody has asked to stop.
  package var isAsked: Bool { asked.load(ordering: .acquiring) }

  /// Asks to stop. Safe in a signal handler.
  package func ask() { asked.store(true, ordering: .releasing) }
}
