import MatchCore
import MatchWire

extension Ladder {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      rows: try object.list("rows", Row.init), you: try object.optionalObject("you", Row.init),
      around: try object.list("around", Row.init), outOf: try object.smallInteger("outOf"))
  }
}

extension Ladder.Row {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      rank: try object.smallInteger("rank"), outOf: try object.smallInteger("outOf"),
      player: try object.id("player"), name: try object.playerName("name"),
      rating: try RatingView(object))
  }
}
