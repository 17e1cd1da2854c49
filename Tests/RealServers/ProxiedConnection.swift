import Glibc

/// One client's connection through a ``TCPProxy`` to the server.
struct ProxiedConnection {
  /// The bytes on their way from one socket to the other.
  private struct Flow {
    let source: Socket
    let target: Socket
    let direction: TCPProxy.Directions
    var pending: ArraySlice<UInt8> = []
    var sourceHasEnded = false

    /// Moves all bytes that need no waiting; false when a socket has failed.
    mutating func move() -> Bool {
      while true {
        while !pending.isEmpty {
          let count = pending.withUnsafeBytes {
            send(target.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          if count < 0 { return errno == EAGAIN || errno == EINTR }
          pending = pending.dropFirst(count)
        }
        if sourceHasEnded { return true }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(source.descriptor, &buffer, buffer.count, 0)
        if count < 0 { return errno == EAGAIN || errno == EINTR }
        if count == 0 {
          sourceHasEnded = true
          _ = shutdown(target.descriptor, Int32(SHUT_WR))
          return true
        }
        pending = buffer[..<count]
      }
    }
  }

  private var flows: [Flow]
  private let client: Socket
  private let server: Socket

  init(client: Socket, server: Socket) {
    self.client = client
    self.server = server
    flows = [
      Flow(source: client, target: server, direction: .toServer),
      Flow(source: server, target: client, direction: .toClient),
    ]
  }

  /// The descriptors to poll.
  ///
  /// A socket that has nothing to do is left out: `poll` would report its end again and again.
  func pollDescriptors(stalled: TCPProxy.Directions) -> [pollfd] {
    flows.filter { !stalled.contains($0.direction) }.compactMap { flow in
      if !flow.pending.isEmpty {
        return pollfd(fd: flow.target.descriptor, events: Int16(POLLOUT), revents: 0)
      }
      return flow.sourceHasEnded
        ? nil : pollfd(fd: flow.source.descriptor, events: Int16(POLLIN), revents: 0)
    }
  }

  /// Forwards the bytes that are there; false when the connection is over.
  mutating func forward(stalled: TCPProxy.Directions) -> Bool {
    for index in flows.indices where !stalled.contains(flows[index].direction) {
      guard flows[index].move() else { return false }
    }
    return !flows.allSatisfy { $0.sourceHasEnded && $0.pending.isEmpty }
  }

  func end(resetting: Bool) {
    for socket in [client, server] {
      if resetting {
        socket.reset()
      } else {
        _ = shutdown(socket.descriptor, Int32(SHUT_RDWR))
        socket.close()
      }
    }
  }
}
