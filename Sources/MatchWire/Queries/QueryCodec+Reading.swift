import MatchCore

extension QueryCodec {
  /// The query that a payload holds.
  /// - Throws: `QueryRefusal.malformed` with the mistake and its place, or `unsupportedVersion`.
  public static func decode(_ payload: [UInt8]) throws(QueryRefusal) -> Query {
    do throws(WireFault) {
      guard payload.count <= WireLimits.payloadBytes else {
        throw .malformed(PayloadCodec.tooLong(payload.count, limit: WireLimits.payloadBytes))
      }
      let object = try JSONReader.object(of: payload)
      try object.checkVersion()
      return Query(
        service: try object.id("service"), id: try object.id("id"),
        player: try object.id("player"), kind: try Query.Kind(object))
    } catch {
      throw QueryRefusal(error)
    }
  }
}

extension Query.Kind {
  init(_ object: JSONObject) throws(WireFault) {
    let name = try object.string("type")
    guard let type = Query.Kind.types.first(where: { $0.name == name }) else {
      throw .malformed("type \(excerpt(name)) is not known")
    }
    self = try type.init(object).kind
  }
}
