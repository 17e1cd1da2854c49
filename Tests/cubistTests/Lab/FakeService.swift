import CubeLexicon
import CubeRules
import MatchCore
import MatchInterfaces
@testable import MatchWire

@testable import GameScreens
@testable import cubist

/// A service that gives a test's answers, and remembers its requests.
final class FakeService {
  /// The answer to a query.
  enum Told {
    case answer(any Encodable)
    case refusal(QueryRefusal)
    case error(BusError)
    /// Nothing at all, in time.
    case nothing
    /// A gateway's word on that.
    case unanswered(String)
  }

  /// The fate of an event.
  enum Fate {
    case reply(Reply)
    case bus(PlayerAnswer)
    case error(BusError)
  }

  var onQuery: (Query.Kind) -> Told? = { _ in nil }
  var onEvent: (Event) -> Fate = { _ in .reply(.refused(.unavailable)) }
  /// The answers to queries that no test answers itself.
  var info = ServiceInfo(
    service: Made.service, rootKey: Made.root, certificates: [], version: "1.2.3", now: Made.now,
    registration: .open, queueCount: 16, limits: .current)
  var home = Made.home()
  var settings = SettingsView(displayName: nil, kinds: [:], reminders: true, devices: [])
  var views: [MatchID: MatchView] = [:]
  var past = PastGames(games: [], next: nil)

  private(set) var queries: [Query.Kind] = []
  private(set) var events: [Event] = []
  private(set) var isClosed = false

  var bus: PlayerBus {
    .failing.with {
      $0.request.answer { message, _ throws(BusError) in try self.answer(message) }
      $0.close.answer { self.isClosed = true }
    }
  }

  private func answer(_ message: PlayerMessage) throws(BusError) -> PlayerAnswer {
    guard let payload = try? Envelope.decode(message.body).payload else { return .unknown }
    if let query = try? QueryCodec.decode(payload) {
      queries.append(query.kind)
      switch onQuery(query.kind) ?? answer(query.kind) {
      case .answer(let value): return .reply(encode(value, query.id))
      case .refusal(let refusal):
        return .reply(AnswerCodec.encode(refusal: refusal, query: query.id))
      case .error(let error): throw error
      case .nothing: return .unknown
      case .unanswered(let text): return .unanswered(text)
      }
    }
    guard let event = try? PayloadCodec.decodeEvent(payload) else { return .unknown }
    events.append(event)
    switch onEvent(event) {
    case .reply(let reply): return .reply(ReplyCodec.encode(reply, event: event.id))
    case .bus(let answer): return answer
    case .error(let error): throw error
    }
  }

  private func encode(_ value: some Encodable, _ query: EventID) -> [UInt8] {
    AnswerCodec.encode(value, query: query)
  }

  private func answer(_ kind: Query.Kind) -> Told {
    switch kind {
    case .serviceInfo: .answer(info)
    case .whoAmI: .answer(Made.playerView(Made.ada, "ada"))
    case .player(let asked):
      asked.name.key == "grace"
        ? .answer(Made.playerView(Made.grace, "grace")) : .refusal(.unknownPlayer)
    case .matches: .answer(home)
    case .match(let asked): views[asked.match].map { .answer($0) } ?? .refusal(.unknownMatch)
    case .pastGames: .answer(past)
    case .settings: .answer(settings)
    default: .refusal(.unavailable)
    }
  }
}
