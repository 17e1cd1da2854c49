import CubistBasics
import MatchCore
import MatchInterfaces
import MatchWire

/// The stream of changes of one player, and all that it has told.
final class ChangeWatch {
  var stream: ChangeStream?
  /// The newest version of each match.
  var versions: [MatchID: Int64] = [:]
  /// Streams that failed or were short, one after the other.
  var failures = 0
  /// When the stream was opened, and when another one may be opened, by the clock of intervals.
  var openedAt: UInt64 = 0
  var notBefore: UInt64 = 0

  /// How long a stream has to live so that the next one is opened at once.
  static let soundLife: UInt64 = 10_000_000_000

  func hear(_ news: ChangeStream.News) {
    switch news {
    case .match(let new): versions[new.match] = max(versions[new.match] ?? 0, new.version)
    case .overview(let overview):
      versions = overview.matches.reduce(into: [:]) { known, new in
        known[new.match] = max(versions[new.match] ?? 0, new.version)
      }
    }
  }

  func drop(at now: UInt64, random: UInt64) {
    stream?.close()
    failures = stream != nil && now &- openedAt > ChangeWatch.soundLife ? 0 : failures + 1
    stream = nil
    versions = [:]
    let backoff = Backoff(first: .seconds(1), limit: .seconds(60))
    guard failures > 0 else { return notBefore = now }
    let wait = backoff.wait(after: failures, random: random)
    notBefore = now &+ UInt64(clamping: wait.wholeMilliseconds) &* 1_000_000
  }
}

extension Player {
  /// How long a wait goes on before it asks whether it is still wanted.
  private static let slice = Duration.milliseconds(250)

  /// Waits on the stream for a later version of a match, for 20 s at most.
  func awaited(
    _ match: MatchID, newerThan version: Int64, while isWanted: (() -> Bool)?
  ) throws(ClientError) -> MatchView {
    let start = clock.uptimeNanoseconds()
    while isWanted?() ?? true {
      let rest = patience.news - elapsed(since: start)
      guard rest > .zero else { break }
      if watch.stream == nil {
        guard clock.uptimeNanoseconds() >= watch.notBefore, try openStream(within: rest) else {
          return try asked(match, newerThan: version)
        }
        // The overview leaves out what ended long ago, so that only an answer can tell.
        if watch.versions[match] == nil {
          let view = try self.match(match)
          guard view.version <= version else { return view }
        }
      }
      if let known = watch.versions[match], known > version {
        return try self.match(match, atLeast: known)
      }
      hearNews(within: isWanted == nil ? rest : min(rest, Player.slice))
    }
    return try self.match(match)
  }

  /// Waits by a query, as where there are no streams.
  private func asked(
    _ match: MatchID, newerThan version: Int64
  ) throws(ClientError) -> MatchView {
    try ask(Query.Match(match, newerThan: version), timeout: patience.change)
  }

  private func hearNews(within timeout: Duration) {
    guard let stream = watch.stream else { return }
    do throws(BusError) {
      if let news = try stream.next(timeout) { watch.hear(news) }
    } catch {
      dropStream()
    }
  }

  private func dropStream() {
    watch.drop(at: clock.uptimeNanoseconds(), random: randomness.next())
  }

  /// Opens the stream and waits for its first overview.
  /// - Returns: Whether it is there.
  /// - Throws: What no other way of asking would change.
  private func openStream(within rest: Duration) throws(ClientError) -> Bool {
    let start = clock.uptimeNanoseconds()
    let limit = min(rest, patience.query)
    do throws(BusError) {
      guard let opened = try changeStream(within: limit) else {
        dropStream()
        return false
      }
      watch.stream = opened
      watch.openedAt = start
      if let news = try opened.next(limit - elapsed(since: start)) {
        watch.hear(news)
        return true
      }
    } catch {}
    dropStream()
    return false
  }

  /// A new stream; nil where the service refuses it.
  private func changeStream(within limit: Duration) throws(BusError) -> ChangeStream? {
    guard let changes = bus.changes else { return nil }
    for _ in 1...2 {
      guard let query = try? overviewQuery() else { return nil }
      switch try changes(query, limit) {
      case .stream(let stream): return stream
      case .answer(let bytes):
        guard isExpired(bytes), isMended() else { return nil }
      }
    }
    return nil
  }

  /// A signed query that opens a stream of changes.
  func overviewQuery() throws(ClientError) -> [UInt8] {
    let service = try pinnedService()
    noticeSetClock()
    return signed(Query(service: service, id: newID(), player: player, kind: .overview))
  }

  /// The service refuses to open a stream.
  /// - Throws: The refusal, unless the clock was to blame and is corrected now.
  func hear(refusal bytes: [UInt8]) throws(ClientError) {
    guard let (_, answer) = try? AnswerCodec.decode(bytes, as: Overview.self) else {
      throw .unreadable(.malformed("a refusal of changes"))
    }
    guard case .refused(let name, let message, let refusal) = answer else { return }
    if case .expired? = refusal, isMended() { return }
    throw error(name, message, refusal)
  }

  private func isExpired(_ answer: [UInt8]) -> Bool {
    guard
      case .refused(_, _, .expired?)? = try? AnswerCodec.decode(answer, as: Overview.self).answer
    else { return false }
    return true
  }
}
