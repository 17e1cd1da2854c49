import CubeRules
import MatchCore
import MatchWire

extension Ranking {
  /// The rows, the asker's own one and the number of all, as answers with ranks have them.
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      rows: try object.list("rows", RankedRow.init),
      own: try object.optionalObject("you", RankedRow.init),
      outOf: try object.smallInteger("outOf"))
  }
}

extension RankedRow {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      rank: try object.smallInteger("rank"), outOf: try object.smallInteger("outOf"),
      player: try object.id("player"), name: try object.playerName("name"),
      points: try object.smallInteger("points"), word: try object.optionalWord())
  }
}

extension JSONObject {
  fileprivate func optionalWord() throws(WireFault) -> String? {
    optional("word") == nil ? nil : try string("word", limit: Spelling.countLimit)
  }
}

extension Standings {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(daily: try DailyKey(object.object("daily")), try Ranking(object))
  }
}

extension LeaderboardView {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(try Leaderboard(object), try Ranking(object))
  }
}

extension WeekInReview {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      since: try object.instant("since"), until: try object.instant("until"),
      games: try object.list("games", Tally.init), places: try object.list("places", Place.init))
  }
}

extension WeekInReview.Tally {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      kind: try object.matchKind(), count: try object.smallInteger("count"),
      won: try object.smallInteger("won"), lost: try object.smallInteger("lost"),
      tied: try object.smallInteger("tied"))
  }
}

extension WeekInReview.Place {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      kind: try object.value("kind", "solo or daily") { SoloGames.Kind(rawValue: $0) },
      mode: try object.value("mode", "a mode") { SoloMode(rawValue: $0) },
      measure: try object.value("measure", "points or words") { Leaderboard.Measure(rawValue: $0) },
      row: try RankedRow(object.object("row")))
  }
}

extension DailyHistory {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(results: try object.list("results", Result.init))
  }
}

extension DailyHistory.Result {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      daily: try DailyKey(object.object("daily")), points: try object.smallInteger("points"),
      rank: try object.smallInteger("rank"), outOf: try object.smallInteger("outOf"))
  }
}
