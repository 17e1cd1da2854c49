import CubeLexicon
import CubePlay
import CubeRules
import CubistBasics
import DemoGame
import GameScreens
import Synchronization
import Testing

/// Random numbers behind a lock.
final class Seeded: Sendable {
  private let state: Mutex<SplitMix64>

  init(_ seed: UInt64) { state = Mutex(SplitMix64(state: seed &* SplitMix64.increment)) }

  func next() -> UInt64 { state.withLock { $0.next() } }
}

@Suite("Matches against robots, in memory", .timeLimit(.minutes(2)))
struct DemoServiceTests {
  private static func service(_ seed: UInt64 = 1) -> DemoService {
    let random = Seeded(seed)
    return DemoService(random: random.next, pause: {})
  }

  /// The first word on a cube, as moves; two cubes where there is none.
  private static func moves(_ game: CubeGame) -> [Move] {
    BotStrength.hard.turn(on: game, seatCount: 2, words: .english, random: { 0 })
  }

  @Test(
    "A whole match: the robot answers each turn, then it is over, and a rematch turns the seats")
  func wholeMatch() async throws {
    let service = Self.service()
    let client = service.client
    let key = service.begin(.easy)
    var found = try await client.match(key, nil)
    while case .yours(nil) = found.news.standing.stage {
      let number = found.news.standing.turnNumber
      #expect(
        try await client.play(key, Self.moves(found.news.standing.game), number)
          == .accepted(secondsLeft: nil))
      // The same turn again does not count as a second one.
      #expect(try await client.play(key, [], number) == .outdated)
      repeat {
        found = try await client.match(key, found.version)
      } while found.news.standing.stage == .theirs(secondsLeft: nil)
    }
    #expect(found.news.standing.stage == .over(.cleared))
    #expect(found.news.ending == "Over: won, no cube is left.")
    #expect(found.news.rematch == .open)
    #expect(found.news.lines.count > 10)
    #expect(found.news.lines.contains { $0.best != nil })
    let players = Set(found.news.lines.map(\.player))
    #expect(players == [.me, .them])
    guard case .began(let next) = await client.rematch(key) else {
      Issue.record("no rematch")
      return
    }
    #expect(await client.rematch(key) == .began(next))
    #expect(try await client.match(key, nil).news.rematch == .began(next))
    let again = try await client.match(next, nil)
    #expect(again.news.standing.stage == .theirs(secondsLeft: nil))
    #expect(again.news.standing.game != found.news.standing.game)
    #expect(
      try await client.match(next, again.version).news.standing.stage == .yours(secondsLeft: nil))
  }

  @Test("The list has the running games and three robots, each of which is taken on")
  func list() async throws {
    let client = Self.service().client
    let robots = try await client.home().rows
    #expect(robots.map(\.opponent) == ["Robot, easy", "Robot, medium", "Robot, hard"])
    for robot in robots {
      let key = try #require(try await client.grant(.accept(robot.key)))
      #expect(try await client.match(key, nil).news.opponent == robot.opponent)
    }
    let rows = try await client.home().rows
    #expect(rows.map(\.kind) == Array(repeating: .yourTurn, count: 3) + robots.map(\.kind))
    #expect(rows.first?.opponent == "Robot, hard")
  }

  @Test("An act against the rules is refused, and an unknown match is named")
  func refusals() async throws {
    let service = Self.service()
    let client = service.client
    let key = service.begin(.medium)
    #expect(try await client.play(key, [], 1) == .illegal(.turnShape(.empty)))
    #expect(try await client.play(key, [], 2) == .outdated)
    #expect(await client.rematch(key) == .failed("The match is not over."))
    await #expect(throws: ScreenTrouble.self) { _ = try await client.match(MatchKey("9"), nil) }
    await #expect(throws: ScreenTrouble.self) { _ = try await client.match(MatchKey("easy"), nil) }
    await #expect(throws: ScreenTrouble.self) { _ = try await client.play(MatchKey("0"), [], 1) }
    await #expect(throws: ScreenTrouble.self) { _ = try await client.grant(.decline(key)) }
    await #expect(throws: ScreenTrouble.self) { _ = try await client.grant(.accept(key)) }
  }

  @Test("A wait for a change also ends with the player's own turn")
  func waiting() async throws {
    let service = Self.service(2)
    let client = service.client
    let key = service.begin(.hard)
    let found = try await client.match(key, nil)
    async let changed = client.match(key, found.version)
    try await Task.sleep(for: .milliseconds(50))
    _ = try await client.play(key, Self.moves(found.news.standing.game), 1)
    #expect(try await changed.news.standing.turnNumber >= 2)
  }
}
