import Foundation
import MatchInterfaces
import MatchService
import MatchWire
import Testing

@testable import cubistd

@Suite("Keys and settings")
struct SetupTests {
  @Test("One user of the broker for two accounts is refused, with both settings")
  func oneUser() throws {
    var settings = ServiceSettings(
      database: "", broker: "amqp://service:a@localhost/x", serviceKeys: "")
    settings.playerBroker = "amqp://player:b@localhost/x"
    settings.gatewayBroker = "amqp://player:b@localhost/x"
    let failure = #expect(throws: OperatorFailure.self) {
      try ServiceSetup(settings).checkAccounts()
    }
    let text = "\(try #require(failure))"
    #expect(text.contains("CUBIST_PLAYER_BROKER") && text.contains("CUBIST_GATEWAY_BROKER"))
    settings.gatewayBroker = "amqp://gateway:c@localhost/x"
    try ServiceSetup(settings).checkAccounts()
  }

  @Test("A renewed working key is certified by the root key, and past certificates stay")
  func renewed() throws {
    try withFolder { folder in
      let now = WallClock.live.now()
      let path = "\(folder)/keys.json"
      let (keys, root) = try ServiceKeyFile.create(now: now, randomness: .live)
      try keys.create(at: path)
      try root.create(at: "\(path).root")
      let settings = ServiceSettings(database: "", broker: "", serviceKeys: path)
      let before = try settings.identity()
      var told: [String] = []
      try ServiceSetup(settings, players: nil).renewWorkingKey(
        root: "\(path).root", report: { told.append("\($0)") }, keep: { _ in })
      let after = try settings.identity()
      #expect(after.signer.publicKey != before.signer.publicKey)
      #expect(after.rootKey == before.rootKey)
      #expect(after.certificates.count == 2)
      #expect(after.certificates.first == before.certificates.first)
      #expect(try mode(path) == 0o600)
      let end = try #require(after.term.end)
      #expect(told.first?.contains("\(after.signer.publicKey)") == true)
      #expect(told.first?.contains("\(end)") == true)
      #expect(told.last?.contains("copy \(path)") == true)
    }
  }

  @Test("Another service's root key renews nothing")
  func otherRoot() throws {
    try withFolder { folder in
      let now = WallClock.live.now()
      let path = "\(folder)/keys.json"
      try ServiceKeyFile.create(now: now, randomness: .live).keys.create(at: path)
      try ServiceKeyFile.create(now: now, randomness: .live).root.create(at: "\(folder)/other")
      let settings = ServiceSettings(database: "", broker: "", serviceKeys: path)
      let before = try Files.read(path)
      for (name, said) in [
        ("other", "which is not this service's"), ("gone", "cannot be used"),
        ("keys.json", "is no root key file"),
      ] {
        let failure = #expect(throws: OperatorFailure.self, "\(name)") {
          try ServiceSetup(settings, players: nil).renewWorkingKey(
            root: "\(folder)/\(name)", report: { _ in }, keep: { _ in })
        }
        let text = failure?.description ?? ""
        #expect(text.contains("The root key file \(folder)/\(name)"))
        #expect(text.contains(said), "\(text)")
        #expect(text.contains("Nothing was renewed."))
      }
      #expect(try Files.read(path) == before)
    }
  }

  @Test("The players' account is the one that the settings name, and is named when it is wrong")
  func players() throws {
    var settings = ServiceSettings(database: "", broker: "", serviceKeys: "")
    #expect(try ServiceSetup(settings).players == nil)
    settings.playerBroker = "amqp://p:secret@h/v"
    let setup = try ServiceSetup(settings)
    #expect(setup.players?.user == "p")
    #expect(setup.players?.password == "secret")
    #expect(setup.players?.virtualHost == "v")
    #expect(setup.gateway == nil)
    settings.gatewayBroker = "amqp://g:other@h/v"
    #expect(try ServiceSetup(settings).gateway?.user == "g")
    settings.playerBroker = "http://x"
    #expect(throws: OperatorFailure.self) { _ = try ServiceSetup(settings) }
    (settings.playerBroker, settings.gatewayBroker) = (nil, "http://x")
    #expect(throws: OperatorFailure.self) { _ = try ServiceSetup(settings) }
  }

  @Test("The last word of a check says how many things differ")
  func closing() {
    #expect(SetupCommand.closing(1).hasPrefix("1 thing is missing or wrong;"))
    #expect(SetupCommand.closing(2).hasPrefix("2 things are missing or wrong;"))
  }

  @Test("docs/operating.md names every setting, role, key of status, and reason of notifications")
  func documented() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appendingPathComponent("docs/operating.md"), encoding: .utf8)
    var report = try StatusTests.report()
    let now = report.status?.now
    report.status?.outboxOldestAt = now
    report.status?.ratingQueueOldestAt = now
    report.status?.roles[0].sign.problem = "none"
    let json = try report.json()
    let keys = json.matches(of: /"(\w+)":/).map { String($0.1) }
    #expect(keys.contains("lagSeconds"))
    let names =
      SettingName.allCases.map(\.rawValue) + RoleName.allCases.map(\.rawValue) + keys
      + PushReason.allCases.map(\.rawValue)
    for name in Set(names).sorted() {
      #expect(page.contains("`\(name)`"), "\(name) is not on the page")
    }
  }
}
