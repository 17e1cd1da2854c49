import Chaos
import CubistBasics
import EventBusLive
import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("Another number of queues, while players send", .serialized)
struct LayoutChangeTests {
  /// Two changes, one after the other: the second one finds what the first one has left.
  @Test(
    "Messages sent while nobody worked are answered once, in fewer queues and in more",
    arguments: [[16, 4, 16], [4, 16, 5], [16, 5, 7]])
  func waiting(counts: [Int]) async throws {
    var options = ServiceLab.Options(queueCount: counts[0], workers: 0, hasNewHost: true)
    options.roles = [.reader, .relay, .push]
    try await ServiceLab.run(options) { lab in
      let stage = try LayoutStage(lab)
      defer { stage.end() }
      #expect(try stage.setup(counts[0]).allSatisfy { !$0.contains("moved") })
      try stage.work(counts[0])
      var pairs: [BusyPair] = []
      for (before, count) in zip(counts, counts.dropFirst()) {
        pairs += try await BusyPair.meet(pairs.count..<(pairs.count + 6), in: lab)
        try lab.stopWorkers()
        let told = try await stage.change(before, to: count, pairs)
        let moved = "changed: \(pairs.count * 2) events moved"
        #expect(told.contains { $0.hasPrefix(moved) }, "\(told)")
        #expect(try stage.readyCount() == 0)
        #expect(try stage.queues() == (0..<count).map { stage.names.events(queue: $0) })
        #expect(try stage.problems(count) == [])
        // A scheduler's time of the former queues is no queue's time now.
        let soon = WallClock.live.now().adding(seconds: 60)
        #expect(try stage.times().allSatisfy { $0 < soon })
      }
      #expect(try lab.violations() == [])
      #expect(try lab.deadEventCount() == 0)
    }
  }

  @Test(
    "A setup that was ended half way keeps every role from its work, and the next one finishes it")
  func halfWay() async throws {
    try await ServiceLab.run(.init(queueCount: 4, workers: 0, hasNewHost: true)) { lab in
      let stage = try LayoutStage(lab)
      defer { stage.end() }
      try stage.setup(4)
      try stage.work(4)
      let pair = try BusyPair(0, in: lab)
      let cyd = try lab.player("Cyd")
      try lab.stopWorkers()
      let turn = try pair.turn(in: lab)
      try lab.publish([(turn.slot, turn.envelope)])
      // Moved with its priority, it is refused as it would have been in its former queue.
      let solo = Event.Action.matchRequested(
        MatchRequest(opponent: .nobody, turnLimitSeconds: nil))
      let urgent = try cyd.sign(solo)
      var properties = RawProperties()
      properties.priority = 9
      let word = try RawPublisher(url: lab.playersURL).publish(
        exchange: stage.names.events, routingKey: urgent.slot.routingKey, properties,
        body: urgent.envelope)
      #expect(word == .confirmed)
      // The database's part alone, and once more, to another number.
      for count in [16, 3] {
        try DatabaseSetup(
          settings: stage.settings(count).databaseSettings(), identity: lab.identity,
          layout: stage.settings(count).layout
        ).run { _ in }
        let problems = try stage.problems(count)
        #expect(problems.contains { $0.contains("has not ended") }, "\(problems)")
        let refusal = try lab.wiring(queueCount: count).problem()
        #expect(refusal?.contains("CUBIST_QUEUES=\(count)") == true, "\(refusal ?? "none")")
      }
      let told = try stage.setup(3)
      #expect(told.contains { $0.hasPrefix("changed: 2 events moved") }, "\(told)")
      #expect(try stage.problems(3) == [])
      try stage.work(3)
      #expect(try pair.mover(in: lab).send(turn).receipt != nil)
      #expect(try lab.match(pair.match).version == 3)
      // Behind the other in its queue.
      try cyd.must(solo)
      #expect(try lab.replies()[urgent.key] == nil)
      #expect(try lab.violations() == [])
    }
  }

