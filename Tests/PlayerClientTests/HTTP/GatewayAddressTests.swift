import PlayerClient
import Testing

@Suite("Addresses of gateways")
struct GatewayAddressTests {
  @Test(
    "An address is read with port and path, in any case of its letters",
    arguments: [
      ("https://play.example.org", "https://play.example.org", false),
      ("HTTPS://Play.Example.org:8443/cubist/", "https://play.example.org:8443/cubist", false),
      ("http://127.0.0.1:8080", "http://127.0.0.1:8080", true),
      ("http://127.9.9.9/", "http://127.9.9.9", true),
      ("http://localhost:1", "http://localhost:1", true),
      ("http://[::1]:8080/a//", "http://[::1]:8080/a", true),
      ("https://[2001:db8::17]", "https://[2001:db8::17]", false),
      ("https://xn--bcher-kva.example/%C3%BC", "https://xn--bcher-kva.example/%C3%BC", false),
    ])
  func reading(url: String, shown: String, isNear: Bool) throws {
    let address = try GatewayAddress(url: url)
    #expect(address.description == shown && address.isOnThisMachine == isNear)
    #expect(GatewayAddress.isGateway(url))
    #expect(try GatewayAddress(url: shown) == address)
  }

  // Failure: GatewayAddressError: The URL is not one of a gateway.
  @Test(
    "A wrong address is refused with its mistake, and without a password",
    arguments: [
      ("play.example.org", "it has no scheme"), ("ftp://host", "neither https nor http"),
      ("https://", "names no host"), ("https:///path", "names no host"),
      ("https://ada:secret@host", "a user or a password"),
      ("https://host:0", "no number from 1 to 65535"),
      ("https://host:65536", "no number"), ("https://host:", "no number"),
      ("https://host:+80", "no number"), ("https://[::1", "no ]"),
      ("https://[::1]8080", "no number"), ("https://[fe80::1%25eth0]", "no IPv6 address"),
      ("https://[host]", "no IPv6 address"), ("https://b\u{fc}cher.example", "xn--"),
      ("https://ho st", "no name of a host"), ("https://host/?a=b", "a ? or a #"),
      ("https://host#x", "a ? or a #"), ("https://host/a b", "percent-encoded"),
      ("https://host/\r\nX: y", "percent-encoded"),
    ])
  func mistakes(url: String, reason: String) throws {
    let error = try #require(throws: GatewayAddressError.self) { try GatewayAddress(url: url) }
    #expect(error.description.contains(reason), "\(error)")
    #expect(!error.description.contains("secret"))
    #expect(error.description.hasSuffix("it looks like https://play.example.org"))
  }

  @Test("Only a way without encryption to another machine is warned of")
  func warning() throws {
    #expect(try GatewayAddress(url: "https://host").warning == nil)
    #expect(try GatewayAddress(url: "http://127.0.0.1:1").warning == nil)
    let warning = try #require(try GatewayAddress(url: "http://host:80").warning)
    #expect(warning.hasPrefix("http://host:80 is not encrypted"))
  }
}
