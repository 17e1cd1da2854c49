import InMemoryLogging
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("Events in a minute")
struct EventBudgetTests {
  private let lab: WorkerLab = {
    let lab = WorkerLab(.lookUp, .commit, .abandon, .acknowledge, .publish, .heartbeats)
    lab.settings.limits = PlayerLimits(
      eventsPerMinute: 2, openRequests: nil, runningMatches: nil)
    return lab
  }()

  /// Lets Ann withdraw a request that does not exist, which is refused by another name.
  private func sends(_ number: UInt128, by player: TestPlayer = .ann) throws -> Reply? {
    let event = player.event(.requestWithdrawn(MatchID(rawValue: 9)), number)
    lab.deliver(event, by: player)
    lab.forget()
    try lab.step()
    return lab.replies["\(player.name)"]
  }

  // Failure: Refusal.rateLimited: The reply names the limit. ° Nine limits pass with time: events
  //   and tests of notifications in a minute, registrations, recovery keys and recoveries in an
  //   hour, reports and new keys in a day, open invitations of devices, and the pause after leaving
  //   a match. For these the reply names the time to send again.
  @Test("A player with too many events in a minute is told when to come again, and nobody else")
  func limited() throws {
    try lab.settleIn()
    #expect(try sends(1) == .refused(.unknownMatch))
    #expect(try sends(2) == .refused(.unknownMatch))
    #expect(
      try sends(3) == .refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: 30)))
    #expect(lab.writes.flatMap(\.replies).isEmpty, "what holds for now is not stored")
    #expect(try sends(4, by: .bob) == .refused(.unknownMatch))
    lab.clock.pass(.seconds(30))
    #expect(try sends(3) == .refused(.unknownMatch))
    #expect(
      try sends(5) == .refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: 30)))
  }

  @Test(
    "Five tests of notifications a minute: the sixth is told when, and all else goes on",
    arguments: [nil, 600])
  func tests(eventsPerMinute: Int?) throws {
    lab.settings.limits = PlayerLimits(
      eventsPerMinute: eventsPerMinute, openRequests: nil, runningMatches: nil, testsPerMinute: 5)
    try lab.settleIn()
    func tests(_ number: UInt128, by player: TestPlayer = .ann) throws -> Reply? {
      let event = player.event(.notificationTested(Event.NotificationTested()), number)
      lab.deliver(event, by: player)
      lab.forget()
      try lab.step()
      return lab.replies["\(player.name)"]
    }
    for number: UInt128 in 1...5 { #expect(try tests(number) == .accepted(.noted)) }
    let limited = Reply.refused(.rateLimited(.testsPerMinute, retryAfterSeconds: 12))
    for number: UInt128 in 6...90 { #expect(try tests(number) == limited) }
    #expect(lab.writes.flatMap(\.replies).isEmpty, "what holds for now is not stored")
    // What was refused has cost nothing else.
    #expect(try sends(91) == .refused(.unknownMatch))
    #expect(try tests(92, by: .bob) == .accepted(.noted))
    lab.clock.pass(.seconds(12))
    #expect(try tests(6) == .accepted(.noted))
    #expect(try tests(93) == limited)
  }

  @Test("An event that is too old or too early, which others may send again, takes nothing")
  func copies() throws {
    try lab.settleIn()
    let days = [-8, 1].map { Instant.noon.adding(seconds: $0 * 86_400) }
    for number: UInt128 in 1...20 {
      for time in days {
        let event = TestPlayer.ann.event(.requestWithdrawn(MatchID(rawValue: 9)), number, at: time)
        lab.deliver(event, by: .ann)
        lab.forget()
        try lab.step()
        let reply = lab.replies["Ann"]
        let isForTime =
          reply == .refused(.eventTooOld(serviceTime: .noon))
          || reply == .refused(.clockAhead(serviceTime: .noon))
        #expect(isForTime, "\(String(describing: reply))")
      }
    }
    #expect(try sends(1) == .refused(.unknownMatch))
    #expect(try sends(2) == .refused(.unknownMatch))
  }

  @Test("A kept refusal is logged; refusals that can be sent without limit write no line")
  func logged() throws {
    // An unknown key: a stranger's.
    lab.known.keys[TestPlayer.bob.key] = nil
    try lab.settleIn()
    for number: UInt128 in 1...5 { _ = try sends(number) }
    for number: UInt128 in 6...8 { _ = try sends(number, by: .bob) }
    let lines = lab.logs.entries.filter { $0.message == "event refused" }
    #expect(lines.map { $0.metadata["refusal"] } == ["unknownMatch", "unknownMatch"])
  }

  @Test("A match's beginning leaves rows for ever: no more than thirty a minute begin")
  func beginnings() throws {
    lab.settings.limits.eventsPerMinute = 600
    try lab.settleIn()
    func asks(_ number: UInt128) throws -> Reply? {
      let request = MatchRequest(opponent: .nobody, turnLimitSeconds: nil)
      lab.deliver(TestPlayer.ann.event(.matchRequested(request), number), by: .ann)
      lab.forget()
      try lab.step()
      return lab.replies["Ann"]
    }
    for number: UInt128 in 1...29 {
      guard case .accepted? = try asks(number) else {
        Issue.record("request \(number) was refused")
        return
      }
    }
    // Of the twenty tokens that are left a refusal takes ten.
    #expect(try sends(30) == .refused(.unknownMatch))
    #expect(try asks(31) == .refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: 1)))
    #expect(try sends(32) == .refused(.unknownMatch))
    lab.clock.pass(.seconds(2))
    guard case .accepted? = try asks(31) else {
      Issue.record("a request that came again in time was refused")
      return
    }
  }

  @Test("Stored refusals and acts outside matches leave rows, too: sixty a minute are taken")
  func rows() throws {
    lab.settings.limits.eventsPerMinute = 600
    try lab.settleIn()
    for number: UInt128 in 1...60 { #expect(try sends(number) == .refused(.unknownMatch)) }
    let tooSoon = Reply.refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: 1))
    #expect(try sends(61) == tooSoon)
    // An event that is refused for now costs nothing.
    lab.clock.pass(.milliseconds(100))
    #expect(try sends(61) == .refused(.unknownMatch))

    func notes(_ number: UInt128) throws -> Reply? {
      lab.deliver(TestPlayer.bob.event(.inboxSeen(.all), number), by: .bob)
      lab.forget()
      try lab.step()
      return lab.replies["Bob"]
    }
    for number: UInt128 in 1...60 { #expect(try notes(number) == .accepted(.noted)) }
    #expect(try notes(61) == tooSoon)
  }

  @Test("Many refusals of one batch are owed for, ten minutes' tokens at most")
  func owed() throws {
    lab.settings.limits.eventsPerMinute = 600
    try lab.settleIn()
    for number: UInt128 in 1...500 {
      lab.deliver(TestPlayer.ann.event(.requestWithdrawn(MatchID(rawValue: 9)), number), by: .ann)
    }
    try lab.step()
    // Five hundred refusals take ten tokens each from six hundred.
    let tooSoon = Reply.refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: 441))
    #expect(try sends(501) == tooSoon)
    lab.clock.pass(.seconds(441))
    #expect(try sends(501) == .refused(.unknownMatch))

    var buckets = TokenBuckets<PlayerID>(perMinute: 6_000)
    _ = buckets.take(from: TestPlayer.ann.id, at: 0)
    buckets.owe(600_000, by: TestPlayer.ann.id)
    #expect(buckets.take(100, from: TestPlayer.ann.id, at: 0) == 601)
  }

  @Test("An event that comes too soon claims nothing: it takes no lock and looks for nobody")
  func claimless() throws {
    let lab = WorkerLab(
      .lookUp, .resolve, .commit, .abandon, .acknowledge, .publish, .heartbeats)
    lab.settings.limits = PlayerLimits(
      eventsPerMinute: 1, openRequests: nil, runningMatches: nil)
    try lab.settleIn()
    func asks(_ number: UInt128) throws -> Reply? {
      let request = MatchRequest(opponent: .random, turnLimitSeconds: 60)
      lab.deliver(TestPlayer.ann.event(.matchRequested(request), number), by: .ann)
      lab.forget()
      try lab.step()
      return lab.replies["Ann"]
    }
    guard case .accepted? = try asks(1) else {
      Issue.record("the first request was refused")
      return
    }
    #expect(lab.names.contains { $0.hasPrefix("resolve") })
    #expect(try asks(2) == .refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: 60)))
    #expect(!lab.names.contains { $0.hasPrefix("resolve") })
  }

  @Test("An event that was handled before is free")
  func knownIsFree() throws {
    try lab.settleIn()
    let event = TestPlayer.ann.event(.requestWithdrawn(MatchID(rawValue: 9)), 1)
    _ = try sends(1)
    let stored = try #require(lab.writes.first?.replies.first)
    lab.known.replies[EventKey(player: event.player, event: event.id)] = stored.reply
    for _ in 0..<5 { #expect(try sends(1) == .refused(.unknownMatch)) }
    #expect(try sends(2) == .refused(.unknownMatch))
  }

  @Test("A batch that is judged again after a conflict is counted once")
  func conflict() throws {
    var conflicts = 1
    lab.store.commit.answer { [lab] write throws(StoreError) in
      lab.note(.commit(write))
      guard conflicts == 0 else {
        conflicts -= 1
        throw .conflict("somebody was faster")
      }
    }
    try lab.settleIn()
    #expect(try sends(1) == .refused(.unknownMatch))
    #expect(try sends(2) == .refused(.unknownMatch))
  }

  @Test("A player is forgotten once the bucket is full again")
  func memory() {
    var budgets = EventBudgets(eventsPerMinute: 60)
    for round in UInt64(0)...1 {
      var charges = EventBudgets.Charges()
      var known = LookupResult(now: .noon)
      let player = TestPlayer.all[Int(round)]
      known.keys[player.key] = player.owner
      let event = player.event(.requestWithdrawn(MatchID(rawValue: 9)), 1)
      let intake = DecodedDelivery(
        EventDelivery(queue: 0, tag: 1, body: player.body(event)), identity: .test,
        layout: required(QueueLayout(queueCount: 1)), verifier: .noop)
      budgets.charge([intake], known: known, at: round * 60_000_000_000, &charges, memory: 1)
      #expect(charges.tooSoon.isEmpty)
    }
    #expect(budgets.count == 1)
  }
}
