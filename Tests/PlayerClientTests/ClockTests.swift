import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import PlayerClient

/// A service that goes by a clock of its own and judges times as the real one does.
final class TimedDesk {
  let world: World
  /// How far its clock is ahead of the player's, in seconds.
  var offset: Int64
  /// How long a query takes.
  var delays: [Duration] = []
  var infoCount = 0

  init(_ world: World, offset: Int64) {
    self.world = world
    self.offset = offset
    world.desk.judge = { [unowned self] event in
      let ahead = event.id.time.microseconds(since: now)
      if ahead > Event.maximumAheadSeconds * 1_000_000 {
        return .refused(.clockAhead(serviceTime: now))
      }
      if -ahead > Event.maximumAgeSeconds * 1_000_000 {
        return .refused(.eventTooOld(serviceTime: now))
      }
      return Desk.standard(event)
    }
    world.desk.answer = { [unowned self] query in
      if !delays.isEmpty { world.clock.clock.sleep(delays.removeFirst()) }
      guard query.kind != .serviceInfo else {
        infoCount += 1
        return AnswerCodec.encode(ServiceInfo.test(now: now), query: query.id)
      }
      guard query.isValid(at: now) else {
        return AnswerCodec.encode(refusal: .expired(serviceTime: now), query: query.id)
      }
      return AnswerCodec.encode(HomeView.empty, query: query.id)
    }
  }

  var now: Instant { world.clock.now.adding(seconds: offset) }
}

extension ServiceInfo {
  static func test(now: Instant) -> ServiceInfo {
    ServiceInfo(
      service: .test, rootKey: .root, certificates: [], version: "1", now: now,
      registration: .open, queueCount: 16, limits: .current)
  }
}

extension HomeView {
  static let empty = {
    let daily = DailyKey(day: Day(containing: .noon))
    return HomeView(
      matches: [], invitations: [], rematchOffers: [],
      daily: DailyStatus(
        daily: daily, isDealt: true, endsAt: daily.day.end, match: nil, isOver: false,
        points: nil))
  }()
}

@Suite("A clock of the player's machine that is wrong")
struct ClockTests {
  static let threeHours: Int64 = 3 * 3_600

  @Test(
    "Wrong by hours, everything works from the first contact on, dated by the service's time",
    arguments: [-10_800, 10_800, 34_560_000, -34_560_000] as [Int64], [false, true])
  func hours(offset: Int64, isPinned: Bool) throws {
    let world = World(pinned: isPinned)
    let desk = TimedDesk(world, offset: offset)
    let player = world.player()
    _ = try player.home()
    _ = try player.startMatch(.random)
    #expect(world.memory.pending.isEmpty)
    let event = try #require(world.desk.handled.first)
    #expect(world.desk.handled.count == 1)
    #expect(abs(event.id.time.microseconds(since: desk.now)) < 2_000_000)
    #expect(abs(player.now.microseconds(since: desk.now)) < 2_000_000)
    // The next program knows it from the profile.
    let count = desk.infoCount
    _ = try world.player().home()
    _ = try world.player().startMatch(.random)
    #expect(desk.infoCount == count)
  }

