import CubistBasics
import CustomDump
import Dispatch
import Glibc
import InMemoryLogging
import Logging
import MatchInterfaces
import MatchWire
import Synchronization
import Testing

@testable import MatchService

/// The events of roles, in order, from any thread.
private final class Story: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  func count(_ line: String) -> Int { all.count { $0 == line } }
}

private final class TestRole: Role {
  let story: Story
  let steps: (Int) throws(Interruption) -> Void
  var count = 0

  init(_ story: Story, steps: @escaping (Int) throws(Interruption) -> Void) {
    self.story = story
    self.steps = steps
  }

  func step() throws(Interruption) -> Int {
    count += 1
    story.add("step")
    try steps(count)
    return 1
  }

  func leave() { story.add("leave") }
}

@Suite("Running roles")
struct RunningTests {
  private let story = Story()
  let stop = StopSignal()
  let clock = TestClock()
  let logs = InMemoryLogHandler()
  var log: Logger { Logger(label: "test") { [logs] _ in logs } }

  private func loop(
    states: Story = Story(), generation: @escaping @Sendable () -> Int = { 0 },
    make: @escaping @Sendable () throws(Interruption) -> any Role
  ) -> RoleLoop {
    RoleLoop(
      name: "test", make: make, stop: stop, clock: clock.clock,
      randomness: TestRandomness().randomness, log: log, generation: generation,
      report: { states.add("\($0)") })
  }

  @Test("A role steps until it is asked to stop, finishes the step in hand and leaves")
  func stopping() {
    let (story, stop) = (story, stop)
    let states = Story()
    loop(states: states) {
      story.add("make")
      return TestRole(story) { if $0 == 3 { stop.ask() } }
    }.run()
    #expect(story.all == ["make", "step", "step", "step", "leave"])
    #expect(states.all == ["working", "stopped"])
  }

  @Test("A role that was asked to stop before it began is never made")
  func stoppedBefore() {
    let (story, states) = (story, Story())
    stop.ask()
    loop(states: states) {
      story.add("make")
      return TestRole(story) { _ in }
    }.run()
    #expect(story.all == [])
    #expect(states.all == ["stopped"])
  }

