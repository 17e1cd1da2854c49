import CubistBasics
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("The wait of a worker for its share")
struct WorkerAdmissionTests {
  private func standing(served: Bool = false, deaths: Int = 0) -> WorkerStanding {
    var standing = WorkerStanding()
    standing.isServed = served
    standing.youngDeathCount = deaths
    return standing
  }

  @Test("None if nobody serves; else ten seconds, doubled for each that died young")
  func rule() {
    for deaths in 0...5 {
      #expect(
        WorkerAdmission.isAdmitted(
          lasting: 0, isProven: false, standing(served: false, deaths: deaths)))
      let needed: Int64 = [10, 20, 40, 80, 160, 160][deaths]
      for (seconds, isAdmitted) in [(0, false), (needed - 1, false), (needed, true)] {
        #expect(
          WorkerAdmission.isAdmitted(
            lasting: seconds, isProven: false, standing(served: true, deaths: deaths))
            == isAdmitted)
      }
      #expect(
        WorkerAdmission.isAdmitted(
          lasting: 0, isProven: true, standing(served: true, deaths: deaths)))
    }
    var member = standing(served: true, deaths: 9)
    member.isMember = true
    #expect(WorkerAdmission.isAdmitted(lasting: 0, isProven: false, member))
  }

  @Test("A worker alone begins with its first step")
  func alone() throws {
    let lab = WorkerLab()
    try lab.step()
    #expect(lab.names == ["consume 16"])
  }

  @Test("A worker beside others takes nothing, and says nothing, before it has lasted ten seconds")
  func beside() throws {
    let lab = WorkerLab()
    lab.standing.isServed = true
    lab.living = [WorkerLab.id, WorkerID(rawValue: 2)]
    var beats = 0
    lab.store.heartbeat.answer { [unowned lab] _ in
      beats += 1
      return lab.living
    }
    for _ in 0..<5 {
      try lab.step()
      lab.clock.pass(.milliseconds(1_790))
    }
    #expect(lab.names == [] && lab.worker.heldQueues == [] && beats == 0)
    lab.clock.pass(.seconds(2))
    try lab.step()
    #expect(lab.names == ["consume 8"])
    // It keeps its queues, even if other workers die.
    lab.standing.youngDeathCount = 4
    lab.clock.pass(.seconds(2))
    try lab.step()
    #expect(lab.worker.heldQueues.count == 8)
  }

  @Test("A worker that lasted ten seconds comes back with its share; another has to last again")
  func proof() throws {
    for (seconds, isGiven) in [(9, false), (10, true)] as [(Int, Bool)] {
      let lab = WorkerLab(.leave)
      try lab.step()
      lab.clock.pass(.seconds(seconds))
      lab.worker.leave()
      #expect(lab.proof.isGiven == isGiven)
    }
    let waiting = WorkerLab(.leave)
    waiting.standing.isServed = true
    waiting.standing.youngDeathCount = 3
    try waiting.step()
    waiting.clock.pass(.seconds(70))
    waiting.worker.leave()
    #expect(!waiting.proof.isGiven, "it had no share")
  }

  @Test("No queue lacks a living worker for more than 25 s while workers come and crash")
  func properties() {
    for seed in 0..<40 as Range<UInt64> {
      var model = WorkerModel(seed: seed)
      model.run(seconds: 1_200)
      #expect(model.longestGap <= 25, "seed \(seed)")
      // A worker that ends within ten seconds is never in the way; one that ends later is not for
      // long.
      #expect(
        model.loopShare == 0, "seed \(seed), \(model.lifetime) s: \(model.loopShare)")
      #expect(model.firstServed <= 2, "seed \(seed)")
    }
  }
}

/// Two workers that last and one that is started anew each time that it crashes, by the second, with
/// the rules of admission and assignment and a table as the store keeps it.
private struct WorkerModel {
  private struct Worker {
    var id: WorkerID
    var begunAt: Int64
    var diesAt: Int64?
    var isAdmitted = false
  }

  private static let queueCount = 8
  private var random: SplitMix64
  private var living: [Worker] = []
  private var comesAt: [(at: Int64, isLooping: Bool)] = []
  private var heartbeats: [WorkerID: Int64] = [:]
  private var young: [Int64] = []
  let lifetime: Int64
  private(set) var longestGap = 0
  private(set) var firstServed = Int.max
  private var gaps = Array(repeating: 0, count: queueCount)
  private var (looped, counted) = (0, 0)

  /// The share of all queues and seconds, after the beginning, that a crash-looping worker had,
  /// dead or alive.
  var loopShare: Double { counted == 0 ? 0 : Double(looped) / Double(counted) }

  init(seed: UInt64) {
    random = SplitMix64(state: seed)
    lifetime = Int64(1 + random.next() % 100)
    comesAt = (0..<3).map { (Int64(random.next() % 30), $0 == 0) }
  }

  mutating func run(seconds: Int64) {
    var loops: Set<WorkerID> = []
    for now in 0..<seconds {
      for worker in living where worker.diesAt == now {
        comesAt.append((now + 1 + Int64(random.next() % 3), true))
        if now - worker.begunAt < WorkerStanding.youngSeconds { young.append(now) }
      }
      living.removeAll { $0.diesAt == now }
      for (_, isLooping) in comesAt.filter({ $0.at == now }) {
        let id = WorkerID(rawValue: UInt128(random.next()) << 64 | UInt128(random.next()))
        if isLooping { loops.insert(id) }
        living.append(
          Worker(id: id, begunAt: now, diesAt: isLooping ? now + lifetime : nil))
      }
      comesAt.removeAll { $0.at == now }
      for index in living.indices where (now - living[index].begunAt) % 2 == 0 {
        look(index, now)
      }
      count(now, loops)
    }
  }

  private mutating func look(_ index: Int, _ now: Int64) {
    let worker = living[index]
    var standing = WorkerStanding()
    standing.isServed = heartbeats.contains {
      $0 != worker.id && now - $1 < WorkerStanding.freshSeconds
    }
    standing.youngDeathCount = young.count {
      now - $0 > RoleSign.limitSeconds && now - $0 < 600
    }
    if !worker.isAdmitted {
      living[index].isAdmitted = WorkerAdmission.isAdmitted(
        lasting: now - worker.begunAt, isProven: false, standing)
    }
    if living[index].isAdmitted { heartbeats[worker.id] = now }
  }

  private mutating func count(_ now: Int64, _ loops: Set<WorkerID>) {
    let resolved: Int64 = lifetime < WorkerAdmission.proofSeconds ? 60 : 600
    let counting = heartbeats.filter { now - $0.value < 10 }.keys.sorted()
    let alive = Set(living.map(\.id))
    for owner in counting {
      let queues = QueueAssignment.queues(
        of: owner, among: counting, queueCount: WorkerModel.queueCount)
      for queue in queues where alive.contains(owner) { gaps[queue] = -1 }
      if loops.contains(owner), now >= resolved { looped += queues.count }
    }
    if now >= resolved { counted += WorkerModel.queueCount }
    if !alive.isEmpty {
      for queue in gaps.indices { gaps[queue] += 1 }
    }
    // Counts from the first lasting worker on.
    let hasLasting = living.contains { !loops.contains($0.id) }
    if hasLasting {
      longestGap = max(longestGap, gaps.max() ?? 0)
    } else {
      gaps = gaps.map { _ in 0 }
    }
    if firstServed == .max, !counting.isEmpty, let first = living.map(\.begunAt).min() {
      firstServed = Int(now - first)
    }
  }
}
