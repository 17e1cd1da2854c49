import CubeRules
import MatchCore
import MatchWire

extension HeadToHead {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      opponent: try object.id("opponent"), opponentName: try object.playerName("opponentName"),
      score: try Score(object.object("score")), notCounted: try object.smallInteger("notCounted"),
      hasOlder: try object.optionalBool("hasOlder"),
      run: try object.optionalObject("run", Run.init),
      wordMatches: try object.smallInteger("wordMatches"),
      bestWord: try object.optionalObject("bestWord", BestWord.init),
      opponentBestWord: try object.optionalObject("opponentBestWord", BestWord.init),
      series: try object.optionalObject("series", Series.init))
  }
}

extension HeadToHead.Score {
  init(_ object: JSONObject) throws(WireFault) {
    self.init()
    matches = try object.smallInteger("matches")
    won = try object.smallInteger("won")
    lost = try object.smallInteger("lost")
    tied = try object.smallInteger("tied")
  }
}

extension HeadToHead.Run {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(result: try object.result(), count: try object.smallInteger("count"))
  }
}

extension HeadToHead.BestWord {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      word: try object.string("word", limit: Spelling.countLimit),
      points: try object.smallInteger("points"), match: try object.id("match"),
      turn: try object.turnNumber("turn"))
  }
}

extension HeadToHead.Series {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      score: try HeadToHead.Score(object.object("score")),
      startedAt: try object.instant("startedAt"), hasOlder: try object.optionalBool("hasOlder"),
      running: try object.optionalID("running"))
  }
}
