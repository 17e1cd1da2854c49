import Chaos
import Foundation
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import TestedService
import Testing

@Suite("The day's challenge is announced", .serialized)
struct DailyAnnouncementTests {
  private static let players = 5_000

  // Ten thousand players and four kills, half of them each time.
  @Test(
    "Everybody hears of the day's challenge once, though any role is killed meanwhile",
    arguments: 1...2)
  func once(half: Int) async throws {
    var options = ServiceLab.Options(workers: 0)
    options.roles = [.push]
    try await ServiceLab.run(options) { lab in
      try Self.register(lab)
      let processes = try RoleProcesses(of: lab)
      defer { processes.end() }
      var relay = try processes.start("relay")
      for _ in 0..<2 {
        let scheduler = try processes.start("scheduler")
        let told = try Self.cursor(lab)
        try waitUntil("more players are told") {
          let now = try Self.cursor(lab)
          return now.isDone || now != told
        }
        scheduler.kill()
        relay.kill()
        relay = try processes.start("relay")
      }
      _ = try processes.start("scheduler")
      try waitUntil("everybody is told") { try Self.cursor(lab).isDone }
      try waitUntil("everybody has heard") {
        lab.pushes.taken.count >= Self.players
      }
      // A job that was published twice comes behind.
      let jobs = try lab.jobs().map(\.job).filter { $0.kind == .dailyReady }
      // A day more may begin while this runs.
      let day = try #require(jobs.compactMap(\.day).min())
      let owed = jobs.filter { $0.day == day }.map(\.player)
      let heard = lab.pushes.taken.filter { $0.day == day }.map(\.player)
      #expect(Set(owed).count >= Self.players)
      #expect(owed.count == Set(owed).count)
      #expect(heard.count == Set(heard).count)
      #expect(Set(heard) == Set(owed))
    }
  }

  /// How far the announcement has come.
  private struct Cursor: Equatable {
    var player: String
    var isDone: Bool
  }

  private static func cursor(_ lab: ServiceLab) throws -> Cursor {
    let connection = try lab.connection()
    defer { connection.close() }
    let rows = try connection.query(
      """
      SELECT coalesce(max(fan_out_cursor::text), ''), coalesce(bool_or(fan_out_done), false)
      FROM daily_challenges WHERE fan_out_cursor IS NOT NULL OR fan_out_done
      """)
    return Cursor(player: try rows.only[0].text, isDone: try rows.only[1].bool)
  }

  private static func register(_ lab: ServiceLab) throws {
    let connection = try lab.connection()
    defer { connection.close() }
    try connection.script(
      """
      INSERT INTO players (id, registered_at, name, name_key)
      SELECT gen_random_uuid(), now(), 'p' || number, 'p' || number
      FROM generate_series(1, \(players)) AS number
      """)
  }
}
