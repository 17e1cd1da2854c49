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

@Suite("Matches against robots and games alone, in memory")
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

  @Test("The list has the running games, three robots and a game alone, each of which begins")
  func list() async throws {
    let client = Self.service().client
    let new = try await client.home().rows
    #expect(new.map(\.opponent) == ["Robot, easy", "Robot, medium", "Robot, hard", "Alone"])
    for (row, opponent) in zip(new, new.prefix(3).map(\.opponent) + [nil]) {
      let key = try #require(try await client.grant(.accept(row.key)))
      #expect(try await client.match(key, nil).news.opponent == opponent)
    }
    let rows = try await client.home().rows
    #expect(rows.map(\.kind) == Array(repeating: .yourTurn, count: 4) + new.map(\.kind))
    #expect(rows.prefix(2).map(\.opponent) == ["Alone", "Robot, hard"])
  }

  @Test("A game alone goes on turn after turn, to its last cube")
  func alone() async throws {
    let client = Self.service().client
    let key = try #require(try await client.grant(.accept(MatchKey("alone"))))
    var found = try await client.match(key, nil)
    while case .yours(nil) = found.news.standing.stage {
      let (number, game) = (found.news.standing.turnNumber, found.news.standing.game)
      let moves = BotStrength.hard.turn(
        on: game, seatCount: 1, words: .english, random: { 0 })
      #expect(try await client.play(key, moves, number) == .accepted(secondsLeft: nil))
      found = try await client.match(key, found.version)
      #expect(found.news.standing.turnNumber == number + 1)
    }
    #expect(found.news.ending == "Over: no cube is left.")
    #expect(await client.rematch(key) == .failed("A game alone has no rematch."))
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
    // The other task comes to its wait.
    for _ in 0..<1_000 { await Task.yield() }
    _ = try await client.play(key, Self.moves(found.news.standing.game), 1)
    #expect(try await changed.news.standing.turnNumber >= 2)
  }
}
