import ArgumentParser
import CubistBasics
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import ServiceNews

/// `cubist account`
struct AccountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account",
    abstract: "Get everything that is kept of you, or end your account.",
    discussion: """
      EXAMPLES:
        cubist account export me.json
        cubist account delete --confirm ada
        cubist account keep            takes it back, within 72 hours
      """,
    subcommands: [ExportAccount.self, DeleteAccount.self, KeepAccount.self])
}

/// `cubist account export`
struct ExportAccount: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write what the service keeps of you into a file.",
    usage: "cubist account export <file> [<options>]",
    discussion: """
      EXAMPLES:
        cubist account export me.json

      The file is one JSON object. First it has what the service shows you: your name and rating, \
      settings, devices, keys, blocks, notifications, running matches, past games and dailies. \
      Then `kept` has the rows that are stored about you, your reports among them. Addresses of \
      devices are left out, and so are notifications that you have seen. `cubist export` saves the \
      record of a game.
      """)

  @Argument(help: "The file to make.", completion: .file())
  var file: String

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let export = try player.export(at: session.environment.clock.now())
    try session.environment.writeFile(file, export.bytes)
    var text = "What the service keeps of you is in \(file).\n"
    if !export.lacking.isEmpty {
      text +=
        "The service is older than this program and does not give \(export.lacking.joined(separator: ", ")). "
        + "Its operators can: `cubistd accounts export`.\n"
    }
    try session.console.show(.text, TextDocument(text: text)) { text }
  }
}

/// `cubist account delete`
struct DeleteAccount: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "End your account 72 hours from now.",
    usage: "cubist account delete [--confirm <name>] [--forfeit] [<options>]",
    discussion: """
      EXAMPLES:
        cubist account delete
        cubist account delete --confirm ada --forfeit

      All your devices are told, and each can take it back until then: cubist account keep. Then \
      your name, keys, settings, devices, words and blocks are gone for ever, and you are on no \
      board. Your games stay under an id that names nobody. Matches that still run end by their \
      deadlines; --forfeit gives them up now. Nobody can take your name for 90 days.
      """)

  @Option(
    help: .init("Your name once more. Without it you are asked.", valueName: "name"),
    transform: NameArgument.name)
  var confirm: PlayerName?

  @Flag(help: "Give up all running matches, and take back your requests.")
  var forfeit = false

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let change = SettingsChange(isLeaving: true)
    if try session.isToBeSent(.settingsChanged(change)) {
      try check(player.whoAmI().name, session)
      if forfeit { try giveUp(player) }
      try player.change(change)
    }
    try session.showSettings(of: player) { view in
      SettingsText.ending(view, now: session.environment.clock.now())
    }
    session.console.suggest("cubist account keep")
  }

  /// Has a person type the name.
  private func check(_ name: PlayerName, _ session: CommandSession) throws {
    var typed = confirm?.text
    if typed == nil {
      guard session.environment.inputIsTerminal, !options.json else {
        throw CommandFailure(
          .usage, "notConfirmed",
          "End the account \(name)? Nobody can be asked here: say --confirm with your name.",
          next: ["cubist account delete --confirm \(name)"])
      }
      try session.console.ask(
        DepartureText.consequences.joined(separator: "\n")
          + "\nType your name to end the account: "
      )
      typed = session.environment.readLine()
    }
    guard typed.flatMap({ PlayerName($0) })?.key == name.key else {
      throw CommandFailure(
        .refused, "notConfirmed",
        "You are \(name), and that is not what was typed. Nothing has changed.")
    }
  }

  /// Ends the matches that are listed, until none is.
  private func giveUp(_ player: Player) throws {
    var seen: Set<MatchID> = []
    while true {
      let matches = try player.home().matches.filter { seen.insert($0.id).inserted }
      guard !matches.isEmpty else { return }
      for match in matches {
        if match.stage == .waiting {
          _ = try player.withdraw(match.id)
        } else {
          _ = try player.forfeit(match.id)
        }
      }
    }
  }
}

/// `cubist account keep`
struct KeepAccount: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep",
    abstract: "Take back the end of your account.",
    usage: "cubist account keep [<options>]",
    discussion: """
      EXAMPLES:
        cubist account keep
      """)

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    try session.changeSettings(SettingsChange(isLeaving: false)) { view in
      SettingsText.ending(view, now: session.environment.clock.now())
    }
  }
}
