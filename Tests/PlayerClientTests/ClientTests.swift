// swift-format-ignore-file: NeverForceUnwrap
import CubePlay
import Dispatch
import Foundation
import MatchCore
import MatchInterfaces
import MatchWire
import Synchronization
import Testing

@testable import PlayerClient

@Suite("The client of a maker's program")
struct ClientTests {
  static func client(
    _ world: World, changes: (@Sendable ([UInt8]) throws(BusError) -> ChangesAnswer)? = nil
  ) -> CubistClient {
    // SAFETY: a world is used by one client, on its thread, while the test waits.
    nonisolated(unsafe) let world = world
    return CubistClient(
      store: { world.memory.store }, clock: .live, randomness: world.randomness,
      makeBus: {
        var bus = world.desk.bus
        if let changes {
          bus.answerChanges { bytes, _ throws(BusError) in try changes(bytes) }
        }
        return bus
      })
  }

  @Test("A new player registers, starts and plays; calls of many tasks follow each other")
  func acts() async throws {
    let world = World(pinned: false)
    world.memory.key = nil
    world.desk.answer = { query in
      switch query.kind {
      case .serviceInfo:
        AnswerCodec.encode(ServiceInfo.test(now: WallClock.live.now()), query: query.id)
      case .match(let match): AnswerCodec.encode(MatchView.test(id: match.match), query: query.id)
      default: AnswerCodec.encode(HomeView.empty, query: query.id)
      }
    }
    let client = Self.client(world)
    await #expect(throws: ClientError.notRegistered) { try await client.home() }
    #expect(try await client.register(as: .ann) == .ann)
    #expect(world.memory.key != nil)
    let start = try await client.startMatch(.random)
    let view = try await client.match(start.ticket.match)
    let best = try await client.bestTurn(in: view)
    let ways = try await client.ways(toSpell: best.word, in: view)
    #expect(ways.contains { $0.score == best.score })
    let receipt = try await client.play(best.moves, in: view)
    #expect(receipt.match == view.id)
    await #expect(throws: (any Error).self) { try await client.ways(toSpell: "xyzzy", in: view) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { _ = try await client.home() } }
      try await group.waitForAll()
    }
    #expect(world.memory.pending.isEmpty)
    #expect(world.desk.handled.count == 3)
  }

  @Test("An event without an answer is pending, and the next client sends it first")
  func pending() async throws {
    let world = World()
    let first = Self.client(world)
    world.desk.faults = [.replyLost]
    await #expect(throws: ClientError.self) { try await first.startMatch(.random) }
    let kept = try #require(world.memory.pending.keys.first)
    let second = Self.client(world)
    _ = try await second.startMatch(.random)
    #expect(world.desk.handled.map(\.id) == [kept] && world.memory.pending.isEmpty)
  }

  @Test("A reminder of a turn is sent")
  func nudge() async throws {
    let world = World()
    try await Self.client(world).nudge(MatchID(rawValue: 1), turn: 3)
    #expect(
      world.desk.handled.map(\.action) == [
        .nudged(Event.Nudged(match: MatchID(rawValue: 1), turn: 3))
      ])
  }

  @Test("Changes come as they are told; a broken stream is opened anew and told of")
  func changes() async throws {
    let world = World()
    let script = Script([
      [.overview(Self.overview(["1": 3], settings: "a")), .match(Self.version("1", 4))],
      [.overview(Self.overview(["1": 9], settings: "b"))],
    ])
    let client = Self.client(world) { _ throws(BusError) in try script.open() }
    var seen: [Change] = []
    for try await change in client.changes {
      seen.append(change)
      if seen.count == 4 { break }
    }
    #expect(
      seen == [
        .overview(Self.overview(["1": 3], settings: "a")),
        .match(MatchID(rawValue: 1), version: 4), .disconnected,
        .overview(Self.overview(["1": 9], settings: "b")),
      ])
    // A task that is cancelled ends its iteration.
    let task = Task {
      var count = 0
      for try await _ in client.changes { count += 1 }
      return count
    }
    for await number in script.opened where number == 4 { break }
    task.cancel()
    _ = try await task.value
  }

  @Test("A player that the service does not know ends the changes with that error")
  func unknown() async throws {
    let client = Self.client(World()) { _ throws(BusError) in
      .answer(AnswerCodec.encode(refusal: .notRegistered, query: nil))
    }
    var iterator = client.changes.makeAsyncIterator()
    await #expect(throws: ClientError.notRegistered) { try await iterator.next() }
  }

  @Test("Only news are told: no older version, nothing twice")
  func tracker() {
    var tracker = ChangeTracker()
    let first = Self.overview(["1": 3, "2": 1], settings: "a")
    #expect(tracker.changes(by: .overview(first)) == [.overview(first)])
    #expect(tracker.changes(by: .match(Self.version("1", 3))) == [])
    #expect(
      tracker.changes(by: .match(Self.version("1", 5))) == [.match(.init(rawValue: 1), version: 5)])
    #expect(
      tracker.changes(by: .match(Self.version("3", 1))) == [.match(.init(rawValue: 3), version: 1)])
    // An overview that is older than the last news, with other settings.
    #expect(
      tracker.changes(by: .overview(Self.overview(["1": 4, "2": 2], settings: "b")))
        == [.match(.init(rawValue: 2), version: 2), .settings])
    #expect(tracker.changes(by: .match(Self.version("1", 5))) == [])
    var inbox = Self.overview(["1": 5], settings: "b")
    inbox.inbox = .init(id: PushJobID.test, sentAt: .noon)
    #expect(tracker.changes(by: .overview(inbox)) == [.inbox(inbox.inbox)])
    #expect(tracker.end() == [.disconnected])
    #expect(tracker.end() == [])
    #expect(tracker.changes(by: .overview(first)) == [.overview(first)])
  }

  /// The first stream breaks after its news, the second opening finds nobody, later ones stay.
  final class Script: Sendable {
    private let feeds: Mutex<[[ChangeStream.News]]>
    private let openings = Mutex(0)
    /// The numbers of the openings, from 1.
    let opened: AsyncStream<Int>
    private let opening: AsyncStream<Int>.Continuation

    init(_ feeds: [[ChangeStream.News]]) {
      self.feeds = Mutex(feeds)
      (opened, opening) = AsyncStream.makeStream(of: Int.self)
    }

    func open() throws(BusError) -> ChangesAnswer {
      let number = openings.withLock { count in
        count += 1
        return count
      }
      opening.yield(number)
      if number == 2 { throw .disconnected("nobody") }
      let closing = DispatchSemaphore(value: 0)
      var left = feeds.withLock { $0.isEmpty ? [] : $0.removeFirst() }
      return .stream(
        ChangeStream(
          next: { timeout throws(BusError) in
            if !left.isEmpty { return left.removeFirst() }
            if number == 1 { throw .disconnected("cut") }
            let wait = min(timeout, .seconds(1)) / .nanoseconds(1)
            _ = closing.wait(timeout: .now() + .nanoseconds(Int(wait)))
            return nil
          }, close: { closing.signal() }))
    }
  }

  static func version(_ match: String, _ version: Int64) -> Overview.Version {
    .init(match: MatchID(rawValue: UInt128(match)!), version: version)
  }

  static func overview(_ matches: [String: Int64], settings: String) -> Overview {
    Overview(
      matches: matches.sorted { $0.key < $1.key }.map { version($0.key, $0.value) }, inbox: nil,
      settings: settings)
  }
}

extension PushJobID {
  static let test = PushJobID(kind: .yourTurn, player: PlayerKey.ann.player) { _ in }
}
