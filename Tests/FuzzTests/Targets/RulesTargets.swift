import CubeLexicon
import CubeRules
import MatchCore
import MatchWire

extension FuzzTarget {
  static let rulesTargets = [
    FuzzTarget(name: "notation", run: notation), FuzzTarget(name: "names", run: names),
    FuzzTarget(name: "game", run: game), FuzzTarget(name: "gameState", run: gameState),
  ]

  /// A move has one notation.
  @Sendable private static func notation(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    if let move = try attempt({ try Move(notation: text) }) {
      try hold(same(move.description, text), "\(text) is written \(move)")
    }
    if let face = Face(notation: text) {
      try hold(same(face.description, text), "\(text) is written \(face)")
    }
  }

  /// Ids, names, codes, days and keys of queues: reading and writing are inverse.
  @Sendable private static func names(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    if let id = MatchID(text) {
      try hold(same(id.description, text.lowercased()), "\(text) is written \(id)")
    }
    if let name = PlayerName(text) {
      try hold(same(name.text, text) && PlayerName(name.key) != nil, "\(text) is named \(name)")
    }
    if let code = ShareCode(text) {
      try hold(
        ShareCode(code.text) == code && same(code.text, text.uppercased()), "\(text): \(code)")
    }
    if let day = Day(text) { try hold(same(day.description, text), "\(text) is written \(day)") }
    if let cursor = PastGamesCursor(text) {
      try hold(same(cursor.description, text), "\(text) is written \(cursor)")
    }
    if let slot = Slot(routingKey: text) {
      try hold(same(slot.routingKey, text), "\(text) is written \(slot)")
    }
    if let hash = Hash(text) {
      try hold(same(hash.description, text.lowercased()), "\(text) is written \(hash)")
    }
    if let version = LexiconVersion(rawValue: text) {
      try hold(version.rawValue.utf8.count <= LexiconVersion.maximumLength, "\(version) is long")
    }
  }

  /// Turns on a cube: one that is refused changes nothing, and a stored game is the same game.
  @Sendable private static func game(_ bytes: [UInt8]) throws {
    var input = InputReader(bytes)
    guard let puzzle = puzzle(&input) else { return }
    var game = CubeGame(puzzle: puzzle)
    let seatCount = 1 + Int(input.byte() & 1)
    var total = 0
    while !input.isAtEnd {
      let moves = (0..<Int(input.byte() % 4)).map { _ in move(&input) }
      let before = game
      do {
        total += try game.applyTurn(moves, seatCount: seatCount, words: Lexicon.everyWord)
          .reduce(0, +)
      } catch {
        _ = error.description
        try hold(game == before, "a refused turn changed the game")
        continue
      }
      let stored = CubeGame(puzzle: puzzle, encodedState: game.encodedState())
      try hold(stored == game, "a stored game is another game")
      try hold(
        game.playable.allSatisfy { game.inPlay.contains($0.cube) }, "a face without its cube")
    }
    try hold((0..<1 << 40).contains(total), "a total of \(total)")
  }

  /// Stored games have one form.
  @Sendable private static func gameState(_ bytes: [UInt8]) throws {
    var input = InputReader(bytes)
    guard let puzzle = puzzle(&input) else { return }
    let state = input.remainder()
    guard let game = CubeGame(puzzle: puzzle, encodedState: state) else { return }
    try hold(game.encodedState() == state, "a stored game has a second form")
    _ = game.playedWords
  }

  private static func puzzle(_ input: inout InputReader) -> Puzzle? {
    Puzzle(String(decoding: input.bytes(81).map { UInt8(ascii: "A") + $0 % 26 }, as: UTF8.self))
  }

  private static func move(_ input: inout InputReader) -> Move {
    let first = input.byte()
    if first >= 0xe0, let face = Face(number: 3 * Int(first % 27)) { return .removal(face.cube) }
    return .word((0..<Int(first % 12)).compactMap { _ in Face(number: Int(input.byte() % 81)) })
  }

  /// Compares byte by byte: to Swift, strings are equal that only look alike.
  private static func same(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
  }
}
