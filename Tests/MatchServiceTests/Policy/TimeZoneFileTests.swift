import CubistBasics
import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("Time zones as the IANA database's files have them")
struct TimeZoneFileTests {
  /// The offset of a zone at the beginning of 2023, and its changes in that year, by Python's
  /// `zoneinfo`. Nobody changes the past.
  static let year2023: [(zone: String, offset: Int, changes: [(at: Int64, offset: Int)])] = [
    ("Australia/Lord_Howe", 39_600, [(1_680_361_200, 37_800), (1_696_087_800, 39_600)]),
    ("Asia/Kathmandu", 20_700, []),
    ("Pacific/Apia", 46_800, []),
    ("America/St_Johns", -12_600, [(1_678_599_000, -9_000), (1_699_158_600, -12_600)]),
    ("Africa/Casablanca", 3_600, [(1_679_191_200, 0), (1_682_215_200, 3_600)]),
    ("Europe/Berlin", 3_600, [(1_679_792_400, 7_200), (1_698_541_200, 3_600)]),
    ("Europe/London", 0, [(1_679_792_400, 3_600), (1_698_541_200, 0)]),
    ("Europe/Dublin", 0, [(1_679_792_400, 3_600), (1_698_541_200, 0)]),
    ("America/New_York", -18_000, [(1_678_604_400, -14_400), (1_699_164_000, -18_000)]),
    ("America/Los_Angeles", -28_800, [(1_678_615_200, -25_200), (1_699_174_800, -28_800)]),
    ("America/Sao_Paulo", -10_800, []),
    ("America/Santiago", -10_800, [(1_680_404_400, -14_400), (1_693_713_600, -10_800)]),
    ("Asia/Tokyo", 32_400, []),
    ("Asia/Kolkata", 19_800, []),
    ("Asia/Tehran", 12_600, []),
    ("Africa/Cairo", 7_200, [(1_682_632_800, 10_800), (1_698_354_000, 7_200)]),
    ("Pacific/Chatham", 49_500, [(1_680_357_600, 45_900), (1_695_477_600, 49_500)]),
    ("Pacific/Kiritimati", 50_400, []),
    ("Antarctica/Troll", 0, [(1_679_792_400, 7_200), (1_698_541_200, 0)]),
    ("Asia/Jerusalem", 7_200, [(1_679_616_000, 10_800), (1_698_534_000, 7_200)]),
  ]

  @Test("The system's files give the changes of a past year, to the second")
  func system() throws {
    let zones = TimeZones.files()
    for (zone, offset, changes) in Self.year2023 {
      let name = try #require(TimeZoneName(zone))
      var expected = offset
      var time = Instant(microseconds: 1_672_531_200_000_000)
      for change in changes {
        let at = Instant(microseconds: change.at * 1_000_000)
        #expect(zones.period(name, time).offset == expected, "\(zone)")
        #expect(zones.period(name, at.adding(microseconds: -1)).offset == expected, "\(zone)")
        #expect(zones.period(name, at.adding(microseconds: -1)).until == at, "\(zone)")
        #expect(zones.period(name, at).since == at, "\(zone)")
        (time, expected) = (at, change.offset)
      }
      let end = Instant(microseconds: 1_704_067_199_000_000)
      #expect(zones.period(name, end).offset == expected, "\(zone)")
    }
  }

  @Test("The rule at the end of a file holds for all later years")
  func rule() throws {
    let file = try #require(TimeZoneFile(Self.file(rule: "CET-1CEST,M3.5.0,M10.5.0/3")))
    // The last Sunday of March and of October 2090, at 01:00 UTC.
    let (spring, autumn) = (Int64(3_794_173_200), Int64(3_812_922_000))
    for (second, offset) in [
      (spring - 1, 3_600), (spring, 7_200), (autumn - 1, 7_200), (autumn, 3_600),
    ] {
      #expect(file.period(at: Instant(microseconds: second * 1_000_000)).offset == offset)
    }
    let summer = file.period(at: Instant(microseconds: spring * 1_000_000))
    #expect(summer.since?.microseconds == spring * 1_000_000)
    #expect(summer.until?.microseconds == autumn * 1_000_000)
  }

