import CCounting
import CSQLite
import CubeLexicon
import CubeRules
import Foundation
import Glibc
import SystemCalls

/// Rules and word list, measured in this process alone. Prints one JSON object of numbers.
///
///     cubist-bench-rules PROJECT-FOLDER
@main
struct BenchRules {
  static func main() throws {
    guard CommandLine.arguments.count == 2 else {
      FileHandle.standardError.write(Data("usage: cubist-bench-rules PROJECT-FOLDER\n".utf8))
      exit(64)
    }
    var figures: [String: Double] = [:]
    figures["lexiconReadyMs"] = readyMilliseconds()
    let games = try RecordedGame.load(from: CommandLine.arguments[1])
    measureRules(games, &figures)
    measurePuzzles(&figures)
    try Words(root: CommandLine.arguments[1]).measure(&figures)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    print(String(decoding: try encoder.encode(figures), as: UTF8.self))
  }

  /// The first use of the embedded list, in a process that has not touched it.
  static func readyMilliseconds() -> Double {
    let began = nanoseconds()
    let isThere = Lexicon.english.contains("word")
    let passed = Double(nanoseconds() - began) / 1_000_000
    precondition(isThere)
    return passed
  }

  /// Judges every legal word of recorded games, and replays the games.
  static func measureRules(_ games: [RecordedGame], _ figures: inout [String: Double]) {
    let lexicon = Lexicon.everyWord
    var positions: [(game: CubeGame, move: Move)] = []
    for game in games {
      var state = CubeGame(puzzle: game.puzzle)
      for move in game.moves {
        if case .word = move { positions.append((state, move)) }
        _ = try? state.apply(move, words: lexicon)
      }
    }
    var sum = 0
    let each = measure(positions.count, forSeconds: 1) {
      for position in positions {
        if let score = try? position.game.judge(position.move, words: lexicon) { sum &+= score }
      }
    }
    figures["nsPerJudgedWordMove"] = each
    figures["judgedWordMovesPerSecond"] = 1_000_000_000 / each
    let allocations = counted(COUNTING_ALLOCATIONS_OTHER) {
      for position in positions {
        if let score = try? position.game.judge(position.move, words: lexicon) { sum &+= score }
      }
    }
    figures["allocationsPerJudgedWordMove"] = Double(allocations) / Double(positions.count)
    // The legal moves of a game until 25 of them are played.
    let long = games.filter { $0.moves.count >= 25 }
    let replayed = measure(long.count, forSeconds: 1) {
      for game in long {
        var state = CubeGame(puzzle: game.puzzle)
        for move in game.moves.prefix(25) {
          if let score = try? state.apply(move, words: lexicon) { sum &+= score }
        }
      }
    }
    figures["usPerReplayedGameOf25Moves"] = replayed / 1_000
    figures["gamesReplayedPerSecond"] = 1_000_000_000 / replayed
    precondition(sum != 0)
  }

  /// All words of full cubes, and deals that are worth playing.
  static func measurePuzzles(_ figures: inout [String: Double]) {
    let cubes = (0..<50).map { CubeGame(puzzle: .candidate(0, seed: UInt64($0))) }
    var sum = 0
    let each = measure(cubes.count, forSeconds: 1) {
      for cube in cubes { sum &+= Lexicon.english.words(on: cube).count }
    }
    figures["msForAllWordsOfAFullCube"] = each / 1_000_000
    figures["wordsOnAFullCube"] = Double(
      cubes.map { Lexicon.english.words(on: $0).count }.max() ?? 0)
    var seed: UInt64 = 0
    let dealt = measure(20, forSeconds: 1) {
      for _ in 0..<20 {
        seed += 1
        var number = 0
        while !Lexicon.english.isWorthPlaying(.candidate(number, seed: seed)) { number += 1 }
      }
    }
    figures["puzzlesDealtPerSecond"] = 1_000_000_000 / dealt
    precondition(sum != 0)
  }

  static func nanoseconds() -> UInt64 { MonotonicClock.now }

  /// Nanoseconds for one of the `count` things that a body does. The fastest of many runs, since
  /// noise of the machine touches it least.
  static func measure(_ count: Int, forSeconds limit: Double, _ body: () -> Void) -> Double {
    body()
    var best = Double.infinity
    let end = nanoseconds() + UInt64(limit * 1_000_000_000)
    while nanoseconds() < end {
      let began = nanoseconds()
      body()
      best = min(best, Double(nanoseconds() - began) / Double(count))
    }
    return best
  }

  /// How often something of counting.h happens in a body.
  static func counted<Kind: BinaryInteger>(_ kind: Kind, _ body: () -> Void) -> UInt64 {
    var before = [UInt64](repeating: 0, count: 16)
    var after = before
    counting_read(&before)
    body()
    counting_read(&after)
    return after[Int(kind)] - before[Int(kind)]
  }
}

/// A game of the rules' own test vectors: the moves that were legal.
struct RecordedGame {
  let puzzle: Puzzle
  let moves: [Move]

