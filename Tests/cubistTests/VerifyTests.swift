import FoundationEssentials
import MatchCore
import PlayerClient
import Testing

@testable import MatchWire
@testable import cubist

@Suite("Verifying")
struct VerifyTests {
  private static func lab() throws -> CommandLab {
    let lab = CommandLab()
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    for (name, path) in [
      ("record", "MatchWireTests/Fixtures/record-1.json"),
      ("vectors", "CubeRulesTests/Fixtures/games.json"),
    ] {
      lab.files[name] = Array(try Data(contentsOf: tests.appending(path: path)))
    }
    lab.files["nonsense"] = Array("nonsense".utf8)
    return lab
  }

  private struct Game: Decodable, Equatable {
    struct Move: Decodable, Equatable {
      var accepted: Bool
      var score: Int?
      var reason: String?
      var playable: String?
    }
    struct Fault: Decodable, Equatable {
      var entry: Int?
      var reason: String
    }

    var total: Int
    var moves: [Move]
    var fault: Fault?
  }

  private static func games(_ text: String) throws -> [Game] {
    try JSONDecoder().decode([Game].self, from: Data(text.utf8))
  }

  @Test("Vectors are judged, move by move, with masks where they are wanted")
  func vectors() throws {
    let lab = try Self.lab()
    let run = lab.run("verify vectors --json")
    #expect(run.status == 0)
    let games = try Self.games(run.output)
    #expect(games.count == 120)
    #expect(games.allSatisfy { $0.moves.allSatisfy { $0.playable == nil } })
    #expect(games.contains { $0.moves.contains { $0.reason == "notTouching" } })
    let masked = try Self.games(lab.run("verify vectors --json --masks").output)
    #expect(masked.allSatisfy { $0.moves.allSatisfy { $0.playable?.count == 81 } })
    #expect(lab.run("verify vectors").output.hasPrefix("120 games of test vectors were judged"))
  }

  @Test("A record that holds is verified without any service")
  func record() throws {
    let lab = try Self.lab()
    let run = lab.run("verify record --json")
    #expect(run.status == 0)
    let games = try Self.games(run.output)
    #expect(games.count == 1)
    #expect(games[0].fault == nil)
    #expect(games[0].total == games[0].moves.reduce(0) { $0 + ($1.score ?? 0) })
    let text = lab.run("verify record")
    #expect(text.status == 0)
    #expect(text.output.contains("\nVERIFIED: "))
    #expect(text.output.contains("The root key is the one that this profile knows."))
    #expect(lab.urls == [])
    lab.variables = [:]
    #expect(lab.run("verify record").output.contains("this profile cannot say whose it is"))
  }

  @Test("The first entry that does not hold is named, with why")
  func broken() throws {
    let lab = try Self.lab()
    var document = try RecordDocument(#require(lab.files["record"]))
    document.entries[4].acceptedAt = document.entries[4].acceptedAt.adding(microseconds: 1)
    lab.files["record"] = document.encode()
    let run = lab.run("verify record --json")
    #expect(run.status == 1)
    #expect(try Self.games(run.output)[0].fault?.entry == 4)
    let text = lab.run("verify record")
    #expect(text.status == 1)
    #expect(text.output.contains("NOT VERIFIED."))
    #expect(text.errors.hasPrefix("cubist: Entry 4 does not hold: its hash is "))
  }

  @Test("A record under another root key than the profile's is not verified")
  func otherKey() throws {
    let lab = try Self.lab()
    lab.memory.profile.rootKey = Made.key(9).publicKey
    #expect(lab.run("verify record").status == 1)
  }

  @Test("What cannot be read has status 2 and prints nothing", arguments: ["nonsense", "missing"])
  func unreadable(name: String) throws {
    let lab = try Self.lab()
    let run = lab.run("verify \(name) --json")
    #expect(run.status == 2)
    #expect(run.output == "")
    #expect(run.errors.contains("\"exit\":2"))
  }
}
