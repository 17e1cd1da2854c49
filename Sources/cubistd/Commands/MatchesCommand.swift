import ArgumentParser
import EventBusLive
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive

struct MatchesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "matches",
    abstract: "Show matches, end or annul one, and bring the record of a damaged one back.",
    discussion: """
      Examples:
        cubistd matches 0190b8d2-3c51-7c3e-9a40-6f0d8f0c2b11
        cubistd matches --player ada
        cubistd matches 0c2b11 --player ada
        cubistd matches end 0190b8d2-3c51-7c3e-9a40-6f0d8f0c2b11 --reason agreement
        cubistd matches annul 0190b8d2-3c51-7c3e-9a40-6f0d8f0c2b11 --reason cheating
        cubistd matches annul 0c2b11 --player ada --reason cheating
        cubistd matches restore 0190b8d2-3c51-7c3e-9a40-6f0d8f0c2b11 \\
          --from-database "dbname=copy"
        cubistd matches restore 0c2b11 --player ada --turns 14 \\
          --from-database "dbname=copy"

      With --player a match is looked for among that player's, by its id or by the end of it that \
      the player sees. A match of others is refused.
      """,
    subcommands: [Look.self, End.self, Annul.self, Restore.self], defaultSubcommand: Look.self)

  struct Look: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "look", abstract: "Show a match, or list a player's.")

    @Argument(help: "The match's id; with --player the end of it that the player sees will do.")
    var id: String?
    @Option(help: "A player's name or id: list that player's matches, or look for one among them.")
    var player: String?
    @Option(help: "With --player: how many running matches, and how many past games, 1 to 1000.")
    var limit = 20
    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
      guard id != nil || player != nil else {
        throw ValidationError("Give a match's id, or --player NAME, or both.")
      }
      try checkLimit(limit, atMost: 1_000)
    }

    func run() throws {
      try Output.reporting { () throws(OperatorFailure) in
        let settings = try ServiceSettings.load(needing: [.database])
        let connection = try OperatorConnection.open(settings, as: "matches", reads: true)
        let office = PlayerLookup(reader: .live(connection), store: .live(connection))
        if let id {
          let found = try MatchesCommand.office(connection).find(id, of: player, office)
          return Output.out(try json ? found.json() : found.text)
        }
        let who = try office.player(player ?? "")
        let rows = try office.matches(of: who.id, limit: limit)
        Output.out(try json ? rows.json() : rows.text)
      }
    }
  }

  struct End: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a match as it stands: the player with the most points wins.",
      discussion: "A match whose record is damaged is annulled: nobody knows how it stands.")

    @OptionGroup var ruling: RulingOptions

    func run() throws { try ruling.rule(.ended) }
  }

  struct Annul: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Annul a match, also one that is over: it counts for nobody.",
      discussion: """
        A match that waits to be rated is not rated any more. If it was rated before, the ratings \
        stay as they are, and are shown with it.

        A match whose record is damaged is annulled without its queue: its former rows are set aside \
        in the table set_aside, its record stays as it is, and its players are told.
        """)

    @OptionGroup var ruling: RulingOptions

    func run() throws { try ruling.rule(.annulled) }
  }

  struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Bring the record of a damaged match back from a copy of the database.",
      discussion: """
        The copy is a backup that was restored into a database of its own. Only its table entries is \
        read. Each entry that is whole here stays. What comes from the copy has to be signed, to \
        follow the entry before it, and to leave out nothing that the database knows of the match or \
        that its players were told. The answers to players are kept for eight days: for an older match \
        ask its players for the number of the last turn that they see, and name it by --turns. The \
        former rows are set aside in the table set_aside.
        """)

    @Argument(help: "The match's id; with --player the end of it that the player sees will do.")
    var id: String
    @Option(help: "A player's name or id: the match has to be one of that player's.")
    var player: String?
    @Option(
      help: "Connection to the copy, as libpq takes it: text or URI. Name a password by passfile.")
    var fromDatabase: String
    @Option(
      help: """
        How many turns a player tells of: the number of the last one in the player's `cubist show`, or \
        on the page. A record that ends before it is not written.
        """)
    var turns = 0
    @Flag(help: "Only say what would come from the copy.")
    var dryRun = false
    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
      try Output.reporting { () throws(OperatorFailure) in
        let settings = try ServiceSettings.load(needing: [.database, .serviceKeys])
        let check = try LiveCheck(settings, as: "matches")
        let connection = try OperatorConnection.open(settings, as: "matches")
        let lookup = PlayerLookup(reader: .live(connection), store: .live(connection))
        let match = try lookup.match(id, amongThoseOf: player)
        let copy = try OperatorConnection.open(copy: fromDatabase, as: "matches")
        defer { copy.close() }
        let restorer = RecordRestorer(
          restorer: MatchRestorer(
            .live(connection), identity: check.identity, lexicons: check.lexicons,
            verifier: check.verifier),
          store: .live(connection),
          copy: { match throws(OperatorFailure) in
            try onCopy { () throws(OperatorFailure) in
              try onStore(try ReaderStore.live(copy).entries(match))
            }
          })
        let report = try restorer.restore(match, turns: turns, isDryRun: dryRun)
        Output.out(try json ? report.json() : report.text)
      }
    }
  }

  fileprivate static func office(_ connection: PostgreSQLConnection) -> MatchOperations {
    MatchOperations(check: .live(connection), reader: .live(connection))
  }
}

/// The arguments of a ruling on a match.
struct RulingOptions: ParsableArguments {
  @Argument(help: "The match's id; with --player the end of it that the player sees will do.")
  var id: String
  @Option(help: "A player's name or id: the match has to be one of that player's.")
  var player: String?
  @Option(
    help: """
      The reason, for the record and for the players: \
      \(Ruling.Reason.allCases.map(\.rawValue).joined(separator: ", ")).
      """)
  var reason: String
  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    guard Ruling.Reason(rawValue: reason) != nil else {
      let known = Ruling.Reason.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--reason is \(reason), not one of \(known).")
    }
  }

  func rule(_ verdict: Ruling.Verdict) throws {
    guard let why = Ruling.Reason(rawValue: reason) else { return }
    try Output.reporting { () throws(OperatorFailure) in
      let settings = try ServiceSettings.load(needing: [.database, .broker, .serviceKeys])
      let connection = try OperatorConnection.open(settings, as: "matches")
      let office = MatchesCommand.office(connection)
      let lookup = PlayerLookup(reader: .live(connection), store: .live(connection))
      let match = try office.find(id, of: player, lookup).match.id
      let context = BusContext(
        address: try settings.brokerAccount().address, clock: .live, randomness: .live,
        log: .make(level: settings.logLevel, clock: .live, sink: .standardError))
      let bus = try onBroker(try DeadLetterBus.live(context))
      defer { bus.close() }
      let means = MatchOperations.Means(
        store: .live(connection),
        publish: { body, slot throws(BusError) in try bus.publish(body, .events(slot)) },
        identity: try settings.identity(), clock: .live,
        randomness: .live)
      let found = try office.rule(Ruling(verdict, for: why), on: match, means)
      Output.out(try json ? found.json() : found.text)
    }
  }
}
