import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@Suite("No wish overtakes an earlier one about the same thing")
struct OrderTests {
  /// Two wishes that contradict each other.
  enum Pair: CaseIterable {
    case block, settings, device

    var wishes: [Event.Action] {
      let bob = PlayerKey.bob.player
      return switch self {
      case .block: [.playerBlocked(bob), .playerUnblocked(bob)]
      case .settings:
        [
          .settingsChanged(SettingsChange(reminders: true)),
          .settingsChanged(SettingsChange(reminders: false)),
        ]
      case .device:
        DeviceName("phone").map { phone in
          [
            .deviceRegistered(Device(name: phone, token: nil, permission: .authorized)),
            .deviceRemoved(phone),
          ]
        } ?? []
      }
    }

    static func of(_ action: Event.Action) -> Pair? {
      allCases.first { $0.wishes.contains(action) }
    }
  }

  /// The state after events were handled in that order.
  private static func held(_ events: [Event]) -> [Pair: Event.Action] {
    var held: [Pair: Event.Action] = [:]
    for event in events { Pair.of(event.action).map { held[$0] = event.action } }
    return held
  }

  private static let reasons: [(Desk.LateAnswer, PendingReason)] = [
    (.confirmed, .unanswered), (.unknown, .unknown), (.unavailable, .unavailable),
    (.rateLimited, .rateLimited(retryAfterSeconds: 7)), (.foreign, .foreignReply),
  ]

  /// A start of another program that has no answer yet.
  private static func start(_ world: World) throws -> EventID {
    world.desk.faults = [.replyLost]
    let first = world.player()
    let error = thrown(try first.startMatch(.solo))
    guard case .pending(let event, _)? = error else { throw Missing() }
    return event
  }

  private struct Missing: Error {}

  @Test("The same wish of a program that runs still is another wish, and waits for the first one")
  func running() throws {
    let world = World()
    let other = try Self.start(world)
    world.memory.held = [other]
    // The other program tells its answer while this one waits.
    var looks = 0
    let load = world.store.loadPending
    world.store.loadPending = { () throws(ProfileError) in
      looks += 1
      if looks == 2 { world.memory.pending[other] = nil }
      return try load()
    }
    _ = try world.player().startMatch(.solo)
    #expect(world.desk.handled.count == 2)
    #expect(world.notices.isEmpty && world.memory.pending.isEmpty)
  }

  @Test("A wish behind one of a program that never ends is not sent, and says so")
  func runningForEver() throws {
    let world = World()
    let other = try Self.start(world)
    world.memory.held = [other]
    guard case .earlierPending(let event, _)? = thrown(try world.player().startMatch(.solo)) else {
      Issue.record("it was sent")
      return
    }
    #expect(event.id == other && world.desk.handled.count == 1)
    // Wishes about other things go on, and leave the other program its answer.
    _ = try world.player().startMatch(.random)
    #expect(world.desk.handled.count == 2 && world.memory.pending.keys.contains(other))
  }

  @Test("A program resumes a wish that was left before it began, and none that is left later")
  func onlyEarlier() throws {
    let world = World()
    let player = world.player()
    try player.resumeOnlyEarlier()
    // A program that began at the same time ends without an answer.
    _ = try Self.start(world)
    _ = try player.startMatch(.solo)
    #expect(world.desk.handled.count == 2)
    guard case .answered? = world.notices.last else {
      Issue.record("the other wish was not told: \(world.notices)")
      return
    }
    // One that begins after it has ended is the same wish.
    _ = try Self.start(world)
    let next = world.player()
    try next.resumeOnlyEarlier()
    _ = try next.startMatch(.solo)
    #expect(world.desk.handled.count == 3)
  }

  // Failure: ClientError.earlierPending: An earlier event about the same thing has no reply.
  //   Nothing was sent. Repeat the command.
  @Test(
    "A later wish waits for the answer to any pending earlier one, and holds in the end",
    arguments: Pair.allCases, reasons)
  func waiting(pair: Pair, reason: (answer: Desk.LateAnswer, reason: PendingReason)) throws {
    let world = World()
    let faults = Array(repeating: Desk.Fault.late(reason.answer), count: 4)
    let wishes = pair.wishes
    world.desk.faults = faults
    let first = thrown(try world.player().send(wishes[0]))
    let older = try #require(world.memory.pending.values.first)
    #expect(first == .pending(older.id, reason.reason))
    world.clock.advance(seconds: 60)
    world.desk.faults = faults
    let second = thrown(try world.player().send(wishes[1]))
    #expect(second == .earlierPending(older, reason.reason))
    #expect(second?.description.contains("\(older.madeAt) (event \(older.id))") == true)
    #expect(Array(world.memory.pending.keys) == [older.id])
    // The events that waited in the broker come only now.
    world.desk.handleQueued()
    world.desk.faults = []
    _ = try world.player().send(wishes[1])
    world.desk.handleQueued()
    #expect(Self.held(world.desk.handled) == [pair: wishes[1]])
    #expect(world.memory.pending.isEmpty)
  }

