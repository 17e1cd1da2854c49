/// Finds a place for each node of a graph, so that their arcs fill the units with few gaps.
///
/// A node gets the first place that is after every arc to it, no other node's, and with all its
/// arcs on free units. Those that the most letters can follow come first, which puts every node
/// after those that lead to it, and leaves the many small ones to fill the gaps.
/// `deploy/make-lexicon` does the same.
struct WordGraphLayout {
  /// How far before the end a place is looked for, so that the time is linear in the nodes.
  private static let window = 4_096

  private var takenUnits = Bits()
  private var takenPlaces = Bits()
  private var end = 0

  /// The units of nodes that lead to nodes before them: the last is the root, the first the one
  /// without arcs.
  static func units(_ nodes: [WordGraphBuilder.Node]) -> [UInt32] {
    var heights: [Int] = []
    for node in nodes {
      heights.append(node.map { heights[target($0)] + 1 }.max() ?? 0)
    }
    var layout = WordGraphLayout()
    var places = [Int](repeating: 0, count: nodes.count)
    // The greatest index of an arc to each node.
    var arrivals = [Int](repeating: -1, count: nodes.count)
    for node in nodes.indices.sorted(by: { (heights[$0], $0) > (heights[$1], $1) })
    where !nodes[node].isEmpty {
      let place = layout.take(nodes[node].map(offset), after: arrivals[node])
      places[node] = place
      for arc in nodes[node] {
        arrivals[target(arc)] = max(arrivals[target(arc)], place + offset(arc))
      }
    }
    var units = [UInt32](repeating: 0, count: layout.end)
    for (place, node) in zip(places, nodes) {
      for unit in node {
        units[place + offset(unit)] = arc(unit, to: places[target(unit)])
      }
    }
    return units
  }

  /// An arc that leads to another place or number.
  static func arc(_ unit: UInt32, to place: Int) -> UInt32 {
    precondition(place < 1 << 26, "a word graph has at most 67 million units")
    return unit & WordGraph.Unit.arc | UInt32(place) << WordGraph.Unit.placeShift
  }

  private static func target(_ unit: UInt32) -> Int {
    Int(unit >> WordGraph.Unit.placeShift)
  }

  /// How far an arc is from its node's place.
  private static func offset(_ unit: UInt32) -> Int {
    Int(unit & WordGraph.Unit.letter) - 1
  }

  /// Takes the first place after an index where arcs find room.
  private mutating func take(_ offsets: [Int], after index: Int) -> Int {
    var place = max(index + 1, end - Self.window)
    while true {
      // 64 places at a time, of which the end is one that fits.
      let fitting = offsets.reduce(~takenPlaces[place]) { $0 & ~takenUnits[place + $1] }
      place += fitting.trailingZeroBitCount
      if fitting != 0 { break }
    }
    takenPlaces.insert(place)
    for offset in offsets {
      takenUnits.insert(place + offset)
      end = max(end, place + offset + 1)
    }
    return place
  }

  /// A set of numbers from 0 on.
  private struct Bits {
    private var words: [UInt64] = [0, 0]

    /// The bits of a number and the 63 after it, its own the lowest.
    subscript(number: Int) -> UInt64 {
      let (word, bit) = (number / 64, number % 64)
      guard word + 1 < words.count else { return 0 }
      return words[word] >> bit | words[word + 1] << (64 - bit)
    }

    mutating func insert(_ number: Int) {
      while number / 64 + 1 >= words.count { words.append(0) }
      words[number / 64] |= 1 << (number % 64)
    }
  }
}
