import MatchCore
import MatchWire

extension PastGames {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      games: try object.list("games", PastGame.init),
      next: try object.optionalValue("next", "a cursor") { PastGamesCursor($0) })
  }
}

extension PastGame {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      id: try object.id("id"), endedAt: try object.instant("endedAt"),
      kind: try object.matchKind(), daily: try object.optionalObject("daily", DailyKey.init),
      mode: try object.optionalMode(), opponent: try object.optionalID("opponent"),
      opponentName: try object.optionalPlayerName("opponentName"), result: try object.result(),
      reason: try object.value("reason", "a reason") { Outcome.Reason(rawValue: $0) },
      points: try object.smallInteger("points"),
      opponentPoints: try object.optionalCount("opponentPoints"),
      cursor: try object.value("cursor", "a cursor") { PastGamesCursor($0) },
      casual: try object.optionalBool("casual"), gaveUpBy: try object.optionalID("gaveUpBy"))
  }
}
