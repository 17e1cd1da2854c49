/// The smallest acyclic automaton that accepts the words of a list, read in place.
///
/// `Sources/CEmbedded/README.md` describes the units. A node is known by the index of its head.
///
/// SAFETY: unchecked because of the pointers. What they point at is either constant data of the
/// binary, and a table that is never freed, or memory that `owner` alone allocated, filled before
/// and frees after; nothing writes to it in between.
struct WordGraph: @unchecked Sendable {
  static let root: UInt32 = 0
  static let endOfWord: UInt32 = 1 << 26
  static let letters: UInt32 = endOfWord - 1
  static let letterCount = 26

  private let units: UnsafeBufferPointer<UInt32>
  private let owner: Memory?
  /// The node that each pair of first letters leads to, the root where no word has it: the root and
  /// what follows it have the most arcs, and every string is looked up through them.
  private let pairs: UnsafePointer<UInt32>

  /// A graph of units that live as long as the program, little-endian and four-byte aligned.
  init(permanent units: UnsafeBufferPointer<UInt32>) {
    self.units = units
    owner = nil
    // As long as the units; an array would be counted at every look.
    pairs = UnsafePointer(Nodes(units: units).makePairs())
  }

  /// A graph with its own copy of units in the machine's byte order.
  init(copying units: [UInt32]) {
    let memory = Memory(units)
    self.units = UnsafeBufferPointer(memory.units)
    owner = memory
    pairs = memory.pairs
  }

  /// The node that two letters, 0...25 each, lead to from the root.
  @inline(__always)
  func nodeAfter(_ first: UInt8, _ second: UInt8) -> UInt32? {
    guard first < Self.letterCount, second < Self.letterCount else { return nil }
    let node = pairs[Int(first) &* Self.letterCount &+ Int(second)]
    return node == Self.root ? nil : node
  }

  /// Hands out the nodes for the time of a call.
  @inline(__always)
  func read<Result>(_ body: (Nodes) -> Result) -> Result {
    withExtendedLifetime(owner) { body(Nodes(units: units)) }
  }

  /// The nodes of a graph; it must not outlive the call of `read` that handed it out.
  struct Nodes {
    fileprivate let units: UnsafeBufferPointer<UInt32>

    var unitCount: Int { units.count }

    /// The unit at an index, in the machine's byte order.
    func unit(_ index: Int) -> UInt32 { UInt32(littleEndian: units[index]) }

    /// The head of a node: the letters that go on from it, and whether a word ends at it.
    @inline(__always)
    func head(_ node: UInt32) -> UInt32 {
      Int(node) < units.count ? unit(Int(node)) : 0
    }

    /// The node that a letter, 0...25, leads to.
    ///
    /// Both the arc and its target are checked, so that even a graph nobody validated can lead
    /// neither out of its memory nor in a circle.
    @inline(__always)
    func next(_ node: UInt32, _ letter: UInt8) -> UInt32? {
      let head = head(node)
      let bit: UInt32 = 1 &<< UInt32(letter)
      guard head & bit & WordGraph.letters != 0 else { return nil }
      // Few letters come before: counting them one by one is faster than without an instruction for
      // it, which x86-64 has only since its second version.
      var before = head & (bit &- 1)
      var arc = Int(node) &+ 1
      while before != 0 {
        before &= before &- 1
        arc &+= 1
      }
      guard arc < units.count else { return nil }
      let target = unit(arc)
      return target > node ? target : nil
    }

    /// Makes the table of pairs, for the caller to free.
    fileprivate func makePairs() -> UnsafeMutablePointer<UInt32> {
      let count = UInt8(letterCount)
      let pairs = UnsafeMutablePointer<UInt32>.allocate(capacity: letterCount * letterCount)
      for first in 0..<count {
        let node = next(root, first)
        for second in 0..<count {
          let target = node.flatMap { next($0, second) } ?? root
          (pairs + letterCount * Int(first) + Int(second)).initialize(to: target)
        }
      }
      return pairs
    }
  }

  private final class Memory {
    let units: UnsafeMutableBufferPointer<UInt32>
    let pairs: UnsafePointer<UInt32>

    init(_ source: [UInt32]) {
      units = .allocate(capacity: source.count)
      _ = units.initialize(from: source.lazy.map(\.littleEndian))
      pairs = UnsafePointer(Nodes(units: UnsafeBufferPointer(units)).makePairs())
    }

    deinit {
      units.deallocate()
      pairs.deallocate()
    }
  }
}

extension WordGraph {
  /// Calls a closure with every word as capitals, in alphabetical order.
  func forEachWord(_ body: (String) -> Void) {
    var word: [UInt8] = []
    func visit(_ node: UInt32, of nodes: Nodes) {
      let head = nodes.head(node)
      if head & Self.endOfWord != 0 {
        body(String(decoding: word, as: UTF8.self))
      }
      var letters = head & Self.letters
      while letters != 0 {
        let letter = UInt8(truncatingIfNeeded: letters.trailingZeroBitCount)
        letters &= letters - 1
        guard let next = nodes.next(node, letter) else { continue }
        word.append(UInt8(ascii: "A") + letter)
        visit(next, of: nodes)
        word.removeLast()
      }
    }
    read { visit(Self.root, of: $0) }
  }

  /// The FNV-1a hash of the units in 64 bits: the same for the same words.
  var contentHash: UInt64 {
    read { nodes in
      var hash: UInt64 = 0xcbf2_9ce4_8422_2325
      for index in 0..<nodes.unitCount {
        var unit = nodes.unit(index)
        for _ in 0..<4 {
          hash = (hash ^ UInt64(unit & 0xff)) &* 0x100_0000_01b3
          unit >>= 8
        }
      }
      return hash
    }
  }
}