  /// The last change comes under load, the others before.
  @Test(
    "Every event is answered once in a change under load, with setup killed anywhere",
    arguments: [[16, 4, 16], [4, 16, 6]])
  func underLoad(counts: [Int]) async throws {
    let seed = UInt64.random(in: .min ... .max)
    var options = ServiceLab.Options(queueCount: counts[0], workers: 0, hasNewHost: true)
    options.roles = [.reader, .relay, .push]
    options.lexicons = .standard
    try await ServiceLab.run(options) { lab in
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      for count in counts.dropLast() { #expect(try processes.setup(queues: count).wait() == 0) }
      let load = Load()
      async let played: Void = load.run(pairs: 8, in: lab, seed: seed)
      do {
        defer { load.stop.ask() }
        try LayoutChangeTests.change(processes, counts.suffix(2), load, seed)
      } catch {
        throw LabFailure("seed \(seed): \(error)\n\(processes.setupLog)")
      }
      try await played
      try load.log.settle(in: lab)
      try load.log.verify(in: lab, seed: seed, eachPushOnce: true)
      #expect(load.log.all.allSatisfy { $0.isConfirmed }, "seed \(seed)")
      #expect(try lab.deadEventCount() == 0, "seed \(seed)")
    }
  }

  private static func change(
    _ processes: RoleProcesses, _ counts: ArraySlice<Int>, _ load: Load, _ seed: UInt64
  ) throws {
    let (before, count) = (counts[counts.startIndex], counts[counts.endIndex - 1])
    let names = ["worker", "worker", "scheduler"]
    var random = SplitMix64(state: seed)
    let roles = try names.map { try processes.start($0, ["CUBIST_QUEUES": "\(before)"]) }
    try load.awaitTurns(20)
    for role in roles { role.askToLeave() }
    for role in roles { #expect(role.wait() == 0, "\(role.logText.suffix(1_500))") }
    for _ in 0..<4 {
      let setup = try processes.setup(queues: count)
      // Nothing is awaited: it is to be at any point of its work when it dies.
      Patience.passAny(upTo: 3, random.next())
      setup.kill()
    }
    #expect(try processes.setup(queues: count).wait() == 0, "\(processes.setupLog)")
    for name in names { _ = try processes.start(name, ["CUBIST_QUEUES": "\(count)"]) }
    try load.awaitTurns(20)
  }
}

/// A service whose number of queues changes.
private struct LayoutStage {
  let lab: ServiceLab
  let names = Names()
  private let processes: RoleProcesses

  init(_ lab: ServiceLab) throws {
    self.lab = lab
    processes = try RoleProcesses(of: lab)
  }

  func end() { processes.end() }

  func settings(_ queueCount: Int) throws -> ServiceSettings {
    ServiceSettings(
      database: lab.database.connectionString, broker: lab.serviceURL,
      brokerManagement: try RealServers.environment().managementURL,
      serviceKeys: processes.keys, layout: try #require(QueueLayout(queueCount: queueCount)))
  }

  @discardableResult
  func setup(_ queueCount: Int) throws -> [String] {
    let setup = try ServiceSetup(settings(queueCount), players: nil)
    return try setupLines { report throws(OperatorFailure) in try setup.run(report: report) }
  }

  func problems(_ queueCount: Int) throws -> [String] {
    try ServiceSetup(settings(queueCount), players: nil).problems()
  }

  /// Starts a worker.
  func work(_ queueCount: Int) throws {
    try lab.start(.worker, lab.wiring(queueCount: queueCount))
    try lab.waitUntilWorking()
  }

  /// Everybody sends and waits for the answer; meanwhile the number changes.
  func change(_ before: Int, to count: Int, _ pairs: [BusyPair]) async throws -> [String] {
    async let answers = pairs.answers(in: lab)
    try waitUntil("the events of everybody wait") { try readyCount() == pairs.count * 2 }
    // The scheduler's last tick is behind them: by its time every deadline has passed.
    let late = WallClock.live.now().adding(seconds: 86_400)
    let ticks = try (0..<before).map { queue in
      lab.serviceEvent(
        .ticked(queue: queue, time: late, since: late), slot: try #require(Slot(number: queue)))
    }
    try lab.publish(ticks)
    try waitUntil("so do the ticks") { try readyCount() == pairs.count * 2 + before }
    let told = try setup(count)
    try work(count)
    for (pair, (turn, invitation)) in zip(pairs, try await answers) {
      #expect(turn.receipt != nil, "\(pair.match): \(turn)")
      #expect(invitation.ticket != nil, "\(pair.match): \(invitation)")
    }
    return told
  }

  /// How many events wait in all queues, those that no worker knows included.
  func readyCount() throws -> Int { try counts().map(\.ready).reduce(0, +) }

  /// The queues of events that there are.
  func queues() throws -> [String] { try counts().map(\.name) }

  private func counts() throws -> [QueueCount] {
    try QueueCount.of(
      (0..<16).map { names.events(queue: $0) }, at: BrokerAddress(url: lab.serviceURL),
      within: waitLimit)
  }

  /// The times of all queues.
  func times() throws -> [Instant] {
    let connection = try lab.connection()
    defer { connection.close() }
    return try WorkerStore.live(connection).queueClocks().values.compactMap(\.time)
  }
}

/// Two players at a match.
private struct BusyPair {
  let players: [LabPlayer]
  let match: MatchID

  init(_ number: Int, in lab: ServiceLab) throws {
    players = [try lab.player("Ann-\(number)"), try lab.player("Bob-\(number)")]
    match = try lab.begin(players[0], players[1])
  }

  /// Makes pairs side by side.
  static func meet(_ numbers: Range<Int>, in lab: ServiceLab) async throws -> [BusyPair] {
    try await withThrowingTaskGroup(of: BusyPair.self) { group in
      for number in numbers { group.addTask { try BusyPair(number, in: lab) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  func mover(in lab: ServiceLab) throws -> LabPlayer { players[try lab.match(match).seatToPlay] }

  func turn(in lab: ServiceLab) throws -> LabPlayer.Sent {
    try mover(in: lab).sign(.turnPlayed(match, lab.turn(try lab.match(match))))
  }
}

extension [BusyPair] {
  /// Every pair's next turn and an invitation of the other player, sent at once, and the answers.
  fileprivate func answers(
    in lab: ServiceLab
  ) async throws -> [(turn: ReceivedReply, invitation: ReceivedReply)] {
    var answers: [(turn: ReceivedReply, invitation: ReceivedReply)] = []
    let line = StartLine(count)
    try await withThrowingTaskGroup(of: (Int, ReceivedReply, ReceivedReply).self) { group in
      for (index, pair) in enumerated() {
        let turn = try pair.turn(in: lab)
        let mover = try pair.mover(in: lab)
        let other = try #require(pair.players.first { $0.id != mover.id })
        let invitation = try other.sign(
          .matchRequested(MatchRequest(opponent: .player(mover.id), turnLimitSeconds: 3_600)))
        group.addTask {
          line.wait()
          let (turn, invitation) = try await atOnce(
            { try mover.send(turn, within: waitLimit) },
            { try other.send(invitation, within: waitLimit) })
          return (index, turn, invitation)
        }
      }
      var found: [Int: (ReceivedReply, ReceivedReply)] = [:]
      for try await (index, turn, invitation) in group { found[index] = (turn, invitation) }
      answers = indices.compactMap { found[$0] }.map { (turn: $0, invitation: $1) }
    }
    return answers
  }
}
