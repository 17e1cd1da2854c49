import MatchCore
import GameScreens
import MatchWire
import TerminalScreen

/// Settings and devices in words.
enum SettingsText {
  static func text(_ view: SettingsView, _ style: TerminalStyle) -> String {
    var text = "Name in notifications: "
    text += view.displayName.map { "\(TerminalText.safe($0))\n\n" } ?? "the one you registered\n\n"
    var kinds = TerminalTable([.init(heading: "Notification"), .init(heading: "State")])
    for (kind, isOn) in view.kinds.sorted(by: { $0.key < $1.key }) {
      kinds.append([kind, isOn ? "on" : "off"])
    }
    kinds.append(["reminders", view.reminders ? "on" : "off"])
    text += kinds.text(style) + "\n"
    guard !view.devices.isEmpty else { return text + "No device is known to the service.\n" }
    var devices = TerminalTable([.init(heading: "Device"), .init(heading: "Permission")])
    for device in view.devices { devices.append([device.device, device.permission]) }
    return text + devices.text(style)
  }
}
