/// Builds the graph of words that come in alphabetical order.
///
/// The words make a tree of which only the branch of the last word can still grow; whatever leaves
/// that branch is frozen, and nodes that are alike become one (Daciuk, Mihov, Watson and Watson,
/// "Incremental construction of minimal acyclic finite-state automata", 2000). Nodes are laid out
/// in the reverse of the order of freezing: the root first, every arc forward.
/// `deploy/make-lexicon` does the same and comes to the same units.
struct WordGraphBuilder {
  /// A node: its head, then the numbers of the nodes its letters lead to.
  private typealias Node = [UInt32]

  private(set) var wordCount = 0
  private var frozen: [Node] = []
  private var numbers: [Node: UInt32] = [:]
  private var branch: [Node] = [[0]]
  private var last: [UInt8] = []

  /// The graph of some words in any order, each word as letters 0...25.
  static func build(_ words: [ArraySlice<UInt8>]) -> (units: [UInt32], wordCount: Int) {
    var builder = WordGraphBuilder()
    let inOrder = zip(words, words.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) }
    for word in inOrder ? words : words.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      builder.add(word)
    }
    let units = builder.finish()
    return (units, builder.wordCount)
  }

  /// Adds a word of letters 0...25 that is not before the last one; the last one again is nothing.
  private mutating func add(_ word: ArraySlice<UInt8>) {
    guard !word.isEmpty, !word.elementsEqual(last) else { return }
    let common = zip(word, last).prefix { $0 == $1 }.count
    freeze(downTo: common)
    branch.append(contentsOf: repeatElement([0], count: word.count - common))
    branch[word.count][0] |= WordGraph.endOfWord
    last = Array(word)
    wordCount += 1
  }

  private mutating func finish() -> [UInt32] {
    freeze(downTo: 0)
    _ = number(of: branch[0])
    var offsets = [UInt32](repeating: 0, count: frozen.count)
    var offset: UInt32 = 0
    for number in frozen.indices.reversed() {
      offsets[number] = offset
      offset += UInt32(frozen[number].count)
    }
    var units: [UInt32] = []
    units.reserveCapacity(Int(offset))
    for node in frozen.reversed() {
      units.append(node[0])
      units.append(contentsOf: node.dropFirst().map { offsets[Int($0)] })
    }
    return units
  }

  /// Freezes the nodes of the last word's branch that are deeper than so many letters.
  private mutating func freeze(downTo depth: Int) {
    while branch.count > depth + 1 {
      let number = number(of: branch.removeLast())
      let parent = branch.count - 1
      branch[parent][0] |= 1 << UInt32(last[parent])
      branch[parent].append(number)
    }
  }

  private mutating func number(of node: Node) -> UInt32 {
    if let known = numbers[node] { return known }
    let number = UInt32(frozen.count)
    numbers[node] = number
    frozen.append(node)
    return number
  }
}
