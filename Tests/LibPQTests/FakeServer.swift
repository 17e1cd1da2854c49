import Glibc
import LibPQ

/// A server with prepared answers, played by the wait hook of the connection under test.
final class FakeServer {
  enum Failure: Error { case socket(Int32) }

  private let listener: Int32
  private var peer: Int32 = -1
  private var answers: [[UInt8]]
  let port: UInt16

  /// Listens on a free port; each answer is sent once after something was received.
  ///
  /// After the last answer the peer is cut off.
  init(answers: [[UInt8]]) throws {
    self.answers = answers
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let (listener, size) = (listener, length)
    let status = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) | listen(listener, 8)
          | getsockname(listener, address, &length)
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard status == 0 else { throw Failure.socket(errno) }
  }

  deinit {
    Glibc.close(listener)
    if peer >= 0 { Glibc.close(peer) }
  }

  var settings: PostgreSQLSettings {
    var settings = PostgreSQLSettings()
    settings.endpoints = [.init(host: "127.0.0.1", port: port)]
    settings.user = "nobody"
    settings.password = "hunter2hunter2"
    settings.sslMode = .disable
    settings.connectTimeout = .milliseconds(400)
    return settings
  }

  /// Accepts, reads and answers without waiting.
  var hook: WaitHook {
    WaitHook(every: .milliseconds(1)) { self.serve() }
  }

  private func serve() {
    if peer < 0 { peer = accept(listener, nil, nil) }
    var buffer = [UInt8](repeating: 0, count: 65536)
    guard peer >= 0, recv(peer, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 else {
      return
    }
    guard !answers.isEmpty else {
      Glibc.close(peer)
      peer = -1
      return
    }
    let answer = answers.removeFirst()
    _ = send(peer, answer, answer.count, Int32(MSG_NOSIGNAL))
  }

  /// A server's messages that let a client in.
  static func welcome(version: String = "15.0") -> [UInt8] {
    let reports = [
      "server_version": version, "in_hot_standby": "off", "default_transaction_read_only": "off",
      "client_encoding": "UTF8",
    ]
    return message("R", [0, 0, 0, 0])
      + reports.flatMap { message("S", Array("\($0.key)\0\($0.value)\0".utf8)) }
      + message("Z", Array("I".utf8))
  }

  /// A message of the protocol: its type, its length, its body.
  static func message(_ type: Character, _ body: [UInt8]) -> [UInt8] {
    let length = UInt32(body.count + 4)
    return Array(String(type).utf8) + [24, 16, 8, 0].map { UInt8(length >> $0 & 255) } + body
  }
}
