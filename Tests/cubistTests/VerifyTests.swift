import CubeLexicon
import FoundationEssentials
import MatchCore
import PlayerClient
import Testing

@testable import MatchWire
@testable import GameScreens
@testable import cubist

@Suite("Verifying")
struct VerifyTests {
  /// A lab with the files `record`, `vectors` and `nonsense`.
  static func lab() throws -> CommandLab {
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

  @Test("The first entry that does not hold is named, with the reason")
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

  /// A lab whose player played in the record, with the receipts of the service.
  private static func played() throws -> (lab: CommandLab, lines: [JournalLine]) {
    let lab = try Self.lab()
    let document = try RecordDocument(#require(lab.files["record"]))
    let report = RecordVerifier(lexicons: Lexicons(.everyWord)).report(on: document)
    let player = try #require(document.seats[0].player)
    lab.memory.profile.player = player
    lab.memory.profile.service = document.service
    lab.memory.profile.rootKey = document.rootKey
    var lines: [JournalLine] = []
    for (entry, standing) in zip(document.entries, report.standings) {
      guard case .event(let event) = try PayloadCodec.decodeContent(entry.signed.payload),
        event.player == player, case .turnPlayed(let played) = event.action
      else { continue }
      lines.append(
        JournalLine(
          at: entry.acceptedAt, event: event.id, type: event.action.typeName, what: .accepted,
          receipt: Receipt(
            match: played.match, version: 1, turn: played.turn.number, hash: entry.hash,
            points: standing.points, outcome: standing.outcome)))
    }
    return (lab, lines)
  }

  private static func verify(
    _ lab: CommandLab, _ lines: [JournalLine]
  ) throws -> (run: CommandLab.Run, fault: Game.Fault?) {
    let memory = ProfileMemory(key: Made.adaKey)
    memory.profile = lab.memory.profile
    for line in lines { try memory.store.journal(line) }
    lab.memory = memory
    let games = try Self.games(lab.run("verify record --receipts --json").output)
    return (lab.run("verify record --receipts"), games.first?.fault)
  }

  @Test("A record is compared with the player's receipts")
  func receipts() throws {
    let (lab, lines) = try Self.played()
    #expect(lines.count > 2)
    let good = try Self.verify(lab, lines)
    #expect(good.run.status == 0 && good.fault == nil)
    #expect(good.run.output.contains("It was compared with \(lines.count) receipts"))
    #expect(
      lab.run("verify record --receipts --json").output.contains(
        #""receipts":{"compared":\#(lines.count),"missing":0,"damaged":0}"#))
    // Of another match, or of nothing in a match.
    var other = lines[0]
    other.event = EventID(at: Made.now, random: 1)
    other.receipt?.match = Made.match(0x77)
    #expect(try Self.verify(lab, lines + [other]).run.status == 0)

    let cases: [(String, (inout JournalLine) -> Void)] = [
      ("it lacks event", { $0.event = EventID(at: Made.now, random: 2) }),
      ("told of the hash", { $0.receipt?.hash = .zero }),
      ("told of the points", { $0.receipt?.points?[0] += 1 }),
      (
        "told of the outcome",
        {
          $0.receipt?.points = nil
          $0.receipt?.outcome = Outcome(reason: .stopped, seat: nil, results: [.tied, .tied])
        }
      ),
    ]
    for (reason, change) in cases {
      var changed = lines
      change(&changed[1])
      let (run, fault) = try Self.verify(lab, changed)
      #expect(run.status == 1 && run.output.contains("NOT VERIFIED."))
      #expect(fault?.reason.contains(reason) == true, "\(reason): \(fault?.reason ?? "")")
    }
  }

  @Test("A check counts the events without receipts, and needs the service and a player")
  func noReceipts() throws {
    let (lab, lines) = try Self.played()
    // A journal of an older program: its events can be looked for in the record, but nothing can be
    // compared.
    let old = lines.map { line in
      JournalLine(at: line.at, event: line.event, type: line.type, what: .accepted)
    }
    #expect(try Self.verify(lab, old).run.output.contains("nothing was compared"))
    var unknown = old[0]
    unknown.event = EventID(at: Made.now, random: 3)
    let run = try Self.verify(lab, old + [unknown]).run
    #expect(run.status == 0)
    #expect(run.output.contains("1 accepted event of an older program has no receipt"))
    lab.memory.profile.service = ServiceID(rawValue: 77)
    #expect(lab.run("verify record --receipts").status == 64)
    lab.memory.profile.player = nil
    #expect(lab.run("verify record --receipts").status == 77)
    #expect(lab.run("verify vectors --receipts").status == 64)
  }

  // Failure: ProfileStore.loadJournal: The player is told. Nothing is compared.
  @Test("A journal that cannot be read is named")
  func unreadableJournal() throws {
    let (lab, _) = try Self.played()
    lab.loadJournal = { () throws(ProfileError) in
      throw .notAccessible(path: "journal.jsonl", reason: "Input/output error")
    }
    let run = lab.run("verify record --receipts")
    #expect(run.status == 2)
    #expect(run.errors.contains("journal.jsonl"))
  }

  // Failure: FileFailure: A named file cannot be read or written.
  @Test("An unreadable record has status 2 and prints nothing", arguments: ["nonsense", "missing"])
  func unreadable(name: String) throws {
    let lab = try Self.lab()
    let run = lab.run("verify \(name) --json")
    #expect(run.status == 2)
    #expect(run.output == "")
    #expect(run.errors.contains("\"exit\":2"))
    #expect(
      lab.run("verify \(name)").errors
        == (name == "missing"
          ? "cubist: missing cannot be used: No such file or directory.\n"
          : "cubist: nonsense is not a Cubist record: not JSON.\n"))
  }
}
