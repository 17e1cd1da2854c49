import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

@testable import MatchSimulation

@Suite("Hours that pass in a moment")
struct TimeTests {
  private static func service(_ roles: RoleName...) throws -> InProcessService {
    var options = InProcessService.Options()
    options.roles = roles
    return try InProcessService(options)
  }

  @Test("No time passes while no reader runs: a player with seconds left still has them, and plays")
  func readerOutage() throws {
    let service = try Self.service(.reader, .scheduler)
    let (ann, bob) = try service.pair()
    let match = try service.begin(ann, bob, limit: 40)
    for player in [ann, bob] {
      try player.must(.turnPlayed(match, service.turn(service.match(match))))
    }
    service.stop(.reader)
    let deadline = try #require(try service.match(match).deadline)
    service.pass(.seconds(60))
    #expect(service.clock.now() > deadline.at.adding(seconds: 15))
    #expect(try service.match(match).outcome == nil)

    try service.start(.reader)
    let queue = service.layout.queue(of: Slot(of: match))
    try service.wait(for: "time goes on") {
      service.store.clocks[queue]?.time ?? deadline.at > deadline.at
    }
    let state = try service.match(match)
    let clock = try #require(service.store.clocks[queue])
    #expect(state.outcome == nil && !state.isOverdue(clock))
    #expect(state.credit(clock) > 15_000_000)
    try ann.must(.turnPlayed(match, service.turn(state)))
  }

  @Test(
    "The database's clock jumps an hour and back: a turn has its 180 seconds, no more and no less",
    arguments: [3_600_000_000, -3_600_000_000] as [Int64])
  func clockJumps(jump: Int64) throws {
    let service = try Self.service(.reader, .scheduler)
    let (ann, bob) = try service.pair()
    let match = try service.begin(ann, bob, limit: 180)
    let queue = service.layout.queue(of: Slot(of: match))
    /// The seconds that the player to move has left, as players see it.
    func left() throws -> Int64 {
      let state = try service.match(match)
      let clock = try #require(service.store.clocks[queue])
      let deadline = try #require(state.deadline).at
      return deadline.adding(microseconds: state.credit(clock))
        .microseconds(since: service.store.now) / 1_000_000
    }
    service.pass(.seconds(20), step: 100_000)
    service.store.setClock(by: jump)
    service.pass(.seconds(60), step: 100_000)
    #expect((95...102).contains(try left()))
    try ann.must(.turnPlayed(match, service.turn(service.match(match))))
    service.pass(.seconds(20), step: 100_000)
    service.store.setClock(by: -jump)
    service.pass(.seconds(60), step: 100_000)
    #expect((95...102).contains(try left()))
    try bob.must(.turnPlayed(match, service.turn(service.match(match))))
    // Each entry has the time at which it was accepted.
    let times = try #require(service.store.entries[match]).map(\.acceptedAt)
    let between = times[times.count - 1].microseconds(since: times[times.count - 2])
    #expect((78_000_000...82_000_000).contains(between))
    // The queue's time goes on. After a clock that went back it goes a hundredth slower for a while.
    service.pass(.seconds(170), step: 100_000)
    #expect(try service.match(match).outcome == nil)
    service.pass(.seconds(20), step: 100_000)
    #expect(try service.match(match).outcome != nil)
  }

  @Test(
    "Bob lets his time run down and is reminded once; he finds it in his inbox, and sees it off")
  func reminded() throws {
    let service = try Self.service(.reader, .relay, .push, .scheduler)
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    let match = try service.begin(ann, bob)
    let job = try #require(try service.match(match).turnReminder)
    try passMinutes(in: service) { service.pushes.taken.contains(job) }
    let reminded = job.player == ann.player ? ann : bob
    try service.wait(for: "it is in the inbox") {
      try reminded.inbox().items.contains { $0.id == job.id }
    }
    try reminded.see(.one(job.id))
    #expect(try !reminded.inbox().items.contains { $0.id == job.id })
    try reminded.see(.all)
    #expect(try reminded.inbox().items.isEmpty)
    #expect(service.pushes.taken.count { $0 == job } == 1)
    #expect(try service.violations() == [])
  }

