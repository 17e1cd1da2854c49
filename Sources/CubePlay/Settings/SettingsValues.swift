/// A player's settings.
public struct SettingsValues: Hashable, Sendable {
  /// The player's name in notifications; empty: the registered name.
  public var displayName: String
  /// Kinds of notifications, and whether they are wanted.
  public var notifications: [NotificationSetting]
  /// The devices that notifications go to.
  public var devices: [DeviceSetting]
  /// The names of the players that the player does not want to meet.
  public var blocked: [String]
  /// When and how notifications come.
  public var wishes: PushWishes

  /// A player's settings.
  public init(
    displayName: String, notifications: [NotificationSetting], devices: [DeviceSetting],
    blocked: [String], wishes: PushWishes = PushWishes()
  ) {
    self.wishes = wishes
    self.displayName = displayName
    self.notifications = notifications
    self.devices = devices
    self.blocked = blocked
  }
}

/// A kind of notification.
public struct NotificationSetting: Hashable, Sendable {
  /// Its stable name.
  public var name: String
  /// Its description, in words.
  public var text: String
  /// Whether it is wanted.
  public var isOn: Bool

  /// A kind of notification.
  public init(name: String, text: String, isOn: Bool) {
    (self.name, self.text, self.isOn) = (name, text, isOn)
  }
}

/// A device that notifications go to.
public struct DeviceSetting: Hashable, Sendable {
  /// The player's name for it.
  public var name: String
  /// The player's permission on it.
  public var permission: Permission
  /// Whether it has a token, which is not known here.
  public var hasToken: Bool
  /// The way to it, and what last came of it, in words.
  public var news: String

  /// A player's permission for notifications on a device.
  public enum Permission: Hashable, Sendable {
    /// Nothing has been said.
    case notDetermined
    /// Notifications without a sound.
    case provisional
    /// Notifications.
    case authorized
    /// None.
    case denied
  }

  public init(name: String, permission: Permission, hasToken: Bool, news: String = "") {
    (self.name, self.permission, self.hasToken) = (name, permission, hasToken)
    self.news = news
  }
}

/// One difference between the settings and the wanted ones.
public enum SettingsEdit: Hashable, Sendable {
  /// The player's name in notifications; empty: the registered name.
  case displayName(String)
  /// Whether a kind of notification is wanted.
  case notification(String, isOn: Bool)
  /// A device that is new, or on which something else is allowed.
  case device(String, DeviceSetting.Permission)
  /// A device that is not there any more.
  case deviceRemoved(String)
  /// A player to block.
  case blocked(String)
  /// A player to unblock.
  case unblocked(String)
  /// The part of the day without sounds; empty texts: none.
  case quietHours(from: String, until: String, late: String)
  case wish(WishText, String)
  case choice(WishChoice, String)
}

extension SettingsValues {
  /// The edits that turn these values into others.
  func edits(to other: SettingsValues) -> [SettingsEdit] {
    var edits: [SettingsEdit] = []
    if displayName != other.displayName { edits.append(.displayName(other.displayName)) }
    for kind in other.notifications where !notifications.contains(kind) {
      edits.append(.notification(kind.name, isOn: kind.isOn))
    }
    for device in devices where !other.devices.contains(where: { $0.name == device.name }) {
      edits.append(.deviceRemoved(device.name))
    }
    for device in other.devices where !devices.contains(device) {
      edits.append(.device(device.name, device.permission))
    }
    for name in blocked where !other.blocks(name) { edits.append(.unblocked(name)) }
    for name in other.blocked where !blocks(name) { edits.append(.blocked(name)) }
    return edits + wishes.edits(to: other.wishes)
  }

  /// Whether a player is blocked; the case of names does not matter.
  func blocks(_ name: String) -> Bool {
    let key = name.lowercased()
    return blocked.contains { $0.lowercased() == key }
  }

  /// Changes one thing; a value that is already right stays.
  mutating func apply(_ edit: SettingsEdit) {
    switch edit {
    case .displayName(let name): displayName = name
    case .notification(let name, let isOn):
      for index in notifications.indices where notifications[index].name == name {
        notifications[index].isOn = isOn
      }
    case .device(let name, let permission):
      let device = DeviceSetting(name: name, permission: permission, hasToken: false)
      if let place = devices.firstIndex(where: { $0.name == name }) {
        // A device that has got a token meanwhile keeps it.
        if !devices[place].hasToken { devices[place].permission = permission }
      } else {
        devices.append(device)
      }
    case .deviceRemoved(let name): devices.removeAll { $0.name == name }
    case .blocked(let name): if !blocks(name) { blocked.append(name) }
    case .unblocked(let name):
      let key = name.lowercased()
      blocked.removeAll { $0.lowercased() == key }
    case .quietHours(let from, let until, let late):
      (wishes[.quietFrom], wishes[.quietUntil], wishes[.late]) = (from, until, late)
    case .wish(let wish, let text): wishes[wish] = text
    case .choice(let wish, let option): wishes[wish] = option
    }
  }
}
