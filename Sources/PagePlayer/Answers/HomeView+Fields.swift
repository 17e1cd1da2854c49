import MatchCore
import MatchWire

extension HomeView {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      matches: try object.list("matches", MatchSummary.init),
      invitations: try object.list("invitations", MatchSummary.init),
      rematchOffers: try object.list("rematchOffers", RematchOfferView.init),
      daily: try DailyStatus(object.object("daily")),
      timedDaily: try object.optionalObject("timedDaily", DailyStatus.init),
      moreMatches: try object.optionalCount("moreMatches"),
      moreInvitations: try object.optionalCount("moreInvitations"),
      recoveryAt: try object.optionalInstant("recoveryAt"),
      leavesAt: try object.optionalInstant("leavesAt"),
      damaged: try object.optionalIDs("damaged"))
  }
}

extension MatchSummary {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      id: try object.id("id"), version: try object.integer("version"),
      kind: try object.matchKind(), daily: try object.optionalObject("daily", DailyKey.init),
      mode: try object.optionalMode(), turnLimit: try object.optionalInteger("turnLimit"),
      opponent: try object.optionalID("opponent"),
      opponentName: try object.optionalPlayerName("opponentName"),
      yourSeat: try object.seat("yourSeat"),
      points: try object.integers("points", count: WireLimits.seatCount),
      turn: try object.turnNumber("turn"), yourTurn: try object.bool("yourTurn"),
      stage: try object.value("stage", "a stage") { MatchStage(rawValue: $0) },
      deadline: try object.optionalInstant("deadline"),
      startedAt: try object.instant("startedAt"), code: try object.code(),
      casual: try object.optionalBool("casual"))
  }
}

extension RematchOfferView {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      match: try object.id("match"), opponent: try object.id("opponent"),
      opponentName: try object.optionalPlayerName("opponentName"),
      isYours: try object.bool("isYours"), offeredAt: try object.instant("offeredAt"),
      expiresAt: try object.instant("expiresAt"))
  }
}

extension DailyStatus {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      daily: try DailyKey(object.object("daily")), isDealt: try object.bool("isDealt"),
      endsAt: try object.instant("endsAt"), match: try object.optionalID("match"),
      isOver: try object.bool("isOver"), points: try object.optionalCount("points"))
  }
}
