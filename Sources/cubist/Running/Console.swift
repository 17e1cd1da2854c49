import FoundationEssentials
import GameScreens
import MatchWire
import TerminalScreen

/// A command's output and its form.
struct Console {
  /// The layout of the standard output.
  let style: TerminalStyle
  /// The layout of the error output.
  let errorStyle: TerminalStyle
  /// Whether programs read it.
  let isJSON: Bool
  /// Whether only the result is printed.
  let isQuiet: Bool
  private let options: GlobalOptions
  private let write: (String) throws(OutputFailure) -> Void
  private let synchronizeOutput: () throws(OutputFailure) -> Void
  private let writeError: (String) throws(OutputFailure) -> Void
  private let unsaid = Unsaid()

  /// What could not be said beside the result.
  private final class Unsaid {
    var failure: OutputFailure?
  }

  init(_ environment: CLIEnvironment, _ options: GlobalOptions) {
    style = Console.style(environment.output, environment, options)
    errorStyle = Console.style(environment.errorOutput, environment, options)
    isJSON = options.json
    isQuiet = options.quiet
    self.options = options
    write = environment.output.write
    synchronizeOutput = environment.output.synchronize
    writeError = environment.errorOutput.write
  }

  private static func style(
    _ outlet: CLIEnvironment.TextOutput, _ environment: CLIEnvironment, _ options: GlobalOptions
  ) -> TerminalStyle {
    var style = TerminalStyle.detect(
      environment: environment.variables, isTerminal: outlet.isTerminal,
      columns: environment.statedColumns ?? outlet.columns)
    if options.plain { style.form = .plain }
    if options.plain || options.noColor || options.json { style.colorDepth = .none }
    return style
  }

  /// Prints the result: as JSON under a schema, or as text.
  func show(
    _ schema: DocumentSchema, _ content: some Encodable, text: () throws -> String
  ) throws {
    if isJSON {
      try printJSON(Document(schema: schema.rawValue, content: content))
    } else {
      try write(text())
    }
  }

  /// Prints the bytes of a result, in either form.
  func raw(_ bytes: [UInt8]) throws(OutputFailure) {
    try write(String(decoding: bytes, as: UTF8.self))
  }

  /// Waits until the result so far is on the disk, where it goes to a file.
  func synchronize() throws(OutputFailure) { try synchronizeOutput() }

  /// Says something beside the result; programs do not get it.
  func say(_ text: String) {
    if !isQuiet && !isJSON { tell(TerminalText.safe(text) + "\n") }
  }

  /// Whether something beside the result was lost, other than by a closed pipe.
  var hasUnsaid: Bool { unsaid.failure.map { !$0.isClosedPipe } ?? false }

  private func tell(_ text: String) {
    do throws(OutputFailure) { try writeError(text) } catch {
      if unsaid.failure == nil { unsaid.failure = error }
    }
  }

  /// Whether a person looks at the standard output.
  var isWatched: Bool { style.isTerminal && !isJSON && !isQuiet }

  /// Names commands to try next; programs do not get them.
  func suggest(_ commands: String...) {
    for command in commands { say("Next: \(repeating(command))") }
  }

  /// Names a command for somebody else to try, on another profile.
  func suggest(_ command: String, to whom: String) {
    say("Next: \(command)   # for \(whom)")
  }

  /// A command with the options that were typed.
  func repeating(_ command: String) -> String { options.repeated(in: command) }

  /// Logs something under `-v`.
  func log(_ text: String) { tell("cubist: \(TerminalText.safe(text))\n") }

  /// Asks a person something.
  func ask(_ question: String) throws(CommandFailure) {
    do throws(OutputFailure) { try writeError(question) } catch { throw .unasked }
  }

  /// Tells the fate of an earlier event: as a sentence, or as a line of JSON.
  func notify(_ notice: NoticeDocument, text: String) throws {
    guard !isQuiet else { return }
    if isJSON {
      try writeError(json(Document(schema: DocumentSchema.notice.rawValue, content: notice)))
    } else {
      try writeError(TerminalText.safe(text) + "\n")
    }
  }

  /// Says why a command failed, in addition to any other output.
  func fail(_ failure: CommandFailure) throws(OutputFailure) {
    var failure = failure
    failure.next = failure.next.map(repeating)
    let document = Document(
      schema: DocumentSchema.error.rawValue, content: ErrorDocument(error: .init(failure)))
    // A failure that cannot be encoded is still told in words.
    if isJSON, let line = try? json(document) {
      return try writeError(line)
    }
    if let brief = failure.brief, !options.verbose {
      let tries = failure.next.joined(separator: ", or: ")
      return try writeError("cubist: \(brief) Try: \(tries)\n")
    }
    try writeError("cubist: \(TerminalText.safe(failure.message))\n")
    for candidate in failure.candidates {
      try writeError("  \(candidate.short)  \(TerminalText.safe(candidate.about))\n")
    }
    if !failure.choices.isEmpty { try writeError(ChoiceText.table(failure.choices, errorStyle)) }
    for command in failure.next { try writeError("Try: \(command)\n") }
  }

  private func printJSON(_ document: some Encodable) throws { try write(json(document)) }

  private func json(_ document: some Encodable) throws -> String {
    String(decoding: try SortedJSON.line(document), as: UTF8.self)
  }
}