  @Test("The later of two wishes of a former program is sent only after the earlier one's answer")
  func left() throws {
    let world = World()
    let player = world.player()
    var events: [PendingEvent] = []
    for action in Pair.block.wishes {
      world.clock.advance(seconds: 1)
      world.desk.faults = Array(repeating: .late(.confirmed), count: 4)
      _ = thrown(try player.send(action))
      events += world.memory.pending.values
      world.memory.pending = [:]
    }
    for event in events { world.memory.pending[event.id] = event }
    world.desk.queued = []
    world.desk.messages = []
    world.desk.faults = Array(repeating: .late(.confirmed), count: 4)
    try world.player().resendPending()
    #expect(world.desk.messages.map(\.event?.id) == [events[0].id])
    #expect(
      world.notices == [
        .stillPending(events[0], .unanswered), .stillPending(events[1], .behind(events[0].id)),
      ])
    // The earlier wish, wished again, comes after the later one.
    world.desk.faults = []
    _ = try world.player().send(Pair.block.wishes[0])
    #expect(world.desk.handled.map(\.action) == Pair.block.wishes + [Pair.block.wishes[0]])
  }

  @Test("Wishes about other things go on meanwhile")
  func others() throws {
    let world = World()
    world.desk.faults = Array(repeating: .late(.unavailable), count: 4)
    _ = thrown(try world.player().send(.playerBlocked(PlayerKey.bob.player)))
    world.clock.advance(seconds: 60)
    world.desk.faults = Array(repeating: .late(.unavailable), count: 4)
    _ = try world.player().startMatch(.random)
    #expect(world.desk.handled.count == 1)
    #expect(world.memory.pending.count == 1)
  }

  @Test("A turn goes out behind a pending answer to the turn before, and both arrive in order")
  func turnBehindReaction() throws {
    let world = World()
    let view = MatchView.test(id: MatchID(rawValue: 0xabc))
    world.desk.faults = Array(repeating: .late(.confirmed), count: 9)
    #expect(thrown(try world.player().react(with: "CAT", in: view)) != nil)
    let removals = ["222", "212"].compactMap { Cube(notation: $0).map { Move.removal($0) } }
    world.clock.advance(seconds: 60)
    #expect(thrown(try world.player().play(removals, in: view)) != nil)
    #expect(world.memory.pending.count == 2)
    world.desk.handleQueued()
    #expect(
      world.desk.handled.map(\.action) == [
        .reacted(view.id, turn: 1, word: "CAT"),
        .turnPlayed(
          view.id, Turn(number: view.turn, previous: view.previous, moves: removals)),
      ])
    world.desk.faults = []
    try world.player().resendPending()
    #expect(world.memory.pending.isEmpty)
  }

  @Test(
    "The wish told as done last holds after any loss, delay or kill, in any order",
    arguments: 0..<300)
  func anything(seed: UInt64) throws {
    let world = World(seed: seed)
    let random = Randomness.seeded(seed &+ 5_000)
    var told: [Pair: Event.Action] = [:]
    var noticed = 0
    func listen() {
      for notice in world.notices[noticed...] {
        guard case .answered(let event, .accepted) = notice else { continue }
        Pair.of(event.event.action).map { told[$0] = event.event.action }
      }
      noticed = world.notices.count
    }
    for _ in 0..<12 {
      world.clock.advance(seconds: Int64(random.next() % 90) + 1)
      world.desk.faults = (0..<Int(random.next() % 9)).map { _ in Self.fault(random) }
      world.store = ReliabilityTests.crashing(world.memory, random)
      let pair = Pair.allCases[Int(random.next() % 3)]
      let wish = pair.wishes[Int(random.next() % 2)]
      let error = thrown(try world.player().send(wish))
      listen()
      if error == nil { told[pair] = wish }
      world.memory.isLocked = false
      if random.next() % 3 == 0 { world.desk.handleQueued { Self.shuffled($0, random) } }
    }
    world.store = world.memory.store
    world.desk.faults = []
    try world.player().resendPending()
    listen()
    world.desk.handleQueued { Self.shuffled($0, random) }
    #expect(world.memory.pending.isEmpty, "seed \(seed)")
    #expect(Self.held(world.desk.handled) == told, "seed \(seed)")
  }

  private static func fault(_ random: Randomness) -> Desk.Fault {
    let faults: [Desk.Fault] =
      [
        .replyLost, .confirmedOnly, .lost, .broken(.disconnected("")), .broken(.refused("")),
        .unavailable, .bytes([]),
      ] + Desk.LateAnswer.allCases.map { .late($0) }
    return faults[Int(random.next() % UInt64(faults.count))]
  }

  private static func shuffled(
    _ messages: [PlayerMessage], _ random: Randomness
  ) -> [PlayerMessage] {
    var messages = messages
    for index in messages.indices.reversed() {
      messages.swapAt(index, Int(random.next() % UInt64(index + 1)))
    }
    return messages
  }
}
