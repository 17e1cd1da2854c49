import ArgumentParser
import CubistBasics
import MatchCore
import MatchInterfaces
import MatchService

struct WordsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "words",
    abstract: "Hide words from leaderboards, or show them again.",
    discussion: """
      A hidden word can be played and scores as before. Only the leaderboards of the best words \
      change: they show another word in its place, about a second later.

      Examples:
        cubistd words hide WORD
        cubistd words show WORD                show it again
        cubistd words list
      """,
    subcommands: [Hide.self, Show.self, List.self])

  struct Hide: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Hide words from leaderboards.")

    @OptionGroup var words: WordArguments

    func run() throws { try WordsCommand.set(words, isHidden: true) }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show hidden words again.")

    @OptionGroup var words: WordArguments

    func run() throws { try WordsCommand.set(words, isHidden: false) }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the hidden words, the newest first.")

    @OptionGroup var list: ListOptions

    func run() throws {
      try OperatorConnection.withStore(as: "words") { store throws(OperatorFailure) in
        let rows = try onStore(try store.hiddenWords(list.limit))
        Output.out(try list.json ? HiddenWords.json(rows) : HiddenWords.text(rows))
      }
    }
  }

  private static func set(_ arguments: WordArguments, isHidden: Bool) throws {
    try OperatorConnection.withStore(as: "words") { store throws(OperatorFailure) in
      let results = try onStore(
        try HiddenWords.set(arguments.checked, isHidden: isHidden, in: store))
      Output.out(
        try arguments.json
          ? HiddenWords.json(results, isHidden: isHidden)
          : HiddenWords.text(results, isHidden: isHidden))
    }
  }
}

/// Words that an operator names.
struct WordArguments: ParsableArguments {
  @Argument(help: "The words, in either case.")
  var words: [String]
  @Flag(help: "Print one JSON object.")
  var json = false

  /// The words; `validate` has checked them.
  var checked: [HiddenWord] { words.compactMap { HiddenWord($0) } }

  func validate() throws {
    for word in words where HiddenWord(word) == nil {
      throw ValidationError(
        "\"\(PlainText.oneLine(word))\" is no word of 3 to 81 letters from A to Z.")
    }
  }
}

/// Words that no leaderboard shows.
enum HiddenWords {
  /// The outcome for one word.
  typealias Result = (word: HiddenWord, isChanged: Bool)

  /// Hides words, or shows them again, one after the other.
  static func set(
    _ words: [HiddenWord], isHidden: Bool, in store: OperatorStore,
    by operator: String = OperatorName.current
  ) throws(StoreError) -> [Result] {
    var results: [Result] = []
    for word in words { results.append((word, try store.setWord(word, isHidden, `operator`))) }
    return results
  }

  static func text(_ results: [Result], isHidden: Bool) -> String {
    results.map { result in
      switch (isHidden, result.isChanged) {
      case (true, true): "\(result.word.word) is hidden now."
      case (true, false): "\(result.word.word) was hidden already."
      case (false, true): "\(result.word.word) is shown again."
      case (false, false): "\(result.word.word) was not hidden."
      }
    }.joined(separator: "\n")
  }

  static func text(_ rows: [HiddenWordRow]) -> String {
    guard !rows.isEmpty else { return "There are none; `cubistd words hide WORD` hides one." }
    return TextTable(
      header: ["language", "word", "hidden"],
      rows: rows.map { [$0.word.language.rawValue, $0.word.word, "\($0.hiddenAt)"] }
    ).lines.joined(separator: "\n")
  }

  static func json(_ results: [Result], isHidden: Bool) throws(OperatorFailure) -> String {
    try JSONText.encode(
      Document(
        words: results.map {
          Document.Row(
            language: $0.word.language.rawValue, word: $0.word.word, isHidden: isHidden,
            isChanged: $0.isChanged)
        }))
  }

  static func json(_ rows: [HiddenWordRow]) throws(OperatorFailure) -> String {
    try JSONText.encode(
      Document(
        words: rows.map {
          Document.Row(
            language: $0.word.language.rawValue, word: $0.word.word, isHidden: true,
            hiddenAt: "\($0.hiddenAt)")
        }))
  }

  private struct Document: Encodable {
    struct Row: Encodable {
      var language, word: String
      var isHidden: Bool
      var isChanged: Bool?
      var hiddenAt: String?
    }
    var schema = "cubistd.words/1"
    var words: [Row]
  }
}
