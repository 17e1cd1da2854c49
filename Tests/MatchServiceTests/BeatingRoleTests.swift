import InMemoryLogging
import Logging
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("A role's signs of life")
struct BeatingRoleTests {
  private final class Inner: Role {
    var steps = 0
    var hasLeft = false
    var failure: Interruption?
    func step() throws(Interruption) -> Int {
      if let failure { throw failure }
      steps += 1
      return steps
    }
    func leave() { hasLeft = true }
    var holds = false
    var lost: [StoreError] = []
    func storeIsLost(_ error: StoreError) throws(Interruption) {
      lost.append(error)
      if !holds { throw .store(error) }
    }
  }

  private final class Signs {
    var beats: [RoleSign] = []
    var left: [RoleID] = []
    var failure: StoreError?

    var store: RoleStore {
      .failing.with {
        $0.beat.answer { sign throws(StoreError) in
          self.beats.append(sign)
          if let failure = self.failure { throw failure }
        }
        $0.leave.answer { id throws(StoreError) in
          self.left.append(id)
          if let failure = self.failure { throw failure }
        }
      }
    }
  }

  private let clock = TestClock()
  private let inner = Inner()
  private let signs = Signs()
  private let presence = RolePresence(
    id: RoleID(rawValue: 7), role: .reader, stop: StopSignal())

  private func role() -> BeatingRole {
    BeatingRole(
      inner, as: presence, in: "host:1", store: signs.store, clock: clock.clock,
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  @Test("The first step gives one, later ones each five seconds; the role works as if alone")
  func interval() throws {
    let role = role()
    #expect(try role.step() == 1)
    #expect(try role.step() == 2)
    #expect(signs.beats == [presence.sign(from: "host:1")])
    clock.pass(.milliseconds(4_999))
    try role.step()
    #expect(signs.beats.count == 1)
    clock.pass(.milliseconds(1))
    try role.step()
    #expect(signs.beats.count == 2)
  }

  // Failure: RoleStore.beat: A lost connection interrupts the role. Any other failure is logged,
  //   and the role works on.
  @Test("The role is interrupted without the connection; no other failure keeps it from work")
  func failures() throws {
    signs.failure = .conflict("the table is locked")
    #expect(try role().step() == 1)
    signs.failure = .unavailable("gone")
    #expect(throws: Interruption.store(.unavailable("gone"))) { try role().step() }
    #expect(inner.steps == 1)
  }

  @Test("A role that connects anew by itself is told that its connection is gone, and goes on")
  func reconnecting() throws {
    inner.holds = true
    signs.failure = .unavailable("gone")
    #expect(try role().step() == 1)
    #expect(inner.lost == [.unavailable("gone")])
    signs.failure = .conflict("the table is locked")
    #expect(try role().step() == 2)
    #expect(inner.lost.count == 1)
  }

  @Test("Each sign of life asks whether the role may go on; if not, the role is interrupted")
  func watched() throws {
    var looks = 0
    let refusal = Interruption.store(.unusable("another database"))
    let role = BeatingRole(
      inner, as: presence, in: "host:1", store: signs.store, clock: clock.clock,
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      watch: { () throws(Interruption) in
        looks += 1
        if looks > 1 { throw refusal }
      })
    for _ in 1...3 { try role.step() }
    #expect(looks == 1)
    clock.pass(.seconds(5))
    #expect(throws: refusal) { try role.step() }
    #expect(inner.steps == 3)
    #expect(presence.lastProblem(at: clock.uptime) == "\(refusal)")
  }

  @Test("An interruption is the role's problem until ten seconds after, though it works again")
  func interruptions() throws {
    let lost = Interruption.bus(.disconnected("reset"))
    for _ in 0..<3 {
      inner.failure = lost
      #expect(throws: lost) { try role().step() }
      clock.pass(.seconds(4))
      inner.failure = nil
      // The role is started anew, and works for a moment.
      try role().step()
    }
    #expect(signs.beats.map(\.problem) == [nil] + Array(repeating: "\(lost)", count: 5))
    let last = role()
    clock.pass(.milliseconds(5_999))
    try last.step()
    #expect(signs.beats.last?.problem == "\(lost)")
    clock.pass(.milliseconds(5_000))
    try last.step()
    #expect(signs.beats.count == 8)
    #expect(signs.beats.last?.problem == nil)
  }

  // Failure: RoleStore.leave: `cubistd status` misses the role until it is forgotten.
  @Test("A worker that is asked to go says goodbye; an interrupted one is waited for")
  func leaving() {
    role().leave()
    #expect(signs.left == [] && inner.hasLeft)
    presence.stop.ask()
    signs.failure = .unavailable("gone")
    inner.hasLeft = false
    role().leave()
    #expect(signs.left == [presence.id] && inner.hasLeft)
  }

  @Test("A server's account of a problem is kept short, with its first and its last words")
  func problem() {
    let long = "store unavailable: \(String(repeating: "x", count: 700)): No space left on device"
    let sign = presence.sign(from: "host:1", problem: long)
    #expect(sign.problem?.count == 500)
    #expect(sign.problem?.hasPrefix("store unavailable: x") == true)
    #expect(sign.problem?.hasSuffix("x: No space left on device") == true)
    #expect(presence.sign(from: "host:1", problem: "gone").problem == "gone")
  }
}
