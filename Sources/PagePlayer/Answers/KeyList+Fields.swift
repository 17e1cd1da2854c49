import MatchCore
import MatchWire

extension KeyList {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      keys: try object.list("keys", Row.init),
      invitations: try object.list("invitations", Invitation.init))
  }
}

extension KeyList.Row {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      key: try object.publicKey("key"), addedAt: try object.instant("addedAt"),
      inviter: try object.optionalValue("inviter", "a key") { PublicKey($0) })
  }
}

extension KeyList.Invitation {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      invitation: try object.hash("invitation"), until: try object.instant("until"),
      inviter: try object.publicKey("inviter"))
  }
}

extension InvitingPlayer {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(player: try object.id("player"), name: try object.playerName("name"))
  }
}
