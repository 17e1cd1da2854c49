import BrokerManagement
import Chaos
import EventBusLive
import Foundation
import Glibc
import LibPQ
import Logging
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import PrivateServers
import RawHTTP
import Testing

@testable import cubistd

@Suite("A whole service by one command", .serialized)
struct PrivateServiceTests {
  /// Servers, roles and a bot in a folder; stopped in the end, even after an error.
  /// - Parameter afterwards: Gets the servers when roles and bot have stopped.
  static func withService<T>(
    in folder: PrivateFolder, withPlayerAccount: Bool = false,
    afterwards: (OwnServers.Running) throws -> Void = { _ in },
    _ body: (PrivateService.Running) throws -> T
  ) throws -> T {
    // A target that says nothing for long is taken for one that hangs.
    FileHandle.standardError.write(Data("· a service starts in \(folder.path)\n".utf8))
    let servers = try OwnServers(
      in: folder, keptBy: RoleProcess.binaryBesideThisProgram()
    ).start()
    defer { try? servers.stop() }
    let result = try withRoles(in: folder, on: servers, withPlayerAccount, body)
    try afterwards(servers)
    return result
  }

  private static func withRoles<T>(
    in folder: PrivateFolder, on servers: OwnServers.Running, _ hasPlayerAccount: Bool,
    _ body: (PrivateService.Running) throws -> T
  ) throws -> T {
    var service = PrivateService(folder: folder, workers: 1, queues: 4, bots: 1)
    service.makesPlayerAccount = hasPlayerAccount
    let stop = StopSignal()
    let running = try service.start(servers.addresses, stop: stop)
    defer {
      stop.ask()
      service.drain(running) { false }
      for runner in running.process.runners + running.bots.runners {
        #expect(runner.state == .stopped)
      }
    }
    return try body(running)
  }

  /// A player who begins with only a line that `up` prints.
  static func player(_ url: String, _ profile: ProfileMemory) throws -> (Player, PlayerBus) {
    let bus =
      GatewayAddress.isGateway(url)
      ? PlayerBus.http(try GatewayAddress(url: url))
      : PlayerBus.live(
        try BrokerAddress(url: url), clock: .live,
        log: .make(level: .error, clock: .live, sink: .standardError))
    let player = try Player.open(
      profile.store, bus: bus, clock: .live, randomness: .live, makingKey: true)
    return (player, bus)
  }

  @Test("up starts a service that players can join, operators can look after and a restart keeps")
  func up() async throws {
    try await onThread {
      try withFolder { path in
        let folder = try PrivateFolder("\(path)/cubist")
        let profile = ProfileMemory()
        let name = try #require(PlayerName("Newcomer"))
        let first = try PrivateServiceTests.withService(in: folder, withPlayerAccount: true) {
          running in
          let url = try #require(running.amqpURL)
          let (player, bus) = try PrivateServiceTests.player(url, profile)
          defer { bus.close() }
          #expect(try player.register(name) == name)
          #expect(try player.home().matches.isEmpty)
          let bot = try #require(PlayerName(BotPlayer.firstName))
          try waitUntil("the bot has its name") { (try? player.player(named: bot)) != nil }
          #expect(try mode(folder.url) == 0o600)
          #expect(try mode(folder.settings) == 0o600)
          #expect(try mode(folder.keys) == 0o600)
          try lookAfter(folder)
          return try PrivateServiceTests.gatewayPort(of: running)
        }
        // Stopped servers do not run any more.
        let rows = ServerSet(in: folder.servers).status()
        #expect(rows.map(\.name) == ["PostgreSQL", "RabbitMQ"])
        #expect(rows.allSatisfy { $0.process == nil })

        func killBroker(_ servers: OwnServers.Running) throws {
          #expect(servers.ended() == [])
          let rows = ServerSet(in: folder.servers).status()
          let broker = try #require(rows.first { $0.name == "RabbitMQ" }?.process)
          #expect(kill(broker, SIGKILL) == 0)
          try waitUntil("RabbitMQ is missed") { servers.ended() == ["RabbitMQ"] }
        }
        // Whoever came by AMQP comes by HTTP once nobody asks for the account any more.
        try PrivateServiceTests.withService(in: folder, afterwards: killBroker) { running in
          #expect(running.amqpURL == nil)
          #expect(try PrivateServiceTests.gatewayPort(of: running) == first)
          let (player, bus) = try PrivateServiceTests.player(running.httpURL, profile)
          defer { bus.close() }
          #expect(try player.player(named: name).name == name)
          let bot = try #require(PlayerName(BotPlayer.firstName))
          #expect(try player.player(named: bot).name == bot)
          try withoutPlayerAccount(folder)
        }
      }
    }
  }

