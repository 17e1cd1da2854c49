import MatchCore
import MatchInterfaces
import MatchService
import Testing

@testable import MatchSimulation

@Suite("A year of notifications")
struct PushYearTests {
  /// Four in each year.
  private static let zones = [
    ["Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "America/St_Johns"],
    ["Africa/Casablanca", "Europe/Berlin", "Europe/London", "America/New_York"],
    ["America/Los_Angeles", "America/Sao_Paulo", "America/Santiago", "Asia/Tokyo"],
    ["Asia/Kolkata", "Asia/Tehran", "Africa/Cairo", "Pacific/Chatham"],
    ["Pacific/Kiritimati", "Antarctica/Troll", "Asia/Jerusalem", "Europe/Dublin"],
  ]

  private static func year(_ number: Int, _ bug: PlantedBug? = nil) throws -> PushYear {
    let year = try #require(
      PushYear(seed: UInt64(number) + 1, in: zones[number], zones: .files(), bug: bug))
    year.run()
    return year
  }

  @Test(
    "In a year in twenty zones no job is lost or doubled, nor comes in quiet hours if it could wait"
  )
  func holds() async throws {
    let years = try await withThrowingTaskGroup(of: Summary.self) { group in
      for number in Self.zones.indices {
        group.addTask { Summary(try Self.year(number)) }
      }
      return try await group.reduce(into: [Summary]()) { $0.append($1) }
    }
    for year in years { #expect(year.violations.isEmpty, "\(year.violations.prefix(20))") }
    // Nothing may hold because nothing happens.
    for fault in PushYear.faults {
      #expect(years.contains { $0.faults[fault, default: 0] > 0 }, "\(fault.rawValue)")
    }
    let total = { (part: (Summary) -> Int) in years.reduce(0) { $0 + part($1) } }
    #expect(total(\.delivered) > 8_000 && total(\.repeats) > 20 && total(\.silent) > 20)
    #expect(total(\.lives) > 20)
    for (kind, reason) in [
      (PushJob.Kind.yourTurn, PushReason.answered), (.yourTurn, .quietHours),
      (.nudged, .answered), (.dailyReady, .quietHours),
    ] {
      let count = total { $0.dropped[kind]?[reason] ?? 0 }
      #expect(count > 0, "\(kind.rawValue) \(reason.rawValue)")
    }
    // A job without an end waits for as long as it must, and nobody answers it.
    for kind in [PushJob.Kind.account, .test, .digest, .weekInReview, .matchEnded] {
      let reasons = years.flatMap { $0.dropped[kind].map { Array($0.keys) } ?? [] }
      // Nobody waits for hours for the notification of a test.
      let ends: [PushReason] = kind == .test ? [.gone, .expired] : [.gone]
      #expect(reasons.allSatisfy(ends.contains), "\(kind.rawValue): \(reasons)")
    }
  }

  @Test(
    "A planted bug is found within a year",
    arguments: [PlantedBug.quietHoursIgnored, .newTopicEachTime, .newsAtOnce])
  func isFound(bug: PlantedBug) throws {
    #expect(try !Self.year(0, bug).violations.isEmpty)
  }

  /// The parts of a year that are looked at.
  private struct Summary: Sendable {
    var violations: [String]
    var faults: [Fault: Int]
    var dropped: [PushJob.Kind: [PushReason: Int]]
    var delivered: Int
    var repeats: Int
    var silent: Int
    var lives: Int

    init(_ year: PushYear) {
      (violations, faults, dropped) = (year.violations, year.plan.counts, year.dropped)
      delivered = year.count(.delivered)
      (repeats, silent) = (year.receiver.check.repeatCount, year.receiver.check.silentCount)
      lives = year.lives
    }
  }
}
