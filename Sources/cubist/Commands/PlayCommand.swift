import ArgumentParser
import CubeLexicon
import CubeRules
import MatchCore
import MatchWire
import PlayerClient

/// `cubist play`
struct Play: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Play a turn.",
    usage: "cubist play [<id>] [<word>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist play                            on the whole screen
        cubist play 3fa2                       that match on the whole screen
        cubist play ben                        the match with ben on the whole screen
        cubist play CUBES
        cubist play 3fa2 CUBES --dry-run       print faces and score only
        cubist play --word BEN                 a word that is an opponent's name, too
        cubist play CUBES --choice 2           one of several ways
        cubist play CUBES --any                the first of them
        cubist play --faces "122T 121T 222T 221R 221T"
        cubist play CUBES --remove 212         remove a cube, then play the word
        cubist play --remove 212 --remove 202  remove two cubes
        cubist play ben --remove 212 --remove 202
      """)

  @Argument(
    help: .init("The match, where there are several, and the word.", valueName: "word"),
    completion: Completion.running)
  var idAndWord: [String] = []

  @Option(
    name: .customLong("match"),
    help: .init("The match, where no word is given.", valueName: "id"),
    completion: Completion.running)
  var matchID: String?

  @Option(
    name: .customLong("word"),
    help: .init("The word, where it is also the name of an opponent.", valueName: "word"))
  var wordOption: String?

  @OptionGroup(title: "The turn") var turn: TurnOptions
  @OptionGroup(title: "The whole screen") var screen: ScreenOptions
  @OptionGroup(title: "Global options") var options: GlobalOptions

  func validate() throws {
    guard idAndWord.count <= 2 else {
      throw ValidationError("Give an ID and a WORD, or a WORD alone.")
    }
    guard idAndWord.count < 2 || wordOption == nil else {
      throw ValidationError("The word is given twice. Leave out --word.")
    }
    guard idAndWord.count + (wordOption == nil ? 0 : 1) < 2 || matchID == nil else {
      throw ValidationError("The match is named twice. Leave out --match.")
    }
  }

  func perform(_ session: CommandSession) throws {
    if session.hasScreen, turn.isEmpty, wordOption == nil, let match = try matchToOpen(session) {
      return try session.openScreen(at: match.id, rings: screen.bell)
    }
    guard !idAndWord.isEmpty || wordOption != nil || turn.faces != nil || !turn.remove.isEmpty
    else {
      throw CommandFailure(
        .usage, "nothingToPlay", "There is nothing to play. Give a WORD, --faces or --remove.",
        next: ["cubist play WORD"])
    }
    let (id, word) = try named(session)
    let command = "cubist play" + (id.map { " \($0)" } ?? "")
    let turnPlayer = TurnPlayer(
      session: session, command: command, id: id, word: word, turn: turn)
    try turnPlayer.play { player in
      try session.match(
        id, player, fitting: { $0.matches.filter(\.yourTurn).map(\.id) }, nothing: Play.nothing)
    }
  }

  /// The next steps where it is nowhere the player's turn.
  private static func nothing(_ home: HomeView) -> CommandFailure {
    let index = MatchIndex(home)
    var failure = CommandFailure.nothing("There is no match where it is your turn.")
    failure.next =
      home.invitations.prefix(1).map { "cubist accept \(index.short($0.id))" }
      + home.matches.prefix(1).map { "cubist watch \(index.short($0.id))" } + ["cubist start"]
    return failure
  }
}

extension Play {
  /// The match and the word that the arguments name. A single argument beside faces or removals may
  /// be either.
  private func named(_ session: CommandSession) throws -> (id: String?, word: String?) {
    if let wordOption { return (idAndWord.first ?? matchID, wordOption) }
    guard idAndWord.count == 1, matchID == nil, turn.faces != nil || !turn.remove.isEmpty else {
      return (idAndWord.count == 2 ? idAndWord[0] : matchID, idAndWord.last)
    }
    let text = idAndWord[0]
    guard text.allSatisfy(\.isLetter) else { return (text, nil) }
    // A word after one removal is the only turn that has room for one.
    let hasRoom = turn.faces == nil && turn.remove.count == 1
    if hasRoom, session.environment.lexicons.isWord(text) { return (nil, text) }
    let index = MatchIndex(try session.home())
    let isMatch = try !index.matches(against: text).isEmpty || index.match(text) != nil
    return isMatch ? (text, nil) : (nil, text)
  }
}

extension Play {
  /// The match to be opened on the whole screen.
  private struct Opening {
    /// The match; nil: the home list.
    var id: MatchID?
  }

  /// The screen to open where the arguments name a match, by id or opponent, and no word; nil where
  /// they name a word.
  private func matchToOpen(_ session: CommandSession) throws -> Opening? {
    guard idAndWord.count < 2 else { return nil }
    let text = idAndWord.first ?? matchID
    if let text, let id = MatchID(text) { return Opening(id: id) }
    guard let text else {
      // If the service is away, the screen says so and goes on when it is back.
      let yours = try? session.home().matches.filter(\.yourTurn)
      return Opening(id: yours?.count == 1 ? yours?.first?.id : nil)
    }
    let home = try session.home()
    let named = PlayerName(text).map { name in
      home.matches.filter { $0.opponentName?.key == name.key }
    }
    if let match = named?.first(where: \.yourTurn) ?? named?.first { return Opening(id: match.id) }
    // Text of letters only counts as a word. An id looks so only if all its digits are A to F.
    guard matchID != nil || !text.allSatisfy(\.isLetter) else { return nil }
    return Opening(
      id: try session.match(
        text, session.player(), fitting: { _ in [] }, named: .runningOrPast,
        nothing: { _ in .nothing("There is no such match.", next: "cubist games") }))
  }
}

extension Lexicons {
  /// Whether a text is a word of the list that new matches get.
  fileprivate func isWord(_ text: String) -> Bool {
    guard let spelling = Spelling(text.uppercased()), spelling.count >= 3 else { return false }
    return current(for: .english)?.contains(spelling) ?? true
  }
}
