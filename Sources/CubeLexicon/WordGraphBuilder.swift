/// Builds the graph of words that come in alphabetical order.
///
/// The words make a tree, and only the branch of the last word can still grow. Nodes that leave
/// that branch are frozen, and nodes that are alike become one (Daciuk, Mihov, Watson and Watson,
/// "Incremental construction of minimal acyclic finite-state automata", 2000).
/// `deploy/make-lexicon` does the same and comes to the same units.
struct WordGraphBuilder {
  /// A node: its arcs in alphabetical order, each a unit with a node's number for its place.
  typealias Node = [UInt32]

  private(set) var wordCount = 0
  /// The nodes by number. The first to freeze is one without arcs.
  private var frozen: [Node] = []
  private var numbers: [Node: Int] = [:]
  /// The root and the node after each letter of the last word; their last arcs lead nowhere yet.
  private var branch: [Node] = [[]]
  private var last: [UInt8] = []

  /// The graph of some words in any order, each word as letters 0...25.
  static func build(_ words: [ArraySlice<UInt8>]) -> (units: [UInt32], wordCount: Int) {
    var builder = WordGraphBuilder()
    let inOrder = zip(words, words.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) }
    for word in inOrder ? words : words.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      builder.add(word)
    }
    builder.freeze(downTo: 0)
    _ = builder.number(of: builder.branch[0])
    return (WordGraphLayout.units(builder.frozen), builder.wordCount)
  }

  /// Adds a word of letters 0...25 that does not come before the last one. A repeated word adds
  /// nothing.
  private mutating func add(_ word: ArraySlice<UInt8>) {
    guard !word.isEmpty, !word.elementsEqual(last) else { return }
    let common = zip(word, last).prefix { $0 == $1 }.count
    freeze(downTo: common)
    for letter in word.dropFirst(common) {
      branch[branch.count - 1].append(UInt32(letter) + 1)
      branch.append([])
    }
    let arc = branch[word.count - 1].count - 1
    branch[word.count - 1][arc] |= WordGraph.Unit.endOfWord
    last = Array(word)
    wordCount += 1
  }

  /// Freezes the nodes of the last word's branch that are deeper than so many letters.
  private mutating func freeze(downTo depth: Int) {
    while branch.count > depth + 1 {
      let number = number(of: branch.removeLast())
      let arc = branch[branch.count - 1].removeLast()
      branch[branch.count - 1].append(WordGraphLayout.arc(arc, to: number))
    }
  }

  private mutating func number(of node: Node) -> Int {
    if let known = numbers[node] { return known }
    let number = frozen.count
    numbers[node] = number
    frozen.append(node)
    return number
  }
}
