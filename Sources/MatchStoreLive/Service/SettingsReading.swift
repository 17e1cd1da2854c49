internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let settingsOfPlayer = SQL(
    "settingsOfPlayer",
    """
    SELECT s.display_name, s.muted, \(preferences) FROM player_settings AS s WHERE s.player = $1
    """)
  static let isBot = SQL("isBot", "SELECT EXISTS (SELECT FROM bots WHERE player = $1)")
  static let departure = SQL("departure", "SELECT asked_at FROM departures WHERE player = $1")
  static let devicesOfPlayer = SQL(
    "devicesOfPlayer",
    """
    SELECT \(deviceColumns), arrived_at, answered_at, answer FROM devices WHERE player = $1
    ORDER BY name
    """)
  static let pushKey = SQL("pushKey", "SELECT push_key FROM service")

  /// The columns that `Device` reads: the fourth one is the player.
  static let deviceColumns =
    "name, token, permission, player, service, subscription_key, subscription_secret"
  /// The columns of the settings s that `PushPreferences` reads.
  static let preferences = """
    s.time_zone, s.language, s.quiet_from, s.quiet_until, s.quiet_drops, s.is_bundled, \
    s.takes_nudges, s.digest_minute, s.review_weekday
    """
}

extension StoreSession {
  /// A player's settings and devices.
  func settings(of player: PlayerID) throws(StoreError) -> ReaderStore.SettingsRow {
    let results = try run([
      SQL.settingsOfPlayer(.id(player)), SQL.devicesOfPlayer(.id(player)),
      SQL.isBot(.id(player)), SQL.pushKey(), SQL.departure(.id(player)),
    ])
    return try reading { () throws(PostgreSQLError) in
      var settings = PlayerSettings()
      if let row = results[0].first {
        settings.displayName = try row[0].ifPresent?.text.asDisplayName
        settings.setMask(try row[1].int32)
        settings.push = try PushPreferences(row, at: 2)
      }
      settings.isBot = try results[2].only[0].bool
      return ReaderStore.SettingsRow(
        settings: settings,
        devices: try results[1].map { row throws(PostgreSQLError) in try RegisteredDevice(row) },
        pushKey: try results[3].first?[0].ifPresent?.bytes,
        leavesAt: try results[4].first?[0].ifPresent?.instant
          .adding(seconds: Departure.waitSeconds))
    }
  }
}

extension Device {
  /// Reads the columns of `SQL.deviceColumns`.
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    guard let name = DeviceName(try row[0].text) else {
      throw PostgreSQLError(.malformedValue, "a value in the database is no device's name")
    }
    self.init(name: name, route: try Route(row), permission: try row[2].case())
  }
}

extension Device.Route {
  /// A build that knows no services leaves the columns of another one as they were, and writes its
  /// token. A route that is none of its service's is therefore one of the operator's receiver.
  fileprivate init(_ row: Rows.Row) throws(PostgreSQLError) {
    let token = try row[1].ifPresent?.text
    switch Service(rawValue: try row[4].text) {
    case .webPush?:
      if let token, let key = try row[5].ifPresent?.bytes,
        let secret = try row[6].ifPresent?.bytes,
        let subscription = WebPushSubscription(endpoint: token, key: key, secret: secret)
      {
        self = .webPush(subscription)
        return
      }
    case .apns?:
      if let token, Device.isAPNsToken(token) {
        self = .apns(token: token)
        return
      }
    case .app?, nil: break
    }
    self = .app(token: token)
  }
}

extension RegisteredDevice {
  /// Reads the columns of a device, and three more.
  fileprivate init(_ row: Rows.Row) throws(PostgreSQLError) {
    var answer: Answer?
    if let at = try row[8].ifPresent?.instant, let text = try row[9].ifPresent?.text {
      answer = Answer(at: at, text: text)
    }
    self.init(try Device(row), arrivedAt: try row[7].ifPresent?.instant, answer: answer)
  }
}

extension PushPreferences {
  /// Reads the columns of `SQL.preferences`. Where there is no row, or a later build has stored
  /// another kind of value, a new player's value counts.
  init(_ row: Rows.Row, at column: Int) throws(PostgreSQLError) {
    self.init()
    timeZone = try row[column].ifPresent?.text.asTimeZone
    language =
      try row[column + 1].ifPresent.flatMap { cell throws(PostgreSQLError) in
        PushLanguage(rawValue: try cell.text)
      } ?? language
    if let from = try PushPreferences.minute(row[column + 2]),
      let until = try PushPreferences.minute(row[column + 3])
    {
      let drops = try row[column + 4].ifPresent?.bool ?? false
      quietHours = QuietHours(from: from, until: until, late: drops ? .dropped : .silent)
    }
    isBundled = try row[column + 5].ifPresent?.bool ?? isBundled
    takesNudges = try row[column + 6].ifPresent?.bool ?? takesNudges
    digest = try PushPreferences.minute(row[column + 7])
    if let day = try row[column + 8].ifPresent?.int16 { review = Weekday(number: Int(day)) }
  }

  private static func minute(_ cell: Cell) throws(PostgreSQLError) -> MinuteOfDay? {
    guard let number = try cell.ifPresent?.int16 else { return nil }
    return MinuteOfDay(Int(number))
  }
}

extension String {
  /// A later build may have stored another kind of name. Then it is left out, so that the rest can
  /// be read.
  fileprivate var asDisplayName: DisplayName? { DisplayName(stored: self) }

  fileprivate var asTimeZone: TimeZoneName? { TimeZoneName(self) }
}
