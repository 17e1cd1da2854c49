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
  /// The name of the player's time zone. Nil: UTC.
  public var timeZone: String?
  /// The language of notifications, `en` or `de`.
  public var language: String
  /// Nil: there are none.
  public var quietHours: QuietHours?
  /// Whether news of matches that come within some minutes come as one notification.
  public var bundle: Bool
  /// Whether opponents may remind the player of a turn.
  public var nudges: Bool
  /// The local time of the daily digest, such as `08:00`. Nil: none is wanted.
  public var digest: String?
  /// The day of the review of the week, such as `sunday`. Nil: none is wanted.
  public var review: String?
  /// When the account ends, as the player has asked. Nil: it does not.
  public var leavesAt: Instant?
  /// The service's public key of Web Push in base64url, for a browser that subscribes. Nil: the
  /// service has no Web Push.
  public var pushKey: String?

  /// The part of each local day without sounds.
  public struct QuietHours: Hashable, Sendable, Codable {
    /// Such as `22:00`.
    public var from: String
    /// The first minute after them, such as `07:30`.
    public var until: String
    /// The fate of a notification that cannot wait: `silent` or `dropped`.
    public var late: String

    public init(from: String, until: String, late: String) {
      self.from = from
      self.until = until
      self.late = late
    }
  }

  public init(
    displayName: String?, kinds: [String: Bool], reminders: Bool, devices: [DeviceView],
    isBot: Bool = false, language: String = PushLanguage.english.rawValue, bundle: Bool = true,
    nudges: Bool = true
  ) {
    self.displayName = displayName
    self.kinds = kinds
    self.reminders = reminders
    self.devices = devices
    bot = isBot ? true : nil
    self.language = language
    self.bundle = bundle
    self.nudges = nudges
  }

  /// The answer from the stored data.
  public init(
    _ settings: PlayerSettings, devices: [RegisteredDevice], pushKey: [UInt8]? = nil,
    leavesAt: Instant? = nil
  ) {
    let push = settings.push
    self.init(
      displayName: settings.displayName?.text,
      kinds: Dictionary(
        uniqueKeysWithValues: PushJob.Kind.optional.map {
          ($0.rawValue, !settings.muted.contains($0))
        }), reminders: settings.reminders,
      devices: devices.sorted { $0.device.name < $1.device.name }.map { DeviceView($0) },
      isBot: settings.isBot, language: push.language.rawValue, bundle: push.isBundled,
      nudges: push.takesNudges)
    timeZone = push.timeZone?.text
    quietHours = push.quietHours.map {
      QuietHours(
        from: $0.from.description, until: $0.until.description, late: $0.late.rawValue)
    }
    digest = push.digest?.description
    review = push.review?.rawValue
    self.leavesAt = leavesAt
    self.pushKey = pushKey.map { Base64.encodeForURL($0) }
  }
}

/// A device in a list. Its address is not shown: it is for the push service only.
public struct DeviceView: Hashable, Sendable, Codable {
  /// The owner's name for it.
  public var device: String
  /// The way to it: `app`, `webPush` or `apns`.
  public var service: String
  /// The owner's permission: `notDetermined`, `provisional`, `authorized` or `denied`.
  public var permission: String
  /// Whether the service has an address of it: a token or a subscription.
  public var hasToken: Bool
  /// When a push service last took a notification for it. Nil: not since its last registration.
  public var arrivedAt: Instant?
  /// The last answer of a push service about it, in words.
  public var answer: String?
  /// When that answer came.
  public var answeredAt: Instant?

  public init(
    device: String, service: String = Device.Route.Service.app.rawValue, permission: String,
    hasToken: Bool, arrivedAt: Instant? = nil, answer: String? = nil, answeredAt: Instant? = nil
  ) {
    self.device = device
    self.service = service
    self.permission = permission
    self.hasToken = hasToken
    self.arrivedAt = arrivedAt
    self.answer = answer
    self.answeredAt = answeredAt
  }

  init(_ registered: RegisteredDevice) {
    let device = registered.device
    self.init(
      device: device.name.text, service: device.route.service.rawValue,
      permission: device.permission.rawValue, hasToken: device.route != .app(token: nil),
      arrivedAt: registered.arrivedAt, answer: registered.answer?.text,
      answeredAt: registered.answer?.at)
  }
}
