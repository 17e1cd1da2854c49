import Testing

@testable import Chaos

@Suite("Upgrades that replace every role")
struct UpgradeTests {
  private func book(
    _ deadlines: [(String, Int64, String)], credits: [Int64: Double] = [:]
  ) -> DeadlineBook {
    DeadlineBook(
      deadlines: Dictionary(
        uniqueKeysWithValues: deadlines.map {
          (DeadlineBook.Version(match: $0.0, number: $0.1), $0.2)
        }), credits: credits)
  }

  @Test("A deadline that moved although nobody played is found; a match that was played on is not")
  func deadlines() {
    let before = book([("one", 3, "12:00"), ("two", 5, "13:00"), ("three", 2, "14:00")])
    let after = book([("one", 3, "12:00"), ("two", 5, "13:01"), ("three", 3, "15:00")])
    #expect(before.count(comparedWith: after) == 2)
    #expect(
      before.findings(comparedWith: after, around: "worker-1") == [
        Finding(
          .wrong,
          "the deadline of match two moved from 13:00 to 13:01 as worker-1 was replaced")
      ])
    #expect(before.findings(comparedWith: before, around: "worker-1") == [])
  }

  @Test("Time that stood still is found once, by the process around which it did")
  func credit() {
    let (none, little, much) = (book([]), book([], credits: [1: 2]), book([], credits: [1: 40]))
    #expect(none.findings(comparedWith: little, around: "scheduler-1") == [])
    #expect(none.findings(comparedWith: much, around: "scheduler-1").count == 1)
    #expect(much.findings(comparedWith: much, around: "relay-1") == [])
    // Each replacement may stop a queue for some seconds. Their sum is no finding.
    let later = book([], credits: [1: 46, 2: 6])
    #expect(much.findings(comparedWith: later, around: "worker-1") == [])
    #expect(later.credit(since: much) == 6)
  }

  @Test("Every role has its turn")
  func order() {
    #expect(Set(Upgrade.order) == Set(ServiceUnderTest.roles.map(\.0)))
    #expect(Upgrade.order.count == ServiceUnderTest.roles.count)
  }
}
