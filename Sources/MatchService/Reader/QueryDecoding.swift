package import MatchCore
package import MatchInterfaces
package import MatchWire

/// A query as far as it can be understood without asking the store: cheap checks first. A reader
/// and a gateway refuse alike.
package enum QueryDecoding {
  /// The outcome of reading a message.
  package enum Content {
    /// A query with a valid signature of its key.
    case query(Query, key: PublicKey)
    /// A message that cannot be answered, with the query's id if that could be read.
    case refused(QueryRefusal, query: EventID?)
  }

  package static func read(
    _ body: [UInt8], service: ServiceID, verifier: SignatureVerifier
  ) -> Content {
    let signed: SignedPayload
    do throws(Refusal) {
      signed = try Envelope.decode(body)
    } catch {
      return .refused(QueryRefusal(envelope: error), query: nil)
    }
    let query: Query
    do throws(QueryRefusal) {
      query = try QueryCodec.decode(signed.payload)
    } catch {
      return .refused(error, query: PayloadCodec.eventID(of: signed.payload))
    }
    guard query.askers == .anybody || query.service == service else {
      return .refused(.wrongService(service), query: query.id)
    }
    guard verifier.isValid(signed, .query) else {
      return .refused(.notPermitted, query: query.id)
    }
    return .query(query, key: signed.key)
  }

  /// The reason why the key may not ask that, by the store's facts about the key; nil: it may.
  static func refusal(
    of query: Query, now: Instant, owner: KeyOwner?
  ) -> QueryRefusal? {
    if query.askers == .anybody { return nil }
    guard query.id.isVersion7 else { return .malformed("id is not a UUIDv7") }
    guard query.isValid(at: now) else { return .expired(serviceTime: now) }
    if query.askers == .strangers { return nil }
    guard let owner else { return .notRegistered }
    guard !owner.isRevoked else { return .keyRevoked }
    return owner.player == query.player ? nil : .notPermitted
  }
}

extension QueryRefusal {
  /// The fault of an envelope, as a query's refusal.
  fileprivate init(envelope refusal: Refusal) {
    switch refusal {
    case .unsupportedVersion(let version): self = .unsupportedVersion(version)
    case .malformed(let text): self = .malformed(text)
    default: self = .malformed("the message is not an envelope")
    }
  }
}

extension Query {
  fileprivate var askers: QueryAskers { type(of: kind.payload).askers }
}
