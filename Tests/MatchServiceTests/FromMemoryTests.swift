import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("Turns that are judged from memory")
struct FromMemoryTests {
  /// A worker over a store that keeps matches, replies and versions, as the real one does.
  private static func lab(
    _ given: Given, remembering: Bool = true, _ prepare: (WorkerLab) -> Void = { _ in }
  ) throws -> WorkerLab {
    let lab = WorkerLab(.lookUp, .commit, .abandon, .acknowledge, .publish, .heartbeats)
    lab.settings.judgesFromMemory = remembering
    lab.store.commit.answer { [unowned lab] write throws(StoreError) in
      lab.note(.commit(write))
      for change in write.changes where change.before?.version != version(change, lab) {
        throw .conflict("a match has changed")
      }
      for reply in write.replies where lab.known.replies[reply.key] != nil {
        throw .conflict("an event has been handled")
      }
      for change in write.changes { lab.know(change.after) }
      for reply in write.replies { lab.known.replies[reply.key] = reply.reply }
    }
    prepare(lab)
    lab.know(given.match)
    try lab.settleIn()
    return lab
  }

  private static func version(_ change: MatchChange, _ lab: WorkerLab) -> Int64? {
    lab.known.matches[change.after.id]?.version
  }

  /// A worker that has judged Ann's first turn, so that it remembers the match and both keys, and
  /// the match as it stands.
  private static func warm(_ prepare: (WorkerLab) -> Void = { _ in }) throws -> (WorkerLab, Given) {
    var given = Given.playing
    let lab = try lab(given, prepare)
    for player in [TestPlayer.ann, .bob] {
      let event = player.event(given.turn(given.removals))
      lab.deliver(event, by: player)
      try lab.step()
      given.take(event, by: player)
    }
    #expect(lab.lookups.count == 1)
    lab.forget()
    return (lab, given)
  }

  @Test("A turn in a match that is at hand is committed without a look-up, on every condition")
  func withoutLookUp() throws {
    let (lab, given) = try Self.warm { $0.known.revocationCount = 3 }
    lab.clock.pass(.milliseconds(250))
    lab.deliver(TestPlayer.ann.event(given.turn(given.removals), 2), by: .ann)
    try lab.step()
    #expect(lab.names == ["commit", "acknowledge 3", "publish"])
    let write = try #require(lab.writes.first)
    #expect(write.now == Instant.noon.adding(microseconds: 250_000), "the store's clock goes on")
    #expect(write.revocationCount == 3)
    #expect(write.changes.map(\.before) == [given.match])
    #expect(write.replies.count == 1)
    #expect(write.outbox.count == 1)
  }

  @Test("The store is asked for its clock after a second without one")
  func clockIsOld() throws {
    let (lab, given) = try Self.warm()
    lab.clock.pass(.milliseconds(1_001))
    lab.deliver(TestPlayer.ann.event(given.turn(given.removals), 2), by: .ann)
    try lab.step()
    #expect(lab.names == ["lookUp", "commit", "acknowledge 3", "publish"])
    #expect(lab.lookups.first?.matches == [])
  }

  @Test("A turn that is sent again gets its first reply, and facts that still hold are remembered")
  func sentAgain() throws {
    let (lab, given) = try Self.warm()
    lab.deliver(TestPlayer.ann.event(Given.playing.turn(Given.playing.removals)), by: .ann)
    try lab.step()
    #expect(lab.names == ["lookUp", "abandon", "acknowledge 3", "publish"])
    #expect(lab.published.count == 1)
    guard case .accepted(.turnAccepted)? = lab.replies["Ann"] else {
      Issue.record("refused")
      return
    }
    lab.forget()
    lab.deliver(TestPlayer.ann.event(given.turn(given.removals), 2), by: .ann)
    try lab.step()
    #expect(lab.names.first == "commit")
  }

