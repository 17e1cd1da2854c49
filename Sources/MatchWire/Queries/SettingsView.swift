public import MatchCore

extension Query {
  /// Asks for the asker's settings and devices.
  public struct Settings: PlainQueryPayload {
    public typealias Answer = MatchWire.SettingsView

    public static let name = "settings"
    public static let cost = 1
    public var kind: Kind { .settings }

    public init() {}
  }
}

/// A player's settings and devices.
public struct SettingsView: Hashable, Sendable, Codable {
  /// The player's name in notifications. Nil: the player name.
  public var displayName: String?
  /// Each kind of notification by name, and whether it is wanted.
  public var kinds: [String: Bool]
  /// Whether reminders are wanted.
  public var reminders: Bool
  /// The devices, by name.
  public var devices: [DeviceView]
  /// True for an account that is declared a bot's. Otherwise left out.
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

  /// The answer from the stored data.
  public init(_ settings: PlayerSettings, devices: [Device]) {
    self.init(
      displayName: settings.displayName?.text,
      kinds: Dictionary(
        uniqueKeysWithValues: PushJob.Kind.optional.map {
          ($0.rawValue, !settings.muted.contains($0))
        }), reminders: settings.reminders,
      devices: devices.sorted { $0.name < $1.name }.map {
        DeviceView(
          device: $0.name.text, permission: $0.permission.rawValue, hasToken: $0.token != nil)
      }, isBot: settings.isBot)
  }
}

/// A device in a list. Its token is not shown: it is for the push provider only.
public struct DeviceView: Hashable, Sendable, Codable {
  /// The owner's name for it.
  public var device: String
  /// The owner's permission: `notDetermined`, `provisional`, `authorized` or `denied`.
  public var permission: String
  public var hasToken: Bool

  public init(device: String, permission: String, hasToken: Bool) {
    self.device = device
    self.permission = permission
    self.hasToken = hasToken
  }
}
