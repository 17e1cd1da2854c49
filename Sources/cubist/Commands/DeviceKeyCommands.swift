import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient
import ServiceNews
import TerminalScreen

/// `cubist key list`
struct ListKeys: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List your keys, open invitations of devices, and your recovery key.",
    usage: "cubist key list [<options>]",
    discussion: """
      EXAMPLES:
        cubist key list

      Each device that was added has a key of its own. Any of them can remove any other.
      """)

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let list = try player.keys()
    let own = try session.store().loadKey()?.publicKey
    try session.console.show(.keys, KeysDocument(list, own: own)) {
      KeysText.text(list, own: own, now: session.now, session.console.style)
    }
    guard let recovery = list.recovery else { return session.console.suggest("cubist key words") }
    guard let pending = recovery.pending else { return }
    // Devices delay a recovery once.
    session.console.suggest(
      pending.objector == nil
        ? "cubist key object" : RecoveryText.withdrawal(player.profile.name))
  }
}

/// `cubist key invite`
struct InviteDevice: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite",
    abstract: "Make a code that adds a device of yours.",
    usage: "cubist key invite [<options>]",
    discussion: """
      EXAMPLES:
        cubist key invite
        cubist key add K3F7-9QMN-2XVB      typed on the new device

      The code is good once, for ten minutes. Anyone who types it plays as you.
      """)

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let earlier = try session.resumedEvent { action in
      if case .deviceInvited = action { true } else { false }
    }
    _ = try earlier?.reply.accepted()
    let ticket = earlier.flatMap { DeviceTicket($0.event, $0.reply) }
    if let ticket, ticket.until > session.now { return try report(ticket, session) }
    try report(player.inviteDevice(), session)
  }

  private func report(_ ticket: DeviceTicket, _ session: CommandSession) throws {
    let document = DeviceInvitationDocument(code: ticket.code.text, until: ticket.until)
    try session.console.show(.deviceInvitation, document) {
      KeysText.text(ticket, now: session.now)
    }
    session.console.suggest("cubist key add \(ticket.code.grouped)", to: "the new device")
  }
}

