import Dispatch
import Foundation
import RawHTTP
import RealServers
import Synchronization
import SystemCalls
import Testing

@testable import HTTPServer

@Suite("A server with its threads", .ownThreads)
struct ServerTests {
  /// Notes what the server asks, and holds the thread that asks for the path `/held`.
  final class Notes: HTTPHandler {
    private struct State {
      var admitted = 0
      var paths: [String] = []
      var givenUp: [ConnectionTimes.Expiry] = []
    }

    /// The answer to `/long`: some times as much as the system keeps for a connection.
    static let long = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 / 251) }

    private let state = Mutex(State())
    private let isRefusing: Bool
    /// Let it go on.
    let held = DispatchSemaphore(value: 0)

    init(isRefusing: Bool = false) { self.isRefusing = isRefusing }

    var admitted: Int { state.withLock { $0.admitted } }
    /// The paths in the order of their requests.
    var paths: [String] { state.withLock { $0.paths } }
    /// Why connections were given up.
    var givenUp: [ConnectionTimes.Expiry] { state.withLock { $0.givenUp } }

    func admit(_: ClientConnection) -> HTTPResponse? {
      guard !isRefusing else { return HTTPResponse(status: 503, body: Array("full".utf8)) }
      state.withLock { $0.admitted += 1 }
      return nil
    }

    func respond(to request: HTTPRequest, from _: ClientConnection) async -> HTTPAnswer {
      state.withLock { $0.paths.append(request.target) }
      if request.target == "/held" { hold() }
      let body = request.target == "/long" ? Self.long : Array("ok".utf8)
      return .whole(HTTPResponse(status: 200, body: body))
    }

    private func hold() { held.wait() }

    func left(_: ClientConnection) {}
    func explain(_: HTTPRefusal, to _: ClientConnection) -> HTTPResponse {
      HTTPResponse(status: 400)
    }
    func gaveUp(_: ClientConnection, _ why: ConnectionTimes.Expiry) {
      state.withLock { $0.givenUp.append(why) }
    }
    func failed(_: SystemError) {}
    func tick() {}
    func date() -> String { "now" }
  }

  static func settings(threads: Int = 1) -> HTTPServer.Settings {
    var settings = HTTPServer.Settings(
      request: RequestReader.Limits(headBytes: 4_096, fieldCount: 8, bodyBytes: 64),
      times: ConnectionTimes.Limits(idle: nil, head: nil, body: nil, write: nil))
    settings.threads = threads
    return settings
  }

  @Test("Somebody new is answered before those who sent many requests at once have a third answer")
  func fairness() throws {
    let notes = Notes()
    let server = try HTTPServer(at: "127.0.0.1", port: 0, Self.settings(), notes) { body in
      Thread(block: body).start()
    }
    defer {
      notes.held.signal()
      server.closeAll()
      server.stop()
    }
    let count = 100
    let many = try (0..<count).map { _ in try RawClient(port: server.port) }
    let holder = try RawClient(port: server.port)
    try wait("all are admitted") { notes.admitted == count + 1 }
    holder.send(RawClient.request("GET", "/held"))
    try wait("the thread is held") { notes.paths == ["/held"] }
    // All is there when the thread looks again, and the newcomer is the last one.
    for client in many { client.send((0..<16).flatMap { _ in RawClient.request("GET", "/many") }) }
    let newcomer = try RawClient(port: server.port)
    newcomer.send(RawClient.request("GET", "/new"))
    notes.held.signal()
    #expect(try newcomer.answer().status == 200)
    let before = notes.paths.prefix { $0 != "/new" }.count { $0 == "/many" }
    #expect(before <= 2 * count)
    for client in many {
      try wait("all are answered") {
        client.receive(milliseconds: 20)
        return client.text.components(separatedBy: "HTTP/1.1 200").count == 17
      }
    }
  }

  @Test("So many refused connections are told why at once; the others are closed without a word")
  func refused() throws {
    var settings = Self.settings(threads: 2)
    // Longer than the test takes.
    settings.times.refused = 600_000_000_000
    settings.refusedCount = 8
    let notes = Notes(isRefusing: true)
    let server = try HTTPServer(at: "127.0.0.1", port: 0, settings, notes) { body in
      Thread(block: body).start()
    }
    defer {
      server.closeAll()
      server.stop()
    }
    var told: [RawClient] = []
    for number in 0..<12 {
      let client = try RawClient(port: server.port)
      try client.waitForEnd()
      #expect(client.text.isEmpty == (number >= 8))
      if !client.text.isEmpty { told.append(client) }
    }
    // Who leaves makes room for others.
    for client in told { client.close() }
    try wait("somebody is told again") {
      let client = try RawClient(port: server.port)
      try client.waitForEnd()
      return client.text.hasPrefix("HTTP/1.1 503")
    }
  }

  @Test("A client may read slowly, as long as it reads")
  func slowReaders() throws {
    // Time passes when the test says so, and the server looks at it at least ten times a second.
    let time = Mutex<UInt64>(0)
    let second: UInt64 = 1_000_000_000
    var settings = Self.settings()
    settings.times.write = 20 * second
    settings.clock = { time.withLock { $0 } }
    let notes = Notes()
    let server = try HTTPServer(at: "127.0.0.1", port: 0, settings, notes) { body in
      Thread(block: body).start()
    }
    defer {
      server.closeAll()
      server.stop()
    }
    func reader() throws -> RawClient {
      let client = try RawClient(port: server.port, receiveBytes: 4_096)
      client.send(RawClient.request("GET", "/long"))
      return client
    }
    let (slow, idle, other) = (try reader(), try reader(), try RawClient(port: server.port))
    try idle.waitFor("200")
    for _ in 0..<8 {
      let before = slow.receivedCount
      try wait("a slow client reads some bytes; it has \(before)") {
        slow.receive(milliseconds: 20)
        return slow.receivedCount >= before + 16_000
      }
      time.withLock { $0 += 19 * second }
      // The one thread has looked at the time of all others before it answers this one.
      #expect(try other.ask("GET", "/look").status == 200)
    }
    #expect(notes.givenUp == [.slowReader])
    try idle.waitForEnd()
    #expect(try slow.answer().body == Notes.long)
  }

  /// The polls that this process has open, those of other tests too.
  static func pollCount() throws -> Int {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
      return target?.hasSuffix("anon_inode:[eventpoll]") == true
    }
  }

  @Test("A server that cannot begin, again and again, leaves nothing open")
  func failedStarts() throws {
    let (taken, port) = try Socket.listen(at: "127.0.0.1", port: 0, backlog: 1)
    let before = try Self.pollCount()
    for _ in 0..<100 {
      #expect(throws: SystemError.self) {
        try HTTPServer(at: "127.0.0.1", port: port, Self.settings(threads: 3), Notes()) { _ in
          Issue.record("a thread was started")
        }
      }
    }
    Socket.close(taken)
    for _ in 0..<100 {
      var count = 0
      #expect(throws: SystemError.self) {
        try HTTPServer(at: "127.0.0.1", port: 0, Self.settings(threads: 3), Notes()) {
          (body) throws(SystemError) in
          count += 1
          guard count < 2 else { throw SystemError(code: EAGAIN) }
          Thread(block: body).start()
        }
      }
      #expect(count == 2)
    }
    // Two or three of each one would be left.
    try wait("the threads that were started have ended") { try Self.pollCount() < before + 100 }
  }
}
