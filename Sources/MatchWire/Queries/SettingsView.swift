public import MatchCore

extension Query {
  /// What the asker has set, and the devices.
  public struct Settings: PlainQueryPayload {
    public typealias Answer = MatchWire.SettingsView

    public static let name = "settings"
    public static let cost = 1
    public var kind: Kind { .settings }

    public init() {}
  }
}

/// What a player has set.
public struct SettingsView: Hashable, Sendable, Codable {
  /// What notifications call the player; nil: the name.
  public var displayName: String?
  /// Each kind of notification by name, and whether it is wanted.
  public var kinds: [String: Bool]
  /// Whether kinds that only remind are wanted.
  public var reminders: Bool
  /// The devices, by name.
  public var devices: [DeviceView]
  /// True for an account that is declared a bot's; else left out.
  public var bot: Bool?

  public init(
    displayName: String?, kinds: [String: Bool], reminders: Bool, devices: [DeviceView],
    isBot: Bool = false
  ) {
    self.displayName = displayName
    self.kinds = kinds
    self.reminders = reminders
    self.devices = devices
    bot = isBot ? true : nil
  }

  /// The answer of what is stored.
  public init(_ settings: PlayerSettings, devices: [Device]) {
    self.init(
      displayName: settings.displayName?.text,
      kinds: Dictionary(
        uniqueKeysWithValues: PushJob.Kind.allCases.map {
          ($0.rawValue, !settings.muted.contains($0))
        }), reminders: settings.reminders,
      devices: devices.sorted { $0.name < $1.name }.map {
        DeviceView(
          device: $0.name.text, permission: $0.permission.rawValue, hasToken: $0.token != nil)
      }, isBot: settings.isBot)
  }
}

/// A device in a list; its token is for who brings notifications to it.
public struct DeviceView: Hashable, Sendable, Codable {
  /// What its owner calls it.
  public var device: String
  /// What its owner allowed: `notDetermined`, `provisional`, `authorized` or `denied`.
  public var permission: String
  public var hasToken: Bool

  public init(device: String, permission: String, hasToken: Bool) {
    self.device = device
    self.permission = permission
    self.hasToken = hasToken
  }
}
