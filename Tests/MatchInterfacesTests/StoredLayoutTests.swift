import CubistBasics
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@Suite("The number of queues, and its changes with their deadlines")
struct StoredLayoutTests {
  private let noon = Instant(microseconds: 1_777_636_800_000_000)

  private func layout(_ count: Int) throws -> QueueLayout {
    try #require(QueueLayout(queueCount: count))
  }

  private func match(_ number: Int) -> MatchID {
    MatchID(rawValue: UInt128(number) &* 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
  }

  @Test(
    "Every deadline passes with the same tick after any change of the number",
    arguments: [[16, 4], [4, 16], [3, 7, 1, 64], [1, 1_024, 5], [16, 15, 16]])
  func moved(counts: [Int]) throws {
    for seed in 1...20 {
      var random = SplitMix64(state: UInt64(seed))
      var stored = StoredLayout(try layout(counts[0]))
      var clocks: [Int: QueueClock] = [:]
      for queue in 0..<counts[0] {
        clocks[queue] = QueueClock(
          time: noon.adding(microseconds: Int64(random.next() % 3_000_000)),
          creditMicroseconds: Int64(random.next() % 9) * 86_400_000_000)
      }
      let matches = (0..<300).map { match(seed * 1_000 + $0) }
      // Deadlines that were set before some of the credit was given.
      let deadlines = matches.map { id in
        Deadline(
          at: noon.adding(seconds: Int64(random.next() % 600)),
          creditMicroseconds: stored.clock(of: id, clocks).creditMicroseconds
            - Int64(random.next() % 500) * 1_000_000)
      }
      let before = (stored, clocks)
      for count in counts.dropFirst() {
        let moved = stored.moved(to: try layout(count), clocks)
        (stored, clocks) = (moved.layout, moved.clocks)
        #expect(stored.layout.queueCount == count && clocks.count <= count)
      }
      // Ticks come again after the pause that changing it takes.
      var (old, new) = (before.1, clocks)
      for second in stride(from: 10, to: 1_300, by: 1) {
        let time = noon.adding(seconds: Int64(second))
        let since = noon.adding(seconds: 10)
        for queue in old.keys { old[queue]?.ticked(at: time, since: since) }
        for queue in new.keys { new[queue]?.ticked(at: time, since: since) }
        guard second.isMultiple(of: 7) else { continue }
        for (id, deadline) in zip(matches, deadlines) {
          let stays = before.0.clock(of: id, old).hasReached(deadline)
          #expect(stored.clock(of: id, new).hasReached(deadline) == stays)
        }
      }
    }
  }

  @Test("A layout that was never written down is that of the queues that were ticked lately")
  func inferred() throws {
    #expect(StoredLayout(of: [:]) == nil)
    var clocks: [Int: QueueClock] = [:]
    for queue in 0..<16 { clocks[queue] = QueueClock(time: noon) }
    #expect(StoredLayout(of: clocks)?.layout.queueCount == 16)
    // Eight were left over when the number became smaller.
    for queue in 0..<8 { clocks[queue] = QueueClock(time: noon.adding(seconds: 7_200)) }
    #expect(StoredLayout(of: clocks)?.layout.queueCount == 8)
  }

  @Test("Even the right number is refused until a change has ended, with the remedy")
  func unfinished() throws {
    let stored = StoredLayout(try layout(8), unmoved: [try layout(16)])
    for part in ["8 queues", "has not ended", "run cubistd setup with CUBIST_QUEUES=8"] {
      #expect(stored.problem(with: try layout(8))?.contains(part) == true, "\(part)")
    }
  }

  @Test("A process with another number is refused with both numbers and the remedy")
  func refused() throws {
    let stored = StoredLayout(try layout(8))
    try stored.check(try layout(8))
    let other = try layout(16)
    do throws(StoreError) {
      try stored.check(other)
      Issue.record("it was not refused")
    } catch {
      guard case .unusable(let text) = error else {
        Issue.record("\(error)")
        return
      }
      for part in ["8 queues", "CUBIST_QUEUES is 16", "CUBIST_QUEUES=8", "cubistd setup"] {
        #expect(text.contains(part), "\(part)")
      }
    }
  }
}
