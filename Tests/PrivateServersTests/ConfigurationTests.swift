import Testing

@testable import PrivateServers

@Suite("Settings of private servers")
struct ConfigurationTests {
  private static func configuration(
    _ options: ServerOptions, primary: Int = 1, isSynchronous: Bool = false
  ) -> ServerConfiguration {
    var ports = ServerPorts()
    var generator = SystemRandomNumberGenerator()
    ports.add(options, listening: [], using: &generator)
    return ServerConfiguration(
      ports: ports, passwords: ServerPasswords(postgres: "p", rabbitmq: "r"),
      paths: ServerPaths(folder: "/it's"), tls: options.tls, primary: primary,
      isSynchronous: isSynchronous, clusterName: "cubist-1-2")
  }

  @Test("The standby follows the primary, the first or the second; commits wait once it streams")
  func standby() {
    for primary in 1...2 {
      let follower = "primary_conninfo = 'host=127.0.0.1 port="
      let apart = Self.configuration(ServerOptions(standby: true), primary: primary)
      #expect(!apart.postgres(primary).contains(follower))
      #expect(apart.postgres(3 - primary).contains(follower))
      #expect(!apart.postgres(primary).contains("synchronous_standby_names"))
      let together = Self.configuration(
        ServerOptions(standby: true), primary: primary, isSynchronous: true)
      #expect(together.postgres(primary).contains("synchronous_standby_names = 'cubist_standby'"))
      #expect(!together.postgres(3 - primary).contains("synchronous_standby_names"))
    }
  }

  @Test("Nothing is said of TLS and of a standby where there is none")
  func plain() {
    let plain = Self.configuration(ServerOptions())
    #expect(!plain.postgres(1).contains("ssl") && !plain.postgres(1).contains("slot"))
    #expect(!plain.rabbitmq(1).contains("ssl") && !plain.rabbitmq(1).contains("cluster"))
    let secured = Self.configuration(ServerOptions(tls: true))
    #expect(secured.postgres(1).contains("ssl_key_file = '/it''s/data/tls/server.key'"))
    #expect(secured.rabbitmq(1).contains("listeners.ssl.1 = 127.0.0.1:"))
  }

  @Test("A further node joins the first")
  func nodes() {
    let cluster = Self.configuration(ServerOptions(nodes: 3))
    let join = "classic_config.nodes.1 = \(cluster.nodeName(1))"
    #expect(!cluster.rabbitmq(1).contains(join))
    #expect(cluster.rabbitmq(2).contains(join) && cluster.rabbitmq(3).contains(join))
    #expect(Set((1...3).map(cluster.nodeName)).count == 3)
  }

  // Failure: ServersError.packagesMissing: Packages of Debian are missing. All of them are named.
  @Test("All packages that are missing are named at once, and openssl only where it is needed")
  func packages() throws {
    let failure = #expect(throws: ServersError.self) {
      _ = try ServerPrograms(tls: true, versions: ["15"]) { _ in false }
    }
    #expect(
      failure == .packagesMissing(["postgresql", "rabbitmq-server", "erlang-base", "openssl"]))
    let programs = try ServerPrograms(tls: false, versions: ["9", "16", "15"]) { path in
      path != "/usr/bin/openssl"
    }
    #expect(programs.postgres == "/usr/lib/postgresql/16/bin")
    #expect(programs.rabbitmq == "/usr/lib/rabbitmq/bin" && programs.epmd == "/usr/bin/epmd")
  }

  @Test("Servers of another release are found below their root, and nowhere else")
  func otherRoot() throws {
    let programs = try ServerPrograms(tls: true, root: "/other", versions: ["17"]) { path in
      path.hasPrefix("/other/") || path == ServerPrograms.openssl
    }
    #expect(programs.postgres == "/other/usr/lib/postgresql/17/bin")
    #expect(programs.rabbitmq == "/other/usr/lib/rabbitmq/bin")
    var configuration = Self.configuration(ServerOptions())
    #expect(configuration.erlangVariables(1)["PATH"]?.hasPrefix("/usr/local/bin:") == true)
    configuration.root = programs.root
    #expect(
      configuration.rabbitmqVariables(1, schedulers: 1)["PATH"]?.hasPrefix("/other/usr/bin:")
        == true)
    for (root, isThere) in [("/other", false), ("other", true)] {
      let failure = #expect(throws: ServersError.self) {
        _ = try ServerPrograms(tls: true, root: root, versions: ["17"]) { _ in isThere }
      }
      #expect(failure?.description.hasPrefix("CUBIST_SERVERS_ROOT=\(root) ") == true)
    }
  }

  // Failure: ServersError.stuck: A server does not end, or another one is in a wrong state.
  // Failure: ServersError.busy: Another command is at work in the folder for minutes.
  // Failure: ServersError.system: A file or a program cannot be used.
  @Test("Each failure of private servers has its cause and a remedy")
  func failures() {
    let started = ServersError.notStarted(
      what: "RabbitMQ", log: "/l", end: "one\ntwo", hints: ["something listens on port 7"])
    #expect(
      started.description == """
        RabbitMQ did not start. The end of /l:
          one
          two
        something listens on port 7
        try again; if that does not help, stop the servers and remove their folder
        """)
    #expect(
      ServersError.packagesMissing(["a", "b"]).description
        == "missing packages: a b; deploy/packages installs them (apt-get install a b)")
    #expect(ServersError.folder("f; do g").description == "f; do g")
    #expect(ServersError.stuck("s").description == "s")
    #expect(ServersError.busy(folder: "/f").description.contains("in /f for five minutes"))
    #expect(ServersError.system(what: "/f", reason: "No space").description == "/f: No space")
  }
}
