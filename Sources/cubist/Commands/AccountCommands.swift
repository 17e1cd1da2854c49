import ArgumentParser
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import TerminalScreen

/// `cubist connect`
struct Connect: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Tell the profile where the service is.",
    usage: "cubist connect [<url>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist connect https://play.example.org
        cubist connect http://127.0.0.1:8080
        cubist connect - < url-file

      The service's root key is remembered the first time; another one is refused later. A new \
      address of the same service keeps your name, your key and what waits for an answer. Without a \
      URL, $CUBIST_URL is taken.

      Programs that their operator has given an account of the broker name that: \
      amqp://USER:PASSWORD@HOST:5672/VHOST. Read from a file it stays out of the shell's history.
      """)

  @Argument(help: "The service's URL, or - to read it from the standard input.")
  var address: String?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let store = try session.store()
    let url = try address.map { try read($0, session) } ?? session.url(store)
    // Any key may ask for the service's description. A new key is not saved: an imported one must
    // find no other in its place.
    let key = try store.loadKey() ?? PlayerKey.make(using: session.environment.randomness)
    let player = Player(
      profile: try store.loadProfile(), signer: key.signer, of: key.player,
      bus: try session.connect(url), clock: session.environment.clock,
      randomness: session.environment.randomness, store: store)
    session.prepare(player)
    let info = try player.serviceInfo()
    try store.saveURL(url)
    if let warning = (try? ServiceAddress(url: url))?.warning { session.console.say(warning) }
    let isRegistered = try isRegistered(player, hasKey: store.loadKey() != nil)
    let document = ConnectDocument(
      profile: try session.profileName().text, service: info.service, rootKey: info.rootKey,
      version: info.version, registration: info.registration,
      isRegistered: isRegistered)
    try session.console.show(.connect, document) {
      "Connected to service \(info.service), version \(TerminalText.safe(info.version)).\n"
        + "Its root key is \(info.rootKey).\n"
    }
    guard !document.isRegistered else { return session.console.suggest("cubist") }
    if let recovering = player.profile.recovering {
      return session.console.suggest("cubist key recover \(recovering.name)")
    }
    session.console.suggest(
      info.registration == .open ? "cubist register NAME" : "cubist register NAME --code CODE")
  }

  /// Whether the service knows the profile's key. It is asked about an imported one.
  private func isRegistered(_ player: Player, hasKey: Bool) throws -> Bool {
    guard player.profile.player == nil, hasKey else { return player.profile.player != nil }
    do throws(ClientError) {
      _ = try player.whoAmI()
      return true
    } catch {
      switch error {
      case .notRegistered, .recovering: return false
      default: throw error
      }
    }
  }

  private func read(_ text: String, _ session: CommandSession) throws -> String {
    guard text == "-" else { return text }
    let input: String
    if session.environment.inputIsTerminal {
      session.console.say("Paste the service's URL, then press Return.")
      input = session.environment.readLine() ?? ""
    } else {
      input = String(decoding: try session.environment.readFile("-"), as: UTF8.self)
    }
    guard let line = input.split(whereSeparator: \.isWhitespace).first else {
      throw CommandFailure(.unreadable, "noURL", "The standard input holds no URL.")
    }
    return String(line)
  }
}

/// `cubist register`
struct Register: CubistCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a key and take a name.",
    usage: "cubist register <name> [--code <code>] [--bot] [<options>]",
    discussion: """
      EXAMPLES:
        cubist register ada
        cubist register ada --code 7K3QX2M9     where registration is by code
        cubist register wordy --bot             for a program: never on a board

      The key stays in the profile. Keep a copy: cubist key export FILE
      """)

  @Argument(help: "3 to 16 of A-Z a-z 0-9 _ and -.", transform: NameArgument.name)
  var name: PlayerName

  @Option(
    help: "The code that admits you, where the service asks for one.",
    transform: NameArgument.code)
  var code: ShareCode?

  @Flag(help: "Declare the account a bot's, for good: its games have no place on any board.")
  var bot = false

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    session.typed.name = name
    session.typed.code = code
    let player = try session.player(isSending: true, makingKey: true)
    let name = try player.register(name, code: code)
    if bot { try player.declareBot() }
    var document = try PlayerDocument(player, session, name: name)
    document.bot = bot ? true : nil
    try session.console.show(.player, document) {
      bot ? "You are \(name), a bot.\n" : "You are \(name).\n"
    }
    session.console.suggest(bot ? "cubist bot --all" : "cubist start", "cubist key export FILE")
  }
}

/// `cubist whoami`
struct WhoAmI: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami",
    abstract: "Show your name, your key and your rating.",
    usage: "cubist whoami [<options>]",
    discussion: """
      EXAMPLES:
        cubist whoami
        cubist whoami --profile work --json
      """)

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let view = try player.whoAmI()
    var document = try PlayerDocument(player, session, name: view.name)
    document.registeredAt = view.registeredAt
    document.rating = view.rating
    document.bot = view.bot
    let bot = view.bot == true ? ", a bot" : ""
    try session.console.show(.player, document) {
      """
      You are \(view.name)\(bot), registered \(Day(containing: view.registeredAt)).
      \(view.rating.map { "Rating \(LadderText.rating($0)).\n" } ?? "")\
      Profile \(document.profile), player ID \(view.id), public key \(document.publicKey).
      Service \(document.service.map(\.description) ?? "unknown"), root key \
      \(document.rootKey.map(\.description) ?? "unknown").

      """
    }
  }
}

extension PlayerDocument {
  /// The player as the profile knows it.
  init(_ player: Player, _ session: CommandSession, name: PlayerName) throws {
    guard let key = try session.store().loadKey() else { throw ClientError.notRegistered }
    self.init(
      profile: try session.profileName().text, player: player.player,
      name: name, registeredAt: nil, rating: nil, publicKey: key.publicKey,
      service: player.profile.service,
      rootKey: player.profile.rootKey)
  }
}

/// Names and codes as arguments.
enum NameArgument {
  static func name(_ text: String) throws -> PlayerName {
    guard let name = PlayerName(text) else {
      throw ValidationError("'\(text)' is no name. Use 3 to 16 of A-Z a-z 0-9 _ and -.")
    }
    return name
  }

  static func code(_ text: String) throws -> ShareCode {
    guard let code = ShareCode(pasted: text) else {
      throw ValidationError(
        "'\(TerminalText.safe(text))' is no code. Codes are 4 to 16 letters and digits.")
    }
    return code
  }

  /// The code of an invitation, or a link with one.
  static func invitation(_ text: String) throws -> ShareCode {
    let code = try code(text)
    switch CodeLink(pasted: text).target {
    case .invitation, .unknown: return code
    case .shared:
      throw ValidationError(
        "That link shows a game that somebody shared, and nobody can join it. Look at it: "
          + "cubist show --code \(code)")
    case .device:
      throw ValidationError(
        "That link adds a device of yours. Open it there, or type: cubist key add CODE")
    }
  }
}
