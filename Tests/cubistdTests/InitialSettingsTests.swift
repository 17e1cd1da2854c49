import ArgumentParser
import BrokerManagement
import Foundation
import LibPQ
import MatchInterfaces
import MatchService
import Testing

@testable import cubistd

@Suite("Settings of a new service")
struct InitialSettingsTests {
  /// The settings that a file's text gives.
  private func read(_ text: String) throws -> ServiceSettings {
    try ServiceSettings.read(
      environment: ["CUBIST_CONFIG": "/f"], look: { _ in nil },
      readFile: { _ throws(SettingsReader.FileFailure) in text }
    ).get()
  }

  private func advice(_ answers: InitialSettings) throws -> InitialAdvice {
    let settings = try read(answers.file(randomness: Randomness { 0xab }))
    return InitialAdvice(
      file: "/f", database: try settings.databaseSettings(), systemUser: "cubist",
      service: try settings.brokerAccount(), players: try settings.playerAccount(),
      gateway: try settings.gatewayAccount())
  }

  @Test("The standard answers make settings that can be read, with a user and password for each")
  func standard() throws {
    let bits = Counter((0..<100).map { $0 &* 0x9e37_79b9_7f4a_7c15 })
    let settings = try read(InitialSettings.standard.file(randomness: bits.randomness))
    #expect(settings.database == InitialSettings.standard.database)
    #expect(settings.serviceKeys == InitialSettings.standard.keys)
    #expect(settings.gateway?.listen == ListenAddress("127.0.0.1:8080"))
    #expect(settings.roles == RoleName.standard + [.gateway])
    let accounts = [try settings.brokerAccount(), try #require(try settings.gatewayAccount())]
    #expect(accounts.map(\.user) == ["cubistd", "gateway"])
    #expect(Set(accounts.map(\.password)).count == 2)
    #expect(accounts.allSatisfy { $0.password.count == 32 && $0.virtualHost == "cubist" })
    try ServiceSetup(settings).checkAccounts()
  }

  @Test(
    "A broker account for programs is made only by a line of the operator's, who is warned of it")
  func playerAccount() throws {
    let text = InitialSettings.standard.file(randomness: .live)
    #expect(try read(text).playerBroker == nil)
    let lines = text.split(separator: "\n")
    let index = try #require(lines.firstIndex { $0.hasPrefix("#CUBIST_PLAYER_BROKER=") })
    #expect(lines[index - 1].hasSuffix("can end RabbitMQ below 4.1.5."))
    var advice = try advice(.standard)
    #expect(!advice.brokerLines.contains { $0.contains("player") })
    // One who asks for it gets the lines for it, too.
    advice.players = try BrokerAccount(
      url: "amqp://player:p@localhost/cubist", setting: "CUBIST_PLAYER_BROKER")
    #expect(advice.brokerLines.contains("  rabbitmqctl add_user player"))
  }

  @Test("Every setting is in the file once, and the examples can be used as they are")
  func examples() throws {
    let text = InitialSettings.standard.file(randomness: .live)
    for name in SettingName.allCases {
      let lines = text.split(separator: "\n").filter {
        $0.hasPrefix("\(name.rawValue)=") || $0.hasPrefix("#\(name.rawValue)=")
      }
      #expect(lines.count == 1, "\(name.rawValue)")
    }
  }

  @Test("A password that an address has is kept, and a database over a network gets one")
  func passwords() throws {
    var answers = InitialSettings.standard
    answers.database = "postgresql://ann@db.example:5433/cubist"
    answers.broker = "amqps://ben:geheim@mq.example/v"
    let settings = try read(answers.file(randomness: .live))
    #expect(settings.broker == "amqps://ben:geheim@mq.example/v")
    #expect(try #require(try settings.gatewayAccount()).virtualHost == "v")
    let database = try settings.databaseSettings()
    #expect(database.user == "ann" && database.password?.count == 32)
    #expect(database.database == "cubist")
    for kept in [
      "postgresql://ann:b@db.example/cubist", "host=db.example user=ann dbname=cubist",
      "postgresql:///cubist",
    ] {
      answers.database = kept
      #expect(try read(answers.file(randomness: .live)).database == kept)
    }
  }

  @Test("Each role gets a user of the database with a password of its own, wherever that is")
  func roleUsers() throws {
    for (owner, host) in [
      (InitialSettings.standard.database, "127.0.0.1"),
      ("postgresql:///cubist?host=/run/pg&port=5433", "127.0.0.1"),
      ("postgresql://ann@db.example:5433/cubist", "db.example"),
      ("host=db.example user=ann dbname=cubist", "db.example"), ("dbname=cubist", "127.0.0.1"),
    ] {
      var answers = InitialSettings.standard
      answers.database = owner
      let bits = Counter((0..<1_000).map { $0 &* 0x9e37_79b9_7f4a_7c15 })
      let users = try read(answers.file(randomness: bits.randomness)).databaseUserSettings()
      #expect(Set(users.keys) == Set(DatabaseUser.allCases.filter { $0 != .lookout }), "\(owner)")
      #expect(Set(users.values.compactMap(\.password)).count == users.count, "\(owner)")
      for (user, login) in users {
        #expect(login.user == "cubist_\(user.rawValue)" && login.database == "cubist", "\(owner)")
        #expect(login.endpoints.map(\.host) == [host], "\(owner)")
      }
      let port = users[.worker]?.endpoints.first?.port
      #expect(owner.contains("5433") ? port == 5_433 : port == nil || port == 5_432, "\(owner)")
    }
    // A name that no role's can be made of.
    var answers = InitialSettings.standard
    answers.database = "postgresql:///my%20base?host=/run/pg"
    #expect(try read(answers.file(randomness: .live)).databaseUsers.isEmpty)
  }

  @Test("With a management API the settings have an administrator there, whom the lines make")
  func management() throws {
    #expect(try read(InitialSettings.standard.file(randomness: .live)).brokerManagement == nil)
    for (answer, user, kept) in [
      ("http://localhost:15672", "operator", false),
      ("https://olga@mq.example:15671", "olga", false),
      ("http://olga:geheim@localhost:15672", "olga", true),
    ] {
      var answers = InitialSettings.standard
      answers.management = answer
      let settings = try read(answers.file(randomness: .live))
      let administration = try #require(try settings.administration())
      #expect(administration.user == user)
      #expect(settings.brokerManagement == answer || !kept)
      #expect(SettingName.brokerManagement.holdsSecret(settings.brokerManagement ?? ""))
      try ServiceSetup(settings).checkAccounts()
    }
    let advice = try advice(.standard)
    let refusal = OperatorFailure.management(.notPermitted(endpoint: "host:15672", user: "olga"))
    #expect(advice.lines(onManagement: nil, user: "olga") == [])
    let lines = advice.lines(onManagement: refusal, user: "olga")
    #expect(lines.contains("  rabbitmqctl add_user olga"))
    #expect(lines.contains("  rabbitmqctl set_user_tags olga administrator"))
    let away = OperatorFailure.management(.unreachable(endpoint: "host:15672", reason: "down"))
    #expect(advice.lines(onManagement: away, user: "olga").count == 1)
  }

  @Test("An answer that cannot be used is refused with an example")
  func faults() {
    for (name, text) in [
      (SettingName.database, "postgresql://a:b:c@d:e/f"), (.database, "nonsense"),
      (.broker, "http://mq.example"), (.broker, "amqp://gateway@mq.example/v"),
      (.broker, "amqp://operator@mq.example/v"), (.brokerManagement, "amqp://mq.example"),
      (.brokerManagement, "localhost:15672"), (.gatewayListen, "8080"), (.gatewayListen, ""),
      (.database, "postgresql:///a\nCUBIST_WORKERS=3"),
    ] {
      #expect(InitialSettings.fault(of: name, text) != nil, "\(text)")
    }
    let standard = InitialSettings.standard
    #expect(InitialSettings.fault(of: .database, standard.database) == nil)
    #expect(InitialSettings.fault(of: .broker, standard.broker) == nil)
    #expect(InitialSettings.fault(of: .gatewayListen, standard.gateway) == nil)
    for none in [standard.management, "http://localhost:15672", "https://olga@mq.example:15671"] {
      #expect(InitialSettings.fault(of: .brokerManagement, none) == nil)
    }
  }

  @Test("A question is asked until its answer will do; an empty answer is the standard one")
  func questions() throws {
    var lines = ["bad", " good "]
    var told: [String] = []
    let answer = try InitCommand.ask(
      "?", "standard", fault: { $0 == "bad" ? "It is bad." : nil },
      answer: { lines.isEmpty ? nil : lines.removeFirst() }, tell: { told.append($0) })
    #expect(answer == "good")
    #expect(told == ["?", "It is bad.", "?"])
    #expect(
      try InitCommand.ask("?", "s", fault: { _ in nil }, answer: { "" }, tell: { _ in }) == "s")
    #expect(throws: OperatorFailure.self) {
      try InitCommand.ask("?", "s", fault: { _ in nil }, answer: { nil }, tell: { _ in })
    }
  }

  @Test("A password is never taken as an argument")
  func arguments() {
    for words in [
      ["--database", "postgresql://a:b@c/d"], ["--broker", "amqp://a:b@c/d"],
      ["--management", "http://a:b@c:15672"], ["--database", "host=c password=b"],
      ["--gateway", "nowhere"],
    ] {
      #expect(throws: (any Error).self) { try Cubistd.parseAsRoot(["init"] + words) }
    }
    #expect(throws: Never.self) {
      try Cubistd.parseAsRoot(["init", "--database", "postgresql://a@c/d", "--user", ""])
    }
  }

  @Test("PostgreSQL's administrator gets the lines that fit the refusal")
  func database() throws {
    let socket = try advice(.standard)
    #expect(socket.lines(onDatabase: nil) == [])
    let refused = socket.lines(onDatabase: .databaseRefuses("no role"))
    #expect(refused.contains("  CREATE ROLE \"cubist\" LOGIN CREATEROLE;"))
    #expect(refused.contains("  CREATE DATABASE \"cubist\" OWNER \"cubist\";"))
    #expect(!refused.contains { $0.contains("\\password") })
    var answers = InitialSettings.standard
    answers.database = "postgresql://a%22b@db.example/c"
    let network = try advice(answers)
    let lines = network.lines(onDatabase: .databaseRefuses("no"))
    #expect(lines.contains("  CREATE ROLE \"a\"\"b\" LOGIN CREATEROLE;"))
    #expect(lines.contains("  \\password \"a\"\"b\""))
    #expect(!lines.joined().contains("abababab"))
    #expect(
      network.lines(onDatabase: .databaseMissing("no")).last
        == "  CREATE DATABASE \"c\" OWNER \"a\"\"b\";")
    #expect(network.lines(onDatabase: .store(.unavailable("down"))).count == 1)
  }

  @Test("RabbitMQ's administrator gets the lines of docs/operating.md, with this service's names")
  func broker() throws {
    var advice = try advice(.standard)
    advice.players = try BrokerAccount(
      url: "amqp://player:p@localhost/cubist", setting: "CUBIST_PLAYER_BROKER")
    #expect(advice.lines(onBroker: nil) == [])
    #expect(advice.lines(onBroker: .broker(.disconnected("down"))).count == 1)
    let lines = advice.lines(onBroker: .broker(.notPermitted("no")))
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/operating.md"), encoding: .utf8)
    // The account that only looks is its administrator's wish, not needed for a start.
    let documented = page.split(separator: "\n")
      .filter { $0.hasPrefix("    rabbitmqctl ") && !$0.contains(" monitor ") }
      .map { line in
        String(line.dropFirst(4)).replacing(" PASSWORD", with: "")
          .replacing("VHOST", with: "cubist").replacing(" service", with: " cubistd")
      }
    #expect(documented.count == 11)
    for line in documented { #expect(lines.contains("  " + line), "\(line)") }
    #expect(lines.contains("  rabbitmqctl add_vhost cubist"))
    #expect(!lines.joined().contains("000000"))
  }

  @Test(
    "A name is one word of a shell",
    arguments: [
      ("cubist", "cubist"), ("", "''"), ("a b", "'a b'"), ("a'b", #"'a'\''b'"#), ("$x", "'$x'"),
      ("/", "'/'"), ("ä", "'ä'"),
    ])
  func quoting(text: String, word: String) {
    #expect(AdministratorLines.quoted(text) == word)
  }

  @Test("The installed service's file is used where the environment says nothing")
  func installed() {
    let file = ServiceSettings.installedFile
    #expect(ServiceSettings.completed(["A": "b"], exists: { $0 == file })["CUBIST_CONFIG"] == file)
    #expect(ServiceSettings.completed([:], exists: { _ in false }).isEmpty)
    for given in ["CUBIST_CONFIG", "CUBIST_DATABASE", "CUBIST_BROKER_FILE"] {
      #expect(ServiceSettings.completed([given: ""], exists: { _ in true }) == [given: ""])
    }
  }
}
