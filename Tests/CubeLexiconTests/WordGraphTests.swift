import CubeRules
import CubistBasics
import Testing

@testable import CubeLexicon

@Suite("The word graph")
struct WordGraphTests {
  /// Words of few or many letters, short or long, some of them beginnings of others.
  private static func randomWords(_ generator: inout SplitMix64) -> Set<String> {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".shuffled(using: &generator)
      .prefix(Int.random(in: 1...26, using: &generator))
    let longest = [3, 6, 12, 162].randomElement(using: &generator) ?? 3
    var words: [String] = []
    for _ in 0..<Int.random(in: 1...60, using: &generator) {
      let beginning = Bool.random(using: &generator) ? words.last ?? "" : ""
      let count = Int.random(in: 1...longest, using: &generator)
      let rest = (0..<count).compactMap { _ in letters.randomElement(using: &generator) }
      words.append(String((beginning + rest).prefix(162)))
    }
    return Set(words)
  }

  private static func prefixes(_ words: Set<String>) -> Set<String> {
    words.reduce(into: [""]) { prefixes, word in
      for count in 1...word.count { prefixes.insert(String(word.prefix(count))) }
    }
  }

  @Test("Every look at a random list agrees with a plain set", arguments: 1...40 as ClosedRange)
  func oracle(seed: UInt64) throws {
    var generator = SplitMix64(state: seed)
    let words = Self.randomWords(&generator)
    let prefixes = Self.prefixes(words)
    let made = Lexicon.only(words.sorted().shuffled(using: &generator))
    // Reading checks the graph.
    let lexicon = try Lexicon(packed: try #require(made.packed))
    #expect(lexicon.packed == made.packed && lexicon.version == made.version)
    var listed: [String] = []
    lexicon.forEachWord { listed.append($0) }
    #expect(listed == words.sorted())
    #expect(lexicon.wordCount == words.count)
    var looks = prefixes
    for prefix in prefixes.sorted() {
      for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ@[`{ ?\u{7f}é"
      where Int.random(in: 0..<4, using: &generator) == 0 {
        looks.insert(prefix + String(letter))
        looks.insert(String(prefix.dropFirst()) + String(letter))
      }
    }
    let wrong = looks.filter { look in
      lexicon.contains(look) != words.contains(look)
        || lexicon.contains(look.lowercased()) != words.contains(look)
        || lexicon.isPrefix(look) != prefixes.contains(look)
        || Spelling(look).map(lexicon.contains) ?? false != words.contains(look)
    }
    #expect(wrong == [], "seed \(seed)")
  }

  /// The nodes of a graph read by the description of the format: for each place, the node it has.
  private static func nodes(of lexicon: Lexicon) throws -> [UInt32: [UInt32: UInt32]] {
    let packed = try #require(lexicon.packed)
    var nodes: [UInt32: [UInt32: UInt32]] = [:]
    for index in 0..<(packed.count - 64) / 4 {
      let unit = (0..<4).reduce(UInt32(0)) { $0 | UInt32(packed[64 + 4 * index + $1]) << ($1 * 8) }
      guard unit != 0 else { continue }
      let letter = unit & 31
      nodes[UInt32(index) + 1 - letter, default: [:]][letter] = unit
    }
    return nodes
  }

  @Test("The English graph has no two nodes alike")
  func englishIsMinimal() throws {
    let nodes = try Self.nodes(of: .english)
    #expect(nodes.count > 40_000)
    #expect(Set(nodes.values).count == nodes.count)
  }

  @Test(
    "A random list's graph has a node for each way that its words go on, and no more",
    arguments: 1...40 as ClosedRange)
  func minimal(seed: UInt64) throws {
    var generator = SplitMix64(state: seed)
    let words = Self.randomWords(&generator)
    var waysOn: [String: Set<String>] = [:]
    for word in words {
      for count in 0..<word.count {
        waysOn[String(word.prefix(count)), default: []].insert(String(word.dropFirst(count)))
      }
    }
    #expect(try Self.nodes(of: .only(words)).count == Set(waysOn.values).count, "seed \(seed)")
  }

  @Test("Few units of long lists are left free")
  func gaps() throws {
    for lexicon in [Lexicon.english, .only(Repository.words.filter { $0.utf8.count < 6 })] {
      let units = (try #require(lexicon.packed).count - 64) / 4
      let arcs = try Self.nodes(of: lexicon).values.reduce(0) { $0 + $1.count }
      #expect(units <= arcs + arcs / 25, "\(arcs) arcs in \(units) units")
    }
  }

  @Test(
    "Units that nobody checked lead neither out of their memory nor in a circle",
    arguments: 1...40 as ClosedRange)
  func unchecked(seed: UInt64) {
    var generator = SplitMix64(state: seed)
    let letters = Array("ABCDE[@_")
    for _ in 0..<20 {
      let units = (0..<24).map { index in
        // Letters that make nodes, as small as they come, and arcs to anywhere.
        let letter = UInt32.random(in: 0...4, using: &generator)
        let place = UInt32.random(in: 0...UInt32(index + 6), using: &generator)
        let isWild = Int.random(in: 0..<8, using: &generator) == 0
        return isWild
          ? UInt32.random(in: 0 ... .max, using: &generator)
          : Unit.arc("@", to: place) | letter | UInt32.random(in: 0...1, using: &generator) << 5
      }
      let lexicon = Lexicon(
        version: .everyWord, content: .words(WordGraph(copying: units), count: 1))
      lexicon.forEachWord { #expect($0.utf8.count <= units.count) }
      for _ in 0..<100 {
        let word = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
          letters.randomElement(using: &generator) ?? "A"
        }
        if lexicon.contains(String(word)) { #expect(lexicon.isPrefix(String(word))) }
      }
      _ = lexicon.words(on: CubeGame(puzzle: .candidate(0, seed: seed)))
    }
  }
}
