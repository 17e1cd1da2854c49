/// A player's name for a device: 1 to 32 of A–Z a–z 0–9 _ - and .
public struct DeviceName: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The name as its owner wrote it.
  public let text: String

  /// Takes a valid name; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let isName = text.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
    guard 1...32 ~= text.utf8.count, isName else { return nil }
    self.text = String(text)
  }

  /// The name of a device at a prompt whose player has chosen none.
  public static let terminal = DeviceName(known: "terminal")
  /// The same of a page in a browser.
  public static let browser = DeviceName(known: "browser")

  private init(known text: StaticString) { self.text = text.description }

  /// The name as its owner wrote it.
  public var description: String { text }

  /// Orders by bytes.
  public static func < (left: DeviceName, right: DeviceName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

/// A device that notifications can go to.
public struct Device: Hashable, Sendable {
  /// The owner's permission on it. The names are those of Apple's authorization status.
  public enum Permission: String, Hashable, Sendable, CaseIterable {
    /// Its owner has not been asked yet.
    case notDetermined
    /// Notifications arrive without a sound.
    case provisional
    /// Notifications arrive.
    case authorized
    /// Its owner does not want any.
    case denied

    /// Whether anything may be sent to the device.
    public var admits: Bool { self == .provisional || self == .authorized }
  }

  /// The way from the service to a device.
  public enum Route: Hashable, Sendable {
    /// The operator's own receiver brings notifications to it. The token is the receiver's address
    /// of the device, 1 to 512 visible ASCII characters.
    case app(token: String?)
    /// A browser that has subscribed.
    case webPush(WebPushSubscription)
    /// A device of Apple's. The token has 64 to 200 hexadecimal digits in lower case.
    case apns(token: String)

    /// The services that bring notifications to devices. The raw values travel and are stored.
    public enum Service: String, Hashable, Sendable, CaseIterable {
      case app
      case webPush
      case apns
    }

    public var service: Service {
      switch self {
      case .app: .app
      case .webPush: .webPush
      case .apns: .apns
      }
    }
  }

  public var name: DeviceName
  public var route: Route
  public var permission: Permission

  public init(name: DeviceName, route: Route, permission: Permission) {
    self.name = name
    self.route = route
    self.permission = permission
  }

  /// A device that the operator's receiver reaches.
  public init(name: DeviceName, token: String?, permission: Permission) {
    self.init(name: name, route: .app(token: token), permission: permission)
  }

  /// The address of a device that has a token as its address, and nothing else.
  public var token: String? {
    switch route {
    case .app(let token): token
    case .apns(let token): token
    case .webPush: nil
    }
  }

  /// The devices of one player that are kept. Beyond it the oldest registration is dropped.
  public static let limit = 16

  /// Whether a text can be a token.
  public static func isToken(_ text: String) -> Bool {
    1...512 ~= text.utf8.count && text.utf8.allSatisfy { 0x21...0x7e ~= $0 }
  }

  /// Whether a text can be a token of Apple's. Upper-case digits would be a second form of it.
  public static func isAPNsToken(_ text: String) -> Bool {
    64...200 ~= text.utf8.count
      && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
  }
}

/// A device that the service knows, and the last news of it.
public struct RegisteredDevice: Hashable, Sendable {
  /// An answer of a push service about a device.
  public struct Answer: Hashable, Sendable {
    public var at: Instant
    /// In words, for a person; at most 100 code points.
    public let text: String

    /// The most bytes of the text.
    public static let byteLimit = 400

    /// The end of a longer text is cut off.
    public init(at: Instant, text: String) {
      self.at = at
      self.text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(100)))
    }
  }

  public var device: Device
  /// When a push service last took a notification for it.
  public var arrivedAt: Instant?
  public var answer: Answer?

  public init(_ device: Device, arrivedAt: Instant? = nil, answer: Answer? = nil) {
    self.device = device
    self.arrivedAt = arrivedAt
    self.answer = answer
  }

  /// The same device, registered again. News of another route would mislead.
  public mutating func register(_ device: Device) {
    if device.route != self.device.route { (arrivedAt, answer) = (nil, nil) }
    self.device = device
  }
}

/// A change to the service's data on a player besides matches.
public enum PlayerChange: Hashable, Sendable {
  case settings(SettingsChange)
  /// A device is registered, with its present data.
  case device(Device)
  /// A device must not be notified any more.
  case deviceRemoved(DeviceName)
  /// No device must be notified any more.
  case devicesRemoved
  /// A notification was seen.
  case seen(PushJobID)
  /// All notifications were seen that had been sent by then.
  case allSeen(until: Instant)
}
