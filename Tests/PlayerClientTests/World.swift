// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry
import CubeRules
import CubistBasics
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Synchronization

/// A clock that goes only when somebody waits or a test says so.
final class TestClock: Sendable {
  private let microseconds: Mutex<Int64>
  private let slept = Mutex<[Duration]>([])

  init(_ start: Instant = .noon) { microseconds = Mutex(start.microseconds) }

  var now: Instant { Instant(microseconds: microseconds.withLock { $0 }) }
  /// Every wait so far.
  var waits: [Duration] { slept.withLock { $0 } }

  func advance(seconds: Int64) { microseconds.withLock { $0 += seconds * 1_000_000 } }

  var clock: WallClock {
    WallClock(
      now: { self.now },
      uptimeNanoseconds: { UInt64(self.now.microseconds) * 1_000 },
      sleep: { duration in
        self.slept.withLock { $0.append(duration) }
        let (seconds, attoseconds) = duration.components
        self.microseconds.withLock {
          $0 += seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        }
      })
  }
}

extension Instant {
  static let noon = Day("2026-05-01")!.start.adding(seconds: 12 * 3_600)
}

extension Randomness {
  static func seeded(_ seed: UInt64) -> Randomness {
    let state = Shared(seed)
    return Randomness { state.value.withLock { $0.next() } }
  }

  private final class Shared: Sendable {
    let value: Mutex<SplitMix64>
    init(_ seed: UInt64) { value = Mutex(SplitMix64(state: seed)) }
  }
}

extension PlayerKey {
  static let ann = PlayerKey(seed: Array(1...32))!
  static let bob = PlayerKey(seed: Array(2...33))!
}

extension ServiceID {
  static let test = ServiceID(rawValue: 0x5e5e)
}

extension PublicKey {
  static let root = PublicKey(bytes: Array(repeating: 7, count: 32))!
  static let otherRoot = PublicKey(bytes: Array(repeating: 8, count: 32))!
}

extension PlayerName {
  static let ann = PlayerName("Ann")!
  static let bob = PlayerName("Bob")!
}

extension MatchRequest {
  static let random = MatchRequest(opponent: .random, turnLimitSeconds: 86_400)
  static let solo = MatchRequest(opponent: .nobody, turnLimitSeconds: nil)
}

/// One profile in memory, a clock, randomness and a desk: each `player` is a program started anew.
final class World {
  let memory = ProfileMemory(key: .ann)
  let clock = TestClock()
  let randomness: Randomness
  let desk = Desk()
  var notices: [ClientNotice] = []
  /// Replaces the memory's store in the next programs.
  lazy var store = memory.store

  init(seed: UInt64 = 1, pinned: Bool = true) {
    randomness = .seeded(seed)
    if pinned {
      memory.profile = Profile(
        player: PlayerKey.ann.player, name: .ann, service: .test, rootKey: .root)
    }
  }

  func player(bus: PlayerBus? = nil) -> Player {
    let player = Player(
      profile: memory.profile, signer: PlayerKey.ann.signer, bus: bus ?? desk.bus,
      clock: clock.clock, randomness: randomness, store: store)
    player.onNotice = { self.notices.append($0) }
    return player
  }
}

/// The service as a player meets it. It answers an event once and for all, repeats that answer to
/// an event sent again, and fails as it is told.
final class Desk {
  enum Fault {
    /// Handled, but nothing comes back.
    case replyLost
    /// The broker keeps the event; it is handled only when it comes again.
    case confirmedOnly
    /// Never arrives, and nobody knows.
    case lost
    /// Never sent: the broker is gone or takes nothing.
    case broken(BusError)
    /// Not judged.
    case unavailable
    /// These bytes come back.
    case bytes([UInt8])
    /// The event stays in a queue until `handleQueued`. Until then, this comes back.
    case late(LateAnswer)
  }

  /// The answer while an event stays in a queue.
  enum LateAnswer: CaseIterable {
    case confirmed, unknown, unavailable, rateLimited, foreign
  }

  /// Faults of the next requests, in order.
  var faults: [Fault] = []
  /// Everything that was sent and may have arrived.
  var messages: [PlayerMessage] = []
  /// The stored replies.
  var replies: [EventID: [UInt8]] = [:]
  /// The events that counted, in order.
  var handled: [Event] = []
  /// The reply to an event; by default a match or a turn.
  var judge: (Event) -> Reply = Desk.standard
  /// The answer to a query.
  var answer: (Query) -> [UInt8] = { query in
    AnswerCodec.encode(refusal: .unavailable, query: query.id)
  }
  var queries: [Query] = []
  /// The messages that are in a queue and not yet handled.
  var queued: [PlayerMessage] = []

  /// Handles everything in the queue, in the given order, or as it came.
  func handleQueued(_ order: ([PlayerMessage]) -> [PlayerMessage] = { $0 }) {
    for message in order(queued) { _ = handle(message) }
    queued = []
  }

  var bus: PlayerBus {
    var bus = PlayerBus.failing
    bus.request.answer { message, _ throws(BusError) in try self.receive(message) }
    return bus
  }

  private func receive(_ message: PlayerMessage) throws(BusError) -> PlayerAnswer {
    let fault = faults.isEmpty ? nil : faults.removeFirst()
    if case .broken(let error)? = fault { throw error }
    messages.append(message)
    switch fault {
    case .lost?, .broken?: return .unknown
    case .confirmedOnly?: return .confirmed
    case .bytes(let bytes)?: return .reply(bytes)
    case .replyLost?:
      _ = handle(message)
      return .unknown
    case .late(let late)?:
      queued.append(message)
      return answer(late, message)
    case .unavailable?:
      return .reply(
        ReplyCodec.encode(.refused(.unavailable), event: message.event?.id))
    case nil: return .reply(handle(message))
    }
  }

