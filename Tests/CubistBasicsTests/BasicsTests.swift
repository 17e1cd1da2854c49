import CubistBasics
import CustomDump
import Testing

@Suite("Hashes, random numbers and digits")
struct BasicsTests {
  @Test(
    "A hash is that of the published vectors",
    arguments: [
      ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8),
    ] as [(String, UInt64)])
  func hash(text: String, expected: UInt64) {
    var hash = FNV1a()
    for byte in text.utf8 { hash.add(byte) }
    #expect(hash.value == expected)
  }

  @Test("A word is hashed in one step, and otherwise than its bytes")
  func word() {
    var (whole, bytes) = (FNV1a(), FNV1a())
    whole.add(word: 0x6261)
    for byte in "ab".utf8 { bytes.add(byte) }
    let expected = (0xcbf2_9ce4_8422_2325 ^ 0x6261) &* 0x100_0000_01b3 as UInt64
    #expect(whole.value == expected)
    #expect(whole != bytes)
  }

  @Test("Random numbers of a seed are those of the published generator")
  func random() {
    var generator = SplitMix64(state: 1_234_567)
    let numbers = (0..<5).map { _ in generator.next() }
    expectNoDifference(
      numbers,
      [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }

  @Test("Bytes and numbers are written in lower-case digits, and digits of either case are read")
  func digits() {
    #expect(Hex.encode([0, 0x9a, 0xff]) == "009aff")
    #expect(Hex.encode(0x9af, digits: 6) == "0009af")
    #expect(Hex.encode(0x1_2345, digits: 4) == "2345")
    #expect(Hex.encode(.max, digits: 16) == "ffffffffffffffff")
    #expect(Hex.decode("009AfF") == [0, 0x9a, 0xff])
    for text in ["0", "0g", "+1", "é", "0x"] { #expect(Hex.decode(text) == nil, "\(text)") }
  }

  @Test("Text is escaped for a URL and read from one")
  func percent() {
    #expect(PercentEncoding.encode("/a b.é-_%") == "%2Fa%20b.%C3%A9-_%25")
    #expect(PercentEncoding.bytes(of: "%2fa%20b.%C3%A9-_%25+") == Array("/a b.é-_%+".utf8))
    for text in ["%", "%1", "%zz", "%+1"] {
      #expect(PercentEncoding.bytes(of: text) == nil, "\(text)")
    }
  }

  @Test("A duration has whole units, held within the range")
  func whole() {
    let duration = Duration.nanoseconds(1_234_567_891)
    #expect(duration.wholeNanoseconds == 1_234_567_891)
    #expect(duration.wholeMicroseconds == 1_234_567 && duration.wholeMilliseconds == 1_234)
    #expect((Duration.zero - duration).wholeMilliseconds == -1_234)
    #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
    #expect(Duration.seconds(Int64.min).wholeMicroseconds == .min)
  }

  @Test("A table lines its columns up, and no line ends with a space")
  func table() {
    let table = TextTable(
      header: ["name", "n", ""], rows: [["a", "12", ""], ["abcdef", "3", "x"]], rightAligned: [1])
    expectNoDifference(table.lines, ["name     n", "a       12", "abcdef   3  x"])
    #expect(table.lines { $0.count * 2 }.first == "name" + String(repeating: " ", count: 8) + "n")
  }
}

@Suite("Back-off")
struct BackoffTests {
  @Test("Waits double up to the limit and keep within half and all of it")
  func doubles() {
    let backoff = Backoff()
    var generator = SystemRandomNumberGenerator()
    let ceilings: [Duration] = [
      .milliseconds(100), .milliseconds(100), .milliseconds(200), .milliseconds(400),
      .milliseconds(800), .milliseconds(1600), .milliseconds(3200), .seconds(5), .seconds(5),
    ]
    for (failures, ceiling) in ceilings.enumerated() {
      #expect(backoff.longest(after: failures) == ceiling)
      #expect(backoff.wait(after: failures, random: 0) == ceiling / 2)
      #expect(backoff.wait(after: failures, random: .max) <= ceiling)
      #expect(backoff.wait(after: failures, random: .max) > ceiling * 0.99)
      let random = generator.next()
      let wait = backoff.wait(after: failures, random: random)
      #expect(ceiling / 2 <= wait && wait <= ceiling, "random \(random)")
    }
    #expect(backoff.wait(after: .max, random: 0) == .milliseconds(2500))
    #expect(backoff.wait(after: .min, random: 0) == .milliseconds(50))
  }

  @Test("Different numbers draw different waits")
  func jitter() {
    var generator = SplitMix64(state: 1)
    let waits = (0..<50).map { _ in Backoff().wait(after: 5, random: generator.next()) }
    #expect(Set(waits).count > 40)
  }

  @Test("Extreme limits stay within bounds", arguments: [Int.min, -1, 62, 63, 1_000_000, .max])
  func extremes(failures: Int) {
    let tiny = Backoff(first: .microseconds(1), limit: .seconds(9))
    #expect(tiny.wait(after: failures, random: .max) <= .seconds(9))
    let endless = Backoff(first: .seconds(1), limit: .seconds(Int64.max))
    #expect(endless.wait(after: failures, random: .max) > .zero)
  }
}
