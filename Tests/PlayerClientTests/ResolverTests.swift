// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry
import MatchCore
import MatchInterfaces
import PlayerClient
import Testing

@Suite("The match that a person means")
struct ResolverTests {
  static let a = MatchID("01900000-0000-aaaa-0000-00000000beef")!
  static let b = MatchID("01900000-0000-bbbb-0000-00000001beef")!
  static let c = MatchID("beef0000-0000-cccc-0000-000000000123")!
  let resolver = MatchIDResolver([a, b, c, a])

  @Test(
    "A unique beginning or ending, with or without dashes, in either case, is enough",
    arguments: [
      ("01900000-0000-a", a), ("019000000000B", b), ("beef0", c), ("0BEEF", a), ("1beef", b),
      ("123", c), ("3", c), (" 0123 ", c), (c.description, c), (c.description.uppercased(), c),
    ])
  func found(text: String, match: MatchID) throws {
    #expect(try resolver.resolve(text) == match)
  }

  // Failure: MatchIDError.ambiguous: Several matches fit. The message names them.
  @Test("A text that fits several matches names them")
  func ambiguous() {
    #expect(throws: MatchIDError.ambiguous("beef", [Self.a, Self.b, Self.c])) {
      try resolver.resolve("beef")
    }
    #expect(throws: MatchIDError.ambiguous("0190", [Self.a, Self.b])) {
      try resolver.resolve("0190")
    }
    let text = MatchIDError.ambiguous("0190", [Self.a, Self.b]).description
    #expect(text.contains(Self.a.description) && text.contains(Self.b.description))
  }

  // Failure: MatchIDError.notAnID: The text is neither an id nor part of one.
  // Failure: MatchIDError.unknown: No match fits.
  @Test(
    "A text that fits none, or is no id, is named",
    arguments: [
      ("4", MatchIDError.unknown("4")), ("", .notAnID("")), ("-", .notAnID("-")),
      ("HELLO", .notAnID("HELLO")), ("ä", .notAnID("ä")),
      (String(repeating: "0", count: 33), .notAnID(String(repeating: "0", count: 33))),
    ])
  func refused(text: String, error: MatchIDError) {
    #expect(throws: error) { try resolver.resolve(text) }
  }

  @Test("A whole id means itself, listed or not")
  func whole() throws {
    let other = MatchID(rawValue: 7)
    #expect(try resolver.resolve(other.description) == other)
  }

  // Failure: MatchIDError.several: The command names no match, and there are several.
  // Failure: MatchIDError.none: The command names no match, and there is none.
  @Test("The only match is meant without a text, and several are named")
  func only() throws {
    #expect(try MatchIDResolver([Self.a]).only() == Self.a)
    #expect(throws: MatchIDError.none) { try MatchIDResolver([]).only() }
    #expect(throws: MatchIDError.several([Self.a, Self.b, Self.c])) { try resolver.only() }
  }

  @Test("A short id is an ending of four digits or more that nothing else fits")
  func short() {
    #expect(resolver.shortID(of: Self.a) == "0beef")
    #expect(resolver.shortID(of: Self.b) == "1beef")
    #expect(resolver.shortID(of: Self.c) == "0123")
    #expect(MatchIDResolver([Self.a]).shortID(of: Self.a) == "beef")
  }

  @Test("Every short id is taken for its match", arguments: 0..<50)
  func roundTrip(seed: UInt64) throws {
    let random = Randomness.seeded(seed)
    // Few different digits, so that endings and beginnings meet.
    let matches = (0..<40).map { _ in
      MatchID(rawValue: random.next128() & 0x1111_0000_0000_0000_0000_0000_0001_1111)
    }
    let resolver = MatchIDResolver(matches)
    for match in matches {
      #expect(try resolver.resolve(resolver.shortID(of: match)) == match, "seed \(seed)")
    }
  }
}
