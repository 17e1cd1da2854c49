import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@Suite("Refusals of the service, and hindrances to sending")
struct RefusalTests {
  let world = World()

  // Failure: ClientError.refused: The service refused the event with a name from the first table.
  //   The program forgets the event.
  @Test(
    "A refusal is final: the event is forgotten, and the error carries name, sentence and values")
  func final() throws {
    world.desk.judge = { _ in .refused(.turnLimitInvalid(3)) }
    let error = thrown(try world.player().startMatch(.random))
    let refusal = Refusal.turnLimitInvalid(3)
    #expect(
      error == .refused(name: "turnLimitInvalid", message: refusal.message, refusal: refusal))
    #expect(error?.description == refusal.message)
    #expect(world.memory.pending.isEmpty)
    #expect(world.memory.journal.last?.refusal == "turnLimitInvalid")
  }

  @Test("A refusal that this build does not know is told in the service's words")
  func unknownRefusal() throws {
    world.desk.judge = { _ in .refused(.seatTaken) }
    var bus = world.desk.bus
    let request = bus.request
    bus.request.answer { message, timeout throws(BusError) in
      guard case .reply(let bytes) = try request(message, timeout) else { return .unknown }
      let text = String(decoding: bytes, as: UTF8.self)
      return .reply(Array(text.replacing("seatTaken", with: "moonTaken").utf8))
    }
    let error = thrown(try world.player(bus: bus).startMatch(.random))
    #expect(
      error == .refused(name: "moonTaken", message: Refusal.seatTaken.message, refusal: nil))
    #expect(error?.isFinal == true)
    #expect(world.memory.pending.isEmpty)
  }

  @Test(
    "A player with too many events is told how long to wait; the event is kept and counts once"
  )
  func rateLimited() throws {
    world.desk.judge = { _ in
      .refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: 3))
    }
    let error = thrown(try world.player().startMatch(.random))
    let kept = try #require(world.memory.pending.keys.first)
    #expect(error == .pending(kept, .rateLimited(retryAfterSeconds: 3)))
    #expect(error?.description.contains("may go on in 3 s") == true)
    #expect(world.desk.messages.count == 1, "asking again at once would not help")
    world.desk.judge = Desk.standard
    _ = try world.player().startMatch(.random)
    #expect(world.desk.handled.map(\.id) == [kept])
    #expect(world.memory.pending.isEmpty)
  }

  @Test("A player with too many matches is refused for good: a later wish is a new event")
  func tooManyMatches() throws {
    let refusal = Refusal.rateLimited(.runningMatches, retryAfterSeconds: nil)
    world.desk.judge = { _ in .refused(refusal) }
    let error = thrown(try world.player().startMatch(.random))
    #expect(error == .refused(name: "rateLimited", message: refusal.message, refusal: refusal))
    #expect(error?.isFinal == true)
    #expect(world.memory.pending.isEmpty)
  }

  @Test("An event for the wrong slot is refused for good")
  func wrongSlot() throws {
    world.desk.judge = { _ in .refused(.wrongSlot(expected: 3)) }
    let error = thrown(try world.player().startMatch(.random))
    guard case .refused("wrongSlot", _, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(world.memory.pending.isEmpty)
  }

  // Failure: ClientError.clockSkewed: The service refuses for the time although the client goes by
  //   the service's clock. The message names the difference of this machine's clock.
  @Test("A clock that is ahead is named with its error, and the next attempt is a new event")
  func clockAhead() throws {
    let serviceTime = world.clock.now.adding(seconds: -600)
    world.desk.judge = { _ in .refused(.clockAhead(serviceTime: serviceTime)) }
    let error = thrown(try world.player().startMatch(.random))
    #expect(error == .clockSkewed(aheadSeconds: 600, serviceTime: serviceTime))
    #expect(error?.description.contains("600 s ahead of") == true)
    #expect(world.memory.pending.isEmpty)

    world.clock.advance(seconds: -600)
    world.desk.judge = Desk.standard
    _ = try world.player().startMatch(.random)
    #expect(Set(world.desk.messages.filter { $0.destination != .queries }).count == 2)
  }

  @Test("A pending event that was refused for its clock does not stand in the way of a new one")
  func staleComplaint() throws {
    world.desk.faults = [.confirmedOnly]
    _ = thrown(try world.player().startMatch(.random))
    let old = try #require(world.memory.pending.keys.first)
    world.desk.judge = { event in
      event.id == old ? .refused(.clockAhead(serviceTime: .noon)) : Desk.standard(event)
    }
    _ = try world.player().startMatch(.random)
    #expect(world.desk.handled.count == 2)
    #expect(world.desk.handled.first?.id == old)
    #expect(world.desk.handled.last?.id != old)
  }

  @Test("An event older than 7 days is dropped with a word and never sent")
  func tooOld() throws {
    world.desk.faults = [.lost]
    _ = thrown(try world.player().startMatch(.random))
    let old = try #require(world.memory.pending.values.first)
    world.clock.advance(seconds: 7 * 86_400 + 1)
    // Without the service's time nothing is given up.
    world.desk.faults = [.broken(.disconnected("away")), .broken(.disconnected("away"))]
    _ = thrown(try world.player().resendPending())
    #expect(world.memory.pending.count == 1)
    let now = world.clock.now
    world.desk.answer = { AnswerCodec.encode(ServiceInfo.test(now: now), query: $0.id) }
    try world.player().resendPending()
    #expect(world.notices.last == .dropped(old))
    #expect(world.desk.messages.count { $0.destination != .queries } == 1)
    #expect(world.memory.pending.isEmpty)
    #expect(world.memory.journal.last?.what == .dropped)
  }

  @Test("An event of exactly 7 days is sent still")
  func barelyYoung() throws {
    world.desk.faults = [.lost]
    _ = thrown(try world.player().startMatch(.random))
    world.clock.advance(seconds: 7 * 86_400)
    try world.player().resendPending()
    #expect(world.desk.handled.count == 1)
  }

  @Test("Nothing new is kept while a pending event cannot be sent")
  func unreachable() throws {
    world.desk.faults = [.lost, .broken(.notPermitted("wrong password"))]
    _ = thrown(try world.player().startMatch(.random))
    let error = thrown(try world.player().startMatch(.solo))
    #expect(error == .unreachable(.notPermitted("wrong password")))
    #expect(world.memory.pending.values.map(\.intent) == [Intent(.matchRequested(.random))])
  }

  @Test("A full queue does not keep other events from being sent")
  func full() throws {
    world.desk.faults = [.lost, .broken(.refused("full"))]
    _ = thrown(try world.player().startMatch(.random))
    let old = try #require(world.memory.pending.values.first)
    _ = try world.player().startMatch(.solo)
    #expect(world.notices == [.stillPending(old, .bus(.refused("full")))])
    #expect(world.desk.handled.count == 1)
  }

  @Test("Nothing is sent if another program holds the lock for too long")
  func lockHeld() {
    world.memory.isLocked = true
    let player = world.player(bus: .failing)
    let error = thrown(try player.startMatch(.random))
    #expect(error == .profile(.lockHeld(processID: nil)))
    #expect(world.clock.waits.reduce(.zero, +) == player.patience.lock)
    #expect(world.memory.pending.isEmpty)
  }

  @Test("A lock that another program holds for a moment is waited for")
  func lockHeldForAMoment() throws {
    var refusals = 3
    let lock = world.store.lock
    world.store.lock = { () throws(ProfileError) in
      refusals -= 1
      guard refusals < 0 else { throw .lockHeld(processID: 42) }
      return try lock()
    }
    _ = try world.player().startMatch(.random)
    #expect(world.clock.waits.count == 3)
  }

  @Test("A program that only asks does not wait for a program that sends")
  func lockHeldWhileAsking() throws {
    world.memory.isLocked = true
    try world.player(bus: .failing).resendPending()
    #expect(world.clock.waits.isEmpty)
  }

  @Test("A pending file that cannot be read is named")
  func damaged() throws {
    world.store.loadPending = { PendingEvents(events: [], damaged: ["x.json.bad"]) }
    try world.player(bus: .failing).resendPending()
    #expect(world.notices == [.damaged(file: "x.json.bad")])
  }

  // Failure: ProfileStore.journal: The player is told once.
  @Test("A journal that cannot be written hinders nothing, and is named")
  func journal() throws {
    let full = ProfileError.notAccessible(path: "journal.jsonl", reason: "disk full")
    world.store.journal = { _ throws(ProfileError) in throw full }
    _ = try world.player().startMatch(.random)
    #expect(world.notices == [.journalFailed(full), .journalFailed(full)])
  }

  // Failure: ClientError.profile: The profile's folder failed, see below.
  @Test("An event that cannot be kept is not sent")
  func diskFull() {
    let full = ProfileError.notAccessible(path: "pending", reason: "disk full")
    world.store.savePending = { _ throws(ProfileError) in throw full }
    let player = world.player(bus: .failing)
    let error = thrown(try player.startMatch(.random))
    #expect(error == .profile(full))
  }

  @Test("A player with an unknown key is told to register")
  func notRegistered() {
    world.desk.judge = { _ in .refused(.notRegistered) }
    let error = thrown(try world.player().startMatch(.random))
    #expect(error == .notRegistered)
    #expect(world.memory.pending.isEmpty)
  }
}
