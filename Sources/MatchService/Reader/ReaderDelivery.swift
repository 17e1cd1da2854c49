import MatchCore
import MatchInterfaces
import MatchWire

/// A message that has arrived at a reader, as far as it can be understood without asking the store.
enum ReaderDelivery {
  /// Word of changes.
  case outcome(body: [UInt8])
  /// A query with a valid signature of its key.
  case query(Query, key: PublicKey, Watchers.Asker)
  /// A gateway's question.
  case question(GatewayQuery, Watchers.Asker)
  /// A message that can only be answered with a refusal.
  case refused(QueryRefusal, ReaderBus.Answer)
  /// Nobody waits for an answer.
  case unanswerable

  init(
    _ incoming: ReaderBus.Incoming, identity: ServiceIdentity, verifier: SignatureVerifier
  ) {
    switch incoming {
    case .outcome(_, let body): self = .outcome(body: body)
    case .query(let body, let replyTo?, let correlationID?, let trace):
      switch QueryDecoding.read(body, service: identity.service, verifier: verifier) {
      case .refused(let refusal, let id):
        let answer = ReaderBus.Answer(
          replyTo: replyTo, correlationID: correlationID,
          body: AnswerCodec.encode(refusal: refusal, query: id))
        self = .refused(refusal, answer)
      case .query(let query, let key):
        let asker = Watchers.Asker(
          player: query.player, query: query.id, replyTo: replyTo, correlationID: correlationID,
          trace: trace, key: key)
        self = .query(query, key: key, asker)
      }
    case .gatewayQuery(let body, let replyTo?, let correlationID?, let trace):
      do throws(QueryRefusal) {
        let question = try GatewayQuery(body)
        let asker = Watchers.Asker(
          player: identity.secret.nobody, query: question.id, replyTo: replyTo,
          correlationID: correlationID, trace: trace)
        self = .question(question, asker)
      } catch {
        let answer = ReaderBus.Answer(
          replyTo: replyTo, correlationID: correlationID,
          body: AnswerCodec.encode(refusal: error, query: PayloadCodec.eventID(of: body)))
        self = .refused(error, answer)
      }
    case .query, .gatewayQuery: self = .unanswerable
    }
  }
}
