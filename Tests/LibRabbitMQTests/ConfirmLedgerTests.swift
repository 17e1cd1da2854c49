import CubistBasics
import CustomDump
import Testing

@testable import LibRabbitMQ

@Suite("Confirm ledger")
struct ConfirmLedgerTests {
  static func likeness(_ key: String, _ id: String? = nil) -> ConfirmLedger.Likeness {
    .init(exchange: "e", routingKey: key, messageID: id, correlationID: nil)
  }

  @Test("Numbers count from 1 and settle singly in any order, each once")
  func single() {
    var ledger = ConfirmLedger()
    let numbers = (1...3).map { _ in ledger.append(mandatory: nil) }
    #expect(numbers == [1, 2, 3])
    var log: [PublishConfirmation] = []
    #expect(ledger.settle(2, multiple: false, accepted: true) { log.append($0) })
    #expect(ledger.settle(1, multiple: false, accepted: false) { log.append($0) })
    #expect(!ledger.settle(2, multiple: false, accepted: true) { log.append($0) })
    #expect(!ledger.settle(4, multiple: false, accepted: true) { log.append($0) })
    #expect(!ledger.settle(0, multiple: false, accepted: true) { log.append($0) })
    #expect(!ledger.settle(.max, multiple: true, accepted: true) { log.append($0) })
    expectNoDifference(
      log,
      [
        PublishConfirmation(sequence: 2, outcome: .confirmed),
        PublishConfirmation(sequence: 1, outcome: .refused),
      ])
    #expect(ledger.waitingCount == 1)
  }

  @Test("A return decides only at the acknowledgement, for the first message that looks like it")
  func returned() {
    var ledger = ConfirmLedger()
    _ = ledger.append(mandatory: nil)
    _ = ledger.append(mandatory: Self.likeness("a", "1"))
    _ = ledger.append(mandatory: Self.likeness("b", "1"))
    _ = ledger.append(mandatory: Self.likeness("b", "1"))
    let isMarked = ledger.markReturned(Self.likeness("b", "1"), code: 312, text: "NO_ROUTE")
    #expect(isMarked)
    let isStranger = ledger.markReturned(Self.likeness("c", "1"), code: 312, text: "NO_ROUTE")
    #expect(!isStranger)
    #expect(ledger.waitingCount == 4)
    var log: [PublishConfirmation] = []
    #expect(ledger.settle(0, multiple: true, accepted: true) { log.append($0) })
    expectNoDifference(
      log.map(\.outcome),
      [.confirmed, .confirmed, .returned(code: 312, text: "NO_ROUTE"), .confirmed])
  }

  @Test("Random traffic settles every message exactly once, as a model says", arguments: 1...20)
  func randomTraffic(seed: UInt64) {
    var generator = SplitMix64(state: seed)
    var ledger = ConfirmLedger()
    var waiting: Set<UInt64> = []
    var settled: Set<UInt64> = []
    for _ in 0..<3000 {
      if waiting.isEmpty || generator.next() % 2 == 0 {
        let isNew = waiting.insert(ledger.append(mandatory: nil)).inserted
        #expect(isNew, "seed \(seed)")
        continue
      }
      let pick = waiting.sorted()[Int(generator.next() % UInt64(waiting.count))]
      let multiple = generator.next() % 8 == 0
      let expected: Set<UInt64> = multiple ? waiting.filter { $0 <= pick } : [pick]
      var got: Set<UInt64> = []
      let isKnown = ledger.settle(pick, multiple: multiple, accepted: true) {
        got.insert($0.sequence)
      }
      #expect(isKnown && got == expected, "seed \(seed)")
      #expect(settled.isDisjoint(with: got), "seed \(seed)")
      settled.formUnion(got)
      waiting.subtract(got)
      #expect(ledger.waitingCount == waiting.count, "seed \(seed)")
    }
  }
}