  /// Neither the broker nor a file has an account for programs.
  private func withoutPlayerAccount(_ folder: PrivateFolder) throws {
    let settings = try ServiceSettings.load(
      needing: [.database, .broker, .serviceKeys],
      environment: ["CUBIST_CONFIG": folder.settings])
    #expect(settings.playerBroker == nil && !Files.exists(folder.url))
    let administration = try #require(try settings.administration())
    #expect(try administration.user("player") == nil)
    #expect(try administration.users(with: .player(), in: "/") == [])
    #expect(try ServiceSetup(settings).problems() == [])
  }

  /// The port of a gateway that answers.
  static func gatewayPort(of running: PrivateService.Running) throws -> Int {
    let port = try #require(running.httpURL.split(separator: ":").last.flatMap { Int($0) })
    #expect(running.httpURL == "http://127.0.0.1:\(port)")
    try waitUntil("the gateway knows its service") {
      try RawClient(port: port).ask("GET", "/v1/service").status == 200
    }
    return port
  }

  /// An operator's work with a running service.
  private func lookAfter(_ folder: PrivateFolder) throws {
    let settings = try ServiceSettings.load(
      needing: [.database, .broker, .serviceKeys],
      environment: ["CUBIST_CONFIG": folder.settings])
    let url = try #require(
      String(decoding: try Files.read(folder.url), as: UTF8.self).split(separator: "\n").first)
    let setup = ServiceSetup(
      settings, players: try BrokerAccount(url: String(url), setting: folder.url),
      gateway: try settings.gatewayAccount())
    #expect(try setup.problems() == [])
    var changes: [SetupLine] = []
    try setup.run { line in if case .change = line { changes.append(line) } }
    #expect(changes == [])
    #expect(try setup.problems() == [])
    try accountNotes(settings)
    try rights(setup, settings)

    try sessions(settings)

    let status = try StatusReport.gather(settings)
    #expect(status.livingWorkers.count == 1)
    #expect(try #require(status.status).playerCount >= 1)
    #expect(status.attention() == [])
    #expect(status.queueRows().filter(\.isOfEvents).count == 4)
    #expect(status.queues?.contains { $0.name == "cubist.jobs" } == true)

    let check = try LiveCheck(settings, as: "test").run(after: nil)
    #expect(check.violations == [])
    #expect(check.isComplete)
    // There are fewer than a page, and each of them counts.
    #expect(check.replyCount > 0)

