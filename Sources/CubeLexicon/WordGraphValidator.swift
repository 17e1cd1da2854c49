/// Checks once that units from outside are a word graph, in time linear in their number.
struct WordGraphValidator {
  private let units: [UInt32]
  /// For each place: whether an arc leads to it.
  private var isTarget: [Bool]
  /// For each place: the number of words that go on from its node, 0 where no node is.
  private var words: [Int]
  /// For each place: the most letters by which those words go on.
  private var longest: [Int]

  init(units: [UInt32]) {
    self.units = units
    isTarget = Array(repeating: false, count: units.count)
    words = Array(repeating: 0, count: units.count)
    longest = words
  }

  /// Throws the first fault found, or returns where the graph holds exactly so many words.
  consuming func validate(wordCount: Int) throws(LexiconError) {
    // Arcs lead forward only: in reverse, all arcs of a node come before an arc to it.
    for index in units.indices.reversed() where units[index] != 0 {
      try count(index)
    }
    // For the same reason, a node with an arc to it is reached from the root.
    for index in units.indices where units[index] != 0 {
      let place = place(of: index)
      guard place == 0 || isTarget[place] else { throw .damaged(.unreachable, unit: index) }
    }
    guard longest.first ?? 0 <= Lexicon.maximumWordLength else {
      throw .damaged(.wordTooLong, unit: 0)
    }
    guard words.first ?? 0 == wordCount else { throw .damaged(.wrongWordCount, unit: 0) }
    guard wordCount > 0 else { throw .empty }
  }

  /// Checks an arc, after all later ones, and counts its words for its node.
  private mutating func count(_ index: Int) throws(LexiconError) {
    let arc = WordGraph.Arc(index: index, unit: units[index])
    guard 1...UInt32(WordGraph.letterCount) ~= arc.unit & WordGraph.Unit.letter else {
      throw .damaged(.unknownBits, unit: index)
    }
    let place = place(of: index)
    guard place >= 0 else { throw .damaged(.unreachable, unit: index) }
    var count = arc.endsWord ? 1 : 0
    var letters = 1
    if arc.place != 0 {
      guard arc.place < units.count else { throw .damaged(.arcOutOfRange, unit: index) }
      guard arc.place > index else { throw .damaged(.arcBackward, unit: index) }
      guard words[arc.place] > 0 else { throw .damaged(.arcToNothing, unit: index) }
      isTarget[arc.place] = true
      count = try sum(count, words[arc.place], at: index)
      letters += longest[arc.place]
    }
    guard count > 0 else { throw .damaged(.deadEnd, unit: index) }
    words[place] = try sum(words[place], count, at: index)
    longest[place] = max(longest[place], letters)
  }

  /// The place of the node that an arc belongs to.
  private func place(of index: Int) -> Int {
    index + 1 - Int(units[index] & WordGraph.Unit.letter)
  }

  private func sum(_ count: Int, _ more: Int, at index: Int) throws(LexiconError) -> Int {
    let (sum, overflow) = count.addingReportingOverflow(more)
    guard !overflow else { throw .damaged(.wrongWordCount, unit: index) }
    return sum
  }
}
