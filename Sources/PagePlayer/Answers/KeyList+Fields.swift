import MatchCore
import MatchWire

extension KeyList {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      keys: try object.list("keys", limit: PlayerKeys.limit, Row.init),
      invitations: try object.list("invitations", Invitation.init),
      recovery: try object.optionalObject("recovery", Recovery.init))
  }
}

extension KeyList.Row {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      key: try object.publicKey("key"), addedAt: try object.instant("addedAt"),
      inviter: try object.optionalValue("inviter", "a key") { PublicKey($0) },
      device: try object.optionalValue("device", "a device's name") { DeviceName($0) })
  }
}

extension KeyList.Invitation {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      invitation: try object.hash("invitation"), until: try object.instant("until"),
      inviter: try object.publicKey("inviter"))
  }
}

extension KeyList.Recovery {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      key: try object.optionalValue("key", "a key") { PublicKey($0) },
      waiting: try object.optionalObject("waiting", Waiting.init),
      pending: try object.optionalObject("pending", Pending.init))
  }
}

extension KeyList.Recovery.Waiting {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(key: try object.publicKey("key"), at: try object.instant("at"))
  }
}

extension KeyList.Recovery.Pending {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      recovery: try object.id("recovery"), key: try object.publicKey("key"),
      at: try object.instant("at"),
      objector: try object.optionalValue("objector", "a key") { PublicKey($0) })
  }
}

extension RecoveryView {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      player: try object.id("player"), name: try object.playerName("name"),
      role: try object.value("role", "a part in a recovery") { Role(rawValue: $0) },
      recovery: try KeyList.Recovery(try object.object("recovery")))
  }
}

extension InvitingPlayer {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(player: try object.id("player"), name: try object.playerName("name"))
  }
}
