import CubistBasics

extension WordGraph {
  /// The 64-bit hash that names the words: the same for the same words, in any format.
  ///
  /// Matches pin names, so the hash covers not the units but a form that never changes: the states
  /// of the smallest automaton with states that say whether a word ends at them. A state is a head,
  /// with bit 0 to bit 25 for the letters A to Z that go on and bit 26 for the end of a word, and
  /// then for each of these letters the index of the head it leads to. The states come in the
  /// reverse of the order in which a walk through all words leaves each of them first.
  var contentHash: UInt64 {
    read { units in
      var form = StateForm(units: units)
      form.leave(.start)
      return form.hash
    }
  }
}

/// The states of an automaton, put down in the order of leaving them.
private struct StateForm {
  private let units: WordGraph.Units
  /// For each node and end of word: how many numbers are put down with its state, 0 before that.
  private var ends: [UInt32]
  /// For each state its head, then the `ends` of those it leads to.
  private var numbers: [UInt32] = []
  /// Where each state starts.
  private var starts: [Int] = []

  init(units: WordGraph.Units) {
    self.units = units
    ends = Array(repeating: 0, count: 2 * (units.count + 1))
  }

  mutating func leave(_ arc: WordGraph.Arc) {
    guard ends[Self.state(arc)] == 0 else { return }
    let arcs = (0..<WordGraph.letterCount).compactMap { units.next(arc, $0) }
    arcs.forEach { leave($0) }
    starts.append(numbers.count)
    numbers.append(arcs.reduce(arc.endsWord ? 1 << 26 : 0) { $0 | 1 << UInt32($1.letter) })
    numbers += arcs.map { ends[Self.state($0)] }
    ends[Self.state(arc)] = UInt32(numbers.count)
  }

  /// The FNV-1a hash of the numbers' bytes, the last state first.
  var hash: UInt64 {
    var hash = FNV1a()
    func add(_ number: UInt32) {
      for shift in stride(from: UInt32(0), to: 32, by: 8) {
        hash.add(UInt8(truncatingIfNeeded: number >> shift))
      }
    }
    var end = numbers.count
    for start in starts.reversed() {
      add(numbers[start])
      for target in numbers[start + 1..<end] {
        add(UInt32(numbers.count) - target)
      }
      end = start
    }
    return hash.value
  }

  /// The number of an arc's node and end of word, which together make a state.
  private static func state(_ arc: WordGraph.Arc) -> Int {
    2 * arc.place + (arc.endsWord ? 1 : 0)
  }
}
