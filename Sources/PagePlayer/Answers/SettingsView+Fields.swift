import MatchCore
import MatchWire

extension SettingsView {
  init(_ object: JSONObject) throws(WireFault) {
    let name = object.optional("displayName")
    self.init(
      displayName: name == nil
        ? nil : try object.string("displayName", limit: DisplayName.byteLimit),
      kinds: try object.object("kinds").flags(), reminders: try object.bool("reminders"),
      devices: try object.list("devices", DeviceView.init),
      language: try object.string("language"), bundle: try object.bool("bundle"),
      nudges: try object.bool("nudges"))
    bot = try object.optionalBool("bot")
    timeZone = try object.optionalText("timeZone")
    quietHours = try object.optionalObject("quietHours") { object throws(WireFault) in
      QuietHours(
        from: try object.string("from"), until: try object.string("until"),
        late: try object.string("late"))
    }
    digest = try object.optionalText("digest")
    review = try object.optionalText("review")
    leavesAt = try object.optionalInstant("leavesAt")
    pushKey = try object.optionalText("pushKey", limit: 87)
  }
}

extension JSONObject {
  fileprivate func optionalText(_ key: String, limit: Int = 64) throws(WireFault) -> String? {
    optional(key) == nil ? nil : try string(key, limit: limit)
  }

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
      device: try object.string("device"), service: try object.string("service"),
      permission: try object.string("permission"), hasToken: try object.bool("hasToken"),
      arrivedAt: try object.optionalInstant("arrivedAt"),
      answer: try object.optionalText("answer", limit: RegisteredDevice.Answer.byteLimit),
      answeredAt: try object.optionalInstant("answeredAt"))
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
