internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let settingsOfPlayer = SQL(
    "settingsOfPlayer", "SELECT display_name, muted FROM player_settings WHERE player = $1")
  static let isBot = SQL("isBot", "SELECT EXISTS (SELECT FROM bots WHERE player = $1)")
  static let devicesOfPlayer = SQL(
    "devicesOfPlayer",
    "SELECT name, token, permission FROM devices WHERE player = $1 ORDER BY name")
}

extension StoreSession {
  /// A player's settings and devices.
  func settings(of player: PlayerID) throws(StoreError) -> ReaderStore.SettingsRow {
    let results = try run([
      SQL.settingsOfPlayer(.id(player)), SQL.devicesOfPlayer(.id(player)),
      SQL.isBot(.id(player)),
    ])
    return try reading { () throws(PostgreSQLError) in
      var settings = PlayerSettings()
      if let row = results[0].first {
        settings.displayName = try row[0].ifPresent?.text.asDisplayName
        settings.setMask(try row[1].int32)
      }
      settings.isBot = try results[2].only[0].bool
      return ReaderStore.SettingsRow(
        settings: settings,
        devices: try results[1].map { row throws(PostgreSQLError) in try Device(row) })
    }
  }
}

extension Device {
  /// Reads name, token and permission.
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    guard let name = DeviceName(try row[0].text) else {
      throw PostgreSQLError(.malformedValue, "a value in the database is no device's name")
    }
    self.init(name: name, token: try row[1].ifPresent?.text, permission: try row[2].case())
  }
}

extension String {
  /// A later build may have stored another kind of name. Then it is left out, so that the rest can
  /// be read.
  fileprivate var asDisplayName: DisplayName? { DisplayName(stored: self) }
}
