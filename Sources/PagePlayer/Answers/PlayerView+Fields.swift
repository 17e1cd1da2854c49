import MatchCore
import MatchWire

extension PlayerView {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      id: try object.id("id"), name: try object.playerName("name"),
      registeredAt: try object.instant("registeredAt"),
      rating: try object.optionalObject("rating", RatingView.init))
    bot = try object.optionalBool("bot")
  }
}

extension RatingView {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      rating: try object.smallInteger("rating"), deviation: try object.smallInteger("deviation"),
      isProvisional: try object.bool("isProvisional"), matches: try object.smallInteger("matches"))
    rank = try object.optionalCount("rank")
    outOf = try object.optionalCount("outOf")
  }
}