  @Test("Rules of all forms are read, and others are refused")
  func rules() {
    for text in [
      "UTC0", "<+0545>-5:45", "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", "EST5EDT,M3.2.0,M11.1.0",
      "XXX3EDT4,0/0,J365/23", "IST-2IDT,M3.4.4/26,M10.5.0", "AAA-3:30:15BBB,J60/167,59/-167",
    ] { #expect(TimeZoneRule(text) != nil, "\(text)") }
    for text in [
      "", "U0", "UTC", "UTC25", "UTC0:60", "<UTC0", "CET-1CEST", "CET-1CEST,M3.5.0",
      "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0",
      "CET-1CEST,J0,J366", "CET-1CEST,366,0", "CET-1CEST,M3.5.0/168,M10.5.0",
      "CET-1CEST,M3.5.0,M10.5.0/3 ", "CET-99999999999999999999999",
    ] { #expect(TimeZoneRule(text) == nil, "\(text)") }
  }

  @Test("Summer that lasts all year has one offset")
  func allYear() throws {
    // The standard time never comes.
    let rule = try #require(TimeZoneRule("XXX3EDT4,0/0,J365/23"))
    for day in 0..<800 {
      let second = Int64(1_700_000_000 + day * 86_400)
      let period = rule.period(at: second, since: nil)
      #expect(period.offset == -14_400)
    }
  }

  @Test("A damaged file is refused, and never ends the process")
  func damaged() {
    let whole = Self.file(rule: "CET-1CEST,M3.5.0,M10.5.0/3")
    #expect(TimeZoneFile(whole) != nil)
    for length in 0..<whole.count { #expect(TimeZoneFile(Array(whole.prefix(length))) == nil) }
    var random = SplitMix64(state: 23)
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      guard let file = TimeZoneFile(bytes) else { continue }
      for second in [Int64.min / 1_000_000, -1, 0, 1_700_000_000, Int64.max / 1_000_000] {
        let instant = Instant(microseconds: second * 1_000_000)
        let period = file.period(at: instant)
        #expect(abs(period.offset) <= 93_600)
      }
    }
  }

  @Test("A name that is no zone is UTC, and leads to no other file")
  func strangers() throws {
    let zones = TimeZones.files()
    for text in [
      "Nowhere/City", "Europe", "leapseconds", "tzdata-zi", "zone1970", "x",
      "Europe/Berlin/x", "A/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y/z",
    ] {
      let name = try #require(TimeZoneName(text))
      #expect(zones.period(name, .noon) == TimeZones.Period(offset: 0), "\(text)")
    }
    // Such names cannot even be written.
    for text in [
      "../etc/passwd", "/etc/passwd", "Europe/../Europe/Berlin", "Europe/.", "", "Europe/",
      "Europe//Berlin",
    ] {
      #expect(TimeZoneName(text) == nil)
    }
    // A folder that is not there, and more names than the cache holds.
    let none = TimeZones.files(in: "/nowhere/zoneinfo")
    for number in 0..<5_000 {
      let name = try #require(TimeZoneName("Zone\(number)"))
      #expect(none.period(name, .noon).offset == 0)
    }
  }

  /// A file with two changes and a rule for later.
  private static func file(rule: String) -> [UInt8] {
    func header(_ counts: [UInt8]) -> [UInt8] {
      Array("TZif2".utf8) + Array(repeating: 0, count: 15) + counts.flatMap { [0, 0, 0, $0] }
    }
    func number(_ value: Int64, _ size: Int) -> [UInt8] {
      (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    let types = number(3_600, 4) + [0, 0] + number(7_200, 4) + [1, 4]
    let names = Array("CET\0CEST\0".utf8)
    let old = header([0, 0, 0, 0, 1, 4]) + number(3_600, 4) + [0, 0] + Array("CET\0".utf8)
    return old + header([0, 0, 0, 2, 2, UInt8(names.count)])
      + number(1_679_792_400, 8) + number(1_698_541_200, 8) + [1, 0] + types + names
      + Array("\n\(rule)\n".utf8)
  }
}
