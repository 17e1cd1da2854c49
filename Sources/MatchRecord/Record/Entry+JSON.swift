import MatchCore

extension Entry {
  var json: JSON {
    .object(
      [("position", .number(position)), ("acceptedAt", .number(acceptedAt.microseconds))]
        + signed.fields + [("hash", .text(hash))])
  }

  init(_ object: JSONObject) throws(WireFault) {
    self.init(
      position: try object.smallInteger("position", in: 0...Int64(Match.entryLimit)),
      acceptedAt: try object.instant("acceptedAt"),
      signed: try SignedPayload(object, limit: WireLimits.turnPayloadBytes),
      hash: try object.hash("hash"))
  }
}