  @Test("A change behind the worker's back is a conflict, and is looked up")
  func changedMeanwhile() throws {
    let (lab, given) = try Self.warm()
    var other = given
    other.take(TestPlayer.bob.event(.matchForfeited(given.match.id), 9), by: .bob)
    lab.know(other.match)
    lab.deliver(TestPlayer.ann.event(given.turn(given.removals), 2), by: .ann)
    try lab.step()
    #expect(
      lab.names == ["commit", "abandon", "lookUp", "commit", "acknowledge 3", "publish"])
    #expect(lab.replies["Ann"] == .refused(.matchOver(try #require(other.match.outcome))))
    #expect(lab.known.matches[given.match.id] == other.match)
  }

  @Test("An event that comes too soon is refused for that, and counted once")
  func tooSoon() throws {
    let (lab, given) = try Self.warm { $0.settings.limits.eventsPerMinute = 1 }
    lab.deliver(TestPlayer.ann.event(given.turn(given.removals), 2), by: .ann)
    try lab.step()
    #expect(lab.names.first == "lookUp")
    #expect(
      lab.replies["Ann"] == .refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: 60)))
  }

  @Test("Memory decides every event as a look-up does, and spares look-ups")
  func sameAsLookedUp() throws {
    var spared = 0
    for seed in 0..<40 as Range<UInt8> { spared += try compare(seed) }
    #expect(spared > 40)
  }

  /// Gives how many look-ups were spared.
  private func compare(_ seed: UInt8) throws -> Int {
    var given = Given.playing
    let quick = try Self.lab(given)
    let slow = try Self.lab(given, remembering: false)
    var sent: [(Event, TestPlayer)] = []
    // Until there is hardly a cube left to take.
    for step in 0..<12 as Range<UInt8> where given.match.turnNumber < 8 {
      let dice = Hash(sha256Of: [seed, step]).bytes
      // Each batch has one to three deliveries.
      for number in 0...(dice[0] % 3) {
        let id = UInt128(step) * 10 + UInt128(number) + 1
        let mover = given.match.turnNumber.isMultiple(of: 2) ? TestPlayer.bob : .ann
        let roll = dice[Int(number) + 1] % 16
        var delivered: (Event, TestPlayer)
        switch roll {
        case 0: delivered = (TestPlayer.cyd.event(given.turn(given.removals), id), .cyd)
        case 1:
          let other = mover.id == TestPlayer.ann.id ? TestPlayer.bob : .ann
          delivered = (other.event(given.turn(given.removals), id), other)
        case 2, 3:
          guard let again = sent.randomElement(using: dice[4]) else { continue }
          delivered = again
        case 4:
          let queue = quick.layout.queue(of: Slot(of: given.match.id))
          let time = Instant.noon.adding(seconds: Int64(step))
          let body = ServiceIdentity.test.body(.ticked(queue: queue, time: time))
          for lab in [quick, slow] { lab.arriving.append(lab.delivery(body, queue: queue)) }
          continue
        case 5 where seed.isMultiple(of: 4):
          delivered = (mover.event(.matchForfeited(given.match.id), id), mover)
        default:
          delivered = (mover.event(given.turn(given.removals), id), mover)
          if given.match.outcome == nil { given.take(delivered.0, by: mover) }
        }
        sent.append(delivered)
        for lab in [quick, slow] { lab.deliver(delivered.0, by: delivered.1) }
      }
      try quick.step()
      try slow.step()
      if let match = slow.known.matches[given.match.id], match.outcome != nil { break }
    }
    expectNoDifference(quick.writes, slow.writes, "seed \(seed)")
    expectNoDifference(quick.published, slow.published, "seed \(seed)")
    expectNoDifference(quick.known, slow.known, "seed \(seed)")
    return slow.lookups.count - quick.lookups.count
  }
}

extension Array {
  /// One of them, as the number says.
  fileprivate func randomElement(using number: UInt8) -> Element? {
    isEmpty ? nil : self[Int(number) % count]
  }
}
