import Testing

@testable import MatchService

@Suite("The addresses that a client may lead the service to")
struct PushGateTests {
  private static func kind(_ text: String) throws -> String? {
    try #require(InternetAddress(text), "\(text)").specialKind
  }

  @Test(
    "Of each special range the first and the last address are refused, and their neighbours not",
    arguments: [
      ("0.0.0.0", "0.255.255.255", nil, "1.0.0.0"),
      ("10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"),
      ("100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"),
      ("127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"),
      ("169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"),
      ("172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"),
      ("192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"),
      ("192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"),
      ("192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"),
      ("192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"),
      ("198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"),
      ("198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"),
      ("203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"),
      ("224.0.0.0", "255.255.255.255", "223.255.255.255", nil),
      ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil, nil),
      ("2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", nil, "2001:200::"),
      (
        "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
        "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"
      ),
      (
        "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
        "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"
      ),
      ("4000::", "fbff::", nil, nil), ("fc00::", "fdff:ffff::", nil, nil),
      ("fe80::", "febf:ffff::", nil, nil), ("fec0::", "feff:ffff::", nil, nil),
      ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil, nil), ("::1", "::2", nil, nil),
      ("100::", "100::ffff", nil, nil), ("64:ff9b:1::", "64:ff9b:1:ffff::", nil, nil),
    ] as [(String, String, String?, String?)])
  func ranges(first: String, last: String, before: String?, after: String?) throws {
    #expect(try Self.kind(first) != nil)
    #expect(try Self.kind(last) != nil)
    for neighbour in [before, after].compactMap({ $0 }) {
      #expect(try Self.kind(neighbour) == nil, "\(neighbour)")
    }
  }

  @Test(
    "An address that carries one of IPv4 is judged by that one",
    arguments: [
      ("::ffff:127.0.0.1", true), ("::ffff:8.8.8.8", false), ("::ffff:10.1.2.3", true),
      ("64:ff9b::a00:1", true), ("64:ff9b::808:808", false), ("64:ff9b::7f00:1", true),
      ("2002:7f00:1::", true), ("2002:808:808::1", false), ("2002:c0a8:101::", true),
      ("2002:a9fe:a9fe::", true),
      // Teredo: the client's address is inverted.
      ("2001:0:808:808::80ff:fffe", true), ("2001::f7f7:f7f7", false), ("2001::f5ff:fffe", true),
      ("::127.0.0.1", true), ("::8.8.8.8", true),
    ])
  func carried(text: String, isRefused: Bool) throws {
    #expect(try (Self.kind(text) != nil) == isRefused)
  }

  @Test("The port is that of HTTPS, unless the operator allows the network")
  func ports() throws {
    let outside = try #require(InternetAddress("8.8.8.8")).bits
    let inside = try #require(InternetAddress("10.1.2.3")).bits
    let carried = try #require(InternetAddress("64:ff9b::a01:203")).bits
    let closed = PushGate()
    #expect(closed.refusal(of: outside, port: 443) == nil)
    #expect(closed.refusal(of: outside, port: 8443) == "the port is not 443")
    #expect(closed.refusal(of: inside, port: 443) == "the address is private")
    let open = PushGate(allowed: try [#require(AddressRange("10.1.0.0/16"))])
    #expect(open.refusal(of: inside, port: 8443) == nil)
    #expect(open.refusal(of: carried, port: 443) == nil)
    let neighbour = try #require(InternetAddress("10.2.0.0")).bits
    #expect(open.refusal(of: neighbour, port: 443) == "the address is private")
  }

  @Test("Every range of the tables is one")
  func tables() {
    let all = InternetAddress.special4 + InternetAddress.special6
    #expect(all.allSatisfy { $0.range != nil } && all.count > 25)
  }
}
