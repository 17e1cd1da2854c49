package import CubePlay
package import MatchCore

/// The changes of settings to send to the service.
package struct SettingsChanges: Hashable, Sendable {
  package var settings = SettingsChange()
  package var removed: [DeviceName] = []
  package var devices: [Device] = []
  /// Names of players, and whether they are to be blocked.
  package var players: [Player] = []

  package struct Player: Hashable, Sendable {
    package var name: String
    package var isBlocked: Bool
  }

  package init(_ edits: [SettingsEdit]) {
    for edit in edits {
      switch edit {
      case .displayName(let text):
        settings.displayName = DisplayName(text).map { .set($0) } ?? .removed
      case .notification(SettingsValues.reminders, let isOn): settings.reminders = isOn
      case .notification(let name, let isOn):
        if let kind = PushJob.Kind(rawValue: name) { settings.kinds[kind] = isOn }
      case .deviceRemoved(let text): removed += [DeviceName(text)].compactMap { $0 }
      case .device(let text, let permission):
        if let name = DeviceName(text) {
          devices.append(
            Device(name: name, token: nil, permission: Device.Permission(permission)))
        }
      case .blocked(let name): players.append(Player(name: name, isBlocked: true))
      case .unblocked(let name): players.append(Player(name: name, isBlocked: false))
      case .quietHours(let from, let until, let late):
        settings.push.quietHours = QuietHours(from, until, late).map { .set($0) } ?? .removed
      case .wish(.timeZone, let text):
        settings.push.timeZone = TimeZoneName(text).map { .set($0) } ?? .removed
      case .wish(_, let text):
        settings.push.digest = MinuteOfDay(text).map { .set($0) } ?? .removed
      case .choice(.language, let text): settings.push.language = PushLanguage(rawValue: text)
      case .choice(.review, let text):
        settings.push.review = Weekday(rawValue: text).map { .set($0) } ?? .removed
      case .choice(.nudges, let text): settings.push.takesNudges = text == "on"
      case .choice(_, let text): settings.push.isBundled = text == "on"
      }
    }
  }
}

extension Device.Permission {
  fileprivate init(_ permission: DeviceSetting.Permission) {
    switch permission {
    case .notDetermined: self = .notDetermined
    case .provisional: self = .provisional
    case .authorized: self = .authorized
    case .denied: self = .denied
    }
  }
}

extension QuietHours {
  /// Nil for texts that are no times.
  fileprivate init?(_ from: String, _ until: String, _ late: String) {
    guard let from = MinuteOfDay(from), let until = MinuteOfDay(until) else { return nil }
    self.init(from: from, until: until, late: Late(rawValue: late) ?? .silent)
  }
}
