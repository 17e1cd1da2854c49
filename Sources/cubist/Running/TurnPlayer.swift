import ServiceNews
import CubeLexicon
import GameScreens
import CubePlay
import CubeRules
import MatchCore
import MatchWire
import PlayerClient

/// Plays a turn: finds the faces of a word, lets the player choose, and sends the moves.
struct TurnPlayer {
  let session: CommandSession
  /// The command's name, for suggestions.
  let command: String
  /// The match as typed.
  let id: String?
  /// The word after the removals; nil where `turn` names faces or removals alone.
  let word: String?
  let turn: TurnOptions

  /// Other typed options of the same turn, such as ` --timed`.
  var others = ""

  /// The most choices that are shown to a person.
  static let choiceLimit = 20

  /// Plays in the match that `find` gives, unless an earlier command has done so already.
  func play(_ find: (Player) throws -> MatchID) throws {
    let player = try session.player()
    if !turn.dryRun, try isResumed(player) { return }
    let view = try player.match(find(player))
    let text = session.text(view, player)
    if !turn.dryRun { try check(text) }
    let finder = WordFinder(
      game: try view.game(), seatCount: view.seats.count,
      lexicon: session.environment.lexicons.named(view.lexicon))
    let choices = try choices(finder)
    if turn.dryRun { return try report(choices, of: view.id) }
    // Nobody is asked while the seconds run.
    let isAsked = !turn.any && view.mode != .timed
    let moves = try isAsked ? choose(among: choices, in: finder.game).moves : choices[0].moves
    let receipt = try player.play(moves, in: view)
    try report(receipt, moves, view, player)
  }

  /// The checks that need nothing to be sent.
  private func check(_ text: MatchText) throws {
    let short = text.short
    if let outcome = text.view.outcome {
      throw CommandFailure(
        .refused, "matchOver", "\(text.ending(outcome)).",
        next: ["cubist show \(short)", text.rematch].compactMap(\.self))
    }
    guard text.isYourTurn else {
      throw CommandFailure(
        .refused, "notYourTurn", "\(text.status). You cannot play in match \(short) now.",
        next: ["cubist \(text.isInvited ? "accept" : "watch") \(short)"])
    }
  }

  /// The same turn with another option.
  private func command(_ word: String, _ option: String) -> String {
    let removals = turn.remove.map { " --remove \($0)" }.joined()
    return "\(command) \(word)\(removals)\(others) \(option)"
  }
}

// MARK: - Finding the moves

extension TurnPlayer {
  /// The ways to make the turn that the options leave: one or several.
  private func choices(_ finder: WordFinder) throws -> [LegalTurn] {
    let removals = turn.remove.map { Move.removal($0) }
    if let faces = turn.faces { return [try choice(removals + [.word(faces)], faces, finder)] }
    guard let word else { return [try choice(removals, [], finder)] }
    let found = try finder.visibleChoices(for: word, after: turn.remove)
    guard let number = turn.choice else { return found }
    guard number > 0, found.indices.contains(number - 1) else {
      throw CommandFailure(
        .usage, "noSuchChoice",
        "There is no choice \(number): \(word.uppercased()) can be played in "
          + "\(Wording.count(found.count, "way")).",
        next: [command(word.uppercased(), "--dry-run")])
    }
    return [found[number - 1]]
  }

  /// The turn of moves that are named.
  private func choice(_ moves: [Move], _ faces: [Face], _ finder: WordFinder) throws -> LegalTurn {
    let spelled = finder.game.spelling(of: faces).description
    if let word, word.uppercased() != spelled {
      throw CommandFailure(
        .usage, "facesSpellOtherwise",
        "The faces spell \(spelled), not \(word.uppercased()). Leave out one of the two.")
    }
    return try finder.turn(moves)
  }

  private func choose(among choices: [LegalTurn], in game: CubeGame) throws -> LegalTurn {
    guard choices.count > 1, let first = choices.first else { return choices[0] }
    let canAsk =
      session.environment.inputIsTerminal && session.environment.errorOutput.isTerminal
      && !session.console.isJSON
    guard canAsk else {
      var failure = CommandFailure(
        .usage, "choiceNeeded",
        "\(first.word) can be played in \(choices.count) ways. Say which.",
        next: [command(first.word, "--choice 1"), command(first.word, "--any")])
      failure.choices = documents(choices)
      throw failure
    }
    let question = WayQuestion(choices: choices, game: game, console: session.console)
    guard let choice = try question.answer(session.environment.readLine) else {
      throw CommandFailure(.usage, "noSuchChoice", "Nothing was chosen, and nothing was played.")
    }
    return choice
  }

