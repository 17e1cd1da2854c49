import EventBusLive
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Synchronization
import Testing

/// What senders know themselves: every event they sent, whether the broker confirmed it, and every
/// reply that came.
final class SenderLog: Sendable {
  struct Line: Sendable {
    var event: Event
    var slot: Slot
    var envelope: [UInt8]
    var mayHaveArrived = false
    var isConfirmed = false
    var replies: [[UInt8]] = []

    var key: EventKey { EventKey(player: event.player, event: event.id) }
  }

  private let lines = Mutex<[EventKey: Line]>([:])

  /// All lines in the order of their events.
  var all: [Line] { lines.withLock { $0.values.sorted { $0.event.id < $1.event.id } } }

  /// A bus that writes down what goes through it.
  func listening(to bus: PlayerBus) -> PlayerBus {
    PlayerBus(
      request: { [self] message, timeout throws(BusError) in
        guard case .events(let slot) = message.destination,
          let key = sent(message.body, to: slot)
        else { return try bus.request(message, timeout) }
        let answer: PlayerAnswer
        do throws(BusError) {
          answer = try bus.request(message, timeout)
        } catch {
          // The broker certainly does not have it: it was not sent, unless it was before.
          lines.withLock { lines in
            if lines[key]?.mayHaveArrived == false { lines[key] = nil }
          }
          throw error
        }
        lines.withLock { lines in
          lines[key]?.mayHaveArrived = true
          switch answer {
          case .reply(let bytes):
            lines[key]?.isConfirmed = true
            lines[key]?.replies.append(bytes)
          case .confirmed: lines[key]?.isConfirmed = true
          case .unknown: break
          }
        }
        return answer
      }, close: bus.close)
  }

  private func sent(_ body: [UInt8], to slot: Slot) -> EventKey? {
    guard let signed = try? Envelope.decode(body),
      let event = try? PayloadCodec.decodeEvent(signed.payload)
    else { return nil }
    let line = Line(event: event, slot: slot, envelope: body)
    lines.withLock { lines in
      if lines[line.key] == nil { lines[line.key] = line }
    }
    return line.key
  }

  /// Sends everything again that has no lasting answer yet, until it has one.
  func settle(in lab: ServiceLab) throws {
    let bus = listening(
      to: .live(try BrokerAddress(url: lab.playersURL), clock: .live, log: ServiceLab.log))
    defer { bus.close() }
    for line in all where line.lastingReplies.isEmpty {
      try waitUntil("\(line.event.action.typeName) is answered") {
        let answer = try bus.request(
          PlayerMessage(destination: .events(line.slot), body: line.envelope), .seconds(3))
        if case .reply(let bytes) = answer { return Line.isLasting(bytes) }
        return false
      }
    }
  }

  /// Compares what senders know with what the service holds; a failure names the seed of the run.
  func verify(in lab: ServiceLab, seed: UInt64) throws {
    let stored = try lab.replies()
    let lines = all
    for line in lines {
      let replies = Set(line.lastingReplies)
      #expect(replies.count == 1, "seed \(seed): one answer to \(line.event)")
      #expect(stored[line.key]?.reply == replies.first, "seed \(seed): \(line.event)")
    }
    #expect(Set(stored.keys) == Set(lines.map(\.key)), "seed \(seed)")

    // No turn lost or doubled: the records hold the accepted turns, each once, and no others.
    let accepted = try lines.compactMap { line -> EventID? in
      guard case .turnPlayed = line.event.action, let reply = line.lastingReplies.first,
        case .accepted = try ReplyCodec.decode(reply).reply
      else { return nil }
      return line.event.id
    }
    let records = try lab.looking { store in
      try store.stored(store.matches(nil, 100_000)).values.flatMap(\.record)
    }
    let recorded = records.compactMap { entry -> EventID? in
      guard case .event(let event)? = try? PayloadCodec.decodeContent(entry.signed.payload),
        case .turnPlayed = event.action
      else { return nil }
      return event.id
    }
    #expect(recorded.sorted() == accepted.sorted(), "seed \(seed)")

    // No push job missing or extra, and none handed over twice.
    #expect(try lab.violations() == [], "seed \(seed)")
    let taken = lab.pushes.taken.map(\.id)
    #expect(taken.count == Set(taken).count, "seed \(seed): a push job was handed over twice")
  }
}

extension SenderLog.Line {
  /// The replies that the service keeps.
  var lastingReplies: [[UInt8]] { replies.filter(Self.isLasting) }

  static func isLasting(_ reply: [UInt8]) -> Bool {
    guard let decoded = try? ReplyCodec.decode(reply) else { return true }
    return decoded.reply.refusal?.isStored ?? true
  }
}
