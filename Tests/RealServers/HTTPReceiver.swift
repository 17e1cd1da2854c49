import Foundation
import Synchronization

/// A small HTTP server on a loopback port. It answers requests as a test says, also in the ways of
/// broken servers.
///
/// It ends when it is released, or by ``close()``.
package final class HTTPReceiver: Sendable {
  /// A request that was posted.
  package struct Request: Hashable, Sendable {
    /// The first line.
    package var line: String
    /// By name in lower case.
    package var headers: [String: String]
    package var body: [UInt8]
    /// The number of the connection that it came by, from 1.
    package var connection: Int
  }

  /// The receiver's reaction to a request.
  package enum Answer: Sendable {
    /// A status with headers such as `Retry-After: 7`.
    case status(Int, headers: [String] = [], body: String = "")
    /// These bytes, then the end of the connection.
    case bytes(String)
    /// Nothing, until the other side goes or the receiver is closed.
    case nothing
  }

  private struct State {
    var requests: [Request] = []
    var answeredCount = 0
    var peers: Set<Socket> = []
    var connectionCount = 0
    var isClosed = false
  }

  /// The loopback port that it listens on.
  package let port: UInt16
  private let listener: Socket
  private let state = Mutex(State())
  private let answer: @Sendable (Request, _ number: Int) -> Answer

  /// Starts a receiver; `answer` is told the request and how many came before it.
  package init(answer: @escaping @Sendable (Request, _ number: Int) -> Answer) throws {
    listener = try Socket.listening(port: 0)
    port = listener.localPort
    self.answer = answer
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
        guard let self, let number = self.add(Socket(descriptor: descriptor)) else {
          Socket(descriptor: descriptor).close()
          return
        }
        Thread.detachNewThread { self.serve(Socket(descriptor: descriptor), number) }
      }
    }
  }

  deinit { end() }

  /// Ends all connections and refuses new ones.
  package func close() { end() }

  /// Where to post to.
  package var url: String { "http://127.0.0.1:\(port)/push" }

  /// The requests so far.
  package var requests: [Request] { state.withLock { $0.requests } }
  /// The requests whose answer is on its way.
  package var answeredCount: Int { state.withLock { $0.answeredCount } }

  private func end() {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.isClosed = true
      // Their threads close them, under the same lock; the listener's thread closes the listener.
      for peer in state.peers { _ = shutdown(peer.descriptor, Int32(SHUT_RDWR)) }
      _ = shutdown(listener.descriptor, Int32(SHUT_RDWR))
    }
  }

  private func add(_ peer: Socket) -> Int? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.peers.insert(peer)
      state.connectionCount += 1
      return state.connectionCount
    }
  }

  private func serve(_ peer: Socket, _ connection: Int) {
    var buffer: [UInt8] = []
    while let request = HTTPReceiver.next(from: peer, &buffer, connection) {
      let number = state.withLock { state in
        state.requests.append(request)
        return state.requests.count - 1
      }
      guard HTTPReceiver.give(answer(request, number), to: peer) else { break }
      state.withLock { $0.answeredCount += 1 }
    }
    state.withLock { state in
      state.peers.remove(peer)
      peer.close()
    }
  }

  /// The next whole request; nil: the other side has gone.
  private static func next(
    from peer: Socket, _ buffer: inout [UInt8], _ connection: Int
  ) -> Request? {
    while true {
      if let request = request(in: &buffer, connection) { return request }
      var chunk = [UInt8](repeating: 0, count: 16_384)
      let count = recv(peer.descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      buffer += chunk[..<count]
    }
  }

  private static func request(in buffer: inout [UInt8], _ connection: Int) -> Request? {
    guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
      .components(separatedBy: "\r\n")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    let length = headers["content-length"].flatMap { Int($0) } ?? 0
    guard buffer.count >= end.upperBound + length else { return nil }
    let body = Array(buffer[end.upperBound..<end.upperBound + length])
    buffer.removeFirst(end.upperBound + length)
    return Request(line: lines[0], headers: headers, body: body, connection: connection)
  }

  /// Whether the connection goes on.
  private static func give(_ answer: Answer, to peer: Socket) -> Bool {
    switch answer {
    case .status(let status, let headers, let body):
      let lines =
        ["HTTP/1.1 \(status) Test", "Content-Length: \(body.utf8.count)"] + headers + ["", body]
      return (try? peer.writeAll(Data(lines.joined(separator: "\r\n").utf8))) != nil
    case .bytes(let text):
      try? peer.writeAll(Data(text.utf8))
      return false
    case .nothing:
      var byte: UInt8 = 0
      while recv(peer.descriptor, &byte, 1, 0) > 0 {}
      return false
    }
  }
}
