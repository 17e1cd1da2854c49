import Foundation
import Glibc
import RealServers
import Testing

@Suite("A proxy that breaks connections")
struct ProxyTests {
  @Test("A cut is over when it returns: the client reads a reset")
  func cut() throws {
    let listener = try Listener()
    defer { listener.end() }
    let proxy = try TCPProxy(port: listener.port)
    defer { proxy.close() }
    for round in 0..<200 {
      let client = try Listener.connect(to: proxy.port)
      defer { close(client) }
      try Listener.wait { proxy.connectionCount == 1 }
      // The proxy sleeps in a `poll` of the connection most of the time.
      if round % 2 == 0 { Patience.pause(0.000_5) }
      proxy.cut()
      var byte: UInt8 = 0
      let count = recv(client, &byte, 1, Int32(MSG_DONTWAIT))
      let code = errno
      #expect(count == -1 && code == ECONNRESET, "round \(round): \(count), \(code)")
    }
  }

  @Test("A cut without a reset is an orderly end")
  func orderly() throws {
    let listener = try Listener()
    defer { listener.end() }
    let proxy = try TCPProxy(port: listener.port)
    defer { proxy.close() }
    let client = try Listener.connect(to: proxy.port)
    defer { close(client) }
    try Listener.wait { proxy.connectionCount == 1 }
    proxy.cut(resetting: false)
    var byte: UInt8 = 0
    #expect(recv(client, &byte, 1, Int32(MSG_DONTWAIT)) == 0)
  }

  @Test("A doubling proxy sends each POST twice and loses some answers")
  func doubling() throws {
    let server = try HTTPReceiver { _, _ in .status(200, body: "well") }
    defer { server.close() }
    let proxy = try DoublingProxy(port: server.port)
    defer { proxy.close() }
    #expect(OneRequest.post("once", to: "/", port: proxy.port) == 200)
    #expect(server.requests.count == 1 && proxy.deeds.doubled == 0)
    proxy.setDoubling(true)
    let answered = (0..<60).count { _ in OneRequest.post("twice", to: "/", port: proxy.port) == 200
    }
    #expect(server.requests.count == 121)
    #expect(server.requests.dropFirst().allSatisfy { $0.body == Array("twice".utf8) })
    #expect(proxy.deeds.doubled == 60 && proxy.deeds.lost == 60 - answered)
    #expect(0 < answered && answered < 60)
    // A GET goes once.
    #expect(OneRequest.get("/", port: proxy.port) == 200)
    #expect(server.requests.count == 122)
  }
}

/// A server that takes connections and says nothing.
private struct Listener {
  let descriptor: Int32
  let port: UInt16

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.descriptor = descriptor
    var address = Listener.loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) == 0 && listen(descriptor, 256) == 0
          && getsockname(descriptor, address, &size) == 0
      }
    }
    try #require(bound)
    port = UInt16(bigEndian: address.sin_port)
  }

  func end() { close(descriptor) }

  static func connect(to port: UInt16) throws -> Int32 {
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(port)
    let code = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(code == 0)
    return client
  }

  static func wait(_ isSo: () -> Bool) throws {
    // The awaited change happens in the proxy's thread, which does not announce it.
    try Patience.wait(for: "the proxy's connection", pause: { _ in Patience.pause(0.000_1) }, isSo)
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}
