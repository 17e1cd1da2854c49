import ArgumentParser
import EventBusLive
import MatchCore
import MatchInterfaces
import MatchService

struct DeadLettersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dead-letters",
    abstract: "List dead letters, and retry or discard them.",
    discussion: """
      Examples:
        cubistd dead-letters list
        cubistd dead-letters retry --all

      There are two kinds, both kept in the database for 30 days, or CUBIST_KEEP_JOBS: events that \
      a known player signed and a worker gave up, and push jobs that the provider refused for \
      good or too often. \
      With CUBIST_BROKER it also looks at the queue cubist.dead, where builds before schema 10 \
      left theirs.
      """,
    subcommands: [List.self, Show.self, Retry.self, Discard.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List dead letters, the newest first.",
      discussion: """
        Examples:
          cubistd dead-letters list
          cubistd dead-letters list --limit 500 --json
          cubistd dead-letters list --kind jobs --containing 503
        """)

    @Option(help: "How many to list, 1 to 10000.")
    var limit = 50
    @OptionGroup var filter: DeadLetterFilter
    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
      try checkLimit(limit, atMost: 10_000)
    }

    func run() throws {
      try Output.reporting { () throws(OperatorFailure) in
        let office = try DeadLetterOperations.open(needsBroker: false)
        defer { office.close() }
        // Letters that the filter leaves out do not count.
        let letters = try office.letters(filter, limit: limit).prefix(limit)
        Output.out(
          try json
            ? DeadLetterText.json(Array(letters)) : DeadLetterText.list(Array(letters)))
      }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show one dead letter: its cause of death, its content, and the acts on it.",
      discussion: """
        Examples:
          cubistd dead-letters show 0190b8d2-3c51-7c3e-9a40-6f0d8f0c2b11
          cubistd dead-letters show 0190b8d2
        """)

    @Argument(help: "The id that `list` shows, or its first digits.")
    var id: String
    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
      try Output.reporting { () throws(OperatorFailure) in
        let name = try DeadLetterName(argument: id)
        let office = try DeadLetterOperations.open(needsBroker: false)
        defer { office.close() }
        guard let letter = try office.letters(named: [name]).first else {
          throw .notFound("there is no dead letter \(id); they are kept for 30 days")
        }
        let facts = try office.facts(of: letter)
        Output.out(
          try json ? DeadLetterText.json([letter], facts) : DeadLetterText.text(letter, facts))
      }
    }
  }

  struct Retry: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send dead letters again, byte for byte, to where they belong.",
      discussion: """
        Examples:
          cubistd dead-letters retry 0190b8d2-3c51-7c3e-9a40-6f0d8f0c2b11
          cubistd dead-letters retry --all
          cubistd dead-letters retry --all --kind jobs --older 1h

        First digits that several letters have, or none, are refused, and nothing is sent then. It \
        is safe to repeat: an event that has its reply keeps it. A letter is removed only after \
        the broker has confirmed it. An event that is older than 7 days is refused.
        """)

    @Argument(help: "The ids that `list` shows, or the first digits of each.")
    var ids: [String] = []
    @Flag(help: "Retry all that match the filter, the oldest first, 10,000 of each kind at most.")
    var all = false
    @OptionGroup var filter: DeadLetterFilter
    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
      guard all == ids.isEmpty else { throw ValidationError("Give either ids or --all.") }
    }

    func run() throws {
      try DeadLettersCommand.act(
        on: all ? nil : ids, filter, json: json, "retried", needsBroker: true
      ) { office, letter throws(OperatorFailure) in try office.retry(letter) }
    }
  }

  struct Discard: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete dead letters, for a reason that is kept.",
      discussion: """
        Examples:
          cubistd dead-letters discard 0190b8d2-3c51-7c3e-9a40-6f0d8f0c2b11 --reason old
          cubistd dead-letters discard --all --kind yourTurn --older 1d --reason late

        First digits that several letters have, or none, are refused, and nothing is deleted then. \
        Operator, time and reason are kept among the operators' acts.
        """)

    @Argument(help: "The ids that `list` shows, or the first digits of each.")
    var ids: [String] = []
    @Flag(help: "Discard all that match the filter, 10,000 of each kind at most.")
    var all = false
    @OptionGroup var filter: DeadLetterFilter
    @OptionGroup var reason: ReasonOption
    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
      guard all == ids.isEmpty else { throw ValidationError("Give either ids or --all.") }
    }

    func run() throws {
      try DeadLettersCommand.act(
        on: all ? nil : ids, filter, json: json, "discarded", needsBroker: false
      ) { office, letter throws(OperatorFailure) in
        try office.discard(letter, reason: reason.text)
      }
    }
  }

  private typealias Act = (DeadLetterOperations, DeadLetterOperations.Letter)
    throws(OperatorFailure) -> DeadLetterOperations.Resolution

  /// Does one thing with each letter, tells the outcomes, and fails if a letter is left.
  private static func act(
    on ids: [String]?, _ filter: DeadLetterFilter, json: Bool, _ done: String, needsBroker: Bool,
    _ act: Act
  ) throws {
    Signals.listen(leavingAtOnceAfter: 2)
    try Output.reporting { () throws(OperatorFailure) in
      let wanted = try ids?.map { id throws(OperatorFailure) in try DeadLetterName(argument: id) }
      let office = try DeadLetterOperations.open(needsBroker: needsBroker)
      defer { office.close() }
      try finish(wanted, filter, json: json, done, office, act)
    }
  }

  private static func finish(
    _ names: [DeadLetterName]?, _ filter: DeadLetterFilter, json: Bool, _ done: String,
    _ office: DeadLetterOperations, _ act: Act
  ) throws(OperatorFailure) {
    let named = try names.map { names throws(OperatorFailure) in try office.letters(named: names) }
    // The oldest first.
    let letters = Array(try office.letters(filter, among: named).reversed())
    var results: [(id: DeadEventID, resolution: DeadLetterOperations.Resolution)] = []
    var failure: OperatorFailure?
    for letter in letters where failure == nil && !Signals.stop.isAsked {
      do throws(OperatorFailure) { results.append((letter.id, try act(office, letter))) } catch {
        failure = error
      }
    }
    let present = Set((named ?? []).map(\.id))
    for id in present.subtracting(letters.map(\.id)).sorted() {
      results.append((id, .left("it does not fit the other options")))
    }
    for id in (names ?? []).compactMap(\.id) where !present.contains(id) {
      results.append((id, .left("it is not there")))
    }
    Output.out(
      try json ? DeadLetterText.json(done, results) : DeadLetterText.text(done, results))
    if let failure { throw failure }
    let left = results.count { $0.resolution != .done }
    guard left == 0 else { throw .wrong("\(left) dead letters are left") }
    guard results.count >= letters.count else {
      throw .interrupted(status: Signals.exitStatus)
    }
  }
}
