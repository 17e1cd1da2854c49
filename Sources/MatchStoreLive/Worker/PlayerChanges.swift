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
  // Each number in `named` has a bit for each wish that a player changes, in the order of the
  // columns. The rows exist, and are locked: `putSettings` comes first. The scheduler computes the
  // next look by the player's own clock.
  static let putPreferences = SQL(
    "putPreferences",
    """
    UPDATE player_settings AS s SET
      time_zone = n.time_zone, language = n.language,
      quiet_from = n.quiet_from, quiet_until = n.quiet_until, quiet_drops = n.quiet_drops,
      is_bundled = n.is_bundled, takes_nudges = n.takes_nudges,
      digest_minute = n.digest_minute, review_weekday = n.review_weekday,
      next_digest_at = CASE WHEN NOT n.moves_digest THEN s.next_digest_at
        WHEN num_nonnulls(n.digest_minute, n.review_weekday, n.quiet_from) = 0 THEN NULL
        ELSE $12 END
    FROM (
      SELECT o.player, u.named & (1 | 4 | 32 | 64) <> 0 AS moves_digest,
        CASE WHEN u.named & 1 <> 0 THEN u.time_zone ELSE o.time_zone END AS time_zone,
        CASE WHEN u.named & 2 <> 0 THEN u.language ELSE o.language END AS language,
        CASE WHEN u.named & 4 <> 0 THEN u.quiet_from ELSE o.quiet_from END AS quiet_from,
        CASE WHEN u.named & 4 <> 0 THEN u.quiet_until ELSE o.quiet_until END AS quiet_until,
        CASE WHEN u.named & 4 <> 0 THEN u.quiet_drops ELSE o.quiet_drops END AS quiet_drops,
        CASE WHEN u.named & 8 <> 0 THEN u.is_bundled ELSE o.is_bundled END AS is_bundled,
        CASE WHEN u.named & 16 <> 0 THEN u.takes_nudges ELSE o.takes_nudges END AS takes_nudges,
        CASE WHEN u.named & 32 <> 0 THEN u.digest_minute ELSE o.digest_minute END
          AS digest_minute,
        CASE WHEN u.named & 64 <> 0 THEN u.review_weekday ELSE o.review_weekday END
          AS review_weekday
      FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS u (
        player, named, time_zone, language, quiet_from, quiet_until, quiet_drops, is_bundled,
        takes_nudges, digest_minute, review_weekday)
      JOIN player_settings AS o ON o.player = u.player) AS n
    WHERE s.player = n.player
    """)
  // A player who asks again waits no longer, and no shorter.
  static let askToLeave = SQL(
    "askToLeave",
    """
    INSERT INTO departures AS d (player, asked_at)
    SELECT player, $2 FROM unnest($1) AS u (player) ORDER BY player
    ON CONFLICT (player) DO UPDATE SET asked_at = coalesce(d.asked_at, excluded.asked_at)
    """)
  static let stayAfterAll = SQL(
    "stayAfterAll",
    """
    UPDATE departures SET asked_at = NULL WHERE player IN (
      SELECT player FROM departures WHERE player = ANY($1) AND gone_at IS NULL
      ORDER BY player FOR UPDATE)
    """)
  static let declareBots = SQL("declareBots", "SELECT cubist_declare_bots($1, $2)")
}

/// The changes of a batch to players' settings and devices, as they are written: each player, each
/// device once.
struct PlayerChanges {
  private var settings: [PlayerID: SettingsChange] = [:]
  private var devices = DeviceChanges()
  private var seen: [(player: PlayerID, job: PushJobID)] = []
  private var seenUntil: [PlayerID: Instant] = [:]

  /// - Parameter removed: The keys that the batch removes.
  init(_ rows: [BatchWrite.PlayerRow], removed: [RemovedKey] = []) {
    devices.removed = removed
    for row in rows {
      switch row.change {
      case .settings(let change): settings[row.player, default: SettingsChange()].merge(change)
      case .device(let device): devices.register(device, of: row.player, by: row.key)
      case .seen(let job): seen.append((row.player, job))
      case .allSeen(let until):
        // One row, however much there is to see.
        settings[row.player, default: SettingsChange()].merge(SettingsChange())
        seenUntil[row.player] = max(until, seenUntil[row.player] ?? until)
      case .deviceRemoved(let name): devices.remove(name, of: row.player)
      case .devicesRemoved: devices.removeAll(of: row.player)
      }
    }
  }

  /// The statements, rows in the order of their keys.
  func calls(at now: Instant) -> [Call] {
    settingsCalls(at: now) + devices.calls(at: now) + seenCalls(at: now)
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
    ] + preferencesCalls(rows.map { ($0.key, $0.value.push) }, at: now) + declarations
      + departureCalls(rows.map { ($0.key, $0.value.isLeaving) }, at: now)
  }

  private func departureCalls(
    _ changes: [(player: PlayerID, isLeaving: Bool?)], at now: Instant
  ) -> [Call] {
    let leaving = changes.filter { $0.isLeaving == true }.map(\.player)
    let staying = changes.filter { $0.isLeaving == false }.map(\.player)
    return (leaving.isEmpty ? [] : [SQL.askToLeave(.ids(leaving), .instant(now))])
      + (staying.isEmpty ? [] : [SQL.stayAfterAll(.ids(staying))])
  }

  private func preferencesCalls(
    _ changes: [(player: PlayerID, push: PushChange)], at now: Instant
  ) -> [Call] {
    let rows = changes.filter { !$0.push.isEmpty }
    guard !rows.isEmpty else { return [] }
    return [
      SQL.putPreferences(
        rows.uuids(\.player), rows.int32s { Int($0.push.named) },
        rows.texts(\.push.timeZone?.value?.text), rows.texts(\.push.language?.rawValue),
        rows.int16s(\.push.quietHours?.value?.from.number),
        rows.int16s(\.push.quietHours?.value?.until.number),
        rows.bools { $0.push.quietHours?.value?.late == .dropped },
        rows.bools { $0.push.isBundled == true }, rows.bools { $0.push.takesNudges == true },
        rows.int16s(\.push.digest?.value?.number), rows.int16s(\.push.review?.value?.number),
        .instant(now))
    ]
  }

  private func seenCalls(at now: Instant) -> [Call] {
    guard !seen.isEmpty else { return [] }
    return [SQL.seeJobs(seen.uuids(\.player), seen.uuids(\.job), .instant(now))]
  }
}

extension PushChange {
  /// A bit for each wish that it names, as `SQL.putPreferences` reads them.
  fileprivate var named: Int32 {
    let isNamed = [
      timeZone != nil, language != nil, quietHours != nil, isBundled != nil, takesNudges != nil,
      digest != nil, review != nil,
    ]
    return isNamed.indices.reduce(0) { $0 | (isNamed[$1] ? 1 << Int32($1) : 0) }
  }
}
