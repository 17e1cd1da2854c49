import MatchCore
import MatchWire
import PlayerClient

extension SimulatedPlayer {
  /// Changes of settings and devices, now and then.
  var settingsInclinations: [Inclination] {
    let kind = random.pick(PushJob.Kind.optional) ?? .yourTurn
    let isOn = random.happens(0.6)
    let isBot = random.happens(0.02)
    let name = random.pick(["phone", "tablet", "watch"]).flatMap { DeviceName($0) }
    let permission = random.pick(Device.Permission.allCases) ?? .authorized
    // A repeated request wants the same, even if the inbox has changed since.
    var wanted: InboxSeen?
    return [
      (
        1,
        { client throws(ClientError) in
          let name = DisplayName("\(client.player)".prefix(8)).map { SettingsChange.Name.set($0) }
          try client.change(
            SettingsChange(
              displayName: name, kinds: [kind: isOn], reminders: isOn, isBot: isBot ? true : nil))
          return .noted
        }
      ),
      (
        1,
        { client throws(ClientError) in
          guard let name else { return .noted }
          if isOn {
            try client.register(Device(name: name, token: "t", permission: permission))
          } else {
            try client.removeDevice(name)
          }
          return .noted
        }
      ),
      (
        1,
        { client throws(ClientError) in
          if wanted == nil {
            let item = isOn ? try client.inbox().items.first : nil
            wanted = item.map { .one($0.id) } ?? .all
          }
          if let wanted { try client.see(wanted) }
          return .noted
        }
      ),
    ]
  }
}
