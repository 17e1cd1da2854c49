internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  // Batches that change devices come one after another: a registration also deletes rows of other
  // players, whose batches lock the same rows in another order, or insert them meanwhile.
  static let lockDevices = SQL(
    "lockDevices", "SELECT pg_advisory_xact_lock(hashtextextended('cubist/devices', 0))")
  static let putDevices = SQL(
    "putDevices",
    """
    INSERT INTO devices AS d (player, name, service, token, subscription_key,
      subscription_secret, permission, key, registered_at)
    SELECT u.*, $9 FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)
      AS u (player, name, service, token, subscription_key, secret, permission, key)
    ORDER BY u.player, u.name
    ON CONFLICT (player, name) DO UPDATE SET service = excluded.service, token = excluded.token,
      subscription_key = excluded.subscription_key,
      subscription_secret = excluded.subscription_secret,
      permission = excluded.permission, key = excluded.key,
      registered_at = excluded.registered_at,
      arrived_at = CASE WHEN \(isSameRoute) THEN d.arrived_at END,
      answered_at = CASE WHEN \(isSameRoute) THEN d.answered_at END,
      answer = CASE WHEN \(isSameRoute) THEN d.answer END
    """)
  /// Whether a device that is registered again is reached in the same way as before.
  private static let isSameRoute = """
    (d.service, d.token, d.subscription_key, d.subscription_secret) IS NOT DISTINCT FROM \
    (excluded.service, excluded.token, excluded.subscription_key, excluded.subscription_secret)
    """
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
  // An address is one player's: the last one that registered it.
  static let takeDevices = SQL(
    "takeDevices",
    """
    DELETE FROM devices WHERE (player, name) IN (
      SELECT d.player, d.name FROM unnest($1, $2, $3, $4, $5)
        AS u (player, service, token, subscription_key, secret)
      JOIN devices AS d ON d.token = u.token AND d.service = u.service AND d.player <> u.player
        AND d.subscription_key IS NOT DISTINCT FROM u.subscription_key
        AND d.subscription_secret IS NOT DISTINCT FROM u.secret
      ORDER BY d.player, d.name FOR UPDATE OF d)
    """)
  // A device whose key is not known goes with the first key of its player.
  static let removeDevicesOfKeys = SQL(
    "removeDevicesOfKeys",
    """
    DELETE FROM devices WHERE (player, name) IN (
      SELECT d.player, d.name FROM unnest($1, $2) AS u (player, key)
      JOIN devices AS d ON d.player = u.player AND coalesce(d.key, u.key) = u.key
      ORDER BY d.player, d.name FOR UPDATE OF d)
    """)
}

/// The changes of a batch to players' devices: each device once.
struct DeviceChanges {
  /// The keys that the batch removes. What they registered goes, in this batch or before.
  var removed: [RemovedKey] = []
  private var devices: [Key: Registration?] = [:]
  /// The players whose devices all go, before those of the batch come.
  private var withoutDevices: Set<PlayerID> = []

  private struct Key: Hashable {
    var player: PlayerID
    var name: DeviceName
  }

  private struct Registration {
    var device: Device
    var key: PublicKey?
  }

  mutating func register(_ device: Device, of player: PlayerID, by key: PublicKey?) {
    if device.route.hasAddress {
      for (other, registration) in devices
      where other.player != player && registration?.device.route == device.route {
        devices[other] = .some(nil)
      }
    }
    devices[Key(player: player, name: device.name)] = .some(
      Registration(device: device, key: key))
  }

  mutating func remove(_ name: DeviceName, of player: PlayerID) {
    devices[Key(player: player, name: name)] = .some(nil)
  }

  mutating func removeAll(of player: PlayerID) {
    devices = devices.filter { $0.key.player != player }
    withoutDevices.insert(player)
  }

  /// The statements, rows in the order of their keys.
  func calls(at now: Instant) -> [Call] {
    let calls = removals + registrations(at: now) + removalsOfKeys
    return calls.isEmpty ? [] : [SQL.lockDevices()] + calls
  }

  private var removals: [Call] {
    var calls: [Call] = []
    if !withoutDevices.isEmpty {
      calls.append(SQL.removeAllDevices(.ids(withoutDevices.sorted())))
    }
    let gone = rows.filter { $0.value == nil }
    if !gone.isEmpty {
      calls.append(SQL.removeDevices(gone.uuids(\.key.player), gone.texts(\.key.name.text)))
    }
    return calls
  }

  private func registrations(at now: Instant) -> [Call] {
    let kept = rows.compactMap { row in
      row.value.map { (player: row.key.player, device: $0.device, key: $0.key) }
    }
    guard !kept.isEmpty else { return [] }
    let routes = kept.filter(\.device.route.hasAddress)
    let takes = SQL.takeDevices(
      routes.uuids(\.player), routes.texts(\.device.route.service.rawValue),
      routes.texts(\.device.route.address), routes.blobs(\.device.route.subscription?.key),
      routes.blobs(\.device.route.subscription?.secret))
    return (routes.isEmpty ? [] : [takes]) + [
      SQL.putDevices(
        kept.uuids(\.player), kept.texts(\.device.name.text),
        kept.texts(\.device.route.service.rawValue), kept.texts(\.device.route.address),
        kept.blobs(\.device.route.subscription?.key),
        kept.blobs(\.device.route.subscription?.secret),
        kept.texts(\.device.permission.rawValue), kept.blobs(\.key?.bytes), .instant(now)),
      SQL.trimDevices(.ids(Set(kept.map(\.player)).sorted()), .int(Device.limit)),
    ]
  }

  private var removalsOfKeys: [Call] {
    guard !removed.isEmpty else { return [] }
    return [SQL.removeDevicesOfKeys(removed.uuids(\.player), removed.blobs(\.key.bytes))]
  }

  private var rows: [(key: Key, value: Registration?)] {
    devices.sorted { ($0.key.player, $0.key.name) < ($1.key.player, $1.key.name) }
  }
}

extension Device.Route {
  var subscription: WebPushSubscription? {
    if case .webPush(let subscription) = self { subscription } else { nil }
  }

  /// The address as it is stored: a token, or the endpoint of a subscription.
  var address: String? {
    switch self {
    case .app(let token): token
    case .apns(let token): token
    case .webPush(let subscription): subscription.endpoint
    }
  }
}
