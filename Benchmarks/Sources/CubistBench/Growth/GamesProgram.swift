import CubistBasics
import Foundation
import Glibc
import LargeStore
import LibPQ
import MatchCore
import MatchLoad
import MatchService

/// `cubist games` as a player runs it: a whole process, with a profile of its own.
struct GamesProgram {
  let site: Site
  let cubist: String

  private static let matches = 10
  private static let pastGames = 10_000
  private static let runs = 30

  /// Milliseconds of the list of matches and of the first page of past games.
  func figures() throws -> [String: Double] {
    try site.start("worker", "reader")
    defer { site.end() }
    try site.awaitConsumers()
    let suffix = String(UInt64.random(in: 0..<2_176_782_336), radix: 36)
    let folder = "\(site.folder)/player-\(suffix)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let player = Program(cubist: cubist, folder: folder)
    Progress.say("cubist games, \(GamesProgram.runs) times")
    _ = try player.run("connect", site.playerBroker)
    let name = "games-\(suffix)"
    _ = try player.run("register", name)
    try startMatches(player)
    let connection = try site.connectToDatabase()
    defer { connection.close() }
    let id = try connection.query("SELECT id FROM players WHERE name = $1", [.text(name)])
      .only[0].uuid
    try connection.query(
      """
      INSERT INTO past_games (player, ended_at, match, opponent, points, opponent_points,
        turn_limit_seconds, kind, language, result, reason)
      SELECT $1, now() - n * interval '1 hour', gen_random_uuid(),
        \(StoreFill.player("2 + n % 500")), 400, 300, 86400, 'random', 'en', 'won', 'cleared'
      FROM generate_series(1, \(GamesProgram.pastGames)) AS n
      """, [.uuid(id)])
    defer {
      _ = try? connection.query("DELETE FROM past_games WHERE player = $1", [.uuid(id)])
    }
    try check(try player.run("games", "--json"), "matches", GamesProgram.matches)
    try check(try player.run("games", "--past", "--json"), "games", 20)
    return [
      "cubistGamesMs": try time(player, "games"),
      "cubistPastGamesMs": try time(player, "games", "--past"),
    ]
  }

  /// Matches that are being played, against ten others.
  private func startMatches(_ player: Program) throws {
    let exchange = try Exchange(site)
    defer { exchange.close() }
    var random = SplitMix64(state: .random(in: 0...UInt64.max))
    let others = try LoadPlayer.register(GamesProgram.matches, site, exchange, &random)
    let matches = try others.map { other in
      let said = try player.run("start", "\(other.name)", "--json")
      let ticket = try Program.object(said)
      guard let match = (ticket["match"] as? String).flatMap({ MatchID($0) }) else {
        throw BenchFailure("cubist start names no match: \(said)")
      }
      return match
    }
    try exchange.run(count: matches.count) { index in
      others[index].event(
        of: site.identity.service, .invitationAccepted(matches[index], code: nil), &random)
    } then: { _, _ in
      nil
    }
  }

  private func check(_ said: String, _ name: String, _ count: Int) throws {
    let found = try Program.object(said)[name] as? [Any]
    guard found?.count == count else {
      throw BenchFailure("cubist games lists \(found?.count ?? 0) \(name) instead of \(count)")
    }
  }

  private func time(_ player: Program, _ arguments: String...) throws -> Double {
    var times: [Double] = []
    for _ in 0..<GamesProgram.runs {
      try Interruption.check()
      times.append(try player.time(arguments) * 1_000)
    }
    guard let median = times.median else { throw BenchFailure("cubist games was never run") }
    return median
  }
}

/// The players' program with only the given environment.
private struct Program {
  let cubist: String
  let folder: String

  private var environment: [String: String] {
    [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder, "XDG_STATE_HOME": folder,
      "LANG": "C.UTF-8",
    ]
  }
  private var log: String { "\(folder)/said" }

  /// Runs it and gives its output.
  func run(_ arguments: String...) throws -> String {
    try Child.run([cubist] + arguments + ["--quiet"], environment: environment, log: log)
  }

  /// Runs it and gives the seconds from its start to its end.
  func time(_ arguments: [String]) throws -> Double {
    let began = monotonic()
    let child = try Child("cubist", [cubist] + arguments, environment: environment, log: log)
    // `Child.wait` looks every two milliseconds, which is a large part of the time measured here.
    while child.isRunning { usleep(100) }
    let ended = monotonic()
    let status = try child.wait()
    guard status == 0 else {
      throw BenchFailure(
        "cubist \(arguments.joined(separator: " ")) ended with \(status): \(child.said)")
    }
    return seconds(from: began, to: ended)
  }

  static func object(_ said: String) throws -> [String: Any] {
    guard
      let object = try? JSONSerialization.jsonObject(with: Data(said.utf8)) as? [String: Any]
    else { throw BenchFailure("cubist says no JSON: \(said)") }
    return object
  }
}
