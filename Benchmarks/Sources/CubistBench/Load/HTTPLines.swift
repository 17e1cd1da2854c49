import CEpoll
import Foundation
import Glibc

/// An address in IPv4 and a port.
struct GatewayAddress {
  var host = "127.0.0.1"
  var port: UInt16
}

/// Connections of HTTP/1.1 to gateways, kept open, served by one thread. It writes and reads no
/// more than it must, so that little of the machine is the generator's.
final class HTTPLines: Lines {
  /// An answer with a length.
  struct Answer {
    var line: Int
    var status: Int
    var body: [UInt8]
  }

  /// The lines take them in turn.
  private let gateways: [GatewayAddress]
  private let epoll: Int32
  private var sockets: [Int32] = []
  private var buffers: [[UInt8]] = []
  /// The last event of each line.
  private var sent: [Int: Outgoing] = [:]
  private var chunk = [UInt8](repeating: 0, count: 65_536)
  private var events = [epoll_event](repeating: epoll_event(), count: 512)

  convenience init(port: UInt16, count: Int) throws {
    try self.init(gateways: [GatewayAddress(port: port)], count: count)
  }

  init(gateways: [GatewayAddress], count: Int) throws {
    self.gateways = gateways
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw HTTPLines.failure("epoll") }
    for _ in 0..<count { try add() }
  }

  deinit { close() }

  func close() {
    for socket in sockets where socket >= 0 { Glibc.close(socket) }
    sockets = []
    Glibc.close(epoll)
  }

  var count: Int { sockets.count }

  /// Connects one more.
  func add() throws {
    sockets.append(-1)
    buffers.append([])
    try connect(sockets.count - 1)
  }

  private func connect(_ line: Int) throws {
    let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard made >= 0 else { throw HTTPLines.failure("socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    let gateway = gateways[line % gateways.count]
    address.sin_port = gateway.port.bigEndian
    address.sin_addr.s_addr = inet_addr(gateway.host)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw HTTPLines.failure("connect") }
    var yes: Int32 = 1
    setsockopt(
      made, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    _ = fcntl(made, F_SETFL, fcntl(made, F_GETFL) | O_NONBLOCK)
    sockets[line] = made
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.u64 = UInt64(line)
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, made, &event) == 0 else {
      throw HTTPLines.failure("epoll_ctl")
    }
  }

  static func failure(_ call: String) -> BenchFailure {
    BenchFailure("\(call): \(String(cString: strerror(errno)))")
  }

  /// Sends a request, which is small enough for the socket's buffer. A connection that the gateway
  /// has closed is made anew.
  func post(_ body: [UInt8], to path: String, on line: Int) throws {
    if sockets[line] < 0 { try connect(line) }
    let head =
      "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/octet-stream\r\n"
      + "Content-Length: \(body.count)\r\n\r\n"
    let bytes = Array(head.utf8) + body
    guard Glibc.send(sockets[line], bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw HTTPLines.failure("send")
    }
  }

  func send(_ event: Outgoing, on line: Int) throws {
    sent[line] = event
    try post(event.body, to: "/v1/events", on: line)
  }

  /// Ends a connection. The next request makes it anew.
  func end(_ line: Int) {
    if sockets[line] >= 0 { Glibc.close(sockets[line]) }
    (sockets[line], buffers[line]) = (-1, [])
  }

  /// Waits for bytes; gives the whole answers.
  func answers(waitMilliseconds: Int32) throws -> [Answer] {
    var answers: [Answer] = []
    for line in try read(waitMilliseconds) {
      while let answer = try whole(line) { answers.append(answer) }
    }
    return answers
  }

  func replies(waitMilliseconds: Int32) throws -> [(line: Int, body: [UInt8])] {
    try answers(waitMilliseconds: waitMilliseconds).compactMap { answer in
      // No reply yet, so the same event is sent again, as every client does.
      if answer.status == 202, let event = sent[answer.line] {
        try send(event, on: answer.line)
        return nil
      }
      guard answer.status == 200 else {
        throw BenchFailure("\(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
      }
      return (answer.line, answer.body)
    }
  }

  /// Waits for bytes of streams; gives the text that has come.
  func texts(waitMilliseconds: Int32) throws -> [(line: Int, text: String)] {
    try read(waitMilliseconds).map { line in
      guard sockets[line] >= 0 else { throw BenchFailure("a stream has ended") }
      defer { buffers[line] = [] }
      return (line, String(decoding: buffers[line], as: UTF8.self))
    }
  }

  /// Reads all that has come; gives the lines with new bytes, and those that have ended.
  private func read(_ milliseconds: Int32) throws -> [Int] {
    let count = epoll_wait(epoll, &events, Int32(events.count), milliseconds)
    guard count >= 0 || errno == EINTR else { throw HTTPLines.failure("epoll_wait") }
    return events.prefix(Int(max(0, count))).map { event in
      let line = Int(event.data.u64)
      while sockets[line] >= 0 {
        let got = recv(sockets[line], &chunk, chunk.count, 0)
        if got > 0 { buffers[line] += chunk[..<got] }
        if got == chunk.count { continue }
        if got == 0 || got < 0 && errno != EAGAIN && errno != EINTR {
          Glibc.close(sockets[line])
          sockets[line] = -1
        }
        break
      }
      return line
    }
  }

  private func whole(_ line: Int) throws -> Answer? {
    let buffer = buffers[line]
    guard let end = HTTPLines.headEnd(buffer) else { return nil }
    let head = String(decoding: buffer[..<end], as: UTF8.self)
    let fields = head.split(separator: "\r\n")
    guard let status = fields.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
      let length = fields.first(where: { $0.lowercased().hasPrefix("content-length:") })?
        .split(separator: ":").last.flatMap({ Int($0.drop { $0 == " " }) })
    else { throw BenchFailure("the gateway answers: \(head)") }
    guard buffer.count >= end + length else { return nil }
    buffers[line].removeFirst(end + length)
    return Answer(line: line, status: status, body: Array(buffer[end..<end + length]))
  }

  /// The index after the empty line.
  private static func headEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.count > 3 else { return nil }
    for index in 3..<bytes.count
    where bytes[index] == 10 && bytes[index - 1] == 13 && bytes[index - 2] == 10 {
      return index + 1
    }
    return nil
  }
}
