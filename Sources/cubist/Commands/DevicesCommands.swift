import ArgumentParser
import MatchCore
import MatchWire
import PlayerClient
import TerminalScreen

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
        cubist devices add iphone --service apns --token TOKEN
        cubist devices remove phone

      A player with devices gets no notifications unless one of the devices allows them. The devices \
      that play as you are another list: `cubist key list`.
      """,
    subcommands: [AddDevice.self, RemoveDevice.self])

  @OptionGroup(title: "Global options") var options: GlobalOptions

  func perform(_ session: CommandSession) throws {
    try session.showDevices(of: session.player())
  }
}

/// `cubist devices add`
struct AddDevice: CubistCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a device for notifications, or change its token or permission.",
    usage: """
      cubist devices add <name> [--service <service>] [--token <token>] \\
      [--permission <permission>] [<options>]
      """,
    discussion: """
      EXAMPLES:
        cubist devices add phone --token TOKEN
        cubist devices add phone --permission provisional
        cubist devices add iphone --service apns --token TOKEN

      A browser adds itself: turn its notifications on there.
      """)

  @Argument(
    help: "1 to 32 of A-Z a-z 0-9 _ - and .", completion: Completion.devices,
    transform: RemoveDevice.name)
  var name: DeviceName

  @Option(
    help: "The way to the device: app, the operator's receiver, or apns, Apple's.",
    completion: .list(["app", "apns"]), transform: AddDevice.service)
  var service = Device.Route.Service.app

  @Option(help: "The device's token at the notification service.")
  var token: String?

  @Option(
    help: "notDetermined, provisional, authorized or denied.",
    completion: .list(Device.Permission.allCases.map(\.rawValue)), transform: AddDevice.permission)
  var permission = Device.Permission.authorized

  @OptionGroup(title: "Global options") var options: GlobalOptions

  private static func service(_ text: String) throws -> Device.Route.Service {
    switch Device.Route.Service(rawValue: text) {
    case .webPush?:
      throw ValidationError("A browser adds itself: turn its notifications on there.")
    case .app?: return .app
    case .apns?: return .apns
    case nil:
      throw ValidationError(
        "'\(TerminalText.safe(text))' is no way to a device. There are app and apns.")
    }
  }

  private func route() throws -> Device.Route {
    switch service {
    case .apns:
      // Apple's own tools write the digits in either case.
      guard let token = token?.lowercased(), Device.isAPNsToken(token) else {
        throw ValidationError(
          "A device of apns needs --token with 64 to 200 hexadecimal digits.")
      }
      return .apns(token: token)
    case .app, .webPush:
      guard token.map(Device.isToken) ?? true else {
        throw ValidationError("A token is 1 to 512 visible characters of ASCII, without spaces.")
      }
      return .app(token: token)
    }
  }

  func validate() throws { _ = try route() }

  private static func permission(_ text: String) throws -> Device.Permission {
    guard let permission = Device.Permission(rawValue: text) else {
      let known = Device.Permission.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("'\(text)' is no permission. There are \(known).")
    }
    return permission
  }

  func perform(_ session: CommandSession) throws {
    let player = try session.player()
    let device = Device(name: name, route: try route(), permission: permission)
    if try session.isToBeSent(.deviceRegistered(device)) { try player.register(device) }
    try session.showDevices(of: player, only: name)
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
    try session.showSettings(of: player) { _ in "\(name.text) gets no more notifications.\n" }
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
