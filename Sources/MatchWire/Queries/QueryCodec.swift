import MatchCore

/// Queries as the bytes that are signed: UTF-8 JSON, read as strictly as events.
public enum QueryCodec {
  /// The payload of a query.
  public static func encode(_ query: Query) -> [UInt8] {
    JSON.object(
      [
        ("v", .integer(1)), ("service", .text(query.service)), ("id", .text(query.id)),
        ("type", .string(query.kind.name)), ("player", .text(query.player)),
      ] + query.kind.fields
    ).serialized
  }
}
