import CubeLexicon
import CubeRules
import Foundation
import MatchLoad
import Testing

/// Figures without noise have limits. A figure above its limit is a change that somebody has to
/// want. Builds for debugging allocate and do more than releases, whose figures are in
/// Benchmarks/README.md. So they have limits of their own.
@Suite("Counted costs", .enabled(if: Counts.canBeTaken))
struct CountTests {
  @Test("A turn costs the worker no more allocations than it did")
  func allocationsOfATurn() throws {
    let counts = try Counts.preloaded("turns", "64", "12")
    #expect(counts.count > 600)
    let each = try #require(counts.allocations)
    #expect(each > 10, "the library counts")
    #expect(each <= (Counts.areOfOptimized ? 27 : 93))
  }

  @Test("A word is judged without allocating, except in a build for debugging")
  func allocationsOfAWord() throws {
    let counts = try Counts.preloaded("words")
    #expect(counts.count > 100)
    #expect(try #require(counts.allocations) <= (Counts.areOfOptimized ? 1.1 : 26))
  }

  @Test(
    "A turn costs the worker no more instructions than it did",
    .enabled(if: Counts.valgrind != nil))
  func instructionsOfATurn() throws {
    let each = try Counts.instructionsOfATurn()
    #expect(each > 10_000, "callgrind counts")
    #expect(each <= (Counts.areOfOptimized ? 196_000 : 636_000))
  }
}

@Suite("Matches that are prepared")
struct StrategyTests {
  @Test(
    "A script plays its match to the end, and is the same for the same seed", arguments: 0..<20)
  func script(seed: UInt64) throws {
    let puzzle = Puzzle.candidate(0, seed: seed)
    let script = try Strategy.script(letters: "\(puzzle)", seed: seed)
    var game = CubeGame(puzzle: puzzle)
    for moves in script {
      #expect(!game.isOver)
      for move in moves { _ = try game.apply(move, words: Lexicon.english) }
    }
    #expect(game.isOver)
    #expect(try Strategy.script(letters: "\(puzzle)", seed: seed) == script)
  }
}

/// The figures of `cubist-counts`.
private struct Counts {
  var count: Int
  var allocations: Double?

  /// The folder of the built programs.
  private static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path
  private static let program = "\(folder)/cubist-counts"

  /// A sanitizer has an allocator of its own, and does work that is not counted here.
  static let canBeTaken = dlsym(nil, "__asan_init") == nil && dlsym(nil, "__tsan_init") == nil

  /// Whether the modules are optimized, as deploy/test builds them.
  static let areOfOptimized = ProcessInfo.processInfo.environment["CUBIST_TEST_BUILD"] != nil

  static let valgrind = ["/usr/bin/valgrind", "/usr/local/bin/valgrind"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// By the preloaded library.
  static func preloaded(_ arguments: String...) throws -> Counts {
    let environment = ["LD_PRELOAD": "\(folder)/libcounting.so"]
    return try Counts(
      run([program] + arguments, environment.merging(Callgrind.environment) { $1 }))
  }

  /// By callgrind.
  static func instructionsOfATurn() throws -> Double {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("cubist-counts-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let valgrind = try #require(valgrind)
    let said = try run(
      Callgrind.command(valgrind, [program, "turns", "4", "12"], to: file.path),
      Callgrind.environment)
    let profile = try String(contentsOf: file, encoding: .utf8)
    return try #require(Callgrind.instructions(in: profile)) / Double(Counts(said).count)
  }

  private init(_ said: String) throws {
    func figure(_ name: String) -> Double? {
      said.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
        .flatMap { Double($0.dropFirst(name.count + 1)) }
    }
    count = Int(try #require(figure("count"), "\(said)"))
    allocations = figure("allocations")
  }

  private static func run(
    _ command: [String], _ environment: [String: String]
  ) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(said)")
    return said
  }
}
