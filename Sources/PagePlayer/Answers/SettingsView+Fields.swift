import MatchCore
import MatchWire

extension SettingsView {
  init(_ object: JSONObject) throws(WireFault) {
    let name = object.optional("displayName")
    self.init(
      displayName: name == nil
        ? nil : try object.string("displayName", limit: DisplayName.byteLimit),
      kinds: try object.object("kinds").flags(), reminders: try object.bool("reminders"),
      devices: try object.list("devices", DeviceView.init))
    bot = try object.optionalBool("bot")
  }
}

extension JSONObject {
  /// All members, each true or false.
  fileprivate func flags() throws(WireFault) -> [String: Bool] {
    var flags: [String: Bool] = [:]
    for member in members {
      guard case .bool(let value) = member.value else {
        throw .malformed("kinds: true or false is due")
      }
      flags[member.key] = value
    }
    return flags
  }
}

extension DeviceView {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      device: try object.string("device"), permission: try object.string("permission"),
      hasToken: try object.bool("hasToken"))
  }
}

extension BlockList {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(players: try object.list("players", Row.init))
  }
}

extension BlockList.Row {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      player: try object.id("player"), name: try object.playerName("name"),
      since: try object.instant("since"))
  }
}
