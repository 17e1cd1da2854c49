import GameScreens
import MatchCore
import MatchWire
import ServiceNews
import TerminalScreen

/// Settings and devices in words.
enum SettingsText {
  /// - Parameter here: The time zone of this machine, if it is known.
  static func text(
    _ view: SettingsView, here: TimeZoneName?, now: Instant, _ style: TerminalStyle
  ) -> String {
    var text = view.leavesAt.map { _ in ending(view, now: now) + "\n" } ?? ""
    text += "Name in notifications: "
    text += view.displayName.map { "\(TerminalText.safe($0))\n\n" } ?? "the one you registered\n\n"
    var kinds = TerminalTable([.init(heading: "Notification"), .init(heading: "State")])
    for (kind, isOn) in view.kinds.sorted(by: { $0.key < $1.key }) {
      kinds.append([kind, isOn ? "on" : "off"])
    }
    kinds.append(["reminders", view.reminders ? "on" : "off"])
    text += kinds.text(style) + "\n" + wishes(view, style) + suggestion(view, here) + "\n"
    return text + devices(view, now: now, style)
  }

  /// Whether and when the account ends.
  static func ending(_ view: SettingsView, now: Instant) -> String {
    guard let end = view.leavesAt else { return "Your account stays.\n" }
    let time = Wording.when(end, now: now)
    return "Your account ends \(time), unless you say `cubist account keep`.\n"
  }

  /// The devices that notifications go to.
  /// - Parameter name: The only one that is meant; nil: all.
  static func devices(
    _ view: SettingsView, only name: DeviceName? = nil, now: Instant, _ style: TerminalStyle
  ) -> String {
    let meant = view.devices.filter { name == nil || $0.device == name?.text }
    return meant.isEmpty
      ? "No device is known to the service.\n" : table(meant, now: now, style)
  }

  private static func wishes(_ view: SettingsView, _ style: TerminalStyle) -> String {
    var table = TerminalTable([.init(heading: "Time"), .init(heading: "State")])
    table.append(["time zone", view.timeZone.map(TerminalText.safe) ?? "UTC"])
    table.append(["quiet hours", view.quietHours.map(hours) ?? "none"])
    table.append(["news within minutes", view.bundle ? "as one" : "each by itself"])
    table.append(["nudges", view.nudges ? "on" : "off"])
    table.append(["digest", view.digest.map { "each day at \(TerminalText.safe($0))" } ?? "none"])
    table.append(["review", view.review.map { "each \(TerminalText.safe($0))" } ?? "none"])
    table.append(["language", TerminalText.safe(view.language)])
    return table.text(style)
  }

  private static func hours(_ hours: SettingsView.QuietHours) -> String {
    let late =
      switch QuietHours.Late(rawValue: hours.late) {
      case .silent?: "what cannot wait comes without a sound"
      case .dropped?: "what cannot wait does not come"
      case nil: TerminalText.safe(hours.late)
      }
    return "\(TerminalText.safe(hours.from)) to \(TerminalText.safe(hours.until)), \(late)"
  }

  /// The time zone is a wish of the player, so it is only suggested.
  private static func suggestion(_ view: SettingsView, _ here: TimeZoneName?) -> String {
    guard view.timeZone == nil, let here else { return "" }
    return "This machine is in \(here): cubist settings --time-zone \(here)\n"
  }

  private static func table(
    _ devices: [DeviceView], now: Instant, _ style: TerminalStyle
  ) -> String {
    var table = TerminalTable([
      .init(heading: "Device"), .init(heading: "Permission"), .init(heading: "Service"),
      .init(heading: "Last arrived"), .init(heading: "Last answer"),
    ])
    for device in devices {
      let answer = device.answer.map { text in
        TerminalText.safe(text)
          + (device.answeredAt.map { ", \(Wording.when($0, now: now))" } ?? "")
      }
      table.append([
        device.device, device.permission, TerminalText.safe(device.service),
        device.arrivedAt.map { Wording.when($0, now: now) } ?? "never", answer ?? "none",
      ])
    }
    return table.text(style)
  }
}

/// The time zone of this machine.
enum LocalTimeZone {
  /// - Parameters:
  ///   - variables: Those of the process.
  ///   - link: The file that `/etc/localtime` leads to.
  /// - Returns: Nil where the zone is UTC, or has no name.
  static func name(_ variables: [String: String], link: String?) -> TimeZoneName? {
    // A text such as CET-1CEST describes a zone, and names none.
    let variable = variables["TZ"].map { $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }
    let path = variable.flatMap { $0.isEmpty ? nil : $0 } ?? link ?? ""
    let parts = path.split(separator: "/").drop { $0 != "zoneinfo" }.dropFirst()
    let name = (parts.isEmpty ? path.split(separator: "/") : Array(parts))
      .drop { $0 == "posix" || $0 == "right" }
    guard name.count > 1, name.first != "Etc", !parts.isEmpty || !path.hasPrefix("/") else {
      return nil
    }
    return TimeZoneName(name.joined(separator: "/"))
  }
}
