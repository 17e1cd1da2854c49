package import MatchCore

/// The answer to a query as it was received.
public enum ReceivedAnswer<Payload: Sendable>: Sendable {
  /// The content of the answer.
  case ok(Payload)
  /// Not answered: name and sentence, and the refusal itself if this build knows it.
  case refused(name: String, message: String, refusal: QueryRefusal?)
}

extension ReceivedAnswer where Payload == JSONObject {
  /// The query that is answered, and the answer. Its content is not read yet.
  /// - Throws: `ReplyFault` for bytes that are not an answer that this build can read.
  package static func read(
    _ bytes: [UInt8]
  ) throws(ReplyFault) -> (query: EventID?, answer: ReceivedAnswer) {
    do throws(WireFault) {
      let object = try JSONReader.object(of: bytes, limits: .answer)
      try object.checkVersion()
      let query: EventID? = try object.optionalID("query")
      if object.optional("ok") != nil { return (query, .ok(try object.object("ok"))) }
      let refused = try object.object("refused")
      let name = try refused.string("name")
      let refusal = QueryRefusal(name: name, values: try refused.object("values"))
      let message = try refused.string("message", limit: 4_096)
      return (query, .refused(name: name, message: message, refusal: refusal))
    } catch {
      throw ReplyFault(error)
    }
  }
}
