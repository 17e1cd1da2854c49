import Glibc
import Synchronization

/// The loop of a ``TCPProxy``.
///
/// The loop holds the lock except while it sleeps in `poll`; a caller changes the state under the
/// lock and wakes the loop, which looks at the state afresh. Connections have numbers because the
/// kernel gives a closed descriptor's number away again.
final class TCPForwarder: Sendable {
  private struct State {
    var listener: Socket?
    var connections: [Int: ProxiedConnection] = [:]
    var nextNumber = 0
    var stalled: TCPProxy.Directions = []
    var isClosed = false
  }

  /// The owner of a descriptor that was handed to `poll`.
  private enum Watched {
    case wakeUp
    case listener
    case connection(Int)
  }

  private let state: Mutex<State>
  private let wakeDescriptor: Int32
  private let wakingDescriptor: Int32
  private let host: String
  private let serverPort: UInt16

  init(listener: Socket, host: String, port: UInt16) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw RealServersError("no descriptor is left") }
    for end in ends { Socket(descriptor: end).stopBlocking() }
    (wakeDescriptor, wakingDescriptor) = (ends[0], ends[1])
    self.host = host
    serverPort = port
    state = Mutex(State(listener: listener))
  }

  deinit {
    _ = Glibc.close(wakeDescriptor)
    _ = Glibc.close(wakingDescriptor)
  }

  // MARK: Called from any thread

  var connectionCount: Int {
    state.withLock { $0.connections.count }
  }

  func cut(resetting: Bool) {
    change { state in
      for connection in state.connections.values { connection.end(resetting: resetting) }
      state.connections = [:]
    }
  }

  func setStalled(_ directions: TCPProxy.Directions) {
    change { $0.stalled = directions }
  }

  func refuse() {
    change { state in
      // Taken out of listening at once; closing alone would wait for a `poll` under way.
      if let listener = state.listener { _ = shutdown(listener.descriptor, Int32(SHUT_RDWR)) }
      state.listener?.close()
      state.listener = nil
    }
  }

  func listen(port: UInt16) throws {
    let isListening = state.withLock { $0.listener != nil || $0.isClosed }
    if isListening { return }
    let listener = try Socket.listening(port: port)
    change { state in
      if state.listener == nil && !state.isClosed {
        state.listener = listener
      } else {
        listener.close()
      }
    }
  }

  func close() {
    refuse()
    cut(resetting: false)
    change { $0.isClosed = true }
  }

  private func change(_ body: (inout sending State) -> Void) {
    state.withLock { body(&$0) }
    // A full pipe wakes as well.
    var anything: UInt8 = 0
    _ = write(wakingDescriptor, &anything, 1)
  }

  // MARK: The loop

  func run() {
    while true {
      var watched: [Watched] = [.wakeUp]
      var descriptors = [pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)]
      let isClosed = state.withLock { state in
        if let listener = state.listener {
          watched.append(.listener)
          descriptors.append(
            pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0))
        }
        for (number, connection) in state.connections {
          for descriptor in connection.pollDescriptors(stalled: state.stalled) {
            watched.append(.connection(number))
            descriptors.append(descriptor)
          }
        }
        return state.isClosed
      }
      if isClosed { return }
      guard poll(&descriptors, nfds_t(descriptors.count), -1) > 0 else { continue }
      let ready = zip(watched, descriptors).filter { $0.1.revents != 0 }.map(\.0)
      state.withLock { state in
        for watched in ready { serve(watched, &state) }
      }
    }
  }

  private func serve(_ watched: Watched, _ state: inout State) {
    switch watched {
    case .wakeUp:
      var discarded = [UInt8](repeating: 0, count: 64)
      _ = read(wakeDescriptor, &discarded, discarded.count)
    case .listener:
      guard let client = state.listener?.accepted() else { return }
      guard let server = try? Socket.connected(toHost: host, port: serverPort) else {
        // The server is down. A reset is the closest sign of it that a proxy can give.
        client.reset()
        return
      }
      server.stopBlocking()
      state.connections[state.nextNumber] = ProxiedConnection(client: client, server: server)
      state.nextNumber += 1
    case .connection(let number):
      guard var connection = state.connections[number] else { return }
      if connection.forward(stalled: state.stalled) {
        state.connections[number] = connection
      } else {
        connection.end(resetting: false)
        state.connections[number] = nil
      }
    }
  }
}
