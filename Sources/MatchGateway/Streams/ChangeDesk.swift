import MatchCore
package import MatchInterfaces
import MatchWire
import Synchronization

/// The streams of a gateway, and the questions that keep them true.
package final class ChangeDesk: Sendable {
  private struct State {
    var changes = Changes()
    var streams: [Changes.StreamID: ChangeStream] = [:]
    var used = UsedQueries()
    /// The queries of streams that wait for their first overview.
    var opening: [Changes.StreamID: (query: EventID, player: PlayerID)] = [:]
    var isLeaving = false
  }

  /// How long a question for overviews waits for its answer.
  static let patience: Duration = .seconds(3)

  private let state = Mutex(State())
  private let desk: GatewayDesk
  private let clock: WallClock
  private let randomness: Randomness
  private let meters: GatewayMeters

  package init(
    desk: GatewayDesk, clock: WallClock, randomness: Randomness, meters: GatewayMeters
  ) {
    (self.desk, self.clock, self.randomness, self.meters) = (desk, clock, randomness, meters)
  }

  /// How many streams there are, those included that wait for their first overview.
  package var count: Int { state.withLock { $0.streams.count } }

  /// A stream that hears of changes, and waits for its first overview; nil if the query opens one
  /// already.
  func reserve(
    for player: PlayerID, by query: EventID, signedBy key: PublicKey
  ) -> (id: Changes.StreamID, stream: ChangeStream)? {
    let now = clock.uptimeNanoseconds()
    let stream = ChangeStream()
    return state.withLock { state in
      guard state.used.use(query, of: player) else { return nil }
      let id = state.changes.reserve(for: player, signedBy: key, at: now)
      state.streams[id] = stream
      state.opening[id] = (query, player)
      return (id, stream)
    }
  }

  /// Opens a stream by its first overview.
  /// - Parameter limit: The most streams of a player; beyond it the oldest one ends.
  func open(_ id: Changes.StreamID, _ overview: Overview, limit: Int?) {
    let now = clock.uptimeNanoseconds()
    let (stream, isLeaving) = state.withLock { state in
      if let opened = state.opening.removeValue(forKey: id) {
        state.used.accept(opened.query, of: opened.player)
      }
      return (state.streams[id], state.isLeaving)
    }
    stream?.send(overview)
    if isLeaving { stream?.end(.leaving) }
    carryOut { $0.open(id, overview, limit: limit, at: now) }
  }

  /// Forgets a stream. A query that has opened none may open one.
  func close(_ id: Changes.StreamID) {
    let stream = state.withLock { state in
      state.changes.close(id)
      if let unused = state.opening.removeValue(forKey: id) {
        state.used.forget(unused.query, of: unused.player)
      }
      return state.streams.removeValue(forKey: id)
    }
    stream?.close()
  }

  /// Ends all streams in good order.
  package func leave() {
    let streams = state.withLock { state in
      state.isLeaving = true
      return Array(state.streams.values)
    }
    for stream in streams { stream.end(.leaving) }
  }

  /// New streams may open again.
  package func serve() { state.withLock { $0.isLeaving = false } }

  /// The connection for notices was made anew.
  package func reconnected() { state.withLock { $0.changes.reconnected() } }

  /// Notices came; bytes that are none are left out.
  package func hear(_ bodies: [[UInt8]]) {
    let now = clock.uptimeNanoseconds()
    let notices = bodies.compactMap { OutcomeNotice($0) }
    carryOut { changes in notices.flatMap { changes.hear($0, at: now) } }
  }

  /// Time has passed.
  package func tick() {
    let now = clock.uptimeNanoseconds()
    carryOut { $0.tick(at: now) }
  }

  private func carryOut(_ body: (inout Changes) -> [Changes.Effect]) {
    let work = state.withLock { state in
      body(&state.changes).map { effect in (effect, stream(of: effect, state.streams)) }
    }
    for (effect, stream) in work {
      switch effect {
      case .match(_, let match, let version): stream?.send(match, version: version)
      case .overview(_, let overview): stream?.send(overview)
      case .beat: stream?.beat()
      case .end(_, let reason):
        if reason == .replaced { meters.limited(.playerStreams) }
        stream?.end(reason)
      case .hole: meters.hole()
      case .ask(let batch, let players): ask(batch, players)
      case .askKeys(let keys): ask(about: keys)
      }
    }
  }

  private func stream(
    of effect: Changes.Effect, _ streams: [Changes.StreamID: ChangeStream]
  ) -> ChangeStream? {
    switch effect {
    case .match(let id, _, _), .overview(let id, _), .beat(let id), .end(let id, _): streams[id]
    case .hole, .ask, .askKeys: nil
    }
  }

  private func ask(_ batch: UInt64, _ players: [PlayerID]) {
    ask(.overviews(players), as: GatewayOverviews.self) { [self] overviews in
      let now = clock.uptimeNanoseconds()
      carryOut { $0.answered(batch, overviews, at: now) }
    }
  }

  private func ask(about keys: [PublicKey]) {
    ask(.keys(keys), as: GatewayKeys.self) { [self] answer in
      carryOut { $0.silenced(answer?.silent ?? []) }
    }
  }

  /// Asks the readers; nil if none answers in time.
  private func ask<Content: Decodable & Sendable>(
    _ question: GatewayQuery.Question, as type: Content.Type,
    _ take: @escaping @Sendable (Content?) -> Void
  ) {
    let query = GatewayQuery(
      id: EventID(at: clock.now(), random: randomness.next128()), question: question)
    desk.send(query.encoded, to: .gatewayQueries, within: ChangeDesk.patience) { fate in
      guard case .reply(let bytes) = fate,
        let (_, answer) = try? AnswerCodec.decode(bytes, as: type), case .ok(let content) = answer
      else { return take(nil) }
      take(content)
    }
  }
}
