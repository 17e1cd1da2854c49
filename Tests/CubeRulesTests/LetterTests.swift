import CubeRules
import Testing

@Suite("Letters, puzzles and spellings")
struct LetterTests {
  @Test("Every letter has its weight in the bag and the bag holds 196 tokens")
  func weights() {
    let bag = """
      A16 B4 C6 D8 E24 F4 G5 H5 I13 J2 K2 L7 M6 N13 O15 P4 QU2 R13 S10 T15 U7 V3 W4 X2 Y4 Z2
      """
    #expect(Letter.allCases.map { "\($0.spelling)\($0.weight)" }.joined(separator: " ") == bag)
    #expect(Letter.allCases.map(\.weight).reduce(0, +) == Letter.totalWeight)
  }

  @Test("Every letter has its points, and QU those of Q and U")
  func points() {
    let points = """
      A1 B4 C4 D3 E1 F5 G3 H5 I1 J9 K6 L2 M4 N2 O1 P4 QU13 R2 S1 T2 U1 V5 W5 X9 Y5 Z11
      """
    #expect(Letter.allCases.map { "\($0.spelling)\($0.points)" }.joined(separator: " ") == points)
  }

  @Test(
    "A word scores points times length times length less three",
    arguments: [
      ("CAB", 27), ("QUA", 42), ("GAME", 36), ("CUBES", 110), ("REMOVE", 252), ("QUIZ", 100),
      ("ISOWORDS", 600), ("JAZZIEST", 1480), ("BAMBOOZLED", 2240), ("WORD", 44),
    ])
  func scores(word: String, score: Int) {
    let letters = word.replacing("QU", with: "Q").map { Letter($0)! }
    #expect(Rules.cube1.score(of: letters) == score)
  }

  @Test("A letter is one of A to Z and nothing else")
  func letterOfCharacter() {
    #expect("ABCDEFGHIJKLMNOPQRSTUVWXYZ".compactMap { Letter($0) } == Letter.allCases)
    #expect(Letter.allCases.map { Letter($0.character) } == Letter.allCases)
    #expect("az@[0Äß\r\n\u{301}".allSatisfy { Letter($0) == nil })
    #expect(Letter.q.spelling == "QU")
    #expect(Letter.q.characterCount == 2)
    #expect(Letter.u.characterCount == 1)
  }

  @Test("A puzzle is 81 letters in canonical order and prints them again")
  func puzzle() {
    let letters = walkPuzzle.description
    #expect(Puzzle(letters) == walkPuzzle)
    #expect(walkPuzzle[Face("122L")] == .g)
    #expect(walkPuzzle[Face("000T")] == .z)
    #expect(Puzzle(String(letters.dropLast())) == nil)
    #expect(Puzzle(letters + "A") == nil)
    #expect(Puzzle(letters.lowercased()) == nil)
    #expect(Puzzle(letters.dropLast() + "É") == nil)
    #expect(Puzzle("") == nil)
    #expect(Puzzle(letters.dropLast() + "A") != walkPuzzle)
  }

  @Test(
    "A seed and a number make the same puzzle in every build",
    arguments: [
      (
        0, 42 as UInt64,
        "IMTRDBDGNRZRCONIUUSCRKMMUZOMGXNDEOUDRTSEERLJGBHERXRUPNDAELAISISUOFGNSAGAEROOTEASR"
      ),
      (
        1, 42,
        "ITHTBUHISCQGYUNHPLIDTEIEPRATALEDYIQTOEEERAKTCLEOLGBDMFNNEERNXOITFANGTENAPTAEPEREE"
      ),
      (
        2, 42,
        "OIDDUCUMNRPOIURTNEDNWTVTTCTIANLSNOXDOURIEVJREOAJRTMDSSERDDLOTNCWFZTLIZAESNRRHTPJH"
      ),
      (
        0, 0,
        "TUQOCTJMMRTSAOEZNRXENMOAHOEBYEEEOIRFTRRTSRXFEBGICRITETFMWLADDSSDUOYOOEIERWRRDMWNE"
      ),
      (
        -1, .max,
        "WLWOUYEIIBXTSTRCRNYOJAUEEACERRMIHEPDAMEETRECIWABOAFCTBUSFNRYWEMDOBOBPTNEOETOIVFEC"
      ),
    ])
  func candidates(number: Int, seed: UInt64, letters: String) {
    #expect(Puzzle.candidate(number, seed: seed).description == letters)
  }

  @Test("Many candidates show each letter about as often as its weight says")
  func distribution() {
    var counts = [Letter: Int]()
    for number in 0..<2000 {
      let puzzle = Puzzle.candidate(number, seed: 7)
      for face in Face.all {
        counts[puzzle[face], default: 0] += 1
      }
    }
    for letter in Letter.allCases {
      let expected = Double(2000 * 81 * letter.weight) / Double(Letter.totalWeight)
      let deviation = Double(counts[letter, default: 0]) - expected
      // Five standard deviations of a Poisson count; the seed is fixed, so this never flickers.
      #expect(deviation * deviation < 25 * expected, "\(letter)")
    }
  }

  @Test("A spelling of up to 162 characters keeps its characters")
  func spellings() throws {
    var generator = SeededGenerator(seed: 3)
    for count in 0...Spelling.countLimit {
      let letters = (0..<count).map { _ in UInt8.random(in: 0..<26, using: &generator) }
      let word = String(decoding: letters.map { $0 + 65 }, as: UTF8.self)
      let spelling = try #require(Spelling(word))
      #expect(spelling.count == count)
      #expect(Array(spelling) == letters)
      #expect(spelling.description == word)
      if count > 0 {
        let other = word.dropLast() + (word.last == "Z" ? "Y" : "Z")
        #expect(Spelling(String(other)) != spelling)
        #expect(Spelling(String(word.dropLast())) != spelling)
      }
    }
    #expect(Spelling(String(repeating: "A", count: 163)) == nil)
  }

  @Test("Equal puzzles and spellings are one member of a set, different ones are two")
  func hashing() throws {
    let puzzles = [0, 1, 0].map { Puzzle.candidate($0, seed: 42) }
    #expect(Set(puzzles).count == 2)
    let spellings = ["GAME", "GAMES", "GAME", "BAMBOOZLEDLY", "BAMBOOZLEDLYS"].map {
      Spelling($0)
    }
    #expect(Set(spellings).count == 4)
  }

  @Test("A spelling has upper-case letters only", arguments: ["a", "A B", "É", "A1", "[", "@"])
  func malformedSpelling(word: String) {
    #expect(Spelling(word) == nil)
  }
}