  // Failure: Interruption.store: The role ends. Its unacknowledged messages go back.
  // Failure: Interruption.bus: The role ends. Its unacknowledged messages go back.
  @Test("An interrupted role leaves before it is made anew")
  func interruption() {
    let (story, stop) = (story, stop)
    let states = Story()
    let made = Atomic(0)
    loop(states: states) {
      let number = made.add(1, ordering: .relaxed).newValue
      story.add("make")
      return TestRole(story) { (_) throws(Interruption) in
        if number == 1 { throw .bus(.disconnected("gone")) }
        stop.ask()
      }
    }.run()
    #expect(story.all == ["make", "step", "leave", "make", "step", "leave"])
    #expect(
      states.all == [
        "\(RoleState.interrupted(.bus(.disconnected("gone"))))", "working", "stopped",
      ])
  }

  @Test("A role that has to be made of something else finishes its step, leaves and is made anew")
  func madeAnew() {
    let (story, stop) = (story, stop)
    let states = Story()
    let generation = Atomic(0)
    loop(states: states, generation: { generation.load(ordering: .relaxed) }) {
      story.add("make \(generation.load(ordering: .relaxed))")
      return TestRole(story) { count in
        if count == 2 { generation.add(1, ordering: .relaxed) }
        if generation.load(ordering: .relaxed) == 2 { stop.ask() }
      }
    }.run()
    #expect(
      story.all == [
        "make 0", "step", "step", "leave", "make 1", "step", "step", "leave",
      ])
    #expect(states.all == ["working", "working", "stopped"])
    #expect(logs.entries.allSatisfy { $0.level == .info })
  }

  // Failure: Interruption.keys: No certificate covers the working key. The role ends, and its
  //   unacknowledged messages go back. It logs an error and tries again every 5 s.
  @Test(
    "A role that may not sign is an error in the log that names the remedy, and tried every 5 s")
  func noKey() throws {
    let (stop, clock) = (stop, clock)
    let key = ServiceIdentity.test.signer.publicKey
    let times = Mutex<[UInt64]>([])
    loop { () throws(Interruption) in
      let count = times.withLock {
        $0.append(clock.uptime)
        return $0.count
      }
      if count == 3 { stop.ask() }
      throw .keys(.noCertificate(key, at: .noon))
    }.run()
    let waits = times.withLock { times in zip(times.dropFirst(), times).map { $0 - $1 } }
    #expect(waits == [5_000_000_000, 5_000_000_000])
    #expect(logs.entries.map(\.level) == [.error])
    let reason = try #require(logs.entries.first?.metadata["reason"])
    #expect("\(reason)".contains("cubistd setup --renew ROOT-KEY-FILE"))
    #expect("\(reason)".contains("\(key)"))
  }

  @Test("A role that cannot be made is tried again, waiting longer each time, 5 s at most")
  func backingOff() {
    let (stop, clock) = (stop, clock)
    let times = Mutex<[UInt64]>([])
    loop { () throws(Interruption) in
      let count = times.withLock {
        $0.append(clock.uptime)
        return $0.count
      }
      if count == 12 { stop.ask() }
      throw .store(.unavailable("gone"))
    }.run()
    let waits = times.withLock { times in zip(times.dropFirst(), times).map { $0 - $1 } }
    #expect(waits.count == 11)
    #expect(waits[0] <= 200_000_000)
    #expect(waits[10] >= 2_500_000_000)
    #expect(waits.allSatisfy { $0 <= 5_100_000_000 })
    #expect(logs.entries.map(\.level) == [.warning])
  }

  // Failure: StoreError.unusable: The database does not have the required form. The role logs an
  //   error and looks again every 5 s.
  @Test("A store in the wrong state is an error in the log, and looked at every 5 s")
  func unusable() {
    let (stop, clock) = (stop, clock)
    let times = Mutex<[UInt64]>([])
    loop { () throws(Interruption) in
      let count = times.withLock {
        $0.append(clock.uptime)
        return $0.count
      }
      if count == 3 { stop.ask() }
      throw .store(.unusable("no table matches"))
    }.run()
    let waits = times.withLock { times in zip(times.dropFirst(), times).map { $0 - $1 } }
    #expect(waits == [5_000_000_000, 5_000_000_000])
    #expect(logs.entries.map(\.level) == [.error])
    #expect(logs.entries[0].metadata["reason"]?.description.contains("no table matches") == true)
  }

  @Test("An outage has a line when it begins, an error once it lasts, and a line with its length")
  func outage() throws {
    let (story, stop, clock) = (story, stop, clock)
    let made = Atomic(0)
    loop { () throws(Interruption) in
      let number = made.add(1, ordering: .relaxed).newValue
      guard number > 60 else { throw .bus(.disconnected("gone")) }
      return TestRole(story) { count throws(Interruption) in
        // It is interrupted once more after it has begun well.
        if number == 61 && count == 3 { throw .bus(.disconnected("gone again")) }
        clock.pass(.seconds(2))
        if count == 20 { stop.ask() }
      }
    }.run()
    let lines = logs.entries.filter { $0.level > .info }
    expectNoDifference(
      lines.map { "\($0.level) \($0.message)" },
      [
        "warning role interrupted", "error role is still interrupted", "notice role works again",
      ])
    #expect(logs.entries.map { "\($0.message)" }.filter { $0 == "role works" }.isEmpty)
    #expect("\(lines[2].metadata["failures"], default: "-")" == "61")
    let seconds = try #require(lines[2].metadata["seconds"].flatMap { UInt64("\($0)") })
    #expect(60...400 ~= seconds)
  }

  @Test("A stop that comes during the wait ends it")
  func stopWhileWaiting() {
    let stop = stop
    let clock = clock
    let impatient = WallClock(
      now: clock.clock.now, uptimeNanoseconds: clock.clock.uptimeNanoseconds,
      sleep: {
        clock.pass($0)
        stop.ask()
      })
    let before = clock.uptime
    RoleLoop(
      name: "test", make: { () throws(Interruption) in throw .store(.unusable("x")) }, stop: stop,
      clock: impatient, randomness: .noop, log: log, report: { _ in }
    ).run()
    #expect(clock.uptime - before <= 100_000_000)
  }

  @Test("A role that ran well for a while begins with the shortest wait again")
  func wellAgain() {
    let (story, stop, clock) = (story, stop, clock)
    let made = Atomic(0)
    let times = Mutex<[UInt64]>([])
    loop { () throws(Interruption) in
      times.withLock { $0.append(clock.uptime) }
      let number = made.add(1, ordering: .relaxed).newValue
      if number == 9 { stop.ask() }
      if number < 8 { throw .bus(.disconnected("gone")) }
      return TestRole(story) { (_) throws(Interruption) in
        clock.pass(.seconds(11))
        throw .bus(.disconnected("gone"))
      }
    }.run()
    let last = times.withLock { $0[8] - $0[7] }
    #expect(last <= 11_200_000_000)
  }

  @Test("Waits double from 0.1 s to 5 s, less a random half")
  func backoff() {
    #expect(Backoff.roles.milliseconds(after: 1, random: 0) == .milliseconds(100))
    #expect(Backoff.roles.milliseconds(after: 2, random: 0) == .milliseconds(200))
    #expect(Backoff.roles.milliseconds(after: 6, random: 0) == .milliseconds(3_200))
    #expect(Backoff.roles.milliseconds(after: 7, random: 0) == .milliseconds(5_000))
    #expect(Backoff.roles.milliseconds(after: .max, random: 0) == .milliseconds(5_000))
    for random in [UInt64.max, 1, 2_500, 12_345] {
      let delay = Backoff.roles.milliseconds(after: 9, random: random)
      #expect(delay >= .milliseconds(2_500))
      #expect(delay <= .milliseconds(5_000))
    }
  }

  // MARK: On real threads

  private func process(
    _ names: String..., make: @escaping @Sendable () throws(Interruption) -> any Role
  ) -> ServiceProcess {
    ServiceProcess(
      runners: names.map {
        RoleRunner(
          name: $0, stop: stop, clock: .live, randomness: .live, log: log, make: make)
      }, stop: stop, clock: .live, log: log)
  }

  @Test("Roles run on threads of their own, side by side, and all leave")
  func threads() throws {
    let story = story
    let arrived = DispatchGroup()
    for _ in 0..<2 { arrived.enter() }
    let process = process("one", "two") {
      // Each waits for the other: one thread alone would never come out of here.
      arrived.leave()
      arrived.wait()
      return TestRole(story) { _ in _ = sched_yield() }
    }
    #expect(process.runners.map(\.state) == [.starting, .starting])
    try process.start()
    #expect(process.waitUntilWorking(atMost: .seconds(30)).isEmpty)
    #expect(process.isWorking)
    stop.ask()
    #expect(process.waitUntilStopped() == [])
    #expect(story.count("leave") == 2)
    #expect(process.runners.map(\.state) == [.stopped, .stopped])
  }

  @Test("A role that does not work in time is named with its obstacle")
  func notWorking() throws {
    let process = process("one") { () throws(Interruption) in
      throw .store(.unavailable("no server"))
    }
    try process.start()
    let late = process.waitUntilWorking(atMost: .milliseconds(300))
    #expect(late.map(\.name) == ["one"])
    #expect(late.map(\.state) == [.interrupted(.store(.unavailable("no server")))])
    stop.ask()
    #expect(process.waitUntilStopped() == [])
  }

  @Test("A role that does not leave in 20 s is named, and nobody waits longer")
  func late() {
    stop.ask()
    let process = ServiceProcess(
      runners: [
        RoleRunner(
          name: "stuck", stop: stop, clock: clock.clock, randomness: .noop, log: log,
          make: { preconditionFailure("it is never started") })
      ], stop: stop, clock: clock.clock, log: log)
    let before = clock.uptime
    #expect(process.waitUntilStopped() == ["stuck"])
    #expect(clock.uptime - before == 20_000_000_000)
  }
}
