import CubeLexicon
import CubeRules
import CubistBasics
import MatchCore
import Testing

@testable import CubePlay

@Suite("Games alone without a service")
struct LocalTableTests {
  private static let puzzle = Lexicon.english.puzzle(seed: 8)

  /// The cubes of some turns, each with one that can be seen and that it does not block.
  private static func removals(_ count: Int, on game: CubeGame) throws -> [Move] {
    var (game, moves) = (game, [Move]())
    for _ in 0..<count {
      let cube = try #require(game.playable.first { _ in true }).cube
      game = game.without([cube])
      moves.append(.removal(cube))
    }
    return moves
  }

  @Test("The service's judge scores each turn the same, and ends the game at the same turn")
  func judged() throws {
    var random = SplitMix64(state: SplitMix64.increment)
    // A short list, so that the game is about removals too.
    let found = Lexicon.english.words(on: CubeGame(puzzle: Self.puzzle)).prefix(3)
    let words = Lexicon.only(found.map { $0.word.lowercased() })
    var match = LocalMatch(on: Self.puzzle, against: .nobody)
    var judged = JudgedMatch(Self.puzzle, seatCount: 1, lexicon: words)
    while !match.game.isOver {
      #expect(match.player == .me)
      #expect(judged.match.outcome == nil)
      let moves = BotStrength.hard.turn(
        on: match.game, seatCount: 1, words: words, random: { random.next() })
      try match.play(moves, words: words)
      #expect(judged.play(moves)?.reduce(0, +) == match.turns.last?.score)
      #expect(judged.match.points == match.players.points)
    }
    #expect(judged.match.outcome?.reason == .cleared)
    #expect(judged.match.outcome?.results == [.completed])
    #expect(match.points(of: .me) > 0)
    let news = match.news(words: words, .open)
    #expect(news.standing.players == .alone(points: match.points(of: .me)))
    #expect(news.standing.stage == .over(.cleared))
    #expect(news.ending == "Over: no cube is left.")
    #expect(news.opponent == nil)
    #expect(news.rematch == .impossible)
  }

  @Test("One cube is a turn, and so is any run of moves; none is refused, as by the judge")
  func runs() throws {
    var match = LocalMatch(on: Self.puzzle, against: .nobody)
    var judged = JudgedMatch(Self.puzzle, seatCount: 1, lexicon: .english)
    for count in [1, 3, 2] {
      let moves = try Self.removals(count, on: match.game)
      try match.play(moves, words: .english)
      #expect(judged.play(moves) == Array(repeating: 0, count: count))
      #expect(match.turns.last?.removedCount == count)
    }
    #expect(throws: TurnRefusal(moveIndex: 0, reason: .turnShape(.empty))) {
      try match.play([], words: .english)
    }
    #expect(judged.play([]) == nil)
    let first = try #require(Lexicon.english.words(on: match.game).first)
    var after = match.game
    _ = try after.apply(.word(first.faces), words: Lexicon.english)
    let second = try #require(
      Lexicon.english.words(on: after).first { $0.word != first.word })
    let moves = [Move.word(first.faces), .word(second.faces)]
    try match.play(moves, words: .english)
    #expect(judged.play(moves) == [first.score, second.score])
    #expect(match.turns.last?.removedCount == 0)
    #expect(match.points(of: .me) == first.score + second.score)
    #expect(match.turnCount == 4)
  }

  @Test("The list offers a game alone after the robots; a turn counts once, and no robot answers")
  func table() throws {
    var table = LocalTable(words: .english)
    var random = SplitMix64(state: 1)
    let offered = table.home { random.next() }.rows
    #expect(offered.map(\.opponent) == ["Robot, easy", "Robot, medium", "Robot, hard", "Alone"])
    #expect(offered.map(\.kind) == [.invitation, .invitation, .invitation, .alone])
    let key = try #require(table.accept(MatchKey("alone")) { random.next() })
    let game = try #require(table.found(key)).news.standing.game
    let word = try #require(Lexicon.english.words(on: game).first)
    #expect(
      table.play(key, [.word(word.faces)], number: 1) == .accepted(secondsLeft: nil))
    #expect(table.play(key, [.word(word.faces)], number: 1) == .outdated)
    table.answer(key) { random.next() }
    let rows = table.home { random.next() }.rows
    #expect(rows.map(\.opponent) == ["Alone"] + offered.map(\.opponent))
    #expect(rows.first?.points == [word.score])
    let found = try #require(table.found(key))
    #expect(!found.isRobots)
    #expect(found.news.lines.count == 1)
    #expect(found.news.standing.stage == .yours(secondsLeft: nil))
    #expect(table.rematch(key) { random.next() } == .failed("The match is not over."))
  }

  @Test("A key that no match has is no match")
  func otherKeys() {
    var table = LocalTable(words: .english)
    let key = table.begin(.nobody, on: Self.puzzle)
    for text in ["0", "2", "-1", "\(Int.min)", "\(Int.max)", "", "x"] {
      #expect(table.found(MatchKey(text)) == nil, "\(text)")
    }
    #expect(table.found(key) != nil)
  }

  @Test("A game alone that is over leaves the list, and has no rematch")
  func over() throws {
    var table = LocalTable(words: .english)
    let key = table.begin(.nobody, on: Self.puzzle)
    for number in 1...27 {
      let game = try #require(table.found(key)).news.standing.game
      #expect(
        table.play(key, try Self.removals(1, on: game), number: number)
          == .accepted(secondsLeft: nil))
    }
    #expect(table.found(key)?.news.standing.stage == .over(.cleared))
    #expect(table.home { 0 }.rows.count == 4)
    #expect(table.rematch(key) { 0 } == .failed("A game alone has no rematch."))
    #expect(table.play(key, [], number: 28) == .illegal(.gameOver))
  }

  @Test("A game alone is begun at once, even in a list that has just changed")
  func changedList() {
    var home = HomeScreen()
    func act(_ action: HomeAction) -> [HomeEffect] { HomeScreen.reducer.reduce(&home, action) }
    let alone = HomeRow(Opponent.nobody.key, .alone, opponent: "Alone")
    _ = act(.arrived(HomeList(name: nil, rows: [HomeRow(MatchKey("1"), .yourTurn, opponent: "a")])))
    _ = act(.arrived(HomeList(name: nil, rows: [alone])))
    #expect(act(.declined).isEmpty)
    #expect(act(.opened) == [.grant(.accept(alone.key))])
    #expect(home.doubted == nil)
  }
}