/// `cubist key add`
struct AddKey: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Make this device one of a player's.",
    usage: "cubist key add <code> [--device <name>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist key add K3F7-9QMN-2XVB
        cubist key add K3F7-9QMN-2XVB --device laptop
        cubist --profile ada key add k3f79qmn2xvb

      The code comes from `cubist key invite` on a device that has the player already. This one \
      makes a key of its own.
      """)

  @Argument(help: "The code.", transform: AddKey.code)
  var code: DeviceCode

  @Option(
    help: .init(
      "Your name for this device in the list of keys. Records of its matches show it, too.",
      valueName: "name"),
    transform: RemoveDevice.name)
  var device = DeviceName.terminal

  @OptionGroup(title: "Global options") var options: GlobalOptions

  private static func code(_ text: String) throws -> DeviceCode {
    guard let code = DeviceCode(pasted: text) else {
      throw ValidationError(
        "'\(TerminalText.safe(text))' is no code of a device. It has 12 letters and digits.")
    }
    return code
  }

  func perform(_ session: CommandSession) throws {
    let player = try session.player(makingKey: true)
    let reply = try session.resumed { action in
      if case .keyAdded(let added) = action { added.code == code } else { false }
    }
    if case .keyAdded(_, let name)? = try reply?.accepted() {
      return try report(name, player, session)
    }
    try checkFree(player, session)
    let inviter = try inviter(player)
    try report(player.showCode(code, to: inviter.player, device: device), player, session)
  }

  /// A profile is one player's for ever.
  private func checkFree(_ player: Player, _ session: CommandSession) throws {
    guard try player.profile.player != nil || session.store().loadKey()?.isLater == true else {
      return
    }
    let name = player.profile.name?.text ?? "another player"
    throw CommandFailure(
      .refused, "profileTaken",
      "This profile is \(name)'s already. Add the device under another profile.",
      next: ["cubist --profile OTHER key add \(code.grouped)"])
  }

  private func inviter(_ player: Player) throws -> InvitingPlayer {
    do throws(ClientError) {
      return try player.inviter(code)
    } catch {
      guard case .queryRefused(_, _, .codeUnknown?) = error else { throw error }
      let refusal = Refusal.deviceCodeInvalid
      throw CommandFailure(.refused, refusal.name, refusal.message)
    }
  }

  private func report(_ name: PlayerName, _ player: Player, _ session: CommandSession) throws {
    try session.console.show(.player, PlayerDocument(player, session, name: name)) {
      "You are \(name) on this device, too.\n"
    }
    session.console.suggest("cubist", "cubist key list")
  }
}

/// `cubist key remove`
struct RemoveKey: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Take a key away, so that its device plays as you no more.",
    usage: "cubist key remove <key> [--yes] [<options>]",
    discussion: """
      EXAMPLES:
        cubist key remove 3fa2b81c
        cubist key remove 3fa2b81c --yes      do not ask, if it is this device's key

      Turns that it has played stay. One key has to stay, too. Notifications go on to its device: see \
      `cubist devices remove`.
      """)

  @Argument(
    help: "The key: its first digits, as `cubist key list` shows them.",
    completion: Completion.keys, transform: RemoveKey.digits)
  var key: String

  @Flag(help: "Do not ask about the key of this device. It is needed without a terminal.")
  var yes = false

  @OptionGroup(title: "Global options") var options: GlobalOptions

  private static func digits(_ text: String) throws -> String {
    guard 4...64 ~= text.count, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      throw ValidationError(
        "'\(TerminalText.safe(text))' is no key. Give four of its first digits or more.")
    }
    return text.lowercased()
  }

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let own = try session.store().loadKey()?.publicKey
    let reply = try session.resumed { action in
      guard case .keyRemoved(let removed) = action else { return false }
      return removed.key.description.hasPrefix(key)
    }
    if case .keyRemoved(let key)? = try reply?.accepted() {
      return try report(key, isOwn: key == own, session)
    }
    let keys = ShortKeys(try player.keys().keys.map(\.key))
    let found = try resolve(keys)
    if found == own, !yes { try confirm(keys.short(found), session) }
    try player.removeKey(found)
    try report(found, isOwn: found == own, session)
  }

  private func resolve(_ keys: ShortKeys) throws(CommandFailure) -> PublicKey {
    let found = keys.matching(key)
    guard let first = found.first else {
      throw CommandFailure(
        .notFound, "keyUnknown", "No key of yours begins with \(key).", next: ["cubist key list"])
    }
    guard found.count == 1 else {
      throw CommandFailure(
        .usage, "ambiguousKey", "Several keys begin with \(key). Give more digits.",
        next: ["cubist key list"])
    }
    return first
  }

  /// Has a person say yes.
  private func confirm(_ short: String, _ session: CommandSession) throws(CommandFailure) {
    let what = "\(short) is the key of this device. Remove it"
    guard session.environment.inputIsTerminal, !options.json else {
      throw CommandFailure(
        .usage, "notConfirmed", "\(what)? Nobody can be asked here: say --yes.",
        next: ["cubist key remove \(short) --yes"])
    }
    guard try session.confirms("\(what)?") else {
      throw CommandFailure(.refused, "notConfirmed", "No key was removed.")
    }
  }

  private func report(_ key: PublicKey, isOwn: Bool, _ session: CommandSession) throws {
    let document = KeyRemovedDocument(key: key, own: isOwn ? true : nil)
    try session.console.show(.keyRemoved, document) {
      isOwn
        ? "This device plays as you no more. Your other devices do.\n"
        : "The device with the key \(ShortKeys([key]).short(key)) plays as you no more.\n"
    }
  }
}
