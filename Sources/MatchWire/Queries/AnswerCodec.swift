import FoundationEssentials
public import MatchCore

/// Answers to queries: `{"v":1,"query":…,"ok":{…}}` or
/// `{"v":1,"query":…,"refused":{"name":…,"values":{…},"message":…}}`.
public enum AnswerCodec {
  /// The bytes of an answer. `query` is nil only if no id could be read. Keys are sorted.
  ///
  /// An answer that cannot be encoded becomes the refusal `unavailable`. All of this module's can
  /// be.
  public static func encode(_ payload: some Encodable, query: EventID?) -> [UInt8] {
    guard let data = try? SortedJSON.encode(payload) else {
      return encode(refusal: .unavailable, query: query)
    }
    var bytes = Array("{\"v\":1,\"query\":".utf8)
    bytes += (query.map { JSON.text($0) } ?? .null).serialized
    bytes += Array(",\"ok\":".utf8)
    bytes += data
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  /// The bytes of a refusal. `query` is nil only if no id could be read.
  public static func encode(refusal: QueryRefusal, query: EventID?) -> [UInt8] {
    JSON.object([
      ("v", .integer(1)), ("query", query.map { .text($0) } ?? .null),
      (
        "refused",
        .object([
          ("name", .string(refusal.name)), ("values", refusal.values),
          ("message", .string(refusal.message)),
        ])
      ),
    ]).serialized
  }

  /// The query that is answered, and the answer.
  /// - Throws: `ReplyFault` for bytes that are not an answer that this build can read.
  public static func decode<Payload: Decodable & Sendable>(
    _ bytes: [UInt8], as: Payload.Type = Payload.self
  ) throws(ReplyFault) -> (query: EventID?, answer: ReceivedAnswer<Payload>) {
    if bytes.count <= JSONReader.Limits.answer.bytes,
      let answered = try? JSONDecoder().decode(Answered<Payload>.self, from: Data(bytes)),
      answered.v == 1
    {
      return (answered.query, .ok(answered.ok))
    }
    // A refusal, which is short, or nothing that can be read.
    let (query, answer) = try ReceivedAnswer.read(bytes)
    switch answer {
    case .ok: throw .malformed("ok is not a \(Payload.self)")
    case .refused(let name, let message, let refusal):
      return (query, .refused(name: name, message: message, refusal: refusal))
    }
  }

  private struct Answered<Payload: Decodable>: Decodable {
    var v: Int
    var query: EventID?
    var ok: Payload
  }
}
