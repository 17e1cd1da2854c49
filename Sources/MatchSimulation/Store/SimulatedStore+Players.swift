import MatchCore
import MatchInterfaces

extension SimulatedStore {
  /// A device of a player, and the time and key of its last registration.
  struct DeviceRow {
    var registered: RegisteredDevice
    var registeredAt: Instant
    var key: PublicKey?

    var device: Device { registered.device }
  }

  /// Applies changes of players' settings.
  func apply(_ rows: [BatchWrite.PlayerRow], at time: Instant) {
    for row in rows {
      switch row.change {
      case .settings(let change):
        settings[row.player, default: PlayerSettings()].apply(change)
        if change.push.movesDigest {
          // The scheduler computes the next time.
          nextDigest[row.player] = settings[row.player]?.push.hasLocalTimes == true ? time : nil
        }
        if change.isBot == true { declareBot(row.player) }
        if let isLeaving = change.isLeaving {
          apply(isLeaving: isLeaving, of: row.player, at: time)
        }
        if settings[row.player]?.muted.contains(.dailyReady) == true {
          everMutedDaily.insert(row.player)
        }
      case .device(let device):
        var registered =
          devices[row.player]?[device.name]?.registered ?? RegisteredDevice(device)
        registered.register(device)
        if device.route.hasAddress {
          for other in devices.keys where other != row.player {
            devices[other] = devices[other]?.filter { $0.value.device.route != device.route }
          }
        }
        devices[row.player, default: [:]][device.name] = DeviceRow(
          registered: registered, registeredAt: time, key: row.key)
      case .seen(let job):
        if deliveries[job]?.job.player == row.player { seen.insert(job) }
      case .allSeen(let until):
        seenUntil[row.player] = max(until, seenUntil[row.player] ?? until)
      case .deviceRemoved(let name): devices[row.player]?[name] = nil
      case .devicesRemoved: devices[row.player] = nil
      }
    }
    for player in Set(rows.map(\.player)) {
      let newest = (devices[player] ?? [:]).sorted {
        ($1.value.registeredAt, $0.key) < ($0.value.registeredAt, $1.key)
      }
      for row in newest.dropFirst(Device.limit) { devices[player]?[row.key] = nil }
    }
  }

  /// Removes the devices of a key that speaks no more. A device of an unknown key goes, too.
  func removeDevices(of key: PublicKey) {
    guard let player = keys[key]?.player else { return }
    devices[player] = devices[player]?.filter { ($0.value.key ?? key) != key }
  }

  /// A player's settings and devices.
  func settingsRow(of player: PlayerID) -> ReaderStore.SettingsRow {
    ReaderStore.SettingsRow(
      settings: settings[player] ?? PlayerSettings(),
      devices: (devices[player] ?? [:]).values.map(\.registered)
        .sorted { $0.device.name < $1.device.name }, pushKey: pushKey,
      leavesAt: leavesAt(player))
  }

  /// When the account of a player ends, at the earliest.
  func leavesAt(_ player: PlayerID) -> Instant? {
    departures[player]?.askedAt?.adding(seconds: Departure.waitSeconds)
  }
}
