/// Checks once that units from outside are a word graph, in time linear in their number.
struct WordGraphValidator {
  private let units: [UInt32]
  private var nodes: [Int] = []
  private var isTarget: [Bool]
  /// For each unit that is a head: the number of words that end at its node or after it.
  private var words: [Int]
  /// For each unit that is a head: the most letters of those words.
  private var longest: [Int]

  init(units: [UInt32]) {
    self.units = units
    isTarget = Array(repeating: false, count: units.count)
    words = Array(repeating: 0, count: units.count)
    longest = words
  }

  /// Throws the first fault found, or returns where the graph holds exactly so many words.
  consuming func validate(wordCount: Int) throws(LexiconError) {
    try readNodes()
    for node in nodes.reversed() {
      try count(node)
    }
    // Arcs point forward only, so a node with an arc to it is reached from the root.
    for node in nodes.dropFirst() where !isTarget[node] {
      throw .damaged(.unreachable, unit: node)
    }
    guard units[0] & WordGraph.endOfWord == 0 else { throw .damaged(.emptyWord, unit: 0) }
    guard longest[0] <= Lexicon.maximumWordLength else { throw .damaged(.wordTooLong, unit: 0) }
    guard words[0] == wordCount else { throw .damaged(.wrongWordCount, unit: 0) }
    guard wordCount > 0 else { throw .empty }
  }

  /// Finds where the nodes start.
  private mutating func readNodes() throws(LexiconError) {
    guard !units.isEmpty else { throw .damaged(.endsInNode, unit: 0) }
    var node = 0
    while node < units.count {
      guard units[node] >> 27 == 0 else { throw .damaged(.unknownBits, unit: node) }
      nodes.append(node)
      node += 1 + arcCount(node)
    }
    guard node == units.count else { throw .damaged(.endsInNode, unit: units.count) }
  }

  /// Checks the arcs of a node, after those of every later node, and counts its words.
  private mutating func count(_ node: Int) throws(LexiconError) {
    var count = units[node] & WordGraph.endOfWord == 0 ? 0 : 1
    for arc in node + 1..<node + 1 + arcCount(node) {
      let target = Int(units[arc])
      guard target < units.count else { throw .damaged(.arcOutOfRange, unit: arc) }
      guard target > node else { throw .damaged(.arcBackward, unit: arc) }
      // A later node that no word goes through has been refused, so only heads have words.
      guard words[target] > 0 else { throw .damaged(.arcIntoNode, unit: arc) }
      isTarget[target] = true
      longest[node] = max(longest[node], longest[target] + 1)
      let (sum, overflow) = count.addingReportingOverflow(words[target])
      guard !overflow else { throw .damaged(.wrongWordCount, unit: node) }
      count = sum
    }
    guard count > 0 || node == 0 else { throw .damaged(.deadEnd, unit: node) }
    words[node] = count
  }

  private func arcCount(_ node: Int) -> Int {
    (units[node] & WordGraph.letters).nonzeroBitCount
  }
}
