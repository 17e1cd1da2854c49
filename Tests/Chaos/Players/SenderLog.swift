package import MatchCore
package import MatchInterfaces
package import MatchWire
import Synchronization

/// The senders' own knowledge: every event they sent, whether the broker confirmed it, and every
/// reply that came.
package final class SenderLog: Sendable {
  /// An event as its sender knows it.
  package struct Line: Sendable {
    package var event: Event
    /// Where it was sent.
    package var slot: Slot
    /// The message as it was sent.
    package var envelope: [UInt8]
    /// Whether the broker may have it.
    package var mayHaveArrived = false
    /// Whether the broker certainly has it.
    package var isConfirmed = false
    /// Every reply that came.
    package var replies: [[UInt8]] = []

    /// Names the event.
    package var key: EventKey { EventKey(player: event.player, event: event.id) }
  }

  fileprivate struct State {
    var lines: [EventKey: Line] = [:]
    /// The events in the order in which they were first sent.
    var order: [EventKey] = []
    /// When an event was first sent, until it is answered.
    var sentAt: [EventKey: UInt64] = [:]
    /// The answers that were waited for longer than ``AnswerWait/limit``.
    var longWaits: [AnswerWait] = []
    var requestCount = 0
    var nackCount = 0
  }

  private let state = Mutex(State())

  /// An empty log.
  package init() {}

  /// All lines in the order of their events.
  package var all: [Line] {
    state.withLock { $0.lines.values.sorted { $0.event.id < $1.event.id } }
  }

  /// How many events were sent.
  package var eventCount: Int { state.withLock { $0.lines.count } }
  /// How often an event was handed to the bus.
  package var requestCount: Int { state.withLock { $0.requestCount } }
  /// How often the broker refused one: its queue was full.
  package var nackCount: Int { state.withLock { $0.nackCount } }

  /// A bus that logs everything that goes through it.
  package func listening(to bus: PlayerBus) -> PlayerBus {
    bus.with {
      $0.request.answer { [self] message, timeout throws(BusError) in
        guard case .events(let slot) = message.destination,
          let key = sent(message.body, to: slot)
        else { return try bus.request(message, timeout) }
        let answer: PlayerAnswer
        do throws(BusError) {
          answer = try bus.request(message, timeout)
        } catch {
          forget(key, after: error)
          throw error
        }
        state.withLock { $0.take(answer, to: key) }
        return answer
      }
    }
  }

  /// The answers that came late, faults or not.
  var longWaits: [AnswerWait] { state.withLock { $0.longWaits } }

  /// A randomly chosen event that the broker has; nil where the chosen one is not known to be
  /// there.
  func confirmed(_ random: UInt64) -> Line? {
    state.withLock { state in
      guard !state.order.isEmpty else { return nil }
      let key = state.order[Int(random % UInt64(state.order.count))]
      return state.lines[key].flatMap { $0.isConfirmed ? $0 : nil }
    }
  }

  private func sent(_ body: [UInt8], to slot: Slot) -> EventKey? {
    guard let signed = try? Envelope.decode(body),
      let event = try? PayloadCodec.decodeEvent(signed.payload)
    else { return nil }
    let line = Line(event: event, slot: slot, envelope: body)
    state.withLock { state in
      state.requestCount += 1
      if state.sentAt[line.key] == nil, state.lines[line.key]?.isAnswered != true {
        state.sentAt[line.key] = uptime()
      }
      guard state.lines[line.key] == nil else { return }
      state.lines[line.key] = line
      state.order.append(line.key)
    }
    return line.key
  }

  /// The broker certainly did not take this attempt. The line stays if an earlier one may have
  /// arrived.
  private func forget(_ key: EventKey, after error: BusError) {
    state.withLock { state in
      if case .refused = error { state.nackCount += 1 }
      if state.lines[key]?.mayHaveArrived == false { state.lines[key] = nil }
    }
  }

  /// Sends every event again that has no answer yet.
  ///
  /// - Parameter limit: When it gives up.
  /// - Returns: Whether every event has an answer now.
  package func settle(
    over bus: PlayerBus, until limit: ContinuousClock.Instant = .now + .seconds(600)
  ) throws(BusError) -> Bool {
    let bus = listening(to: bus)
    var isSettled = true
    for line in all where !line.isAnswered {
      guard ContinuousClock.now < limit else { return false }
      let answer = try bus.request(
        PlayerMessage(destination: .events(line.slot), body: line.envelope), .seconds(3))
      if case .reply(let bytes) = answer, Line.isFinal(bytes) { continue }
      isSettled = false
    }
    return isSettled
  }
}

extension SenderLog.State {
  fileprivate mutating func take(_ answer: PlayerAnswer, to key: EventKey) {
    lines[key]?.take(answer)
    guard let line = lines[key], line.isAnswered, let start = sentAt.removeValue(forKey: key)
    else { return }
    let wait = AnswerWait(
      of: "\(line.event.action.typeName) \(key.event) of player \(key.player)", from: start,
      to: uptime())
    if wait.seconds > AnswerWait.limit { longWaits.append(wait) }
  }
}

extension SenderLog.Line {
  /// The replies that the service keeps.
  package var lastingReplies: [[UInt8]] {
    replies.filter { SenderLog.Line.refusal($0)?.isStored ?? true }
  }

  /// Whether a reply came that says more than that the service is unavailable.
  package var isAnswered: Bool { replies.contains(where: SenderLog.Line.isFinal) }

  fileprivate static func isFinal(_ reply: [UInt8]) -> Bool { refusal(reply) != .unavailable }

  private static func refusal(_ reply: [UInt8]) -> Refusal? {
    guard case .refused(_, _, let refusal)? = (try? ReplyCodec.decode(reply))?.reply else {
      return nil
    }
    return refusal
  }

  fileprivate mutating func take(_ answer: PlayerAnswer) {
    mayHaveArrived = true
    switch answer {
    case .reply(let bytes):
      isConfirmed = true
      replies.append(bytes)
    case .confirmed: isConfirmed = true
    case .unknown, .unanswered: break
    }
  }
}
