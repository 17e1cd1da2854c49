import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import PlayerClient

/// Streams of changes as a test wants them.
final class FakeStreams {
  /// What happens at a time, in seconds after a stream was opened.
  enum Step {
    case news(Int64, ChangeStream.News)
    case ends(Int64)
  }

  /// The streams of the next openings; none left: the gateway is not there.
  var scripts: [Result<[Step], BusError>] = []
  /// The service's refusals, which come first.
  var refusals: [QueryRefusal] = []
  private(set) var openings: [Instant] = []
  private(set) var queries: [Query] = []
  private(set) var closedCount = 0
  let clock: TestClock

  init(_ clock: TestClock) { self.clock = clock }

  func add(to bus: inout PlayerBus) {
    bus.answerChanges { [unowned self] bytes, timeout throws(BusError) in
      openings.append(clock.now)
      let query = PlayerMessage(destination: .queries, body: bytes).query
      if let query { queries.append(query) }
      if !refusals.isEmpty {
        return .answer(AnswerCodec.encode(refusal: refusals.removeFirst(), query: query?.id))
      }
      guard !scripts.isEmpty else { throw .disconnected("nobody there") }
      return .stream(stream(try scripts.removeFirst().get(), since: clock.now))
    }
  }

  private func stream(_ steps: [Step], since start: Instant) -> ChangeStream {
    var steps = steps
    // SAFETY: a test has one thread.
    nonisolated(unsafe) let streams = self
    return ChangeStream(
      next: { [clock] timeout throws(BusError) in
        let end = clock.now.adding(microseconds: Int64(timeout / .microseconds(1)))
        guard let step = steps.first else {
          clock.clock.sleep(timeout)
          return nil
        }
        let seconds =
          switch step {
          case .news(let at, _), .ends(let at): at
          }
        let due = start.adding(seconds: seconds)
        guard due <= end else {
          clock.clock.sleep(timeout)
          return nil
        }
        if due > clock.now {
          clock.clock.sleep(.microseconds(due.microseconds(since: clock.now)))
        }
        steps.removeFirst()
        guard case .news(_, let news) = step else { throw .disconnected("cut") }
        return news
      }, close: { streams.closedCount += 1 })
  }
}

@Suite("Waiting for a change by a stream")
struct WaitingTests {
  static let id = MatchID(rawValue: 0xabc)

  /// A world whose match has a version, and whose bus has streams.
  final class Scene {
    let world = World()
    let streams: FakeStreams
    var version: Int64 = 3
    /// Versions that the match gets, by the time.
    var plan: [(Instant, Int64)] = []

    init() {
      streams = FakeStreams(world.clock)
      world.desk.answer = { [unowned self] query in
        guard case .match(let asked) = query.kind else {
          return AnswerCodec.encode(ServiceInfo.test(now: world.clock.now), query: query.id)
        }
        if let newer = asked.newerThan, current <= newer { world.clock.advance(seconds: 20) }
        var view = MatchView.test(id: asked.match)
        view.version = current
        return AnswerCodec.encode(view, query: query.id)
      }
    }

    var current: Int64 {
      plan.last { $0.0 <= world.clock.now }?.1 ?? version
    }

    lazy var player: Player = {
      var bus = world.desk.bus
      streams.add(to: &bus)
      return world.player(bus: bus)
    }()

    /// The questions for matches since the last call.
    var asked: [Query.Match] {
      defer { world.desk.queries = [] }
      return world.desk.queries.compactMap {
        if case .match(let match) = $0.kind { match } else { nil }
      }
    }

    func after(_ seconds: Int64) -> Instant { world.clock.now.adding(seconds: seconds) }
  }

  static func overview(_ version: Int64?) -> FakeStreams.Step {
    .news(
      0,
      .overview(
        Overview(
          matches: version.map { [.init(match: id, version: $0)] } ?? [], inbox: nil,
          settings: "")))
  }

  static func news(_ seconds: Int64, _ version: Int64, _ match: MatchID = id) -> FakeStreams.Step {
    .news(seconds, .match(.init(match: match, version: version)))
  }

  @Test("One stream serves all waits; each change is fetched once, when it comes")
  func waits() throws {
    let scene = Scene()
    scene.streams.scripts = [
      .success([
        Self.overview(3), Self.news(2, 9, MatchID(rawValue: 1)), Self.news(4, 4), Self.news(30, 5),
      ])
    ]
    let start = scene.world.clock.now
    scene.plan = [(scene.after(4), 4), (scene.after(30), 5)]
    #expect(try scene.player.match(Self.id, newerThan: 3).version == 4)
    #expect(scene.world.clock.now == start.adding(seconds: 4))
    #expect(scene.asked == [.init(Self.id, atLeast: 4)])
    // Nothing for 20 s: the present version.
    #expect(try scene.player.match(Self.id, newerThan: 4).version == 4)
    #expect(scene.world.clock.now == start.adding(seconds: 24))
    #expect(scene.asked == [.init(Self.id)])
    #expect(try scene.player.match(Self.id, newerThan: 4).version == 5)
    #expect(scene.world.clock.now == start.adding(seconds: 30))
    #expect(scene.streams.openings.count == 1)
    #expect(scene.streams.queries.map(\.kind) == [.overview])
  }

