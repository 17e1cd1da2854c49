import HTTPServer
import MatchCore
import MatchInterfaces
import MatchService
import Testing

@testable import MatchGateway

@Suite("The small rules of the gateway")
struct PureTests {
  @Test(
    "Prefer: wait is read as RFC 7240 has it",
    arguments: [
      ("wait=5", 5), ("WAIT=7", 7), ("respond-async, wait=3", 3), ("wait=\"4\"", 4),
      ("wait = 6 ; x=y", 6), ("foo=\"a, wait=9\", wait=2", 2), ("wait=1, wait=8", 1),
      ("wait", nil), ("wait=", nil), ("wait=-1", nil), ("wait=1.5", nil), ("waits=4", nil),
      ("wait=99999999999999999999", 999_999_999), ("", nil), (",,;=", nil),
    ] as [(String, Int?)])
  func prefer(_ field: String, _ seconds: Int?) {
    #expect(Preference.wait([field]) == seconds)
  }

  @Test("A stranger who sends again what a key has signed uses up nothing of the key's player")
  func replayedKey() throws {
    var settings = GatewaySettings(listen: ListenAddress(host: "127.0.0.1", port: 1))
    settings.requestsPerKey = 3
    let wall = Wall(settings, clock: .live)
    let key = try #require(PublicKey(String(repeating: "07", count: 32)))
    let (stranger, player) = (InternetAddress("9.9.9.9"), InternetAddress("1.1.1.1"))
    for _ in 0..<3 { try wall.request(signedBy: key, from: stranger) }
    #expect(throws: Wall.Refusal.self) { try wall.request(signedBy: key, from: stranger) }
    for _ in 0..<3 { try wall.request(signedBy: key, from: player) }
    #expect(throws: Wall.Refusal.self) { try wall.request(signedBy: key, from: player) }
  }

