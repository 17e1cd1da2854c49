import CubistBasics
import Testing

@testable import MatchCore

@Suite("Names that look alike")
struct NameSkeletonTests {
  /// Rows of Unicode's confusables.txt, version 17.0.0, for the characters of names: all that it has.
  private static let confusables: [(source: Character, target: String)] = [
    ("0", "O"), ("1", "l"), ("I", "l"), ("m", "rn"),
  ]

  private func skeleton(_ text: String) throws -> String {
    try #require(PlayerName(text)).skeleton
  }

  @Test("A character counts as that which Unicode's list names for it, and no other changes")
  func characters() throws {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
    let changed = Set("0O1IilLmM")
    for letter in letters {
      let text = try skeleton("xx\(letter)")
      if changed.contains(letter) { continue }
      #expect(text == "xx\(letter.lowercased())")
    }
    for (source, target) in NameSkeletonTests.confusables {
      #expect(try skeleton("xx\(source)") == skeleton("xx\(target)"))
    }
  }

  @Test(
    "Skeletons of names, golden",
    arguments: [
      ("Robot", "robot"), ("R0bot", "robot"), ("Bill", "blll"), ("BiII", "blll"), ("b1LL", "blll"),
      ("admin", "adrnln"), ("Adrn1n", "adrnln"), ("Mom_0-1", "rnorn_o-l"),
      ("mmmmmmmmmmmmmmmm", "rnrnrnrnrnrnrnrnrnrnrnrnrnrnrnrn"), ("vvw5S2Z", "vvw5s2z"),
    ])
  func golden(_ name: String, _ skeleton: String) throws {
    #expect(try self.skeleton(name) == skeleton)
  }

  @Test("A skeleton is its own, and case does not matter first or last", arguments: 0..<8)
  func properties(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let letters = Array("IiLl10oOmMrRnNaZ9_-")
    for _ in 0..<200 {
      let count = 3 + Int(random.next() % 6)
      let name = String(
        (0..<count).map { _ in letters[Int(random.next() % UInt64(letters.count))] })
      let form = try skeleton(name)
      #expect(try skeleton(form) == form, "\(name)")
      #expect(try skeleton(name.lowercased()) == form, "\(name)")
      #expect(try skeleton(name.uppercased()) == form, "\(name)")
      #expect(form.lowercased() == form, "\(name)")
    }
  }

  @Test("Reserved names are names, each once, and stand for all that look like them")
  func reserved() throws {
    let standard = ReservedNames.standard
    for name in standard.names {
      #expect(PlayerName(name.text) == name)
      #expect(standard.contains(name))
    }
    #expect(Set(standard.names.map(\.skeleton)).count == standard.names.count)
    #expect(standard.contains(try #require(PlayerName("0FF1CIAL"))))
    #expect(standard.contains(try #require(PlayerName("s_t_a_f_f"))))
    #expect(standard.contains(try #require(PlayerName("_Admin-"))))
    #expect(!standard.contains(try #require(PlayerName("Robot-2"))))
    #expect(!ReservedNames.none.contains(try #require(PlayerName("admin"))))
  }
}
