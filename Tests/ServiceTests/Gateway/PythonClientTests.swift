import Chaos
import EventBusLive
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("A client in another language")
struct PythonClientTests {
  static let source = sourcePath("Tests/PythonClient/client.py")

  /// A path in the repository.
  private static func sourcePath(_ path: String) -> String {
    #filePath.replacing("Tests/ServiceTests/Gateway/PythonClientTests.swift", with: path)
  }

  @Test(
    "Python written from the protocol's page plays a bot, asks for a rematch, verifies the record")
  func plays() async throws {
    var options = ServiceLab.Options()
    options.lexicons = .standard
    try await ServiceLab.run(options) { lab in
      let gateways = try Gateways(of: lab)
      defer { gateways.end() }
      let gateway = try gateways.start()
      let programs = try Programs("python")
      defer { programs.end() }
      let stop = StopSignal()
      async let bot: Void = playBot(in: lab, folder: programs.path("bot"), until: stop)
      do {
        defer { stop.ask() }
        // Debian's Python: it has the package with Ed25519.
        try programs.run(
          [
            "/usr/bin/python3", PythonClientTests.source, gateway.url,
            PythonClientTests.sourcePath("deploy/lexicon/english.txt"),
          ], log: "client")
      } catch {
        throw LabFailure("\(error)\n\(gateway.process.logText.suffix(2_000))")
      }
      try await bot
      struct Summary: Decodable {
        var match: String
        var turns: Int
        var points: [Int]
        var outcome: String
        var rematch: String
      }
      let said = try JSONDecoder().decode(Summary.self, from: Data(programs.text("client").utf8))
      let match = try #require(MatchID(said.match))
      let state = try lab.match(match)
      #expect(state.points == said.points && state.turnNumber - 1 == said.turns)
      #expect(said.outcome == "cleared" && state.outcome?.reason == .cleared)
      #expect(["rematchOffered", "rematchStarted"].contains(said.rematch))
      #expect(try lab.report(onRecordOf: match)?.isVerified == true)
    }
  }

  /// The easy bot of `cubistd up`.
  private func playBot(in lab: ServiceLab, folder: String, until stop: StopSignal) async throws {
    try await onThreads {
      let player = BotPlayer(
        number: 1, address: try lab.context(lab.playersURL).address, folder: folder,
        lexicons: lab.lexicons, clock: .live, randomness: .live, log: ServiceLab.log)
      let role = try player.role()
      defer { role.leave() }
      while !stop.isAsked { _ = try role.step() }
    }
  }

  /// Verifies the records in a folder, and one with an invitation that brings two keys in.
  private static let verifying = """
    import json, os, sys
    sys.path.insert(0, sys.argv[1])
    import client

    class EveryWord:
        def __contains__(self, word):
            return True

    for name in sorted(os.listdir(sys.argv[2])):
        with open(os.path.join(sys.argv[2], name)) as file:
            record = json.load(file)
        client.verify(record, record["rootKey"], EveryWord())
        print(name)
    origins = record["seats"][0]["origins"]
    origins.append(next(origin for origin in origins if "invited" in origin))
    try:
        client.verify(record, record["rootKey"], EveryWord())
    except SystemExit as error:
        print(error)
    """

  @Test("It verifies each record that the service's own verifier takes for ever")
  func fixtures() throws {
    let programs = try Programs("python-records")
    defer { programs.end() }
    let fixtures = PythonClientTests.sourcePath("Tests/MatchWireTests/Fixtures")
    try programs.run(
      [
        "/usr/bin/python3", "-B", "-c", PythonClientTests.verifying,
        PythonClientTests.sourcePath("Tests/PythonClient"), fixtures,
      ], log: "verified")
    let expected = [
      "record-1.json", "record-2-invited.json", "record-2-recovered.json", "record-2.json",
      "client.py: an invitation of two keys",
    ]
    #expect(programs.text("verified").split(separator: "\n").map(String.init) == expected)
  }

  @Test("It has less than 400 lines")
  func size() throws {
    let text = try String(contentsOfFile: PythonClientTests.source, encoding: .utf8)
    #expect(text.filter(\.isNewline).count < 400)
  }
}