  @Test("A change that came before the stream is seen at once")
  func earlier() throws {
    let scene = Scene()
    scene.streams.scripts = [.success([Self.overview(6)])]
    scene.version = 6
    let start = scene.world.clock.now
    #expect(try scene.player.match(Self.id, newerThan: 3).version == 6)
    #expect(scene.world.clock.now == start)
    // A match that the overview leaves out is asked for once.
    let other = Scene()
    other.streams.scripts = [.success([Self.overview(nil)])]
    other.version = 6
    #expect(try other.player.match(Self.id, newerThan: 3).version == 6)
    #expect(other.asked == [.init(Self.id)])
  }

  @Test("A wait that is not wanted any more ends soon, and the stream stays")
  func unwanted() throws {
    let scene = Scene()
    scene.streams.scripts = [.success([Self.overview(3)])]
    var count = 0
    let start = scene.world.clock.now
    _ = try scene.player.match(Self.id, newerThan: 3) {
      count += 1
      return count < 5
    }
    #expect(scene.world.clock.now.microseconds(since: start) == 1_000_000)
    #expect(scene.streams.closedCount == 0)
  }

  @Test("A stream that breaks is opened anew and signed anew, and nothing is missed")
  func broken() throws {
    let scene = Scene()
    scene.streams.scripts = [
      .success([Self.overview(3), .ends(12)]), .success([Self.overview(4)]),
    ]
    scene.plan = [(scene.after(12), 4)]
    let start = scene.world.clock.now
    #expect(try scene.player.match(Self.id, newerThan: 3).version == 4)
    #expect(scene.world.clock.now == start.adding(seconds: 12))
    #expect(Set(scene.streams.queries.map(\.id)).count == 2)
    #expect(scene.streams.closedCount == 1)
  }

  // Failure: PlayerBus.changes: There is no stream of changes now. A query waits instead, and the
  //   stream is tried again later.
  @Test(
    "Without a stream a query waits as over AMQP; the stream is tried again, and ever less often")
  func fallback() throws {
    let scene = Scene()
    for _ in 0..<40 { #expect(try scene.player.match(Self.id, newerThan: 3).version == 3) }
    let asked = scene.asked
    #expect(asked.count == 40 && asked.allSatisfy { $0.newerThan == 3 })
    let openings = scene.streams.openings
    #expect((5...25).contains(openings.count))
    scene.streams.scripts = [.success([Self.overview(3), Self.news(1, 4)])]
    scene.world.clock.advance(seconds: 60)
    scene.plan = [(scene.after(0), 4)]
    #expect(try scene.player.match(Self.id, newerThan: 3).version == 4)
    #expect(scene.streams.openings.count == openings.count + 1)
  }

  @Test("A query that has opened a stream opens no other one: the next one is signed anew")
  func alreadyUsed() throws {
    let scene = Scene()
    scene.streams.scripts = [
      .failure(.refused("alreadyUsed")), .success([Self.overview(3), Self.news(1, 4)]),
    ]
    #expect(try scene.player.match(Self.id, newerThan: 3).version == 3)
    scene.world.clock.advance(seconds: 60)
    scene.plan = [(scene.after(0), 4)]
    #expect(try scene.player.match(Self.id, newerThan: 3).version == 4)
    #expect(Set(scene.streams.queries.map(\.id)).count == 2)
  }

  @Test(
    "A stream that is refused for the time is signed by the right time; other refusals fall back")
  func refusals() throws {
    let scene = Scene()
    let wrong = scene.world.clock.now.adding(seconds: 10_800)
    let answer = scene.world.desk.answer
    scene.world.desk.answer = { query in
      query.kind == .serviceInfo
        ? AnswerCodec.encode(ServiceInfo.test(now: wrong), query: query.id) : answer(query)
    }
    scene.streams.refusals = [.expired(serviceTime: wrong)]
    scene.streams.scripts = [.success([Self.overview(3), Self.news(1, 4)])]
    scene.plan = [(scene.after(1), 4)]
    #expect(try scene.player.match(Self.id, newerThan: 3).version == 4)
    let times = scene.streams.queries.map(\.id.time)
    #expect(times.count == 2 && times[1].microseconds(since: times[0]) > 10_000_000_000)

    let limited = Scene()
    limited.streams.refusals = [.rateLimited(retryAfterSeconds: 40)]
    #expect(try limited.player.match(Self.id, newerThan: 3).version == 3)
    #expect(limited.asked == [.init(Self.id, newerThan: 3)])
  }
}