  private func documents(_ choices: [LegalTurn]) -> [ChoiceDocument] {
    choices.enumerated().map { ChoiceDocument(number: $0 + 1, $1) }
  }
}

// MARK: - Telling the outcome

extension TurnPlayer {
  /// Whether an earlier command's turn was this one. If so, its answer is told.
  private func isResumed(_ player: Player) throws -> Bool {
    var played: (moves: [Move], view: MatchView)?
    let reply = try session.resumed { action in
      guard case .turnPlayed(let earlier) = action,
        try session.means(id, earlier.match, player)
      else { return false }
      // While any turn is without an answer, no other can be played in that match.
      guard session.hasAnswer(to: action) else { return true }
      let view = try player.match(earlier.match)
      let moves = earlier.turn.moves
      guard let letters = Puzzle(view.letters), isSame(moves, letters) else { return false }
      played = (moves, view)
      return true
    }
    guard case .turnAccepted(let receipt) = try reply?.accepted(), let played else { return false }
    session.subject = session.subject ?? NextStep.short(receipt.match)
    try report(receipt, played.moves, played.view, player)
    return true
  }

  /// Whether moves are those that this command would play.
  private func isSame(_ moves: [Move], _ puzzle: Puzzle) -> Bool {
    let removed = moves.compactMap { if case .removal(let cube) = $0 { cube } else { nil } }
    let words = moves.compactMap { if case .word(let faces) = $0 { faces } else { nil } }
    guard removed == turn.remove else { return false }
    if let faces = turn.faces { return words == [faces] }
    guard let word else { return words.isEmpty }
    let game = CubeGame(puzzle: puzzle)
    return words.map { game.spelling(of: $0).description } == [word.uppercased()]
  }

  private func report(_ choices: [LegalTurn], of match: MatchID) throws {
    let documents = documents(choices)
    try session.console.show(.dryRun, DryRunDocument(match: match, choices: documents)) {
      ChoiceText.table(documents, session.console.style)
    }
  }

  private func report(
    _ receipt: TurnReceipt, _ moves: [Move], _ view: MatchView, _ player: Player
  ) throws {
    guard let puzzle = Puzzle(view.letters) else { throw MatchViewFault.letters }
    let document = TurnDocument(receipt, moves: moves, puzzle: puzzle)
    // The turn counts whether or not the cube can be shown.
    let shown =
      session.console.isWatched ? try? player.match(view.id, atLeast: receipt.version) : nil
    try session.console.show(.turn, document) {
      let made = Wording.turn(moves, words: document.words, score: receipt.scores.reduce(0, +))
      let text = session.text(view, player)
      let cube = shown.map { session.text($0, player) }
      return "Turn \(receipt.turn) \(text.whose): \(made). \(text.points(receipt.points)).\n"
        + (receipt.outcome.map { "\(text.ending($0)).\n" } ?? "")
        + ((try? cube?.text(session.console.style)) ?? "")
    }
    guard receipt.outcome == nil else { return }
    let isAlone = view.seats.count == 1
    session.console.suggest(
      "cubist \(isAlone ? "show" : "watch") \(session.subject ?? NextStep.short(view.id))")
  }
}

/// Ways to play, as a table.
enum ChoiceText {
  static func table(_ choices: [ChoiceDocument], _ style: TerminalStyle) -> String {
    var table = TerminalTable([
      .init(heading: "#", alignment: .right), .init(heading: "Score", alignment: .right),
      .init(heading: "Moves"), .init(heading: "Cubes that vanish"),
    ])
    for choice in choices.prefix(TurnPlayer.choiceLimit) {
      table.append([
        String(choice.choice), String(choice.score), choice.moves.joined(separator: ", "),
        choice.vanishing.joined(separator: " "),
      ])
    }
    let rest = choices.count - TurnPlayer.choiceLimit
    return table.text(style) + (rest > 0 ? "and \(rest) more; --faces says exactly which\n" : "")
  }
}
