import MatchCore
import MatchRecord
import MatchWire

extension ServiceInfo {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      service: try object.id("service"), rootKey: try object.publicKey("rootKey"),
      certificates: try object.list("certificates", KeyCertificate.init),
      version: try object.string("version"),
      oldestClient: try object.optionalValue("oldestClient", "a version") { ProgramVersion($0) },
      now: try object.instant("now"),
      registration: try object.value("registration", "open or code") {
        Registration(rawValue: $0)
      }, queueCount: try object.smallInteger("queueCount"),
      limits: try Limits(object.object("limits")),
      dailies: object.optional("dailies") == nil
        ? nil : try object.list("dailies", DailyPlayers.init))
  }
}

extension ServiceInfo.DailyPlayers {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      daily: try DailyKey(object.object("daily")), players: try object.smallInteger("players"))
  }
}

extension ServiceInfo.Limits {
  init(_ object: JSONObject) throws(WireFault) {
    self = .current
    turnBytes = try object.smallInteger("turnBytes")
    payloadBytes = try object.smallInteger("payloadBytes")
    moves = try object.smallInteger("moves")
    entries = try object.smallInteger("entries")
    eventsPerMinute = try object.optionalCount("eventsPerMinute")
    openRequests = try object.optionalCount("openRequests")
    runningMatches = try object.optionalCount("runningMatches")
    queriesPerMinute = try object.optionalCount("queriesPerMinute")
    invitations = try object.optionalCount("invitations")
    strangerInvitations = try object.optionalCount("strangerInvitations")
    registrationsPerHour = try object.optionalCount("registrationsPerHour")
    blocks = try object.optionalCount("blocks")
  }
}
