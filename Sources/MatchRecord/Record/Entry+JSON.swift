import CubistBasics
import MatchCore

extension Entry {
  var json: JSON {
    .object([
      ("position", .number(position)), ("acceptedAt", .number(acceptedAt.microseconds)),
      ("key", .text(signed.key)), ("signature", .string(Hex.encode(signed.signature))),
      ("payload", .string(Base64.encode(signed.payload))), ("hash", .text(hash)),
    ])
  }

  init(_ object: JSONObject) throws(WireFault) {
    let limit = (WireLimits.turnPayloadBytes + 2) / 3 * 4
    let payload = try object.value("payload", "base64", limit: limit) { Base64.decode($0) }
    self.init(
      position: try object.smallInteger("position", in: 0...Int64(Match.entryLimit)),
      acceptedAt: try object.instant("acceptedAt"),
      signed: SignedPayload(
        key: try object.publicKey("key"), signature: try object.signature("signature"),
        payload: payload),
      hash: try object.hash("hash"))
  }
}
