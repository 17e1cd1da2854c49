import CubeLexicon
import CubeRules
import CubistBasics
import Foundation
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

/// `cubist` itself, by two players who try commands at random and then follow its suggestions.
@Suite("Suggestions of the player's program", .serialized)
struct SuggestionWalkTests {
  /// The lines that players type; `OTHER` is the other player's name.
  private static let lines = [
    "start", "start OTHER", "start OTHER --turn-limit 3d", "start OTHER --casual --yes",
    "start --open", "start nobody1 --turn-limit 2d", "solo", "solo --timed", "accept", "decline",
    "decline --from OTHER --yes", "withdraw", "play QQQ", "play OTHER QQQ --any",
    "play --remove 222 --remove 212", "play OTHER --remove 222 --remove 212", "forfeit --yes",
    "forfeit OTHER --yes", "react QQQ", "react OTHER CAT", "rematch", "rematch OTHER",
    "rematch --decline", "share", "report OTHER --because conduct",
    "share OTHER", "export FILE", "show", "show OTHER", "games", "games --past --limit 1", "daily",
    "daily start", "daily start --timed", "daily play QQQ", "daily play --remove 222",
    "daily standings", "inbox", "inbox --all-seen", "settings", "home", "whoami", "service",
    "ladder", "register OTHER", "key export FILE", "verify /dev/null", "join ZZZZZZZZ",
    "show --code ZZZZZZZZ", "bot --seconds 1", "",
  ]

  private static let seeds = Array(1...10 as ClosedRange<UInt64>)
  /// The suggested commands that were run, and how often any was.
  private static let found = PartSum(of: seeds.count, (suggestions: 0, ran: Set<String>()))

  @Test(
    "Every command that is suggested, run as it stands, is no usage error and is not refused",
    arguments: seeds)
  func walk(seed: UInt64) async throws {
    var options = ServiceLab.Options(workers: 1)
    options.roles = [.reader, .relay, .push, .scheduler]
    options.lexicons = .standard
    try await ServiceLab.run(options) { lab in
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "cubist-walk-\(lab.database.name)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let players = try ["annwalks", "benwalks"].map {
        try Walker($0, url: lab.playersURL, folder: folder)
      }
      var random = SplitMix64(state: seed)
      var (suggestions, ran) = (0, Set<String>())
      for _ in 0..<12 {
        let number = Int(random.next() % 2)
        let (player, other) = (players[number], players[1 - number])
        let line = Self.lines[Int(random.next() % UInt64(Self.lines.count))]
        var run = try player.run(player.filled(line, other: other.name))
        // A suggested command may make a suggestion, too.
        for _ in 0..<3 where !run.suggestions.isEmpty {
          let next = run.suggestions[Int(random.next() % UInt64(run.suggestions.count))]
          let before = "after '\(line)', which said: \(run.errors)"
          run = try (next.isForOther ? other : player)
            .run(player.filled(next.command, other: other.name))
          #expect(run.isFine, "'\(next.command)' \(before): \(run.status), \(run.errors)")
          suggestions += 1
          ran.insert(next.command.split(separator: " ").dropFirst().first.map(String.init) ?? "")
        }
      }
      let all = Self.found.add {
        $0.suggestions += suggestions
        $0.ran.formUnion(ran)
      }
      if let all {
        #expect(all.suggestions > 60)
        #expect(all.ran.count > 4, "\(all.ran)")
      }
      #expect(try lab.violations() == [])
    }
  }
}

extension SuggestionWalkTests {
  /// A player at a shell, with a profile of their own.
  fileprivate final class Walker {
    /// A busy machine answers late. The program repeats this in its suggestions.
    private static let patience = ["--timeout", "1m"]
    let name: String
    private let url: String
    private let folder: String
    private var files = 0

    init(_ name: String, url: String, folder: String) throws {
      (self.name, self.url, self.folder) = (name, url, folder)
      for line in [["connect", url], ["register", name]] {
        let run = try run(line)
        guard run.status == 0 else { throw LabFailure("\(line[0]): \(run.errors)") }
      }
    }

    struct Run {
      var status: Int32
      var output: String
      var errors: String
      /// Whether the command waited for something and was ended.
      var wasWaiting: Bool

      /// The match that a document names.
      var match: String? {
        struct Document: Decodable { var match: String? }
        return (try? JSONDecoder().decode(Document.self, from: Data(output.utf8)))?.match
      }

      /// Whether the command succeeded, or waited.
      var isFine: Bool { status == 0 || wasWaiting }

      var suggestions: [(command: String, isForOther: Bool)] {
        errors.split(separator: "\n").compactMap { line in
          guard line.hasPrefix("Next: cubist") || line.hasPrefix("Try: cubist"),
            let text = line.split(separator: ": ", maxSplits: 1).last
          else { return nil }
          let parts = text.replacing(" --timeout 1m", with: "").split(separator: "#")
          return (String(parts[0]), parts.count > 1)
        }
      }
    }

    /// The arguments of a line, with values for the player's choices.
    func filled(_ line: String, other: String) throws -> [String] {
      var arguments = line.split(separator: " ").map(String.init)
      if arguments.first == "cubist" { arguments.removeFirst() }
      files += 1
      let values = [
        "OTHER": other, "FILE": "\(folder)/\(name)-\(files).json", "OTHER-NAME": "\(name)\(files)",
        "URL": url, "NAME": other,
      ]
      if let place = arguments.firstIndex(of: "WORD") {
        arguments.replaceSubrange(place...place, with: try removals(arguments))
      }
      return arguments.map { values[$0] ?? $0 }
    }

    /// Cubes to remove, which is also a turn: two of them in a match of two players.
    private func removals(_ arguments: [String]) throws -> [String] {
      let id =
        arguments[0] == "play"
        ? arguments[1]
        : try run(["daily", "--json"] + arguments.filter { $0 == "--timed" }).match ?? ""
      let run = try run(["show", id, "--json"])
      let view = try JSONDecoder().decode(MatchView.self, from: Data(run.output.utf8))
      var game = try view.game()
      var options: [String] = []
      for _ in view.seats where !game.isOver {
        guard let cube = game.playable.first(where: { _ in true })?.cube else { break }
        try game.apply(Move.removal(cube), words: Lexicon.everyWord)
        options += ["--remove", "\(cube)"]
      }
      return options
    }

    func run(_ arguments: [String]) throws -> Run {
      let process = Process()
      let (output, errors) = ("\(folder)/\(name).output", "\(folder)/\(name).errors")
      let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.executableURL = program.deletingLastPathComponent().appending(path: "cubist")
      process.arguments = arguments + Self.patience
      process.environment = [
        "XDG_STATE_HOME": "\(folder)/state", "CUBIST_PROFILE": name, "LC_ALL": "C",
      ]
      for file in [output, errors] { try Data().write(to: URL(fileURLWithPath: file)) }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
      process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
      try process.run()
      // A command that waits for the other player, or plays on, would run for ever.
      let waits = arguments.contains("watch") || arguments.contains("bot")
      if waits { _ = Patience.comes(within: .seconds(2)) { !process.isRunning } }
      let wasWaiting = waits && process.isRunning
      // A thread that blocks signals passes that on to its child processes.
      if wasWaiting { kill(process.processIdentifier, SIGKILL) }
      process.waitUntilExit()
      return Run(
        status: process.terminationStatus,
        output: try String(contentsOfFile: output, encoding: .utf8),
        errors: try String(contentsOfFile: errors, encoding: .utf8), wasWaiting: wasWaiting)
    }
  }
}
