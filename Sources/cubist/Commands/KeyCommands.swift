import ArgumentParser
import MatchCore
import PlayerClient

/// `cubist key`
struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Add and remove devices of yours, and come back when all are lost.",
    discussion: """
      EXAMPLES:
        cubist key invite             on a device that plays as you
        cubist key add CODE           on the new one
        cubist key list
        cubist key words              twelve words, in case that all devices are lost
        cubist key export ada.key     a copy of the key of this device

      Each device has a key of its own. Anyone with one of them can play as you.
      """,
    subcommands: [
      ListKeys.self, InviteDevice.self, AddKey.self, RemoveKey.self, NameWords.self,
      ObjectToRecovery.self, RecoverPlayer.self, ExportKey.self, ImportKey.self,
    ])
}

/// `cubist key export`
struct ExportKey: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Print the secret key, or write it to a file.",
    usage: "cubist key export [<file>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist key export ada.key      writes a new file that only you can read
        cubist key export | ssh other-machine cubist key import
      """)

  @Argument(help: "The file to make.", completion: .file())
  var file: String?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    guard let key = try session.store().loadKey() else { throw ClientError.notRegistered }
    var document = KeyDocument(player: key.player, publicKey: key.publicKey)
    if let file {
      try session.environment.writeFile(file, Array("\(key.exported)\n".utf8))
      document.file = file
    } else {
      document.key = key.exported
    }
    try session.console.show(.key, document) {
      file.map { "The key is in \($0). Anyone with it can play as you.\n" } ?? "\(key.exported)\n"
    }
  }
}

/// `cubist key import`
struct ImportKey: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Put an exported key into a profile that has none.",
    usage: "cubist key import [<file>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist key import ada.key
        cubist --profile ada key import < ada.key
      """)

  @Argument(help: "The file with the key; none, or -, for the standard input.", completion: .file())
  var file: String?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let file = file ?? "-"
    if file == "-", session.environment.inputIsTerminal {
      session.console.say("Paste the key, then press Return and Ctrl-D.")
    }
    let text = String(decoding: try session.environment.readFile(file), as: UTF8.self)
    let key = try PlayerKey(exported: text)
    try Player.importKey(key, into: session.store())
    let document = KeyDocument(player: key.player, publicKey: key.publicKey)
    try session.console.show(.key, document) {
      "The profile has the key now.\n"
    }
    let isConnected = try session.variable("CUBIST_URL") ?? session.store().loadURL() != nil
    session.console.suggest(
      isConnected || options.url != nil ? "cubist whoami" : "cubist connect URL")
  }
}
