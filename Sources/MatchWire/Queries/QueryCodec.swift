public import MatchCore

/// Queries as the bytes that are signed: UTF-8 JSON, read as strictly as events.
public enum QueryCodec {
  /// The payload of a query.
  public static func encode(_ query: Query) -> [UInt8] {
    JSON.object(
      [
        ("v", .integer(1)), ("service", .text(query.service)), ("id", .text(query.id)),
        ("type", .string(query.kind.name)), ("player", .text(query.player)),
      ] + query.kind.coded.fields
    ).serialized
  }

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

extension Signer {
  /// A signed query, ready for its envelope.
  public func sign(_ query: Query) -> SignedPayload {
    signed(QueryCodec.encode(query), as: .query)
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
