import ServiceNews
import CubeRules
import GameScreens
import MatchCore
import MatchWire
import PlayerClient
import TerminalScreen

/// One match as one of its players sees it.
struct MatchText {
  let view: MatchView
  let player: PlayerID
  let now: Instant
  /// How the match is called.
  let short: String

  /// The most turns that are listed.
  private static let turnLimit = 8

  private var side: MatchSide { MatchSide(view, player) }

  /// The player's own seat.
  var seat: Int? { side.seat }

  /// Whether the player can play now.
  var isYourTurn: Bool { view.stage != .ended && seat == view.seatToPlay }

  /// Whether the player is invited and has not answered.
  var isInvited: Bool {
    view.stage == .waiting && view.seats.contains { $0.player == player && $0.state == .invited }
  }

  /// The opponent, or the sort of game, of a turn.
  var whose: String {
    guard view.seats.count > 1 else { return "of your \(Wording.game(view))" }
    let other = view.seats.first { $0.player != player }
    return other?.player == nil
      ? "of match \(short)" : "against \(Wording.name(other?.name, other?.player))"
  }

  /// The command that asks for a rematch, or looks at it; nil where there can be none.
  var rematch: String? {
    if let successor = view.successor { return "cubist show \(NextStep.short(successor))" }
    guard let outcome = view.outcome, outcome.wasPlayed, view.seats.count > 1 else { return nil }
    return "cubist rematch \(short)"
  }

  /// The players' points, the player's own first.
  func points(_ points: [Int]) -> String {
    let seats = points.indices.sorted { $0 == seat && $1 != seat }
    let texts = seats.map { index in
      view.seats.count == 1
        ? Wording.count(points[index], "point") : "\(name(index)) \(points[index])"
    }
    let text = texts.joined(separator: ", ")
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  /// The cube with everything that belongs beside it.
  func drawing() throws -> CubeDrawing { try drawing(beside: notes + latestTurns) }

  private func drawing(beside notes: [String]) throws -> CubeDrawing {
    CubeDrawing(
      game: try view.game(), highlighted: lastWord, highlightMeaning: "last word", notes: notes)
  }

  /// The cube as text. All turns of a match that is over stand below it, where there are too many to
  /// stand beside it.
  func text(_ style: TerminalStyle) throws -> String {
    guard view.outcome != nil, view.turns.count > MatchText.turnLimit else {
      return try drawing().text(style)
    }
    let turns = view.turns.flatMap { rows($0).reversed() }
    return try drawing(beside: notes).text(style)
      + turns.map { TerminalText.safe($0) + "\n" }.joined()
  }

  /// One sentence that says how the match stands.
  var status: String {
    if let outcome = view.outcome { return ending(outcome) }
    let left = view.deadline.map { ", \(Wording.timeLeft($0, now: now))" } ?? ""
    switch view.stage {
    case .waiting: return waiting + left
    case .playing, .ended:
      return (isYourTurn ? "Your turn" : "It is the turn of \(name(view.seatToPlay))") + left
    }
  }

  /// The name of a seat's player.
  func name(_ seat: Int) -> String { side.name(seat) }

  /// How a match ended, from the player's side.
  func ending(_ outcome: Outcome) -> String { side.ending(outcome) }

  /// Why a match ended, by the names of its players.
  func reason(_ outcome: Outcome) -> String { side.reason(outcome) }

  private var waiting: String {
    let place: String
    if let code = view.code {
      place = "Waits for anyone with the code \(code)"
    } else if let invited = view.seats.first(where: { $0.state == .invited }) {
      place =
        invited.player == player
        ? "You are invited" : "Waits for \(Wording.name(invited.name, invited.player))"
    } else {
      place = "Waits for an opponent"
    }
    return isYourTurn ? "\(place); you can play" : place
  }

  private var notes: [String] {
    let timed = view.mode == .timed ? "timed " : ""
    let kind = timed + (view.daily.map { "daily \($0.day)" } ?? view.kind.rawValue)
    let pace = view.turnLimit.map { ", \(SpanText.words(seconds: $0)) a turn" } ?? ""
    var lines = ["Match \(short): \(kind)\(pace)\(view.casual == true ? ", casual" : "")"]
    for (index, seat) in view.seats.enumerated() {
      let isNext = view.stage != .ended && index == view.seatToPlay
      let bot = seat.bot == true ? " (bot)" : ""
      lines.append("\(isNext ? ">" : " ") \(name(index))\(bot) \(seat.points)")
    }
    lines.append(status)
    if let other = view.outcome?.mergedInto {
      lines.append("It goes on as match \(NextStep.short(other))")
    }
    if let successor = view.successor {
      lines.append("Rematch: match \(NextStep.short(successor))")
    } else if let offer = view.rematchOfferBy {
      lines.append("Rematch offered by \(name(offer))")
    }
    return lines
  }

  /// The turns that have room beside the cube, the newest first, after an empty line.
  private var latestTurns: [String] {
    guard !view.turns.isEmpty else { return [] }
    return [""] + view.turns.suffix(MatchText.turnLimit).reversed().flatMap(rows)
  }

  /// A turn, and the reaction to it above, which came later.
  private func rows(_ turn: MatchView.Turn) -> [String] {
    let answer = turn.reaction.map { "   \(name($0.seat)): \($0.word)" }
    return [answer, line(turn)].compactMap(\.self)
  }

  /// A turn in one line.
  func line(_ turn: MatchView.Turn) -> String {
    let words = turn.words.filter { !$0.isEmpty }
    let removed = turn.moves.count - words.count
    let moves = (removed > 0 ? ["-\(Wording.count(removed, "cube"))"] : []) + words
    let score = turn.scores.reduce(0, +)
    return "\(turn.number). \(name(turn.seat)) \(moves.joined(separator: " ")) \(score)"
  }

  private var lastWord: FaceSet {
    var faces = FaceSet()
    for text in view.turns.last?.moves ?? [] {
      // Invalid moves are reported where the game is made of them.
      if case .word(let word)? = try? Move(notation: text) { faces.formUnion(FaceSet(word)) }
    }
    return faces
  }
}
