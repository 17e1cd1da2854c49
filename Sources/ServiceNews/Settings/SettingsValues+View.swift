package import CubePlay
package import MatchCore
package import MatchWire

extension SettingsValues {
  /// The stable name of all that only reminds.
  static let reminders = "reminders"

  /// The settings as the service tells them.
  package init(_ view: SettingsView, _ blocks: BlockList, now: Instant) {
    let kinds = PushJob.Kind.optional.map { kind in
      NotificationSetting(
        name: kind.rawValue, text: kind.occasion, isOn: view.kinds[kind.rawValue] ?? true)
    }
    let reminders = NotificationSetting(
      name: SettingsValues.reminders, text: "reminders: all of these",
      isOn: view.reminders)
    self.init(
      displayName: view.displayName ?? "",
      notifications: kinds.filter { !$0.isReminder } + [reminders] + kinds.filter { $0.isReminder },
      devices: view.devices.map { device in
        DeviceSetting(
          name: device.device,
          permission: DeviceSetting.Permission(Device.Permission(rawValue: device.permission)),
          hasToken: device.hasToken, news: device.news(now: now))
      }, blocked: blocks.players.map { $0.name.text }, wishes: PushWishes(view))
  }
}

extension PushWishes {
  fileprivate init(_ view: SettingsView) {
    self.init()
    if let hours = view.quietHours {
      (self[.quietFrom], self[.quietUntil], self[.late]) = (hours.from, hours.until, hours.late)
    }
    self[.timeZone] = view.timeZone ?? ""
    self[.digest] = view.digest ?? ""
    self[.language] = view.language
    self[.review] = view.review ?? "none"
    self[.bundle] = view.bundle ? "on" : "off"
    self[.nudges] = view.nudges ? "on" : "off"
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

extension DeviceView {
  /// The way to it, and what last came of it.
  fileprivate func news(now: Instant) -> String {
    let way =
      switch Device.Route.Service(rawValue: service) {
      case .webPush?: "a browser"
      case .apns?: "a device of Apple's"
      case .app?, nil: ""
      }
    let arrival = arrivedAt.map { "last told \(Wording.when($0, now: now))" } ?? ""
    // An answer that came with the last arrival says nothing new.
    let isNewer = answeredAt.map { answer in arrivedAt.map { $0 < answer } ?? true } ?? false
    let said = isNewer ? answer ?? "" : ""
    return [way, arrival, said].filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