  private struct Vector: Decodable {
    struct Step: Decodable {
      var accepted: Bool
      var word: String?
      var remove: String?
    }
    var puzzle: [String]
    var moves: [Step]
  }

  static func load(from root: String) throws -> [RecordedGame] {
    let file = URL(fileURLWithPath: "\(root)/Tests/CubeRulesTests/Fixtures/games.json")
    return try JSONDecoder().decode([Vector].self, from: Data(contentsOf: file)).map {
      vector in
      let letters = vector.puzzle.joined().replacingOccurrences(of: "QU", with: "Q")
        .filter { $0 != " " }
      guard let puzzle = Puzzle(letters) else { throw CocoaError(.fileReadCorruptFile) }
      let moves = try vector.moves.filter(\.accepted).map { step in
        try Move(notation: step.word ?? "-\(step.remove ?? "")")
      }
      return RecordedGame(puzzle: puzzle, moves: moves)
    }
  }
}

/// The word list beside a set of strings and beside SQLite.
struct Words {
  private let words: [String]
  private let hits: [String]
  private let misses: [String]
  private let prefixes: [String]

  init(root: String) throws {
    let text = try String(contentsOfFile: "\(root)/deploy/lexicon/english.txt", encoding: .utf8)
    words = text.split(separator: "\n").map { $0.uppercased() }.filter { !$0.hasPrefix("#") }
    guard words.count > 10_000 else { throw CocoaError(.fileReadCorruptFile) }
    let chosen = stride(from: 0, to: words.count, by: words.count / 1_000)
    let list = words
    let hits = chosen.map { list[$0] }
    self.hits = hits
    // The last letters changed: a typical mistake of a player.
    let known = Set(words)
    misses = hits.map { String($0.dropLast()) + "X" }.filter { !known.contains($0) }
    prefixes = hits.map { String($0.prefix(max(1, $0.count - 2))) }
  }

  func measure(_ figures: inout [String: Double]) throws {
    let lexicon = Lexicon.english
    var found = 0
    func each(_ texts: [String], _ look: (String) -> Bool) -> Double {
      BenchRules.measure(texts.count, forSeconds: 0.5) {
        for text in texts where look(text) { found &+= 1 }
      }
    }
    figures["nsContainsHit"] = each(hits, lexicon.contains)
    figures["nsContainsMiss"] = each(misses, lexicon.contains)
    figures["nsIsPrefixHit"] = each(prefixes, lexicon.isPrefix)
    figures["nsIsPrefixMiss"] = each(misses, lexicon.isPrefix)
    figures["lexiconBytes"] = Double(Self.packedBytes)
    let before = counting_heap_bytes()
    let set = Set(words)
    // As a program would keep it: without the file it was read from.
    figures["setBytes"] = Double(counting_heap_bytes() - before)
    figures["nsSetContainsHit"] = each(hits, set.contains)
    figures["nsSetContainsMiss"] = each(misses, set.contains)
    try measureSQLite(&figures)
    precondition(found > 0)
  }

  private static var packedBytes: Int {
    // Read in place in the binary, so that its own size is all it takes.
    (try? FileManager.default.attributesOfItem(
      atPath: "\(CommandLine.arguments[1])/Sources/CEmbedded/english.lexicon")[.size] as? Int) ?? 0
  }

  private func measureSQLite(_ figures: inout [String: Double]) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    func check(_ status: Int32) throws {
      guard status == SQLITE_OK else { throw SQLiteFailure(status: status) }
    }
    try check(sqlite3_open(":memory:", &database))
    func prepared(_ sql: String) throws -> OpaquePointer? {
      var statement: OpaquePointer?
      try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
      return statement
    }
    /// The status of the statement's first step.
    func step(_ statement: OpaquePointer?, _ word: String) -> Int32 {
      defer { sqlite3_reset(statement) }
      return word.withCString { text in
        // The text outlives the step, so SQLite need not copy it.
        sqlite3_bind_text(statement, 1, text, -1, nil)
        return sqlite3_step(statement)
      }
    }
    try check(
      sqlite3_exec(
        database, "CREATE TABLE words (word TEXT PRIMARY KEY) WITHOUT ROWID; BEGIN", nil, nil, nil))
    let insert = try prepared("INSERT OR IGNORE INTO words VALUES (?)")
    defer { sqlite3_finalize(insert) }
    for word in words {
      let status = step(insert, word)
      guard status == SQLITE_DONE else { throw SQLiteFailure(status: status) }
    }
    try check(sqlite3_exec(database, "COMMIT", nil, nil, nil))
    let look = try prepared("SELECT 1 FROM words WHERE word = ?")
    defer { sqlite3_finalize(look) }
    var found = 0
    for (name, texts) in [("nsSQLiteHit", hits), ("nsSQLiteMiss", misses)] {
      figures[name] = BenchRules.measure(texts.count, forSeconds: 0.5) {
        for text in texts where step(look, text) == SQLITE_ROW { found &+= 1 }
      }
    }
    precondition(found > 0)
  }

  struct SQLiteFailure: Error {
    let status: Int32
  }
}
