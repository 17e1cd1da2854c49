import CubeLexicon
import CubeRules
import CubistBasics
import CustomDump
import Testing

@Suite("The English word list")
struct EnglishTests {
  let english = Lexicon.english

  @Test("The version that matches pin is this one; another list needs another name")
  func version() {
    #expect(english.version.rawValue == "english-2020.12.07-70-b9d654a3")
    #expect(english.wordCount == 115_340)
  }

  @Test("The graph holds exactly the words of the committed list, in the same order")
  func sameWords() {
    #expect(Repository.words.count == 115_340)
    var words: [String] = []
    english.forEachWord { words.append($0) }
    // Compared as one: a difference of two long lists takes minutes to print.
    #expect(words == Repository.words.map { $0.uppercased() }, "the lists differ")
  }

  @Test("The number of the list's words is that of the committed list")
  func number() {
    var hash = FNV1a()
    for word in Repository.words {
      for byte in word.uppercased().utf8 { hash.add(byte) }
      hash.add(10)
    }
    #expect(hash.value == WordVectors.englishGolden)
    #expect(WordVectors.english() == WordVectors.englishGolden)
  }

  @Test("Every word of the list is found, as a spelling and as a string in either case")
  func containsAll() {
    // One expectation for all: a hundred thousand of them take a quarter of a minute.
    let missing = Repository.words.filter { word in
      let capitals = word.uppercased()
      return !english.contains(word) || !english.contains(capitals)
        || Spelling(capitals).map(english.contains) != true
    }
    #expect(missing == [])
  }

  @Test(
    "Words changed at random are found only where the list has them", arguments: [1, 2] as [UInt64])
  func mutatedWords(seed: UInt64) {
    var generator = SplitMix64(state: seed)
    let list = Set(Repository.words)
    var strangers = 0
    var wrong: [String] = []
    for _ in 0..<10_000 {
      let word = Repository.words.randomElement(using: &generator) ?? ""
      let mutated = mutate(word, using: &generator)
      let isListed = list.contains(mutated)
      strangers += isListed ? 0 : 1
      let asSpelling = Spelling(mutated.uppercased()).map(english.contains)
      if english.contains(mutated) != isListed || asSpelling != isListed {
        wrong.append(mutated)
      }
    }
    #expect(wrong == [], "seed \(seed)")
    #expect(strangers > 5_000, "seed \(seed)")
  }

  private func mutate(_ word: String, using generator: inout SplitMix64) -> String {
    var letters = Array(word)
    let letter = "abcdefghijklmnopqrstuvwxyz".randomElement(using: &generator) ?? "a"
    let place = letters.indices.randomElement(using: &generator) ?? 0
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: letters[place] = letter
    case 1: letters.insert(letter, at: place)
    case 2: letters.remove(at: place)
    default: letters.swapAt(place, (place + 1) % letters.count)
    }
    return String(letters)
  }

  @Test("The beginnings of words are prefixes and nothing else is")
  func prefixes() {
    var prefixes: Set<String> = [""]
    for word in Repository.words {
      for count in 1...word.utf8.count {
        prefixes.insert(String(word.prefix(count)))
      }
    }
    let short = prefixes.filter { $0.utf8.count < 6 }
    #expect(short.filter { !english.isPrefix($0) || !english.isPrefix($0.uppercased()) } == [])
    let strangers = short.flatMap { prefix in "aeqxz".map { prefix + String($0) } }
      .filter { !prefixes.contains($0) }
    #expect(strangers.count > 10_000)
    #expect(strangers.filter(english.isPrefix) == [])
  }

  @Test(
    "A text with other characters than A to Z is no word",
    arguments: ["", "a", "it's", "café", "naïve", "CUBE ", "cub\u{0}e", "[\\]", "`ab", "abc{"])
  func notWords(word: String) {
    #expect(!english.contains(word))
    #expect(!Lexicon.everyWord.contains(word))
  }

  @Test("The embedded bytes are the committed file, and its checksum and arcs hold")
  func embeddedFile() throws {
    let bytes = try Repository.bytes(Repository.graphPath)
    let read = try Lexicon(packed: bytes)
    #expect(read.version == english.version)
    let isSame = english.packed == bytes && read.packed == bytes
    #expect(isSame, "the embedded graph differs from the file")
  }

  @Test("The graph has at most a tenth of the 4,194 kB that a set of the words takes")
  func size() throws {
    #expect(try Repository.bytes(Repository.graphPath).count <= 419_400)
  }

  @Test("Packing the committed list here gives the graph that the script made, unit by unit")
  func sameGraph() throws {
    let list = try Lexicon.file(Repository.wordListPath)
    #expect(list.version.rawValue == "file-7a8570f74a0ee09e")
    let packed = try #require(list.packed)
    let isSame = packed.dropFirst(64) == english.packed?.dropFirst(64)
    #expect(isSame, "the two packers differ")
  }

  @Test("SCOWL's copyright notice goes with the list")
  func copyright() throws {
    let text = String(decoding: try Repository.bytes(Repository.readmePath), as: UTF8.self)
    #expect(text.contains("Copyright 2000-2011 by Kevin Atkinson"))
    #expect(text.contains("Permission to use, copy, modify, distribute and sell these word"))
    #expect(text.contains(english.version.rawValue))
  }
}