  @Test(
    "Both are told once that it is over, find it in their inboxes, and are not told to hurry")
  func ruled() throws {
    let service = try Self.service(.reader, .relay, .push, .scheduler)
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    let (ended, annulled) = (try service.begin(ann, bob), try service.begin(ann, bob))
    let running = try service.begin(ann, bob)
    for match in [ended, annulled, running] {
      #expect(try service.match(match).reminderAt != nil)
    }
    try rule(.ended, .agreement, ended, in: service)
    try rule(.annulled, .fault, annulled, in: service)
    for match in [ended, annulled] { #expect(try service.match(match).reminderAt == nil) }
    // Most of an hour later the one that goes on is found, with all others that are due.
    let job = try #require(try service.match(running).turnReminder)
    try passMinutes(in: service) { service.pushes.taken.contains(job) }
    let told = try service.jobs().filter { $0.fate == .delivered }.map(\.job)
    #expect(told.filter { $0.kind == .turnRunningOut } == [job])
    for match in [ended, annulled] {
      let players = told.filter { $0.kind == .matchEnded && $0.match == match }.map(\.player)
      #expect(players.sorted() == [ann.player, bob.player].sorted())
    }
    let taken = service.pushes.taken
    #expect(taken.count == Set(taken.map(\.id)).count, "each once")
    for player in [ann, bob] {
      let ends = try player.inbox().items.filter { $0.kind == "matchEnded" }
      #expect(Set(ends.map(\.match)) == [ended, annulled] && ends.count == 2)
      #expect(try player.match(annulled).ruledFor == .fault)
    }
    #expect(try service.violations() == [])
  }

  @Test("A reminder that was on its way when the match was annulled is not sent any more")
  func onItsWay() throws {
    let service = try Self.service(.reader, .scheduler)
    let (ann, bob) = (try service.client("Ann"), try service.client("Bob"))
    let match = try service.begin(ann, bob)
    let job = try #require(try service.match(match).turnReminder)
    try passMinutes(in: service) {
      try service.looking { try $0.jobs(nil, 100) }.contains { $0.job == job && $0.isOwed }
    }
    try rule(.annulled, .cheating, match, in: service)
    for role in [RoleName.relay, .push] { try service.start(role) }
    let jobs = try service.jobs()
    #expect(jobs.filter { $0.job == job }.map(\.fate) == [.dropped])
    let ends = jobs.filter { $0.job.kind == .matchEnded }
    #expect(ends.map(\.job.player).sorted() == [ann.player, bob.player].sorted())
    #expect(ends.allSatisfy { $0.fate == .delivered })
    #expect(!service.pushes.taken.contains(job))
    #expect(try [ann, bob].allSatisfy { try !$0.inbox().items.contains { $0.id == job.id } })
  }

  @Test("Nobody reads or shares the words of the daily before its day is over; then everybody may")
  func wordsOfDaily() throws {
    let service = try Self.service(.reader, .scheduler)
    let (ann, eve) = (try service.client("Ann"), try service.client("Eve"))
    try service.wait(for: "both are dealt") {
      let home = try ann.home()
      return home.daily.isDealt && home.daily(.timed).isDealt
    }
    let home = try ann.home()
    let keys = SoloMode.allCases.map { home.daily($0).daily }
    for key in keys {
      let match = try ann.startDaily(key).match
      let word = service.firstWord(try service.match(match)).moves
      _ = try ann.play(word, in: ann.match(match))
      _ = try ann.forfeit(match)
      #expect(throws: ClientError.self) { try ann.share(match) }
    }
    func board(
      _ mode: SoloMode, _ measure: Leaderboard.Measure, _ window: Leaderboard.Window
    ) throws -> LeaderboardView {
      try eve.leaderboard(
        Leaderboard(
          games: SoloGames(kind: .daily, mode: mode), measure: measure, window: window))
    }
    for mode in SoloMode.allCases {
      try service.wait(for: "it is ranked") { try board(mode, .points, .all).outOf == 1 }
      for window in Leaderboard.Window.allCases {
        let words = try board(mode, .words, window)
        #expect(words.rows == [] && words.outOf == 0, "\(mode), \(window)")
      }
    }
    let end = try #require(keys.first).day.end
    // The reader and the steward are enough for the rest of the day.
    for role in [RoleName.worker, .scheduler] { service.stop(role) }
    while service.clock.now() < end { service.moveOn(60_000_000) }
    try service.wait(for: "the words of the day are shown") {
      try board(.unlimited, .words, .all).rows.map(\.name) == [#require(ann.profile.name)]
    }
    // Who began in the last moment of the day has 180 seconds.
    #expect(try board(.timed, .words, .all).rows == [])
    service.pass(.seconds(180), step: 1_000_000)
    try service.wait(for: "those of the timed one, too") {
      try board(.timed, .words, .all).rows.first?.word != nil
    }
    try service.start(.worker)
    for key in keys { _ = try ann.share(MatchID(daily: key, player: ann.player)) }
  }

  /// Lets up to an hour pass, until something is so.
  private func passMinutes(in service: InProcessService, until isSo: () throws -> Bool) throws {
    for _ in 0..<60 where try !isSo() { service.pass(.seconds(60), step: 1_000_000) }
    #expect(try isSo())
  }

  /// Rules as `cubistd matches` does.
  private func rule(
    _ verdict: Ruling.Verdict, _ reason: Ruling.Reason, _ match: MatchID,
    in service: InProcessService
  ) throws {
    let ruling = Ruling(verdict, for: reason)
    try service.publish([service.serviceEvent(.ruled(match, ruling), slot: Slot(of: match))])
    try service.wait(for: "it is judged") { try service.match(match).outcome != nil }
  }
}
