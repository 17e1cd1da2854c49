/// The smallest acyclic automaton that accepts the words of a list, read in place.
///
/// `Sources/CEmbedded/README.md` describes the units.
///
/// SAFETY: unchecked because of the pointer. It points at constant data of the binary, or at memory
/// that `owner` alone allocated, filled before and frees after. Nothing writes to it in between.
struct WordGraph: @unchecked Sendable {
  static let letterCount: UInt8 = 26

  private let units: UnsafeBufferPointer<UInt32>
  private let owner: Memory?

  /// A graph of units that live as long as the program, little-endian and four-byte aligned.
  init(permanent units: UnsafeBufferPointer<UInt32>) {
    self.units = units
    owner = nil
  }

  /// A graph with its own copy of units in the machine's byte order.
  init(copying units: [UInt32]) {
    let memory = Memory(units)
    self.units = UnsafeBufferPointer(memory.units)
    owner = memory
  }

  /// Hands out the units for the time of a call.
  @inline(__always)
  func read<Result>(_ body: (Units) -> Result) -> Result {
    withExtendedLifetime(owner) { body(Units(units: units)) }
  }

  /// The bits of a unit.
  enum Unit {
    /// The bits of the letter, 1 for A to 26 for Z.
    static let letter: UInt32 = 31
    /// The bit of an arc whose letter ends a word.
    static let endOfWord: UInt32 = 32
    /// The bits that are not the place of a node.
    static let arc: UInt32 = letter | endOfWord
    /// By how many bits the place is shifted.
    static let placeShift: UInt32 = 6
  }

  /// How far a walk has come: the arc of its last letter.
  struct Arc {
    /// The index of the arc's unit.
    var index: Int
    var unit: UInt32

    /// A walk before its first letter, as if by an arc to the root from before all units.
    static let start = Arc(index: -1, unit: 0)

    /// The arc's own letter, 0...25.
    var letter: UInt8 { UInt8(truncatingIfNeeded: unit & Unit.letter) &- 1 }

    /// Whether the letters so far are a word.
    var endsWord: Bool { unit & Unit.endOfWord != 0 }

    /// The place of the node that the arc leads to, or 0 for none.
    var place: Int { Int(unit &>> Unit.placeShift) }

    /// Whether letters can go on from here: in a graph every arc points forward.
    var leadsOn: Bool { place > index }
  }

  /// The units of a graph; it must not outlive the call of `read` that handed it out.
  struct Units {
    fileprivate let units: UnsafeBufferPointer<UInt32>

    var count: Int { units.count }

    /// The unit at an index, in the machine's byte order.
    subscript(index: Int) -> UInt32 { UInt32(littleEndian: units[index]) }

    /// The arc by which a letter, 0...25, goes on from another arc.
    ///
    /// Both the place and the unit's index are checked, so that even a graph nobody validated can lead
    /// neither out of its memory nor in a circle.
    @inline(__always)
    func next(_ arc: Arc, _ letter: UInt8) -> Arc? {
      let index = arc.place &+ Int(letter)
      guard arc.leadsOn, index < units.count else { return nil }
      let unit = self[index]
      return unit & Unit.letter == UInt32(letter) &+ 1 ? Arc(index: index, unit: unit) : nil
    }
  }

  private final class Memory {
    let units: UnsafeMutableBufferPointer<UInt32>

    init(_ source: [UInt32]) {
      units = .allocate(capacity: source.count)
      _ = units.initialize(from: source.lazy.map { $0.littleEndian })
    }

    deinit {
      units.deallocate()
    }
  }
}

extension WordGraph {
  /// Calls a closure with every word as capitals, in alphabetical order.
  func forEachWord(_ body: (String) -> Void) {
    var word: [UInt8] = []
    func visit(_ arc: Arc, of units: Units) {
      if arc.endsWord {
        body(String(decoding: word, as: UTF8.self))
      }
      for letter in 0..<Self.letterCount {
        guard let next = units.next(arc, letter) else { continue }
        word.append(UInt8(ascii: "A") + letter)
        visit(next, of: units)
        word.removeLast()
      }
    }
    read { visit(.start, of: $0) }
  }
}
