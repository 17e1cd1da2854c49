import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient
import TerminalScreen

/// `cubist settings`
struct SettingsCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "See and change which notifications you get.",
    usage: "cubist settings [<subcommand>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist settings
        cubist settings set matchEnded off
        cubist settings name "Ada L."      the name in notifications
        cubist settings name               your name again
      """,
    subcommands: [SetKind.self, SetName.self])

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    try session.showSettings(of: session.player())
  }
}

/// `cubist settings set`
struct SetKind: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Turn a kind of notification on or off.",
    usage: "cubist settings set <kind> on|off [<options>]",
    discussion: """
      EXAMPLES:
        cubist settings set dailyReady off
        cubist settings set all on

      KINDS: \(PushJob.Kind.optional.map(\.rawValue).joined(separator: ", ")), all, and
      reminders, for those that only remind:
      \(PushJob.Kind.allCases.filter(\.isReminder).map(\.rawValue).joined(separator: ", "))
      """)

  @Argument(
    help: "The kind, as `cubist settings` lists it, all, or reminders.",
    completion: .list(PushJob.Kind.optional.map(\.rawValue) + ["all", "reminders"]))
  var kind: String

  @Argument(
    help: .init("on or off.", valueName: "on|off"), completion: .list(["on", "off"]),
    transform: SetKind.isOn)
  var state: Bool

  @OptionGroup(title: "Global options") var options: GlobalOptions

  private func change() throws -> SettingsChange {
    let all = PushJob.Kind.optional
    switch kind {
    case "all":
      return SettingsChange(kinds: Dictionary(uniqueKeysWithValues: all.map { ($0, state) }))
    case "reminders": return SettingsChange(reminders: state)
    default:
      if let kind = PushJob.Kind(rawValue: kind) { return SettingsChange(kinds: [kind: state]) }
      let known = all.map(\.rawValue).joined(separator: ", ")
      throw ValidationError(
        "'\(kind)' is no kind of notification. There are \(known), reminders and all.")
    }
  }

  func validate() throws { _ = try change() }

  private static func isOn(_ text: String) throws -> Bool {
    switch text {
    case "on": return true
    case "off": return false
    default: throw ValidationError("'\(text)' is neither on nor off.")
    }
  }

  func perform(_ session: CommandSession) throws {
    try session.changeSettings(change())
  }
}

/// `cubist settings name`
struct SetName: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "name",
    abstract: "Set the name in your notifications.",
    usage: "cubist settings name [<text>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist settings name "Ada L."
        cubist settings name               your name again
      """)

  @Argument(help: "\(DisplayName.rule); none for your name.", transform: SetName.name)
  var text: DisplayName?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  private static func name(_ text: String) throws -> DisplayName {
    guard let name = DisplayName(text) else {
      throw ValidationError("'\(TerminalText.safe(text))' is no display name: \(DisplayName.rule).")
    }
    return name
  }

  func perform(_ session: CommandSession) throws {
    try session.changeSettings(SettingsChange(displayName: text.map { .set($0) } ?? .removed))
  }
}

/// `cubist devices`
struct DevicesCommand: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "See and change which devices notifications go to.",
    usage: "cubist devices [<subcommand>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist devices
        cubist devices add phone --token TOKEN
        cubist devices add phone --permission denied
        cubist devices remove phone

      A player with devices gets no notifications unless one of the devices allows them. The devices
      that play as you are another list: `cubist key list`.
      """,
    subcommands: [AddDevice.self, RemoveDevice.self])

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    try session.showSettings(of: session.player())
  }
}

/// `cubist devices add`
struct AddDevice: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a device for notifications, or change its token or permission.",
    usage: "cubist devices add <name> [--token <token>] [--permission <permission>] [<options>]",
    discussion: """
      EXAMPLES:
        cubist devices add phone --token TOKEN
        cubist devices add phone --permission provisional
      """)

  @Argument(
    help: "1 to 32 of A-Z a-z 0-9 _ - and .", completion: Completion.devices,
    transform: RemoveDevice.name)
  var name: DeviceName

  @Option(help: "The device's token at the notification service.", transform: AddDevice.token)
  var token: String?

  @Option(
    help: "notDetermined, provisional, authorized or denied.",
    completion: .list(Device.Permission.allCases.map(\.rawValue)), transform: AddDevice.permission)
  var permission = Device.Permission.authorized

  @OptionGroup(title: "Global options") var options: GlobalOptions

  private static func token(_ text: String) throws -> String {
    guard Device.isToken(text) else {
      throw ValidationError("A token is 1 to 512 visible characters of ASCII, without spaces.")
    }
    return text
  }

  private static func permission(_ text: String) throws -> Device.Permission {
    guard let permission = Device.Permission(rawValue: text) else {
      let known = Device.Permission.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("'\(text)' is no permission. There are \(known).")
    }
    return permission
  }

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let device = Device(name: name, token: token, permission: permission)
    if try session.isToBeSent(.deviceRegistered(device)) { try player.register(device) }
    try session.showSettings(of: player)
  }
}

/// `cubist devices remove`
struct RemoveDevice: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Send a device no more notifications.",
    usage: "cubist devices remove <name> [<options>]",
    discussion: """
      EXAMPLES:
        cubist devices remove phone
      """)

  @Argument(
    help: "The device, as `cubist devices` lists it.", completion: Completion.devices,
    transform: RemoveDevice.name)
  var name: DeviceName

  @OptionGroup(title: "Global options") var options: GlobalOptions

  static func name(_ text: String) throws -> DeviceName {
    guard let name = DeviceName(text) else {
      throw ValidationError("'\(text)' is no device's name. Use 1 to 32 of A-Z a-z 0-9 _ - and .")
    }
    return name
  }

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    if try session.isToBeSent(.deviceRemoved(name)) {
      try check(session, player)
      try player.removeDevice(name)
    }
    try session.showSettings(of: player)
  }
}

extension RemoveDevice {
  /// A missing device cannot be removed. While something is pending, the devices are not known.
  private func check(_ session: CommandSession, _ player: Player) throws {
    guard try session.store().loadPending().events.isEmpty,
      try !player.settings().devices.contains(where: { $0.device == name.text })
    else { return }
    throw CommandFailure(
      .notFound, "unknownDevice", "You have no device \(name.text).", next: ["cubist devices"])
  }
}

extension CommandSession {
  fileprivate func changeSettings(_ change: SettingsChange) throws {
    let player = try player()
    if try isToBeSent(.settingsChanged(change)) { try player.change(change) }
    try showSettings(of: player)
  }

  /// Whether this has not just been said by an earlier command whose answer was awaited.
  fileprivate func isToBeSent(_ action: Event.Action) throws -> Bool {
    try resumed { $0 == action }?.accepted() == nil
  }

  fileprivate func showSettings(of player: Player) throws {
    let view = try player.settings()
    try console.show(.settings, view) { SettingsText.text(view, console.style) }
  }
}
