import MatchCore
import MatchInterfaces
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
    let push = pushChange
    // A repeated request wants the same, even if the inbox has changed since.
    var wanted: InboxSeen?
    return [
      (
        1,
        { client throws(ClientError) in
          let name = DisplayName("\(client.player)".prefix(8)).map { SettingsChange.Name.set($0) }
          try client.change(
            SettingsChange(
              displayName: name, kinds: [kind: isOn], reminders: isOn, isBot: isBot ? true : nil,
              push: push))
          return .noted
        }
      ),
      (
        1,
        { client throws(ClientError) in
          guard let name else { return .noted }
          if isOn {
            let token = "\(client.player)"
            try client.register(Device(name: name, token: token, permission: permission))
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

  // MARK: When notifications come

  /// A change of when notifications come. Quiet hours lie around the present, last for minutes, and
  /// are of the zone that comes with them.
  private var pushChange: PushChange {
    guard let wishes, wishes.happens(0.7),
      let zone = wishes.pick(TimeZones.simulatedOffsets)
    else { return PushChange() }
    let name = TimeZoneName(zone.name)
    let minute = LocalClock(name, world.zones).minute(at: world.store.now)
    func later(_ minutes: ClosedRange<Int>) -> Int { minute + 1_440 + wishes.number(in: minutes) }
    var change = PushChange(timeZone: name.map { .set($0) })
    let from = later(-3...1)
    let hours = MinuteOfDay(from % 1_440).flatMap { start in
      MinuteOfDay((from + wishes.number(in: 1...5)) % 1_440).flatMap { end in
        QuietHours(from: start, until: end, late: wishes.happens(0.5) ? .silent : .dropped)
      }
    }
    change.quietHours = wishes.happens(0.7) ? hours.map { .set($0) } : .removed
    change.isBundled = wishes.happens(0.7)
    change.takesNudges = wishes.happens(0.7)
    let digest = MinuteOfDay(later(1...4) % 1_440).map { SettingsChange.Setting.set($0) }
    change.digest = wishes.happens(0.5) ? digest : .removed
    let day = wishes.pick(Weekday.allCases).map { SettingsChange.Setting.set($0) }
    change.review = wishes.happens(0.5) ? day : .removed
    return change
  }

  /// Now and then a test of notifications, or a reminder of a turn that the other player has to
  /// make.
  var pushAct: ((Player) throws(ClientError) -> Told)? {
    guard let wishes, wishes.happens(0.05) else { return nil }
    let waiting = (home?.matches ?? []).filter { !$0.yourTurn && $0.stage == .playing }
    if let view = wishes.pick(waiting.compactMap({ views[$0.id] })), wishes.happens(0.5) {
      return raw(.nudged(view.id, turn: view.turn))
    }
    return raw(.notificationTested(Event.NotificationTested()))
  }
}
