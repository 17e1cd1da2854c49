import HTTPServer
import MatchCore
import MatchInterfaces
import MatchWire
import Synchronization

/// What anybody may see, kept for moments. Equal questions at once cost the readers one.
final class PublicCache: Sendable {
  /// The most contents, and the most refusals, that are kept. Anybody can ask for what is refused.
  static let capacity = (contents: 256, refusals: 64)
  /// How long a question waits for its answer.
  static let patience: Duration = .seconds(8)

  /// An answer that anybody may have.
  enum Answer: Sendable {
    /// The content, without the envelope that names a query, and a strong tag.
    case content([UInt8], tag: String)
    /// Refused: the bytes without an id, and their status.
    case refused([UInt8], HTTPStatus.Result)
    case problem(Problem)
  }

  private struct Kept: Sendable {
    var answer: Answer
    var until: UInt64
  }

  /// A question on its way.
  private struct Flight {
    /// The number of its first asker.
    let id: UInt64
    var askers: [UInt64: CheckedContinuation<Answer, Never>] = [:]
    /// Its number at the desk, once that is known.
    var message: UInt64?
  }

  private struct State {
    var kept = BoundedTable<Query.Kind, Kept>(capacity: PublicCache.capacity.contents)
    var refused = BoundedTable<Query.Kind, Kept>(capacity: PublicCache.capacity.refusals)
    var flights: [Query.Kind: Flight] = [:]
    var lastAsker: UInt64 = 0
  }

  private enum Step {
    case known(Answer)
    case asked(asker: UInt64)
    case ask(asker: UInt64)
  }

  private let state = Mutex(State())
  private let desk: GatewayDesk
  /// A refusal may be another one soon: a game is shared, a day is dealt.
  private static let refusalNanoseconds: UInt64 = 2_000_000_000

  private let clock: WallClock
  private let randomness: Randomness

  init(desk: GatewayDesk, clock: WallClock, randomness: Randomness) {
    (self.desk, self.clock, self.randomness) = (desk, clock, randomness)
  }

  /// The answer to a public query, at most so old. If the client leaves it has none.
  func answer(
    to kind: Query.Kind, freshFor time: Duration, for client: ClientConnection, trace: RequestTrace
  ) async -> Answer {
    defer { client.forgetHandler() }
    return await withCheckedContinuation { continuation in
      let now = clock.uptimeNanoseconds()
      let step: Step = state.withLock { state in
        for kept in [state.kept[kind], state.refused[kind]] {
          if let kept, kept.until > now { return .known(kept.answer) }
        }
        state.lastAsker += 1
        let asker = state.lastAsker
        let isAsked = state.flights[kind] != nil
        state.flights[kind, default: Flight(id: asker)].askers[asker] = continuation
        return isAsked ? .asked(asker: asker) : .ask(asker: asker)
      }
      switch step {
      case .known(let answer): continuation.resume(returning: answer)
      case .asked(let asker): client.whenGone { [self] in leave(kind, asker) }
      case .ask(let asker):
        ask(kind, flight: asker, time, trace)
        client.whenGone { [self] in leave(kind, asker) }
      }
    }
  }

  private func ask(_ kind: Query.Kind, flight: UInt64, _ time: Duration, _ trace: RequestTrace) {
    let question = GatewayQuery(
      id: EventID(at: clock.now(), random: randomness.next128()), question: .asAnybody(kind))
    let message = desk.send(
      question.encoded, to: .gatewayQueries, trace: trace, within: PublicCache.patience
    ) { [self] fate in
      let answer = PublicCache.answer(of: fate, kind)
      let asked = clock.uptimeNanoseconds()
      let until = asked &+ UInt64(time / .nanoseconds(1))
      let waiting: Flight? = state.withLock { state in
        switch answer {
        case .content: state.kept[kind] = Kept(answer: answer, until: until)
        case .refused(_, let result) where result.retryAfter == nil:
          let soon = asked &+ PublicCache.refusalNanoseconds
          state.refused[kind] = Kept(answer: answer, until: min(until, soon))
        case .refused, .problem: break
        }
        guard state.flights[kind]?.id == flight else { return nil }
        return state.flights.removeValue(forKey: kind)
      }
      guard let waiting else { return }
      for continuation in waiting.askers.values { continuation.resume(returning: answer) }
    }
    guard let message else { return }
    let isAwaited = state.withLock { state in
      guard state.flights[kind]?.id == flight else { return false }
      state.flights[kind]?.message = message
      return true
    }
    if !isAwaited { desk.cancel(message) }
  }

  /// Gives an asker up, and the question if nobody else waits for its answer: who leaves gives a place
  /// back, and others must not find the desk full of questions without askers.
  private func leave(_ kind: Query.Kind, _ asker: UInt64) {
    let (continuation, message) = state.withLock { state in
      let continuation = state.flights[kind]?.askers.removeValue(forKey: asker)
      guard continuation != nil, state.flights[kind]?.askers.isEmpty == true else {
        return (continuation, UInt64?.none)
      }
      return (continuation, state.flights.removeValue(forKey: kind)?.message)
    }
    continuation?.resume(returning: .problem(.noAnswer))
    if let message { desk.cancel(message) }
  }

  private static func answer(of fate: Fate, _ kind: Query.Kind) -> Answer {
    guard case .reply(let bytes) = fate else { return .problem(Problem(fate)) }
    if let content = AnswerBytes.content(bytes) {
      guard case .recordByCode = kind else { return .content(content, tag: tag(of: content)) }
      guard let (_, answer) = try? AnswerCodec.decode(bytes, as: RecordAnswer.self),
        case .ok(let answered) = answer
      else { return .problem(.noAnswer) }
      let record = Array(answered.record.utf8)
      return .content(record, tag: tag(of: record))
    }
    guard let (_, answer) = try? AnswerCodec.decode(bytes, as: RecordAnswer.self),
      case .refused(_, _, let refusal?) = answer
    else { return .problem(.noAnswer) }
    return .refused(
      AnswerCodec.encode(refusal: refusal, query: nil), HTTPStatus.ofAnswer(bytes))
  }

  /// A strong tag of bytes.
  static func tag(of bytes: [UInt8]) -> String {
    "\"\(Hash(sha256Of: bytes).description.prefix(32))\""
  }
}

extension Problem {
  /// The problem of a question without an answer.
  init(_ fate: Fate) {
    self =
      switch fate {
      case .reply, .unanswered: .noAnswer
      case .unsent(.disconnected): .brokerUnreachable
      case .unsent(.refused): .brokerRefused
      case .unsent(.full): .limited(.waits, retryAfter: 1)
      }
  }
}
