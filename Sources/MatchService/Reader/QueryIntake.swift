import MatchCore
import MatchInterfaces
import MatchWire

/// A query as far as it can be understood without asking the store: cheap checks first.
enum QueryIntake {
  /// What arrived turned out to be this.
  enum Content {
    /// A query whose signature is its key's.
    case query(Query, key: PublicKey)
    /// Nothing that can be answered, with the query's id where that could be read.
    case refused(QueryRefusal, query: EventID?)
  }

  static func read(
    _ body: [UInt8], identity: ServiceIdentity, verifier: SignatureVerifier
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
    guard query.kind.payload.isForAnybody || query.service == identity.service else {
      return .refused(.wrongService(identity.service), query: query.id)
    }
    guard verifier.isValid(signed, .query) else {
      return .refused(.notPermitted, query: query.id)
    }
    return .query(query, key: signed.key)
  }

  /// Whether the key may ask that, by what the store knows of it.
  static func refusal(
    of query: Query, now: Instant, owner: KeyOwner?
  ) -> QueryRefusal? {
    if query.kind.payload.isForAnybody { return nil }
    guard query.id.isVersion7 else { return .malformed("id is not a UUIDv7") }
    guard query.isValid(at: now) else { return .expired(serviceTime: now) }
    guard let owner else { return .notRegistered }
    guard !owner.isRevoked else { return .keyRevoked }
    return owner.player == query.player ? nil : .notPermitted
  }
}

extension QueryRefusal {
  /// What is wrong with an envelope, said of a query.
  fileprivate init(envelope refusal: Refusal) {
    switch refusal {
    case .unsupportedVersion(let version): self = .unsupportedVersion(version)
    case .malformed(let text): self = .malformed(text)
    default: self = .malformed("the message is not an envelope")
    }
  }
}

extension QueryPayload {
  fileprivate var isForAnybody: Bool { Self.askers == .anybody }
}
