import MatchCore
import MatchInterfaces
import MatchWire

/// What has arrived at a reader, as far as it can be understood without asking the store.
enum Arrival {
  /// Word of changes.
  case outcome(body: [UInt8])
  /// A query whose signature is its key's.
  case query(Query, key: PublicKey, Watchers.Asker)
  /// Nothing that can be answered but with a refusal.
  case refused(QueryRefusal, ReaderBus.Answer)
  /// Nobody waits for an answer.
  case unanswerable

  init(
    _ incoming: ReaderBus.Incoming, identity: ServiceIdentity, verifier: SignatureVerifier
  ) {
    switch incoming {
    case .outcome(_, let body): self = .outcome(body: body)
    case .query(let body, let replyTo?, let correlationID?):
      switch QueryIntake.read(body, identity: identity, verifier: verifier) {
      case .refused(let refusal, let id):
        let answer = ReaderBus.Answer(
          replyTo: replyTo, correlationID: correlationID,
          body: AnswerCodec.encode(refusal: refusal, query: id))
        self = .refused(refusal, answer)
      case .query(let query, let key):
        let asker = Watchers.Asker(
          player: query.player, query: query.id, replyTo: replyTo, correlationID: correlationID)
        self = .query(query, key: key, asker)
      }
    case .query: self = .unanswerable
    }
  }
}
