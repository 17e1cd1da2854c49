import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("Notices of changes")
struct NoticeTests {
  private static let source = NoticeSource(rawValue: 5)

  private static func read(_ bodies: [[UInt8]]) throws -> [OutcomeNotice] {
    try bodies.map { try #require(OutcomeNotice($0)) }
  }

  private static func notices(of lab: WorkerLab) throws -> [OutcomeNotice] {
    try read(
      lab.published.compactMap {
        if case .outcome(Names.changedMatches, let body) = $0 { body } else { nil }
      })
  }

  @Test("Notices are numbered, split by their limits, and repeated without content each second")
  func line() throws {
    var line = NoticeLine(source: Self.source)
    let second: UInt64 = 1_000_000_000
    let first = line.beat(at: 0)
    #expect(try Self.read([#require(first)]) == [OutcomeNotice(line.place)])
    let none = line.beat(at: second - 1)
    let nothing = line.notices(of: [], players: [], at: second - 1)
    #expect(none == nil && nothing == [])
    let changes = (0..<130).map {
      OutcomeNotice.Change(match: MatchID(rawValue: UInt128($0)), version: 1, players: [])
    }
    let players = (0..<300).map { PlayerID(rawValue: UInt128($0)) }
    let sent = try Self.read(line.notices(of: changes, players: players, at: second))
    #expect(sent.map(\.place.number) == [1, 2, 3])
    #expect(sent.allSatisfy { $0.place.source == Self.source })
    #expect(sent.map(\.changes.count) == [64, 64, 2])
    #expect(sent.map(\.players.count) == [256, 44, 0])
    expectNoDifference(sent.flatMap(\.changes), changes)
    expectNoDifference(sent.flatMap(\.players), players)
    // The last notice counts as a beat.
    let early = line.beat(at: 2 * second - 1)
    #expect(early == nil)
    let beat = line.beat(at: 2 * second)
    #expect(
      try Self.read([#require(beat)]) == [OutcomeNotice(.init(source: Self.source, number: 3))])
    // A change of players alone is a notice, too.
    let last = try Self.read(line.notices(of: [], players: [players[0]], at: 2 * second + 2))
    #expect(last == [OutcomeNotice(.init(source: Self.source, number: 4), players: [players[0]])])
  }

  @Test("A change names those who are in the match, and those who were before it")
  func leaving() {
    let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
    let (both, alone) = (Given(.player(bob)).match, Given().match)
    #expect(both.occupants == [ann, bob] && alone.occupants == [ann])
    let steps: [(before: Match?, after: Match, players: [PlayerID])] = [
      (both, alone, [ann, bob]), (alone, both, [ann, bob]), (nil, both, [ann, bob]),
      (both, both, [ann, bob]), (alone, alone, [ann]),
    ]
    for step in steps {
      let change = OutcomeNotice.Change(
        MatchChange(before: step.before, after: step.after, entries: []))
      expectNoDifference(change.players, step.players)
    }
  }

  @Test("A worker names players whose settings, devices, blocks or seen notifications changed")
  func players() throws {
    let lab = WorkerLab(.lookUp, .resolve, .commit, .acknowledge, .publish, .heartbeats)
    try lab.settleIn()
    let actions: [(Event.Action, TestPlayer)] = [
      (.settingsChanged(SettingsChange(kinds: [.invited: false])), .ann),
      (.playerBlocked(TestPlayer.ann.id), .bob), (.inboxSeen(.all), .ann),
    ]
    for (number, (action, player)) in actions.enumerated() {
      lab.deliver(player.event(action, UInt128(number)), by: player)
    }
    while !lab.arriving.isEmpty { try lab.step() }
    let found = try Self.notices(of: lab)
    expectNoDifference(Set(found.flatMap(\.players)), [TestPlayer.ann.id, TestPlayer.bob.id])
    #expect(!found.isEmpty && found.indices.allSatisfy { found[$0].place.number == $0 + 1 })
  }

  @Test("A worker beats while it is idle, has no queue, or waits for the store")
  func beats() throws {
    for situation in ["idle", "no queue", "store gone"] {
      let lab = WorkerLab(.lookUp, .abandon, .publish, .heartbeats)
      lab.settings.beatSeconds = 1
      if situation == "no queue" { lab.living = [] }
      if situation == "store gone" {
        lab.store.lookUp.fail(with: .failed("no"))
        lab.deliver(TestPlayer.ann.event(.inboxSeen(.all)), by: .ann)
      }
      for _ in 0..<12 {
        try lab.step()
        lab.clock.pass(.milliseconds(500))
      }
      let beats = try Self.notices(of: lab)
      #expect(beats.count >= 6, "\(situation): \(beats.count)")
      #expect(beats.allSatisfy { $0.place.number == 0 && $0.changes.isEmpty }, "\(situation)")
    }
  }

  @Test("A push worker names the players whose notifications it has recorded as sent")
  func push() throws {
    let lab = PushLab()
    lab.source = Self.source
    var bodies: [[UInt8]] = []
    lab.bus.announce.answer { bodies.append($0) }
    lab.expectRecord()
    lab.expectJobs { job in
      job.player == TestPlayer.bob.id ? .stale(.answered) : .due(.plain)
    }
    lab.provider = .taking
    for (number, player) in [TestPlayer.ann, .bob, .cyd].enumerated() {
      lab.deliver(UInt128(number), .matchEnded, to: player)
    }
    try lab.worker.step()
    let sent = try Self.read(bodies)
    #expect(sent.map(\.place.number) == [0, 1])
    expectNoDifference(sent[1].players, [TestPlayer.ann.id, TestPlayer.cyd.id].sorted())
    for _ in 0..<3 {
      lab.clock.pass(.seconds(1))
      try lab.worker.step()
    }
    #expect(try Self.read(bodies).map(\.place.number) == [0, 1, 1, 1, 1])
  }

  // Failure: PushBus.announce: The worker records everything it handed over and starts over.
  @Test("A broker that takes no notice interrupts a push worker: the jobs come again by themselves")
  func announceFails() throws {
    let lab = PushLab()
    lab.source = Self.source
    lab.bus.announce.fail(with: .disconnected("gone"))
    #expect(throws: Interruption.bus(.disconnected("gone"))) { try lab.worker.step() }
  }
}
