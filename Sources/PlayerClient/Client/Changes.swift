import CubistBasics
public import MatchCore
import MatchInterfaces
public import MatchWire

/// News of what concerns a player: versions, not contents. Fetch what is newer than you have.
public enum Change: Hashable, Sendable {
  /// Everything as it stands. It comes first, and again after each reconnect.
  case overview(Overview)
  /// A match has a new version.
  case match(MatchID, version: Int64)
  /// The newest notification that was not seen is another one; nil: there is none any more.
  case inbox(Overview.Newest?)
  /// Settings, devices or blocked players have changed.
  case settings
  /// The connection is lost, and is being made anew. Nothing is missed: an overview follows.
  case disconnected
}

extension CubistClient {
  /// The changes of what concerns the player, for as long as somebody asks for the next one.
  ///
  /// Each iteration has a connection of its own, which is made anew whenever it breaks. A gateway
  /// allows a player eight. It ends with the task that iterates, or by an error that lasts, such as
  /// `ClientError.notRegistered`.
  public nonisolated var changes: Changes { Changes(client: self) }
}

/// See ``CubistClient/changes``.
public struct Changes: AsyncSequence, Sendable {
  public typealias Element = Change
  public typealias Failure = ClientError

  let client: CubistClient

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(listener: ChangeListener(client))
  }

  public struct AsyncIterator: AsyncIteratorProtocol {
    let listener: ChangeListener

    public mutating func next() async throws(ClientError) -> Change? {
      try await listener.next()
    }

    public mutating func next(
      isolation: isolated (any Actor)?
    ) async throws(ClientError) -> Change? {
      try await listener.next()
    }
  }
}

/// Keeps one stream of changes open, on a thread of its own.
actor ChangeListener {
  /// How long a wait goes on before it looks whether anybody still waits.
  private static let slice = Duration.milliseconds(250)

  private let executor = QueueExecutor("cubist.changes")
  private let client: CubistClient
  private var bus: PlayerBus?
  private var stream: ChangeStream?
  private var tracker = ChangeTracker()
  private var waiting: [Change] = []
  /// Attempts since a stream has lasted.
  private var failures = 0
  private var openedAt: UInt64 = 0
  /// A stream that ends earlier counts as a failure: a newer one of the player may have replaced it,
  /// and would be replaced in turn.
  private static let lasting: UInt64 = 30_000_000_000

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ client: CubistClient) { self.client = client }

  func next() async throws(ClientError) -> Change? {
    while !Task.isCancelled {
      if !waiting.isEmpty { return waiting.removeFirst() }
      guard let stream else {
        try await connect()
        continue
      }
      do throws(BusError) {
        if let news = try stream.next(ChangeListener.slice) {
          waiting += tracker.changes(by: news)
        }
      } catch {
        stream.close()
        self.stream = nil
        if client.clock.uptimeNanoseconds() &- openedAt >= ChangeListener.lasting { failures = 0 }
        waiting += tracker.end()
      }
    }
    stream?.close()
    stream = nil
    return nil
  }

  /// Opens a stream, or waits for the next attempt.
  private func connect() async throws(ClientError) {
    if failures > 0 {
      let backoff = Backoff(first: .milliseconds(500), limit: .seconds(30))
      var rest = backoff.wait(after: failures, random: client.randomness.next())
      while rest > .zero {
        guard !Task.isCancelled else { return }
        client.clock.sleep(min(rest, ChangeListener.slice))
        rest -= ChangeListener.slice
      }
    }
    failures += 1
    do throws(ClientError) {
      let query = try await client.overviewQuery()
      let bus = bus ?? client.makeBus()
      self.bus = bus
      guard let changes = bus.changes else { throw .unreachable(.unroutable("no streams")) }
      let answer: ChangesAnswer
      do throws(BusError) { answer = try changes(query, .seconds(10)) } catch {
        throw .unreachable(error)
      }
      switch answer {
      case .stream(let opened):
        stream = opened
        openedAt = client.clock.uptimeNanoseconds()
      case .answer(let bytes): try await client.hear(refusal: bytes)
      }
    } catch {
      guard !error.isFinal else { throw error }
      waiting += tracker.end()
    }
  }
}

extension CubistClient {
  /// A signed query that opens a stream of changes.
  func overviewQuery() throws(ClientError) -> [UInt8] { try player().overviewQuery() }

  /// The service's answer to a query that should have opened a stream.
  func hear(refusal bytes: [UInt8]) throws(ClientError) { try player().hear(refusal: bytes) }
}

/// Finds the changes between the news of a stream.
struct ChangeTracker: Sendable {
  private var known: Overview?
  private var versions: [MatchID: Int64] = [:]
  private var isLost = false

  /// The stream is over.
  mutating func end() -> [Change] {
    (known, versions) = (nil, [:])
    guard !isLost else { return [] }
    isLost = true
    return [.disconnected]
  }

  mutating func changes(by news: ChangeStream.News) -> [Change] {
    isLost = false
    switch news {
    case .match(let new):
      guard note(new) else { return [] }
      return [.match(new.match, version: new.version)]
    case .overview(let new):
      guard let old = known else {
        keep(new)
        return [.overview(new)]
      }
      var changes: [Change] = []
      for match in new.matches where note(match) {
        changes.append(.match(match.match, version: match.version))
      }
      if new.inbox != old.inbox { changes.append(.inbox(new.inbox)) }
      if new.settings != old.settings { changes.append(.settings) }
      keep(new)
      return changes
    }
  }

  /// Notes a version.
  /// - Returns: Whether it is new.
  private mutating func note(_ new: Overview.Version) -> Bool {
    guard (versions[new.match] ?? .min) < new.version else { return false }
    versions[new.match] = new.version
    return true
  }

  /// Forgets the matches that an overview no longer has, and no version that is newer than its.
  private mutating func keep(_ overview: Overview) {
    known = overview
    versions = overview.matches.reduce(into: [:]) { kept, match in
      kept[match.match] = max(match.version, versions[match.match] ?? .min)
    }
  }
}
