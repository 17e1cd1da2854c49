import Foundation
import Synchronization

/// A proxy of HTTP/1.1 on a loopback port that can send each POST twice and lose answers, as bad
/// proxies and phones do.
///
/// It ends when it is released, or by ``close()``.
package final class DoublingProxy: Sendable {
  /// What has been done to requests.
  package struct Deeds: Hashable, Sendable {
    /// POSTs that were sent twice.
    package var doubled = 0
    /// Answers that nobody got.
    package var lost = 0

    package init(doubled: Int = 0, lost: Int = 0) {
      (self.doubled, self.lost) = (doubled, lost)
    }
  }

  private struct State {
    var isDoubling = false
    var isClosed = false
    var deeds = Deeds()
    var peers: Set<Socket> = []
    var random: UInt64
  }

  /// The loopback port that it listens on.
  package let port: UInt16
  private let server: UInt16
  private let listener: Socket
  private let state: Mutex<State>

  /// Starts a proxy in front of the server at a loopback port, which need not be there yet.
  package init(port server: UInt16) throws {
    listener = try Socket.listening(port: 0)
    port = listener.localPort
    self.server = server
    state = Mutex(State(random: UInt64.random(in: .min ... .max)))
    _ = fcntl(listener.descriptor, F_SETFL, 0)
    let listener = listener
    Thread.detachNewThread { [weak self] in
      // Only the accepting thread closes it: elsewhere its number could be another socket's by now.
      defer { listener.close() }
      while true {
        let descriptor = accept(listener.descriptor, nil, nil)
        if descriptor < 0, self?.state.withLock({ !$0.isClosed }) == true { continue }
        guard descriptor >= 0 else { return }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let peer = Socket(descriptor: descriptor)
        guard let self, self.add(peer) else {
          peer.close()
          return
        }
        Thread.detachNewThread { self.serve(peer) }
      }
    }
  }

  deinit { end() }

  /// Ends all connections and refuses new ones.
  package func close() { end() }

  /// Sends each POST twice from now on, and loses a third of the answers; or stops doing so.
  package func setDoubling(_ isDoubling: Bool) {
    state.withLock { $0.isDoubling = isDoubling }
  }

  /// What it has done to requests so far.
  package var deeds: Deeds { state.withLock { $0.deeds } }

  private func end() {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.isClosed = true
      // Their threads close them, under the same lock; the listener's thread closes the listener.
      for peer in state.peers { _ = shutdown(peer.descriptor, Int32(SHUT_RDWR)) }
      _ = shutdown(listener.descriptor, Int32(SHUT_RDWR))
    }
  }

  private func add(_ peer: Socket) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.peers.insert(peer)
      return true
    }
  }

  private func remove(_ peer: Socket) {
    state.withLock { state in
      if state.peers.remove(peer) != nil { peer.close() }
    }
  }

  // MARK: One client

  private func serve(_ client: Socket) {
    defer { remove(client) }
    var reader = Reader(socket: client)
    while let request = reader.message() {
      guard pass(request, to: client) else { return }
    }
  }

  /// Passes a request on, each on a connection of its own; gives whether the client's goes on.
  private func pass(_ request: [UInt8], to client: Socket) -> Bool {
    let isTwice = state.withLock { $0.isDoubling } && request.starts(with: "POST ".utf8)
    let lines = (0..<(isTwice ? 2 : 1)).compactMap { _ in connect() }
    defer { for line in lines { remove(line) } }
    // Both are on their way before there is an answer to either.
    for line in lines where (try? line.writeAll(Data(request))) == nil { return false }
    guard !lines.isEmpty else { return false }
    let (isLost, chosen) = state.withLock { state in
      state.random = state.random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let number = state.random >> 33
      if isTwice { state.deeds.doubled += 1 }
      let isLost = isTwice && number % 3 == 0
      if isLost { state.deeds.lost += 1 }
      return (isLost, Int(number / 3) % lines.count)
    }
    // The other answer has to be there too: a server stops working for a client that has gone.
    for (index, line) in lines.enumerated() where index != chosen {
      var reader = Reader(socket: line)
      _ = reader.message()
    }
    var reader = Reader(socket: lines[chosen])
    guard let head = reader.head() else { return false }
    if isLost {
      _ = reader.body(of: head)
      return false
    }
    guard (try? client.writeAll(Data(head))) != nil else { return false }
    guard Reader.length(of: head) != nil else {
      // A stream: whatever comes, until one of the two goes.
      while let bytes = reader.some(), (try? client.writeAll(Data(bytes))) != nil {}
      return false
    }
    guard let body = reader.body(of: head) else { return false }
    return (try? client.writeAll(Data(body))) != nil
  }

  private func connect() -> Socket? {
    guard let line = try? Socket.connected(toHost: "127.0.0.1", port: server) else { return nil }
    guard add(line) else {
      line.close()
      return nil
    }
    return line
  }

  /// Messages of HTTP from one side.
  private struct Reader {
    let socket: Socket
    var buffer: [UInt8] = []

    init(socket: Socket) { self.socket = socket }

    /// The next head and its body; nil: the other side has gone.
    mutating func message() -> [UInt8]? {
      guard let head = head() else { return nil }
      return body(of: head).map { head + $0 }
    }

    mutating func head() -> [UInt8]? {
      while true {
        if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) {
          defer { buffer.removeFirst(end.upperBound) }
          return Array(buffer[..<end.upperBound])
        }
        guard fill() else { return nil }
      }
    }

    mutating func body(of head: [UInt8]) -> [UInt8]? {
      let length = Reader.length(of: head) ?? 0
      while buffer.count < length { guard fill() else { return nil } }
      defer { buffer.removeFirst(length) }
      return Array(buffer[..<length])
    }

    /// All bytes that have come; nil: the other side has gone.
    mutating func some() -> [UInt8]? {
      if buffer.isEmpty, !fill() { return nil }
      defer { buffer = [] }
      return buffer
    }

    private mutating func fill() -> Bool {
      var chunk = [UInt8](repeating: 0, count: 16_384)
      let count = recv(socket.descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return false }
      buffer += chunk[..<count]
      return true
    }

    /// The length that a head names. Nil: none.
    static func length(of head: [UInt8]) -> Int? {
      for line in String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n") {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
        return Int(parts[1].trimmingCharacters(in: .whitespaces))
      }
      return nil
    }
  }
}
