import CustomDump
import Foundation
import Testing

@testable import PrivateServers

@Suite("Addresses of private servers")
struct AddressTests {
  private static func addresses(
    _ options: ServerOptions, folder: String = "/x"
  ) -> ServerAddresses {
    var ports = ServerPorts()
    var generator = Ascending()
    ports.add(options, listening: [], using: &generator)
    return ServerAddresses(
      ports: ports, passwords: ServerPasswords(postgres: "p", rabbitmq: "r"), tls: options.tls,
      paths: ServerPaths(folder: folder))
  }

  @Test("Every server is named, and a connection string says that the primary is wanted")
  func everyServer() {
    let addresses = Self.addresses(ServerOptions(standby: true, nodes: 2))
    #expect(addresses.postgres.hasPrefix("host=127.0.0.1,127.0.0.1 port="))
    #expect(addresses.postgres.hasSuffix(" dbname=postgres target_session_attrs=read-write"))
    #expect(addresses.amqp.matches(of: /127\.0\.0\.1:\d+/).count == 2)
    #expect(addresses.secured == nil)
    #expect(addresses.variables.count == 4)
  }

  @Test("The plain address beside TLS says that it is plain, and the other verifies the server")
  func secured() throws {
    let addresses = Self.addresses(ServerOptions(tls: true), folder: "/a b's")
    #expect(addresses.postgres.hasSuffix(" sslmode=disable"))
    let secured = try #require(addresses.secured)
    #expect(secured.postgres.hasSuffix(#" sslmode=verify-full sslrootcert='/a b\'s/ca.pem'"#))
    #expect(secured.amqps.hasPrefix("amqps://cubist:r@localhost:"))
    #expect(secured.amqps.hasSuffix("/?cacertfile=%2Fa%20b%27s%2Fca.pem"))
    #expect(secured.management.hasPrefix("https://cubist:r@localhost:"))
    #expect(secured.management.hasSuffix("?cacertfile=%2Fa%20b%27s%2Fca.pem"))
    #expect(addresses.variables.count == 7)
  }

  @Test("Another user and another database are put in their places")
  func others() throws {
    let addresses = Self.addresses(ServerOptions(tls: true))
    let secured = try #require(addresses.secured)
    #expect(secured.postgres(database: "cubist") == secured.postgres + " dbname=cubist")
    #expect(addresses.amqp(user: "x", password: "y")?.hasPrefix("amqp://x:y@127.0.0.1:") == true)
    let url = try #require(secured.amqps(user: "x", password: "y"))
    #expect(url.hasPrefix("amqps://x:y@localhost:") && url.contains("/?cacertfile="))
  }

  @Test("A shell that reads the lines has the same variables")
  func shell() throws {
    let addresses = Self.addresses(ServerOptions(tls: true), folder: "/a b's $HOME \\ `c`")
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("cubist-env-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    let script = #"eval "$(cat)"; env -0 | tr '\n\0' '\0\n' | grep -a '^CUBIST_TEST_'"#
    let status = try Tool(
      words: ["/bin/sh", "-c", script], input: addresses.shellLines, log: file
    ).run()
    #expect(status == 0)
    let lines = String(decoding: try Disk.read(file), as: UTF8.self).split(separator: "\n")
    expectNoDifference(
      lines.sorted(), addresses.variables.map { Substring("\($0.key)=\($0.value)") }.sorted())
  }

  /// Gives one number after another.
  private struct Ascending: RandomNumberGenerator {
    var state: UInt64 = 0

    mutating func next() -> UInt64 {
      state &+= 0x1000_0000_0000_0000 / 12
      return state
    }
  }
}
