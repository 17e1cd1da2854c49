import RealServers
import Testing

@Suite("Tests that hang are told from slow ones")
struct QuietMachineTests {
  /// A second of two processors, of which one computes for a part of the time.
  private static func second(_ number: Int, busy: Int = 0) -> QuietMachine.Times {
    QuietMachine.Times(total: number * 200, busy: number * busy)
  }

  /// The first look after which the machine counts as quiet, if any does.
  private static func quiet(_ looks: [QuietMachine.Times?]) -> Int? {
    var machine = QuietMachine(seconds: 80, processors: 2, ticksPerSecond: 100)
    return looks.firstIndex { machine.isQuiet($0) }
  }

  @Test("A wait hangs once the machine has had nothing to do for some time, and not before")
  func quiet() {
    #expect(Self.quiet((100..<200).map { Self.second($0) }) == 80)
    #expect(Self.quiet((100..<200).map { Self.second($0, busy: 49) }) == 80)
  }

  @Test("A machine that computes, for anybody, may be slow for as long as it does")
  func busy() {
    let busy = (0..<1_000).map { Self.second($0, busy: 200) }
    #expect(Self.quiet(busy) == nil)
    #expect(Self.quiet((0..<1_000).map { Self.second($0, busy: 50) }) == nil)
    let idle = (1_000..<1_100).map { QuietMachine.Times(total: $0 * 200, busy: 199_800) }
    // Most of the time that it looks back at is quiet.
    #expect(Self.quiet(busy + idle) == 1_060)
  }

  @Test("Time in which the machine stood still does not count, nor a system that says nothing")
  func still() {
    #expect(Self.quiet(Array(repeating: Self.second(7), count: 1_000)) == nil)
    #expect(Self.quiet(Array(repeating: nil, count: 1_000)) == nil)
  }

  @Test("The times of the processors are read as Linux writes them; a disk's work is work")
  func reading() {
    let times = QuietMachine.Times(stat: "cpu  10 1 5 100 7 0 2 3 9 9\ncpu0 1 2 3\n")
    #expect(times == QuietMachine.Times(total: 128, busy: 28))
    #expect(QuietMachine.Times(stat: "intr 1 2 3 4 5 6 7 8 9") == nil)
    #expect(QuietMachine.Times.ofMachine() != nil)
  }
}
