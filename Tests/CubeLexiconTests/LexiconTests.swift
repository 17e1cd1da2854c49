import CubeLexicon
import CubeRules
import Testing

@Suite("Word lists")
struct LexiconTests {
  @Test("A list of given words has these words and no others")
  func only() {
    let lexicon = Lexicon.only(["game", "CUBES", "cube", "Game"])
    var words: [String] = []
    lexicon.forEachWord { words.append($0) }
    #expect(words == ["CUBE", "CUBES", "GAME"])
    #expect(lexicon.wordCount == 3)
    #expect(lexicon.contains("cube"))
    #expect(!lexicon.contains("cub"))
    #expect(lexicon.isPrefix("cub"))
    #expect(!lexicon.isPrefix("gb"))
  }

  @Test("The version of given words depends on the words, not on their order or case")
  func onlyVersion() {
    let version = Lexicon.only(["game", "cube"]).version
    #expect(version == Lexicon.only(["CUBE", "GAME", "cube"]).version)
    #expect(version != Lexicon.only(["game", "cubes"]).version)
    #expect(version.rawValue == "only-bd9729bd15da34ab")
  }

  @Test(
    "Words have the version that matches of every release pin, in any format",
    arguments: WordVectors.versions)
  func pinnedVersions(vector: WordVectors.Version) {
    #expect(vector.found == "only-\(vector.hash)")
  }

  @Test("A list of no words has no word and no prefix")
  func onlyNothing() {
    let lexicon = Lexicon.only(["", "it's", String(repeating: "a", count: 163)])
    #expect(lexicon.wordCount == 0)
    #expect(!lexicon.contains(""))
    #expect(!lexicon.contains("a"))
    #expect(!lexicon.isPrefix(""))
    #expect(lexicon.words(on: CubeGame(puzzle: .candidate(0, seed: 1))).isEmpty)
  }

  @Test("The longest spelling can be a word")
  func longest() throws {
    let word = String(repeating: "QU", count: 81)
    let lexicon = Lexicon.only([word])
    #expect(lexicon.contains(try #require(Spelling(word))))
    #expect(!lexicon.contains(String(word.dropLast())))
    #expect(!lexicon.contains(word + "Q"))
  }

  @Test("Every spelling of three to 162 letters is in the list of every word")
  func everyWord() throws {
    let lexicon = Lexicon.everyWord
    #expect(lexicon.version.rawValue == "every-word")
    #expect(lexicon.wordCount == nil)
    #expect(lexicon.packed == nil)
    #expect(lexicon.contains(try #require(Spelling("XQZ"))))
    #expect(!lexicon.contains(try #require(Spelling("XQ"))))
    #expect(lexicon.contains("xqz"))
    #expect(!lexicon.contains("xq"))
    #expect(lexicon.contains(String(repeating: "a", count: 162)))
    #expect(!lexicon.contains(String(repeating: "a", count: 163)))
    #expect(lexicon.isPrefix(""))
    #expect(lexicon.isPrefix("xq"))
    #expect(!lexicon.isPrefix("x'"))
    lexicon.forEachWord { Issue.record("\($0) was listed") }
  }

  @Test(
    "A version is 1 to 40 letters, digits, dots and hyphens",
    arguments: [
      ("english-2020.12.07-70-b9d654a3", true), ("a", true),
      (String(repeating: "a", count: 40), true), (String(repeating: "a", count: 41), false),
      ("", false), ("English", false), ("a b", false), ("a/b", false), ("ä", false),
      ("a\n", false), ("a\u{0}", false),
    ])
  func versionNames(name: String, isValid: Bool) {
    #expect((LexiconVersion(rawValue: name) != nil) == isValid)
  }

  @Test("A list outlives its source and can be used from many tasks at once")
  func sharing() async {
    let lexicon = Lexicon.only(["game", "cube"])
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let copy = lexicon
          return (0..<1_000).allSatisfy { _ in copy.contains("game") && !copy.contains("gam") }
        }
      }
      for await isRight in group {
        #expect(isRight)
      }
    }
  }
}
