import CustomDump
import Foundation
import MatchInterfaces
import Testing

@testable import cubistd

@Suite("Private servers")
struct ServersScriptTests {
  @Test("The script in the binary is the one in deploy, byte for byte")
  func embedded() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = try Data(contentsOf: root.appendingPathComponent("deploy/servers"))
    #expect(ServersScript.bytes == Array(file))
  }

  @Test("The script is put where only its owner may run it, over an older one")
  func extracted() throws {
    try withFolder { folder in
      try Files.makeFolder("\(folder)/bin")
      try Files.write(Array("old".utf8), to: "\(folder)/bin/servers", mode: 0o600)
      let script = try ServersScript(in: "\(folder)/bin")
      #expect(try Files.read(script.path) == ServersScript.bytes)
      #expect(try mode(script.path) == 0o700)
    }
  }

  @Test("What the script says and how it ends is passed on")
  func outcome() throws {
    try withFolder { folder in
      let script = try ServersScript(in: folder)
      let help = try script.run(["help"])
      #expect(help.status == 0)
      #expect(help.output.hasPrefix("Usage: servers COMMAND DIR"))
      #expect(help.errors == "")
      let wrong = try script.run(["dance", folder])
      #expect(wrong.status == 64)
      #expect(wrong.output == "")
      #expect(wrong.errors.hasPrefix("Usage:"))
      #expect(try script.run(["status", "\(folder)/none"]).status == 3)
    }
  }

  @Test("Addresses are read as a shell would read them")
  func addresses() throws {
    let addresses = try PrivateServers.addresses(
      in: #"""
        export CUBIST_TEST_POSTGRES=host=127.0.0.1\ port=1\ user=u\ password=a\\b\ dbname=postgres
        export CUBIST_TEST_AMQP=amqp://u:p@127.0.0.1:2/
        export CUBIST_TEST_RABBITMQ_MANAGEMENT=http://u:p@127.0.0.1:3
        export CUBIST_TEST_SERVERS=/x
        """#)
    expectNoDifference(
      addresses,
      PrivateServers.Addresses(
        postgres: #"host=127.0.0.1 port=1 user=u password=a\b dbname=postgres"#,
        amqp: "amqp://u:p@127.0.0.1:2/", management: "http://u:p@127.0.0.1:3"))
    #expect(addresses.database.hasSuffix(" dbname=postgres dbname=cubist"))
    #expect(try addresses.amqp(user: "x", password: "y") == "amqp://x:y@127.0.0.1:2/")
  }

  @Test("Servers that do not say where they are do not count as running")
  func noAddresses() {
    #expect(throws: OperatorFailure.servers("they do not say where they are")) {
      _ = try PrivateServers.addresses(in: "export CUBIST_TEST_AMQP=amqp://u:p@127.0.0.1:2/")
    }
  }

  @Test("A folder has one owner at a time")
  func lock() throws {
    try withFolder { folder in
      var first = try FolderLock(folder)
      #expect(first != nil)
      #expect(try FolderLock(folder) == nil)
      first = nil
      #expect(try FolderLock(folder) != nil)
    }
  }

  @Test("A second service of a folder is told how to end the first, and that nothing is lost")
  func secondService() throws {
    try withFolder { path in
      let folder = try PrivateFolder(path)
      let first = try UpCommand.lock(folder)
      let failure = #expect(throws: OperatorFailure.self) { _ = try UpCommand.lock(folder) }
      withExtendedLifetime(first) {}
      let text = try #require(failure?.description)
      #expect(text.contains("uses \(folder.path)\nEnd that one with Ctrl-C"))
      #expect(text.hasSuffix("nothing is lost."))
    }
  }

  @Test("A password is made once, and only its owner may read it")
  func password() throws {
    try withFolder { path in
      let folder = try PrivateFolder("\(path)/new")
      let first = try folder.password(of: "player", randomness: .live)
      #expect(first.count > 15)
      #expect(try folder.password(of: "player", randomness: .failing) == first)
      #expect(try mode("\(folder.path)/password-player") == 0o600)
    }
  }
}
