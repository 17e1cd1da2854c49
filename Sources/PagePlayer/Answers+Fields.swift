import MatchCore
import MatchRecord
import MatchWire

// `Codable` reads the same answers where there is a decoder.

extension ServiceInfo {
  init(_ object: JSONObject) throws(WireFault) {
    var certificates: [KeyCertificate] = []
    for certificate in try object.objects("certificates", count: 1_024) {
      certificates.append(try KeyCertificate(certificate))
    }
    var dailies: [DailyPlayers]?
    if object.optional("dailies") != nil {
      var read: [DailyPlayers] = []
      for daily in try object.objects("dailies", count: 64) {
        read.append(
          DailyPlayers(
            daily: try DailyKey(daily.object("daily")), players: try daily.smallInteger("players")))
      }
      dailies = read
    }
    self.init(
      service: try object.id("service"), rootKey: try object.publicKey("rootKey"),
      certificates: certificates, version: try object.string("version"),
      oldestClient: try object.optionalValue("oldestClient", "a version") { ProgramVersion($0) },
      now: try object.instant("now"),
      registration: try object.value("registration", "open or code") {
        Registration(rawValue: $0)
      }, queueCount: try object.smallInteger("queueCount"),
      limits: try Limits(object.object("limits")), dailies: dailies)
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

extension PlayerView {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      id: try object.id("id"), name: try object.value("name", "a name") { PlayerName($0) },
      registeredAt: try object.instant("registeredAt"),
      rating: object.optional("rating") == nil ? nil : try RatingView(object.object("rating")),
      isBot: try object.flag("bot"))
  }
}

extension RatingView {
  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      rating: try object.smallInteger("rating"), deviation: try object.smallInteger("deviation"),
      isProvisional: try object.flag("isProvisional"), matches: try object.smallInteger("matches"))
    rank = try object.optionalCount("rank")
    outOf = try object.optionalCount("outOf")
  }
}

extension JSONObject {
  fileprivate func optionalCount(_ key: String) throws(WireFault) -> Int? {
    optional(key) == nil ? nil : try smallInteger(key)
  }
}