  private func answer(_ late: LateAnswer, _ message: PlayerMessage) -> PlayerAnswer {
    let id = message.event?.id
    let limit = Refusal.rateLimited(.eventsPerMinute, retryAfterSeconds: 7)
    return switch late {
    case .confirmed: .confirmed
    case .unknown: .unknown
    case .unavailable: .reply(ReplyCodec.encode(.refused(.unavailable), event: id))
    case .rateLimited: .reply(ReplyCodec.encode(.refused(limit), event: id))
    case .foreign:
      .reply(ReplyCodec.encode(.refused(.seatTaken), event: EventID(at: .noon, random: 9)))
    }
  }

  private func handle(_ message: PlayerMessage) -> [UInt8] {
    guard let event = message.event else {
      guard let query = message.query else { return [] }
      queries.append(query)
      return answer(query)
    }
    if let stored = replies[event.id] { return stored }
    let reply = judge(event)
    let bytes = ReplyCodec.encode(reply, event: event.id)
    if case .refused(let refusal) = reply, !refusal.isStored { return bytes }
    replies[event.id] = bytes
    handled.append(event)
    return bytes
  }

  static func standard(_ event: Event) -> Reply {
    switch event.action {
    case .playerRegistered(let new): .accepted(.registered(event.player, new.name))
    case .matchRequested:
      .accepted(.matchStarted(.test(MatchID(askedBy: event.player, event: event.id))))
    case .dailyStarted(let wish):
      .accepted(.dailyStarted(.test(MatchID(daily: wish.daily, player: event.player))))
    case .invitationAccepted(let wish): .accepted(.matchJoined(.test(wish.match, seat: 1)))
    case .invitationDeclined(let wish):
      .accepted(.done(.invitationDeclined, wish.match, version: 2))
    case .requestWithdrawn(let wish): .accepted(.done(.withdrawn, wish.match, version: 2))
    case .turnPlayed(let played):
      .accepted(
        .turnAccepted(
          TurnReceipt(
            match: played.match, version: Int64(played.turn.number + 1), turn: played.turn.number,
            scores: [36],
            points: [36, 0], hash: .zero, seatToPlay: 1, outcome: nil)))
    case .reacted(let reaction): .accepted(.done(.reacted, reaction.match, version: 6))
    case .matchForfeited(let wish):
      .accepted(
        .matchEnded(
          wish.match, Outcome(reason: .forfeited, seat: 0, results: [.lost, .won]), points: [1, 2],
          version: 3))
    case .rematchRequested(let wish): .accepted(.done(.rematchOffered, wish.match, version: 4))
    case .rematchDeclined(let wish): .accepted(.done(.rematchDeclined, wish.match, version: 5))
    case .gameShared(let wish):
      ShareCode("ABCD1234").map { .accepted(.gameShared(wish.match, code: $0)) }
        ?? .refused(.unavailable)
    case .settingsChanged, .deviceRegistered, .deviceRemoved, .inboxSeen, .nudged,
      .notificationTested:
      .accepted(.noted)
    case .deviceInvited: .accepted(.deviceInvited(until: Instant.noon.adding(seconds: 600)))
    case .keyAdded:
      PlayerName("Ada").map { .accepted(.keyAdded(event.player, $0)) } ?? .refused(.unavailable)
    case .keyRemoved(let wish): .accepted(.keyRemoved(wish.key))
    case .recoveryKeyNamed, .playerRecovered, .recoveryObjected:
      .accepted(.recoverySet(at: Instant(microseconds: 600_000_000)))
    case .recoveryWithdrawn: .accepted(.noted)
    case .playerBlocked(let wish): .accepted(.playerBlocked(wish.other))
    case .playerUnblocked(let wish): .accepted(.playerUnblocked(wish.other))
    case .reported(let wish): .accepted(.reported(wish.match))
    case .ticked, .deadlinePassed, .recoveryDue, .ruled, .mergeProposed: .refused(.notPermitted)
    }
  }
}

extension MatchTicket {
  static func test(_ match: MatchID, seat: Int = 0) -> MatchTicket {
    MatchTicket(
      match: match, version: 1, seat: seat, letters: String(repeating: "A", count: 81),
      previous: .zero)
  }
}

extension PlayerMessage {
  /// The event in it. Its signature has to be valid and its slot right.
  var event: Event? {
    guard case .events(let slot) = destination, let signed = try? Envelope.decode(body),
      Ed25519.verify(signed, .event), let event = try? PayloadCodec.decodeEvent(signed.payload),
      Slot(of: event) == slot
    else { return nil }
    return event
  }

  /// The query in it. Its signature has to be valid.
  var query: Query? {
    guard destination == .queries, let signed = try? Envelope.decode(body),
      Ed25519.verify(signed, .query)
    else { return nil }
    return try? QueryCodec.decode(signed.payload)
  }
}

/// The error that an act throws; fails the test where it throws nothing.
func thrown<Value>(_ body: @autoclosure () throws(ClientError) -> Value) -> ClientError? {
  do throws(ClientError) {
    _ = try body()
    return nil
  } catch {
    return error
  }
}
