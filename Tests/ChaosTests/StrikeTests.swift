import Testing

@testable import Chaos

@Suite("Faults that were seen to strike")
struct StrikeTests {
  @Test("A fault that struck nothing is a finding, and one that did is counted")
  func misses() {
    let book = FaultLog()
    let kinds: [FaultKind] = [.workerKill, .postgresRestart, .relayKill, .workerKill]
    let faults = kinds.map { book.open($0, round: 1) }
    book.strike(faults[0], "worker-2")
    book.strike(faults[1], "postgresql")
    book.strike(faults[3], "worker-2")
    for fault in faults { book.close(fault) }
    #expect(book.misses == [Finding(.wrong, "relay-kill of round 1 struck nothing")])
    #expect(book.strikes == ["worker-2": 2, "postgresql": 1])
    // A fault that is not over yet may still strike.
    _ = book.open(.brokerRestart, round: 2)
    #expect(book.misses.count == 1)
  }

  @Test("A held fault that status does not name is a finding, and one that it names is counted")
  func unnamed() {
    let book = FaultLog()
    let faults = [FaultKind.readersDead, .diskFull, .readersDead].map { book.open($0, round: 1) }
    book.note(faults[0], isNamed: true, found: ["readerAbsent"])
    book.note(faults[2], isNamed: false, found: ["queueLong"])
    #expect(
      book.unnamed == [
        Finding(
          .wrong,
          "cubistd status did not find readerAbsent while readers-dead of round 1 was held, but queueLong"
        )
      ])
    #expect(book.rows.map(\.named) == [0, 1])
  }

  @Test("A process that had ended by itself was not struck")
  func ended() throws {
    let group = try ProcessGroup()
    defer { group.end() }
    // Such a program ends at once in every role.
    let gone = try RoleProcess(
      "worker", binary: "/bin/true", environment: [:], log: "/dev/null", in: group)
    gone.wait()
    #expect(!gone.kill())
    #expect(!gone.stop())
  }
}