  @Test("An event that is refused for its time is signed anew, and counts once")
  func signedAnew() throws {
    for offset in [-10_800, -2_592_000, 2_592_000] as [Int64] {
      let world = World()
      let desk = TimedDesk(world, offset: offset)
      let player = world.player()
      player.keepsUntilTold = true
      _ = try player.startMatch(.random)
      #expect(
        world.desk.handled.count {
          abs($0.id.time.microseconds(since: desk.now)) < 3_000_000
        } == 1)
      // Only the answer that is not told yet is kept.
      #expect(world.memory.pending.count == 1)
      try player.forgetTold()
      #expect(world.memory.pending.isEmpty)
    }
  }

  @Test("A clock that is set right while the program runs is noticed before anything is refused")
  func setRight() throws {
    let world = World()
    let desk = TimedDesk(world, offset: Self.threeHours)
    // Wall and uptime of the machine go apart when the clock is set.
    var setBy: Int64 = 0
    // SAFETY: a test has one thread.
    nonisolated(unsafe) let shift = { setBy }
    let inner = world.clock.clock
    let clock = WallClock(
      now: { inner.now().adding(seconds: shift()) }, uptimeNanoseconds: inner.uptimeNanoseconds,
      sleep: inner.sleep)
    let player = Player(
      profile: world.memory.profile, signer: PlayerKey.ann.signer, bus: world.desk.bus,
      clock: clock, randomness: world.randomness, store: world.store)
    _ = try player.home()
    #expect(world.memory.profile.clockOffset != nil)
    setBy = Self.threeHours
    let queries = world.desk.queries.count
    _ = try player.home()
    _ = try player.startMatch(.random)
    #expect(world.memory.profile.clockOffset == nil)
    #expect(
      world.desk.queries.dropFirst(queries).allSatisfy {
        $0.kind == .serviceInfo || $0.isValid(at: desk.now)
      })
    #expect(world.desk.handled.count == 1)
  }

  @Test("A clock that is set right between two runs is noticed by the first refusal")
  func setRightBetween() throws {
    for offset in [10_800, -10_800] as [Int64] {
      let world = World()
      let desk = TimedDesk(world, offset: offset)
      _ = try world.player().home()
      #expect(world.memory.profile.clockOffset != nil)
      desk.offset = 0
      _ = try world.player().home()
      #expect(world.memory.profile.clockOffset == nil)
      _ = try world.player().startMatch(.random)
      #expect(world.memory.pending.isEmpty)
    }
  }

  @Test("A pending event does not grow too old by a wrong clock")
  func pending() throws {
    let world = World()
    let desk = TimedDesk(world, offset: 0)
    world.desk.faults = [.replyLost]
    #expect(thrown(try world.player().startMatch(.random)) != nil)
    #expect(world.memory.pending.count == 1)
    // The machine's clock jumps a month ahead.
    world.clock.advance(seconds: 86_400 * 30)
    desk.offset = -86_400 * 30
    _ = try world.player().startMatch(.random)
    #expect(world.memory.pending.isEmpty && world.desk.handled.count == 1)
    #expect(!world.notices.contains { if case .dropped = $0 { true } else { false } })
  }

  @Test("A small error of the clock changes no profile, and neither does a slow answer")
  func tolerance() throws {
    let world = World()
    let desk = TimedDesk(world, offset: 1)
    _ = try world.player().serviceInfo()
    #expect(world.memory.profile.clockOffset == nil && desk.infoCount == 1)
    // The quickest of a few answers counts.
    desk.offset = 60
    desk.delays = [.seconds(9), .seconds(4), .milliseconds(200)]
    _ = try world.player().serviceInfo()
    #expect(desk.infoCount == 4)
    let offset = try #require(world.memory.profile.clockOffset)
    #expect(abs(offset - 60_000_000) <= 100_000)
    // A second look gives nearly the same, and nothing is written.
    desk.delays = [.milliseconds(400)]
    _ = try world.player().serviceInfo()
    #expect(world.memory.profile.clockOffset == offset)
  }

  @Test("A service that tells one time and refuses by another is named")
  func contradiction() throws {
    let world = World()
    let desk = TimedDesk(world, offset: 0)
    let told = world.desk.answer
    world.desk.answer = { query in
      guard query.kind != .serviceInfo else { return told(query) }
      return AnswerCodec.encode(
        refusal: .expired(serviceTime: desk.now.adding(seconds: 600)), query: query.id)
    }
    guard case .clockSkewed(-600, _)? = thrown(try world.player().home()) else {
      Issue.record("no skew")
      return
    }
    #expect(desk.infoCount == 1)
  }

  @Test("Samples are compared without overflow, whatever the times are")
  func samples() {
    let ends = [Int64.min, -1, 0, 1, .max].map { Instant(microseconds: $0) }
    for service in ends {
      for received in ends {
        for roundTrip in [Int64.min, 0, .max] {
          let sample = ClockSample(
            serviceTime: service, receivedAt: received, roundTrip: roundTrip)
          for known in [nil, Int64.min, 0, .max] { _ = sample.correction(known) }
          _ = ClockMark(wall: service, uptime: .max).isOff(
            from: ClockMark(wall: received, uptime: 0))
        }
      }
    }
  }

  @Test("The offset is kept between two runs, and a profile without one is read")
  func profiles() throws {
    let store = ProfileStore.live(folder: "/tmp/cubist-clock-\(UInt64.random(in: 0 ... .max))")
    try store.saveProfile(Profile(clockOffset: -5))
    #expect(try store.loadProfile().clockOffset == -5)
    try store.saveProfile(Profile(name: .ann))
    #expect(try store.loadProfile() == Profile(name: .ann))
  }
}
