import ArgumentParser
import MatchCore
import MatchInterfaces
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
        cubist settings --time-zone Europe/Berlin --quiet-hours 22:00-07:30
        cubist settings --digest 08:00 --review sunday
        cubist settings --no-nudges
      """,
    subcommands: [SetKind.self, SetName.self])

  @OptionGroup var wishes: WishOptions
  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    guard !wishes.isEmpty else { return try session.showSettings(of: session.player()) }
    try wishes.checkTimeZone(session.environment)
    let change = try wishes.change { try session.player().settings().quietHours }
    try session.changeSettings(SettingsChange(push: change))
  }

  /// A subcommand would lose them in silence.
  fileprivate func refuseWishes(before subcommand: String) throws {
    guard wishes.isEmpty else {
      throw ValidationError(
        "Options for the time of notifications go without `\(subcommand)`: cubist settings <options>"
      )
    }
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

      KINDS: \(PushJob.Kind.optional.map(\.rawValue).joined(separator: ", ")), all, and \
      reminders, for those that only remind:
      \(PushJob.Kind.allCases.filter(\.isReminder).map(\.rawValue).joined(separator: ", "))
      """)

  @ParentCommand var parent: SettingsCommand

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

  func validate() throws {
    try parent.refuseWishes(before: "set")
    _ = try change()
  }

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

  @ParentCommand var parent: SettingsCommand

  @Argument(help: "\(DisplayName.rule); none for your name.", transform: SetName.name)
  var text: DisplayName?

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func validate() throws { try parent.refuseWishes(before: "name") }

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

extension CommandSession {
  /// - Parameter text: What a person reads of the settings then; nil: all of them.
  func changeSettings(
    _ change: SettingsChange, text: ((SettingsView) -> String)? = nil
  ) throws {
    let player = try player()
    if try isToBeSent(.settingsChanged(change)) { try player.change(change) }
    try showSettings(of: player, text: text)
  }

  /// Whether this has not just been said by an earlier command whose answer was awaited.
  func isToBeSent(_ action: Event.Action) throws -> Bool {
    try resumed { $0 == action }?.accepted() == nil
  }

  /// Programs get all settings.
  /// - Parameter text: What a person reads of them; nil: all of them.
  func showSettings(of player: Player, text: ((SettingsView) -> String)? = nil) throws {
    let view = try player.settings()
    try console.show(.settings, view) {
      if let text { return text(view) }
      let here = LocalTimeZone.name(environment.variables, link: environment.timeZoneLink())
      return SettingsText.text(view, here: here, now: environment.clock.now(), console.style)
    }
  }

  /// Shows the devices that notifications go to.
  /// - Parameter name: The only one that a person reads of; nil: all.
  func showDevices(of player: Player, only name: DeviceName? = nil) throws {
    try showSettings(of: player) { view in
      SettingsText.devices(
        view, only: name, now: self.environment.clock.now(), self.console.style)
    }
  }
}
