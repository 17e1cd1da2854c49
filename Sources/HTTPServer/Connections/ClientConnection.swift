import Synchronization

/// One connection of a client, as its requests know it.
package final class ClientConnection: Sendable {
  private struct State {
    var isGone = false
    var handler: (@Sendable () -> Void)?
  }

  /// The address at its other end as IPv6 writes it, an IPv4 address as `::ffff:a.b.c.d`; nil: none
  /// is known, as on a socket of the file system.
  package let peer: UInt128?
  private let state = Mutex(State())

  init(peer: UInt128?) { self.peer = peer }

  /// Whether the client has closed the connection, or its own side of it.
  package var isGone: Bool { state.withLock { $0.isGone } }

  /// Calls the handler once the client has closed the connection, or its own side of it: nobody
  /// waits for an answer any more. It takes the former handler's place.
  package func whenGone(_ handler: @escaping @Sendable () -> Void) {
    let isGone = state.withLock { state in
      state.handler = state.isGone ? nil : handler
      return state.isGone
    }
    if isGone { handler() }
  }

  /// Calls no handler any more.
  package func forgetHandler() { state.withLock { $0.handler = nil } }

  /// The client is gone.
  func gone() {
    let handler = state.withLock { state in
      state.isGone = true
      defer { state.handler = nil }
      return state.handler
    }
    handler?()
  }
}
