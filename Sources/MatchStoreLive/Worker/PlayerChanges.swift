internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  // A change leaves the other values as they are: a display name is only set for the players of the
  // fifth array, and the time of the last look for those of the sixth, unless they looked later.
  static let putSettings = SQL(
    "putSettings",
    """
    INSERT INTO player_settings AS s (player, display_name, muted, seen_until)
    SELECT u.*, l.until FROM unnest($1, $2, $3) AS u (player, display_name, muted)
    LEFT JOIN unnest($6, $7) AS l (player, until) USING (player) ORDER BY u.player
    ON CONFLICT (player) DO UPDATE SET
      display_name = CASE WHEN s.player = ANY($5) THEN excluded.display_name
        ELSE s.display_name END,
      muted = (s.muted
        & ~(SELECT u.wanted FROM unnest($1, $4) AS u (player, wanted) WHERE u.player = s.player))
        | excluded.muted,
      seen_until = greatest(excluded.seen_until, s.seen_until)
    """)
  static let declareBots = SQL("declareBots", "SELECT cubist_declare_bots($1, $2)")
  static let putDevices = SQL(
    "putDevices",
    """
    INSERT INTO devices AS d (player, name, token, permission, registered_at)
    SELECT u.*, $5 FROM unnest($1, $2, $3, $4) AS u (player, name, token, permission)
    ORDER BY u.player, u.name
    ON CONFLICT (player, name) DO UPDATE SET token = excluded.token,
      permission = excluded.permission, registered_at = excluded.registered_at
    """)
  static let removeDevices = SQL(
    "removeDevices",
    """
    DELETE FROM devices WHERE (player, name) IN (
      SELECT d.player, d.name FROM unnest($1, $2) AS u (player, name)
      JOIN devices AS d ON d.player = u.player AND d.name = u.name
      ORDER BY d.player, d.name FOR UPDATE OF d)
    """)
  static let removeAllDevices = SQL(
    "removeAllDevices",
    """
    DELETE FROM devices WHERE (player, name) IN (
      SELECT player, name FROM devices WHERE player = ANY($1)
      ORDER BY player, name FOR UPDATE)
    """)
  static let trimDevices = SQL(
    "trimDevices",
    """
    DELETE FROM devices WHERE (player, name) IN (
      SELECT d.player, d.name FROM (
        SELECT player, name, row_number() OVER (
          PARTITION BY player ORDER BY registered_at DESC, name) AS place
        FROM devices WHERE player = ANY($1)) AS o
      JOIN devices AS d ON d.player = o.player AND d.name = o.name
      WHERE o.place > $2 ORDER BY d.player, d.name FOR UPDATE OF d)
    """)
}

/// The changes of a batch to players' settings and devices, as they are written: each player, each
/// device once.
struct PlayerChanges {
  private var settings: [PlayerID: SettingsChange] = [:]
  private var devices: [Key: Device?] = [:]
  /// The players whose devices all go, before those of the batch come.
  private var withoutDevices: Set<PlayerID> = []
  private var seen: [(player: PlayerID, job: PushJobID)] = []
  private var seenUntil: [PlayerID: Instant] = [:]

  private struct Key: Hashable {
    var player: PlayerID
    var name: DeviceName
  }

  init(_ rows: [BatchWrite.PlayerRow]) {
    for row in rows {
      switch row.change {
      case .settings(let change): settings[row.player, default: SettingsChange()].merge(change)
      case .device(let device):
        devices[Key(player: row.player, name: device.name)] = .some(device)
      case .seen(let job): seen.append((row.player, job))
      case .allSeen(let until):
        // One row, however much there is to see.
        settings[row.player, default: SettingsChange()].merge(SettingsChange())
        seenUntil[row.player] = max(until, seenUntil[row.player] ?? until)
      case .deviceRemoved(let name): devices[Key(player: row.player, name: name)] = .some(nil)
      case .devicesRemoved:
        devices = devices.filter { $0.key.player != row.player }
        withoutDevices.insert(row.player)
      }
    }
  }

  /// The statements, rows in the order of their keys.
  func calls(at now: Instant) -> [Call] {
    settingsCalls(at: now) + deviceCalls(at: now) + seenCalls(at: now)
  }

  private func settingsCalls(at now: Instant) -> [Call] {
    let rows = settings.sorted { $0.key < $1.key }
    guard !rows.isEmpty else { return [] }
    let renamed = rows.filter { $0.value.displayName != nil }
    let looks = seenUntil.sorted { $0.key < $1.key }
    let bots = rows.filter { $0.value.isBot == true }.map(\.key)
    let declarations = bots.isEmpty ? [] : [SQL.declareBots(.ids(bots), .instant(now))]
    return [
      SQL.putSettings(
        rows.uuids(\.key),
        rows.texts { row -> String? in
          guard case .set(let name)? = row.value.displayName else { return nil }
          return name.text
        },
        rows.int32s { Int($0.value.unwantedMask) }, rows.int32s { Int($0.value.wantedMask) },
        .ids(renamed.map(\.key)), looks.uuids(\.key), looks.instants(\.value))
    ] + declarations
  }

  private func seenCalls(at now: Instant) -> [Call] {
    guard !seen.isEmpty else { return [] }
    return [SQL.seeJobs(seen.uuids(\.player), seen.uuids(\.job), .instant(now))]
  }

  private func deviceCalls(at now: Instant) -> [Call] {
    let rows = devices.sorted { ($0.key.player, $0.key.name) < ($1.key.player, $1.key.name) }
    let gone = rows.filter { $0.value == nil }
    let kept = rows.compactMap { row in row.value.map { (player: row.key.player, device: $0) } }
    var calls: [Call] = []
    if !withoutDevices.isEmpty {
      calls.append(SQL.removeAllDevices(.ids(withoutDevices.sorted())))
    }
    if !gone.isEmpty {
      calls.append(SQL.removeDevices(gone.uuids(\.key.player), gone.texts(\.key.name.text)))
    }
    if !kept.isEmpty {
      calls.append(
        SQL.putDevices(
          kept.uuids(\.player), kept.texts(\.device.name.text), kept.texts(\.device.token),
          kept.texts(\.device.permission.rawValue), .instant(now)))
      calls.append(SQL.trimDevices(.ids(Set(kept.map(\.player)).sorted()), .int(Device.limit)))
    }
    return calls
  }
}
