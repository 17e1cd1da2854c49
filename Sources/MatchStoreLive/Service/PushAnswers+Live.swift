import LibPQ
import MatchCore
import MatchInterfaces

extension SQL {
  // A device that is being changed by its owner is left out: nobody waits for it here, and the next
  // answer brings the same news.
  static let noteAnswers = SQL(
    "noteAnswers",
    """
    UPDATE devices AS d SET answered_at = \(statementTime), answer = u.text,
      arrived_at = CASE WHEN u.is_taken THEN \(statementTime) ELSE d.arrived_at END
    FROM (
      SELECT d.player, d.name, u.text, u.is_taken
      FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)
          AS u (player, name, service, token, key, secret, text, is_taken)
        JOIN devices AS d ON d.player = u.player AND d.name = u.name AND \(isToldRoute)
      ORDER BY d.player, d.name FOR NO KEY UPDATE OF d SKIP LOCKED) AS u
    WHERE d.player = u.player AND d.name = u.name
    """)
  static let forgetDevices = SQL(
    "forgetDevices",
    """
    DELETE FROM devices WHERE (player, name) IN (
      SELECT d.player, d.name
      FROM unnest($1, $2, $3, $4, $5, $6) AS u (player, name, service, token, key, secret)
        JOIN devices AS d ON d.player = u.player AND d.name = u.name AND \(isToldRoute)
      ORDER BY d.player, d.name FOR UPDATE OF d SKIP LOCKED)
    """)
  // In the order of the keys, so that no two push workers wait for each other.
  static let countAnswers = SQL(
    "countAnswers",
    """
    INSERT INTO push_answers AS p (minute, provider, answer, count)
    SELECT date_trunc('minute', \(statementTime)), provider, answer, count
    FROM unnest($1, $2, $3) AS u (provider, answer, count)
    ORDER BY provider, answer
    ON CONFLICT (minute, provider, answer) DO UPDATE SET count = p.count + excluded.count
    """)

  /// Whether a device d is still reached in the way u.
  private static let isToldRoute = """
    (d.service, d.token, d.subscription_key, d.subscription_secret) IS NOT DISTINCT FROM \
    (u.service, u.token, u.key, u.secret)
    """
}

/// A device as it was told, with the answers about it.
private struct ToldDevice {
  /// One device may be told by two routes: its owner registered it again meanwhile.
  struct Key: Hashable {
    var player: PlayerID
    var name: DeviceName
    var route: Device.Route
  }

  var player: PlayerID
  var device: Device
  /// The text of the last answer.
  var text = ""
  var isTaken = false
  var isGone = false
}

extension [PushStore.Answer] {
  /// The statements that keep answers. Of several about a device the last one is shown. One that
  /// it is gone stands.
  var calls: [Call] {
    guard !isEmpty else { return [] }
    var (told, counts): ([ToldDevice.Key: ToldDevice], [String: [String: Int64]]) = ([:], [:])
    for answer in self {
      counts[answer.provider, default: [:]][answer.counted, default: 0] += 1
      for device in answer.devices {
        let key = ToldDevice.Key(player: answer.player, name: device.name, route: device.route)
        var row = told[key] ?? ToldDevice(player: answer.player, device: device)
        row.text = answer.storedText
        row.isTaken = row.isTaken || answer.verdict == .taken
        row.isGone = row.isGone || answer.verdict == .gone
        told[key] = row
      }
    }
    let rows = told.sorted { ($0.key.player, $0.key.name) < ($1.key.player, $1.key.name) }
      .map(\.value)
    let gone = rows.filter(\.isGone)
    let kept = rows.filter { !$0.isGone }
    var calls: [Call] = []
    if !kept.isEmpty {
      calls.append(
        SQL.noteAnswers(
          kept.uuids(\.player), kept.texts(\.device.name.text),
          kept.texts(\.device.route.service.rawValue), kept.texts(\.device.route.address),
          kept.blobs(\.device.route.subscription?.key),
          kept.blobs(\.device.route.subscription?.secret), kept.texts(\.text),
          kept.bools(\.isTaken)))
    }
    if !gone.isEmpty {
      calls.append(
        SQL.forgetDevices(
          gone.uuids(\.player), gone.texts(\.device.name.text),
          gone.texts(\.device.route.service.rawValue), gone.texts(\.device.route.address),
          gone.blobs(\.device.route.subscription?.key),
          gone.blobs(\.device.route.subscription?.secret)))
    }
    let counted = counts.flatMap { provider, answers in
      answers.map { (provider: provider, answer: $0.key, count: $0.value) }
    }.sorted { ($0.provider, $0.answer) < ($1.provider, $1.answer) }
    calls.append(
      SQL.countAnswers(
        counted.texts(\.provider), counted.texts(\.answer), counted.int64s(\.count)))
    return calls
  }
}
