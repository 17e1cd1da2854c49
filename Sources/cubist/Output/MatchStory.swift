import ServiceNews
import CubePlay
import CubeRules
import GameScreens
import MatchCore
import MatchWire

/// The turns of a match, and the cube before and after each.
struct MatchStory {
  let view: MatchView
  let text: MatchText
  /// Each turn on its cube.
  let turns: [TurnReplay]
  private let dealt: CubeGame

  /// - Throws: `MatchViewFault` where the view does not agree with itself.
  init(_ view: MatchView, _ text: MatchText) throws(MatchViewFault) {
    guard let puzzle = Puzzle(view.letters) else { throw .letters }
    (self.view, self.text) = (view, text)
    turns = try view.replays()
    dealt = CubeGame(puzzle: puzzle)
  }

  /// The points of each seat after so many turns.
  private func points(after count: Int) -> [Int] {
    var points = view.seats.map { _ in 0 }
    for turn in view.turns.prefix(count) where points.indices.contains(turn.seat) {
      points[turn.seat] = turn.scores.reduce(points[turn.seat], &+)
    }
    return points
  }

  private func game(after count: Int) -> CubeGame {
    count == 0 ? dealt : turns[count - 1].after
  }

  /// How the match stood after so many turns, for programs.
  func document(after count: Int) -> ReplayDocument {
    let turn = count == 0 ? nil : view.turns[count - 1]
    let game = game(after: count)
    return ReplayDocument(
      match: view.id, turn: count, seat: turn?.seat, moves: turn?.moves ?? [],
      words: turn?.words ?? [], scores: turn?.scores ?? [], points: points(after: count),
      letters: view.letters, uses: Face.all.map { String(game.uses(of: $0)) }.joined(),
      inPlay: Cube.all.map { game.inPlay.contains($0) ? "1" : "0" }.joined())
  }

  /// A turn on its cube, with a heading.
  func text(ofTurn number: Int, _ style: TerminalStyle) throws -> String {
    let (replay, turn) = (turns[number - 1], view.turns[number - 1])
    let picture = replay.picture(by: .me)
    return CubeDrawing(
      game: picture.game, highlighted: picture.lit, highlightMeaning: "this word",
      notes: [heading(number)] + scores(after: number) + ["", sentence(turn)]
        + vanished(replay)
    ).text(style)
  }

  /// The cube as it stood after so many turns.
  func drawing(after count: Int) -> CubeDrawing {
    let last = count == 0 ? [] : turns[count - 1].turn.faces
    return CubeDrawing(
      game: game(after: count), highlighted: FaceSet(last), highlightMeaning: "last word",
      notes: [heading(count)] + scores(after: count) + [""]
        + view.turns.prefix(count).suffix(8).reversed().map(line))
  }

  private func heading(_ count: Int) -> String {
    let place = count == 0 ? "before its first turn" : "turn \(count) of \(turns.count)"
    return "Match \(text.short): \(place)"
  }

  private func scores(after count: Int) -> [String] {
    zip(view.seats.indices, points(after: count)).map { "\(text.name($0)) \($1)" }
  }

  private func line(_ turn: MatchView.Turn) -> String {
    let words = zip(turn.moves, turn.words).map { $1.isEmpty ? $0 : $1 }
    return "\(turn.number). \(text.name(turn.seat)) \(words.joined(separator: " ")) "
      + "\(turn.scores.reduce(0, &+))"
  }

  private func sentence(_ turn: MatchView.Turn) -> String {
    let words = turn.words.filter { !$0.isEmpty }
    let removed = turn.words.count - words.count
    let cubes = "removed \(removed == 1 ? "a cube" : "\(removed) cubes")"
    let played = "played \(Wording.list(words)) for \(turn.scores.reduce(0, &+))"
    let acts = (removed > 0 ? [cubes] : []) + (words.isEmpty ? [] : [played])
    return "\(text.name(turn.seat)) \(Wording.list(acts))."
  }

  private func vanished(_ replay: TurnReplay) -> [String] {
    let count = replay.turn.vanishing.count
    return count == 0 ? [] : [count == 1 ? "1 cube vanished." : "\(count) cubes vanished."]
  }
}

/// How a match stood after a turn: a line of `replay`, and the answer to `show --turn`.
struct ReplayDocument: Encodable {
  var match: MatchID
  /// How many turns had been played.
  var turn: Int
  /// The player of the last one, by seat.
  var seat: Int?
  var moves: [String]
  var words: [String]
  var scores: [Int]
  var points: [Int]
  var letters: String
  var uses: String
  var inPlay: String
}
