import CubePlay
import GameScreens
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient

extension ServiceLink {
  /// The player's settings.
  func settings() throws(ScreenTrouble) -> SettingsValues {
    try call { SettingsValues(try $0.settings(), try $0.blocks()) }
  }

  /// Saves the differences. Names are looked up first: if one is wrong, nothing is saved.
  func save(_ edits: [SettingsEdit]) throws(ScreenTrouble) -> SaveAnswer {
    try call { player in
      let changes = SettingsChanges(edits)
      var others: [(id: PlayerID, isBlocked: Bool)] = []
      for change in changes.players {
        let text = change.name
        guard let name = PlayerName(text) else { return .wrongName(text, "no player's name") }
        do throws(ClientError) {
          let other = try player.player(named: name).id
          guard other != player.player else { return .wrongName(text, "is your own name") }
          others.append((other, change.isBlocked))
        } catch {
          guard case .queryRefused(_, _, .unknownPlayer?) = error else { throw error }
          return .wrongName(text, "nobody has that name")
        }
      }
      if !changes.settings.isEmpty { try player.change(changes.settings) }
      for name in changes.removed { try player.removeDevice(name) }
      for device in changes.devices { try player.register(device) }
      for (other, isBlocked) in others {
        if isBlocked { try player.block(other) } else { try player.unblock(other) }
      }
      return .saved
    }
  }
}

/// The changes of settings to send to the service.
struct SettingsChanges: Hashable {
  var settings = SettingsChange()
  var removed: [DeviceName] = []
  var devices: [Device] = []
  /// Names of players, and whether they are to be blocked.
  var players: [Player] = []

  struct Player: Hashable {
    var name: String
    var isBlocked: Bool
  }

  init(_ edits: [SettingsEdit]) {
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
      }
    }
  }
}

extension SettingsValues {
  /// The stable name of all that only reminds.
  static let reminders = "reminders"

  /// The settings as the service tells them.
  init(_ view: SettingsView, _ blocks: BlockList) {
    let kinds = PushJob.Kind.allCases.map { kind in
      NotificationSetting(
        name: kind.rawValue, text: kind.occasion, isOn: view.kinds[kind.rawValue] ?? true)
    }
    let reminders = NotificationSetting(
      name: SettingsValues.reminders, text: "something ends soon: both of these",
      isOn: view.reminders)
    self.init(
      displayName: view.displayName ?? "",
      notifications: kinds.filter { !$0.isReminder } + [reminders] + kinds.filter(\.isReminder),
      devices: view.devices.map { device in
        DeviceSetting(
          name: device.device,
          permission: DeviceSetting.Permission(Device.Permission(rawValue: device.permission)),
          hasToken: device.hasToken)
      }, blocked: blocks.players.map(\.name.text))
  }
}

extension NotificationSetting {
  fileprivate var isReminder: Bool { PushJob.Kind(rawValue: name)?.isReminder == true }
}

extension DeviceSetting.Permission {
  /// A permission of a later version of the service counts as not determined.
  fileprivate init(_ permission: Device.Permission?) {
    switch permission {
    case .notDetermined?, nil: self = .notDetermined
    case .provisional?: self = .provisional
    case .authorized?: self = .authorized
    case .denied?: self = .denied
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