  @Test("The right-most address that is no proxy's counts, and only by the word of a proxy")
  func forwarding() throws {
    let (proxy, stranger) = (InternetAddress("10.0.0.1"), InternetAddress("9.9.9.9"))
    let range = try #require(AddressRange("10.0.0.0/8"))
    func client(
      _ peer: InternetAddress?, forwarded: [String] = [], x: [String] = []
    ) -> InternetAddress? {
      Forwarding.client(
        peer: peer, forwarded: forwarded, xForwardedFor: x, isProxy: { range.contains($0) })
    }
    #expect(client(stranger, x: ["1.1.1.1"]) == stranger)
    #expect(client(proxy, x: ["1.1.1.1"]) == InternetAddress("1.1.1.1"))
    #expect(client(proxy, x: ["6.6.6.6, 1.1.1.1, 10.2.3.4"]) == InternetAddress("1.1.1.1"))
    #expect(client(proxy, x: ["6.6.6.6", "1.1.1.1:4711"]) == InternetAddress("1.1.1.1"))
    #expect(client(proxy, x: ["garbage"]) == proxy)
    #expect(client(proxy, x: []) == proxy)
    #expect(
      client(proxy, forwarded: ["for=6.6.6.6, for=\"[2001:db8::7]:80\";proto=https"])
        == InternetAddress("2001:db8::7"))
    // A proxy that writes one of the two passes the other one on as a client wrote it.
    #expect(client(proxy, forwarded: ["for=6.6.6.6"], x: ["1.1.1.1"]) == proxy)
    #expect(client(proxy, forwarded: ["for=unknown"]) == proxy)
    #expect(client(nil, x: ["1.1.1.1"]) == nil)
  }

  @Test(
    "Whatever a client writes before it, the address that a proxy appends is the client's",
    arguments: [
      "[6.6.6.6]", "[2001:db8::1]\u{600}", "6.6.6.6:\u{600}", "for=6.6.6.6;\u{600}",
      "6.6.6.6\u{301}", "6.6.6.6,\u{200d}", "\"", "for=\"", "[", "\u{1f1e9}",
    ])
  func appended(_ claim: String) throws {
    let (proxy, client) = (InternetAddress("10.0.0.1"), InternetAddress("9.9.9.9"))
    let range = try #require(AddressRange("10.0.0.0/8"))
    func seen(_ name: String, _ value: String) throws -> InternetAddress? {
      var reader = RequestReader(.init(headBytes: 16_384, fieldCount: 64, bodyBytes: 64))
      let head = "GET / HTTP/1.1\r\nHost: a\r\n\(name): \(value)\r\n\r\n"
      Array(head.utf8).withUnsafeBytes { reader.append($0) }
      _ = try reader.next()
      guard case .request(let request)? = try reader.next() else { return nil }
      return Forwarding.client(
        peer: proxy, forwarded: request.fields.values("forwarded"),
        xForwardedFor: request.fields.values("x-forwarded-for"), isProxy: { range.contains($0) })
    }
    #expect(try seen("X-Forwarded-For", "\(claim), 9.9.9.9") == client)
    #expect(try seen("Forwarded", "\(claim), for=9.9.9.9") == client)
  }

  @Test("Behind an address stands a port or nothing")
  func ports() throws {
    let (proxy, range) = (InternetAddress("10.0.0.1"), try #require(AddressRange("10.0.0.0/8")))
    for text in [
      "[::1]x", "[::1]:", "[::1]:8x", "6.6.6.6:", "6.6.6.6:x", "6.6.6.6:1:2", "6.6.6.6;",
    ] {
      let seen = Forwarding.client(
        peer: proxy, forwarded: [], xForwardedFor: [text], isProxy: { range.contains($0) })
      #expect(seen == proxy, "\(text)")
    }
  }

  @Test("Of a list of thousands of addresses only the last ones are looked at")
  func longLists() {
    let commas = String(repeating: ",", count: 16_000)
    #expect(Forwarding.lastElements([commas]).count == Forwarding.limit)
    #expect(Forwarding.lastElements([commas, "a, b", "c"]).prefix(3) == ["c", " b", "a"])
  }

  @Test("Addresses of IPv6 count by their first 64 bits, and IPv4 in IPv6 is IPv4")
  func addresses() {
    let first = InternetAddress("2001:db8:1:2::1")
    #expect(first?.counted == InternetAddress("2001:db8:1:2:ffff::9")?.counted)
    #expect(first?.counted != InternetAddress("2001:db8:1:3::1")?.counted)
    #expect(InternetAddress("::ffff:1.2.3.4") == InternetAddress("1.2.3.4"))
    #expect(InternetAddress("1.2.3.4")?.counted != InternetAddress("1.2.3.5")?.counted)
    for text in ["", "1.2.3", "1.2.3.4\u{0}", "localhost", "1.2.3.4/8", "::1%lo", "01.2.3.4"] {
      #expect(InternetAddress(text) == nil, "\(text)")
    }
    #expect(AddressRange("2001:db8::/32")?.contains(first!) == true)
    #expect(AddressRange("0.0.0.0/0")?.contains(InternetAddress("8.8.8.8")!) == true)
    #expect(AddressRange("0.0.0.0/0")?.contains(first!) == false)
    for text in ["10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/8/8", "x"] {
      #expect(AddressRange(text) == nil, "\(text)")
    }
  }

  @Test("A table of rates never grows beyond its size, and forgives the one who has to go")
  func rates() {
    var table = RateTable<Int>(limit: 2, in: .seconds(60), capacity: 100)
    #expect(table.take(1, at: 0) == nil && table.take(1, at: 0) == nil)
    let seconds = table.take(1, at: 0)
    #expect(seconds == 31)
    #expect(table.take(1, at: 31_000_000_000) == nil)
    for key in 0..<100_000 { _ = table.take(key, at: 32_000_000_000) }
    #expect(table.count <= 100)
    #expect(table.take(1, at: 32_000_000_000) == nil)
  }

  @Test("Of a field with thousands of members only the first are read")
  func longFields() {
    let many = Array(repeating: "text/plain", count: 2_000).joined(separator: ",")
    #expect(ListField.members([many]).count == 32)
    #expect(ListField.members(Array(repeating: "a,b", count: 500)).count == 32)
    #expect(ListField.members(["a, b", "c"]) == ["a", " b", "c"])
    #expect(!Accepting.allows("application/json", ["\(many),application/json"]))
    #expect(Accepting.allows("application/json", ["text/plain,application/json"]))
  }

  @Test("Health tells who does not work, and whose loop hangs")
  func health() {
    let report = HealthReport(
      [
        .init(name: "worker", state: .working, turnedAt: 99_000_000_000),
        .init(
          name: "reader", state: .interrupted(.bus(.disconnected("x"))), turnedAt: 99_000_000_000),
      ], at: 100_000_000_000)
    #expect(report.isLive && !report.isReady)
    let hanging = HealthReport(
      [.init(name: "worker", state: .working, turnedAt: 1_000_000_000)], at: 100_000_000_000)
    #expect(!hanging.isLive && !hanging.isReady)
    #expect(
      String(decoding: report.body("ready", report.isReady), as: UTF8.self)
        == "{\"ready\":false,\"roles\":[{\"name\":\"worker\",\"state\":\"working\"},"
        + "{\"name\":\"reader\",\"state\":\"interrupted\",\"reason\":\"event bus disconnected: x\"}]}"
    )
  }

  @Test("The date has the form of RFC 9110")
  func date() {
    #expect(
      HTTPDate.text(of: Instant(microseconds: 784_111_777_000_000))
        == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(
      HTTPDate.text(of: Instant(microseconds: 0)) == "Thu, 01 Jan 1970 00:00:00 GMT")
  }
}
