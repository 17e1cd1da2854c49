import Dispatch
import Foundation
import MatchCore
import MatchInterfaces
import MatchWire
import Synchronization
import SystemCalls

/// A stream of changes by HTTP, from its opening to its end. News that nobody has taken yet are
/// kept, of each thing the latest only.
final class ChangeFeed: GatewayLine.Receiver {
  /// A gateway sends a line every 15 s at least.
  static let silenceLimit = Duration.seconds(45)
  /// The most matches with news that nobody has taken: more are no honest gateway's.
  static let matchLimit = 2 * Overview.matchLimit

  private struct State {
    var head: HTTPHead?
    var parser = EventStreamParser()
    var inbox = ChangeInbox()
    /// The body of an answer that is no stream.
    var answer: [UInt8] = []
    var heardAt = MonotonicClock.now
    var end: String?

    /// That nothing was heard for too long.
    var silence: String? {
      let silent = Duration.nanoseconds(Int64(clamping: MonotonicClock.now &- heardAt))
      guard silent > ChangeFeed.silenceLimit else { return nil }
      return "nothing was heard for \(silent.components.seconds) s"
    }
  }

  private let state = Mutex(State())
  private let semaphore = DispatchSemaphore(value: 0)

  /// Whether the stream is there, or what came instead; nil while nothing is known.
  enum Opening {
    case stream
    case answered(HTTPAnswer)
    case failed(String)
  }

  var opening: Opening? {
    state.withLock { state in
      if let head = state.head, head.isEventStream { return .stream }
      guard let end = state.end else { return nil }
      guard let head = state.head, end == ChangeFeed.complete else { return .failed(end) }
      return .answered(HTTPAnswer(head: head, body: state.answer))
    }
  }

  private static let complete = "it has ended"

  /// Waits until something new has happened.
  /// - Returns: Whether anything has.
  func wait(until deadline: UInt64) -> Bool {
    let now = MonotonicClock.now
    let rest = deadline > now ? deadline - now : 0
    return semaphore.wait(timeout: .now() + .nanoseconds(Int(clamping: rest))) == .success
  }

  /// - Throws: The reason of the end, once all news were taken.
  func next(_ timeout: Duration) throws(BusError) -> ChangeStream.News? {
    let deadline = MonotonicClock.now.advanced(by: timeout)
    while true {
      let (news, end) = state.withLock { state in
        let news = state.inbox.take()
        return (news, news == nil ? state.end ?? state.silence : nil)
      }
      if let news { return news }
      if let end { throw .disconnected("the stream of changes broke: \(end)") }
      guard wait(until: deadline) else { return nil }
    }
  }

  func receive(_ head: HTTPHead) -> Bool {
    change { $0.head = head }
    return true
  }

  func receive(_ bytes: Data) -> Bool {
    change { state in
      state.heardAt = MonotonicClock.now
      guard state.head?.isEventStream == true else {
        guard state.answer.count + bytes.count <= GatewayLine.answerLimit else {
          state.end = "its answer is too large"
          return
        }
        state.answer += bytes
        return
      }
      guard let events = state.parser.take(bytes) else {
        state.end = "an event is larger than \(EventStreamParser.eventLimit) bytes"
        return
      }
      for event in events where state.end == nil {
        state.end = state.inbox.put(event)
      }
    }
    return state.withLock { $0.end == nil }
  }

  func finish(_ end: GatewayLine.End) {
    change { state in
      switch end {
      case .complete: state.end = state.end ?? ChangeFeed.complete
      case .broken(let reason, _): state.end = state.end ?? reason
      }
    }
  }

  /// The reader wants no more.
  func close() { change { $0.end = $0.end ?? "it was closed" } }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    semaphore.signal()
  }
}

extension HTTPHead {
  var isEventStream: Bool { status == 200 && mediaType == "text/event-stream" }
}

extension UInt64 {
  /// A time in nanoseconds, later by so long.
  fileprivate func advanced(by duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = Swift.min(Swift.max(duration, .zero), .seconds(86_400)).components
    return self &+ UInt64(seconds) &* 1_000_000_000 &+ UInt64(attoseconds / 1_000_000_000)
  }
}

/// News that nobody has taken yet.
struct ChangeInbox: Sendable {
  private var overview: Overview?
  private var versions: [MatchID: Int64] = [:]
  private var order: [MatchID] = []

  /// Takes an event of the stream in. Those that this build does not know are ignored.
  /// - Returns: Why the stream is over; nil: it goes on.
  mutating func put(_ event: EventStreamParser.Event) -> String? {
    let decoder = JSONDecoder()
    switch event.name {
    case "overview":
      guard let new = try? decoder.decode(Overview.self, from: Data(event.data)) else {
        return "an overview cannot be read"
      }
      overview = new
    case "match":
      guard let new = try? decoder.decode(Overview.Version.self, from: Data(event.data)) else {
        return "the version of a match cannot be read"
      }
      if versions[new.match] == nil { order.append(new.match) }
      guard order.count <= ChangeFeed.matchLimit else { return "it tells of too many matches" }
      versions[new.match] = max(versions[new.match] ?? new.version, new.version)
    case "end": return "the gateway ends it"
    default: break
    }
    return nil
  }

  mutating func take() -> ChangeStream.News? {
    if let overview {
      self.overview = nil
      return .overview(overview)
    }
    guard !order.isEmpty else { return nil }
    let match = order.removeFirst()
    return versions.removeValue(forKey: match).map { .match(.init(match: match, version: $0)) }
  }
}