    let store = try OperatorConnection.store(settings, as: "test")
    try store.setRegistration(true)
    #expect(try StatusReport.gather(settings).registrationNeedsCode)
    let code = try #require(
      try RegistrationCodes.make(1, in: store, randomness: .live).first)
    #expect(try store.registrationCodes(10).map(\.code) == [code])
    try code.admits(url: String(url))

    let words = ["rude", "WORD"].compactMap { HiddenWord($0) }
    let results = try HiddenWords.set(words, isHidden: true, in: store)
    #expect(results.map(\.isChanged) == [true, true])
    #expect(
      try HiddenWords.set(words, isHidden: true, in: store).map(\.isChanged) == [false, false])
    #expect(try HiddenWords.set([words[0]], isHidden: false, in: store).map(\.isChanged) == [true])
    #expect(try store.hiddenWords(10).map(\.word) == [words[1]])
    let name = OperatorName.current
    #expect(
      try store.acts(3).map(\.detail)
        == ["en RUDE", "en WORD", "en RUDE"].map { "\($0) by \(name)" })
    #expect(try store.acts(2).map(\.act) == ["word shown", "word hidden"])
    let last = OperatorActs.text(try store.acts(100)).split(separator: "\n")[1]
    #expect(last.contains("  word shown  ") && last.hasSuffix("  en RUDE by \(name)"))
  }

  /// Roles speak TLS with the database, each as the user with its rights alone.
  private func sessions(_ settings: ServiceSettings) throws {
    let owner = try PostgreSQLConnection(settings.databaseSettings())
    defer { owner.close() }
    let rows = try owner.query(
      """
      SELECT usename::text, ssl FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
      WHERE datname = current_database() AND backend_type = 'client backend'
        AND pid <> pg_backend_pid()
      """)
    let users = try Set(rows.map { row in try row[0].text })
    let roles = DatabaseUser.allCases.filter { $0 != .lookout }
    #expect(users == Set(roles.map { "cubist_\($0)" }))
    for row in rows { #expect(try row[1].bool) }
    #expect(settings.broker.hasPrefix("amqps://"))
    #expect(settings.brokerManagement?.hasPrefix("https://") == true)
  }

  /// Setup says what the account can do, and names it where nobody asks for it.
  private func accountNotes(_ settings: ServiceSettings) throws {
    func notes(_ settings: ServiceSettings) throws -> [String] {
      var notes: [String] = []
      try ServiceSetup(settings).run { line in if case .note(let text) = line { notes.append(text) }
      }
      return notes
    }
    let administration = try #require(try settings.administration())
    let peril = try administration.peril(of: "player")
    let asked = try notes(settings)
    #expect(asked.filter { $0.contains("can end") } == (peril.map { [$0] } ?? []))
    var unasked = settings
    unasked.playerBroker = nil
    let found = try notes(unasked)
    #expect(
      found.contains {
        $0.hasPrefix(
          "broker user player may publish as CUBIST_PLAYER_BROKER would, which is not set")
          && $0.hasSuffix("rabbitmqctl delete_user player")
      }, "\(found)")
    #expect(!asked.contains { $0.contains("delete_user") }, "\(asked)")
  }

  /// Each user has exactly the rights it needs, and setup takes away all others.
  private func rights(_ setup: ServiceSetup, _ settings: ServiceSettings) throws {
    let administration = try #require(try settings.administration())
    #expect(
      try administration.rights(of: "player", in: "/")
        == BrokerRights(
          configure: "^$", write: #"^(cubist\.events|cubist\.queries)$"#, read: "^$",
          limits: .init(1_000)))
    #expect(try administration.rights(of: "service", in: "/") == .service())
    #expect(
      try administration.rights(of: "gateway", in: "/")
        == BrokerRights(
          configure: #"^cubist\.gateways\.[0-9a-f]+$"#,
          write:
            #"^(cubist\.events|cubist\.queries|cubist\.gateways|cubist\.gateways\.[0-9a-f]+)$"#,
          read: #"^(cubist\.outcomes|cubist\.gateways\.[0-9a-f]+)$"#,
          topic: .init(exchange: "cubist.outcomes", write: "^$", read: "^matches$"),
          limits: .init(256)))
    try administration.permit("player", .everything, in: "/")
    let problems = try setup.problems()
    #expect(problems.count == 1)
    #expect(problems.first?.contains("player has other rights than it needs") == true)
    try setup.run { _ in }
    #expect(try administration.rights(of: "player", in: "/") == .player())
    try administration.deleteUser("player")
    #expect(try setup.problems().first?.contains("player has no rights") == true)
    try setup.run { _ in }
    #expect(try setup.problems() == [])
    try administration.permit("gateway", .player(), in: "/")
    let gateway = try setup.problems()
    #expect(gateway.count == 3, "\(gateway)")
    #expect(gateway.first?.contains("gateway has other rights than it needs") == true)
    #expect(gateway.last?.contains("gateways cannot hear of changes") == true)
    try setup.run { _ in }
    #expect(try administration.rights(of: "gateway", in: "/") == .gateway())
    #expect(try setup.problems() == [])
  }
}

extension ShareCode {
  /// Registration by code lets one player in, and nobody without.
  fileprivate func admits(url: String) throws {
    let (player, bus) = try PrivateServiceTests.player(url, ProfileMemory())
    defer { bus.close() }
    let name = try #require(PlayerName("Admitted"))
    #expect(throws: ClientError.self) { try player.register(name) }
    #expect(try player.register(name, code: self) == name)
  }
}
