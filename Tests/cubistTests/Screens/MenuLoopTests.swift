import ServiceNews
import CubePlay
import GameScreens
import Synchronization
import TerminalScreen
import Testing

@testable import cubist

/// The screens beside the matches in the loop, with a service that a test makes up.
@Suite("The loop beside the matches", .timeLimit(.minutes(2)))
struct MenuLoopTests {
  private static func client() -> ScreenClient {
    var client = ScreenClient.failing
    client.home = { HomeList(name: "ada", rows: []) }
    client.menus.checks = .live
    return client
  }

  @Test("Each screen says that everything fails, and can be left")
  func failing() async throws {
    let app = try await LoopTests.run(.failing, at: nil) { desk in
      let screens = [
        ("b", "[Today]"), ("s", "Settings"), ("p", "Past games"), ("i", "Notifications"),
      ]
      for (key, title) in screens {
        try await desk.wait("Q quit")
        desk.type(key)
        try await desk.wait(title)
        try await desk.wait("  The service cannot be reached.")
        desk.keys.yield(.key(.escape))
      }
      try await desk.wait("Q quit")
      desk.type("s")
      try await desk.wait("Settings")
      desk.keys.yield(.key(.control("k")))
      try await desk.wait("Your keys")
      desk.type("a")
      try await desk.wait("  The service cannot be reached.")
      desk.keys.yield(.key(.escape))
      try await desk.wait("Q quit")
      desk.type("n")
      try await desk.wait("New match")
      desk.keys.yield(.key(.enter))
      try await desk.wait("The service cannot be reached.")
    }
    #expect(app.connection == .lost)
    guard case .newMatch(let screen)? = app.menu else {
      Issue.record("no match is chosen")
      return
    }
    #expect(screen.stage == .choosing)
  }

  @Test("Changes that could not be saved are still there, and are saved the next time")
  func saving() async throws {
    let saved = Mutex<[[SettingsEdit]]>([])
    let isAway = Mutex(true)
    var client = Self.client()
    client.home = { () async throws(ScreenTrouble) in
      guard !isAway.withLock({ $0 }) else { throw .away }
      return HomeList(name: "ada", rows: [])
    }
    client.menus.settings = {
      SettingsValues(displayName: "", notifications: [], devices: [], blocked: [])
    }
    client.menus.save = { edits async throws(ScreenTrouble) in
      let count = saved.withLock { saved in
        saved.append(edits)
        return saved.count
      }
      guard count > 1 else { throw .away }
      return .saved
    }
    _ = try await LoopTests.run(client, at: nil) { desk in
      try await desk.wait("Q quit")
      desk.type("s")
      try await desk.wait("Notifications call you")
      desk.type("Ada?")
      desk.keys.yield(.key(.control("s")))
      try await desk.wait("The service cannot be reached.")
      try await desk.wait("[Ada?_]")
      isAway.withLock { $0 = false }
      try await desk.waitUntilGone("The service cannot be reached.")
      desk.keys.yield(.key(.control("s")))
      try await desk.wait("Saved.")
    }
    #expect(saved.withLock { $0 } == [[.displayName("Ada?")], [.displayName("Ada?")]])
  }

  @Test("A asks, and then declines all invitations one after the other")
  func decliningAll() async throws {
    let wishes = Mutex<[HomeScreen.Wish]>([])
    let rows = ["grace", "alan", "edsger"].map { name in
      HomeRow(MatchKey(name), .invitation, opponent: name)
    }
    var client = Self.client()
    client.home = { () async throws(ScreenTrouble) in
      let declined = wishes.withLock { $0 }
      return HomeList(name: "ada", rows: rows.filter { !declined.contains(.decline($0.key)) })
    }
    client.grant = { wish async throws(ScreenTrouble) in
      wishes.withLock { $0.append(wish) }
      return nil
    }
    _ = try await LoopTests.run(client, at: nil) { desk in
      try await desk.wait("A decline all")
      desk.type("a")
      try await desk.wait("Decline all 3 invitations?")
      desk.type("y")
      try await desk.wait("Nothing waits for you.")
    }
    #expect(wishes.withLock { $0 } == rows.map { .decline($0.key) })
  }

  @Test(
    "Each list says that the service is away, and no longer when it is back",
    arguments: ["n", "b", "a"])
  func away(key: String) async throws {
    let isAway = Mutex(false)
    var client = Self.client()
    let invitation = HomeRow(Scenery.key, .invitation, opponent: "grace")
    client.home = { () async throws(ScreenTrouble) in
      guard !isAway.withLock({ $0 }) else { throw .away }
      return HomeList(name: "ada", rows: [invitation])
    }
    client.menus.board = { _ in
      BoardNews(head: "Today.", columns: [], rows: [], today: .open)
    }
    _ = try await LoopTests.run(client, at: nil) { desk in
      try await desk.wait("invites you")
      if key != "a" { desk.type(key) }
      try await desk.wait(key == "n" ? "New match" : key == "b" ? "Today." : "invites you")
      isAway.withLock { $0 = true }
      desk.keys.yield(.key(.enter))
      try await desk.wait("The service cannot be reached.")
      try await desk.wait("Connection lost.")
      isAway.withLock { $0 = false }
      try await desk.waitUntilGone("The service cannot be reached.")
      try await desk.waitUntilGone("Connection lost.")
    }
  }

  @Test("Past games come a page at a time, and one of them is opened")
  func pastGames() async throws {
    var client = Self.client()
    client.menus.pastGames = { _, place in
      let name = place == nil ? "grace" : "edsger"
      let row = PastGameRow(
        MatchKey(name), opponent: name, kind: "by chance", result: "won, no cube is left",
        points: [42, 36], ended: "2 h ago")
      return PastGamesNews(rows: [row], next: place == nil ? "then" : nil)
    }
    let app = try await LoopTests.run(client, at: nil) { desk in
      try await desk.wait("Q quit")
      desk.type("p")
      try await desk.wait("> grace")
      desk.type("m")
      try await desk.wait("edsger")
      try await desk.waitUntilGone("M older games")
      desk.keys.yield(.key(.arrow(.down)))
      try await desk.wait("> edsger")
      desk.keys.yield(.key(.enter))
      try await desk.waitUntilGone("Past games")
    }
    #expect(app.match?.key == MatchKey("edsger"))
  }

  @Test("K and R filter past games, P those of a player, and A brings all of them back")
  func filters() async throws {
    var client = Self.client()
    client.menus.pastGames = { wanted, _ in
      let name = "\(wanted.kind?.rawValue ?? "every")-\(wanted.result?.rawValue ?? "every")"
      guard wanted.kind != .invitation else { return PastGamesNews(rows: []) }
      let row = PastGameRow(
        MatchKey(name), opponent: name, kind: "by chance", result: "won, no cube is left",
        points: [42, 36], ended: "2 h ago", player: "grace")
      return PastGamesNews(rows: [row])
    }
    client.menus.player = { name in
      PlayerNews(name: name, lines: ["One match."], isBlocked: false)
    }
    let app = try await LoopTests.run(client, at: nil) { desk in
      try await desk.wait("Q quit")
      desk.type("p")
      try await desk.wait("> every-every")
      desk.type("k")
      try await desk.wait("> random-every")
      desk.type("r")
      try await desk.wait("> random-won")
      try await desk.wait("Only games by chance that you won.")
      desk.type("k")
      try await desk.wait("You have no past games by invitation that you won.")
      desk.type("a")
      try await desk.wait("> every-every")
      desk.type("o")
      try await desk.wait("One match.")
      desk.type("p")
      try await desk.wait("Only games against grace.")
      desk.type("a")
      try await desk.waitUntilGone("Only games against grace.")
    }
    guard case .pastGames(let screen)? = app.menu else {
      Issue.record("\(app.place)")
      return
    }
    #expect(screen.wanted == .all)
  }

  @Test("The game does not end with changes unsaved before the player has said so")
  func quitting() async throws {
    var client = Self.client()
    client.menus.settings = {
      SettingsValues(displayName: "", notifications: [], devices: [], blocked: [])
    }
    _ = try await LoopTests.run(client, at: nil) { desk in
      try await desk.wait("Q quit")
      desk.type("s")
      try await desk.wait("Notifications call you")
      desk.type("A")
      desk.keys.yield(.key(.control("c")))
      try await desk.wait("You have changed something.")
    }
  }

  @Test("A start without an answer is said, and its match is shown when the answer comes")
  func pending() async throws {
    var client = Self.client()
    let isThere = Mutex(false)
    client.home = { () async throws(ScreenTrouble) in
      guard isThere.withLock({ $0 }) else { throw .away }
      var list = HomeList(name: "ada", rows: [])
      list.started = .began(Scenery.key)
      return list
    }
    let count = Mutex(0)
    client.menus.start = { _, _ async throws(ScreenTrouble) in
      count.withLock { $0 += 1 }
      throw .pending
    }
    let app = try await LoopTests.run(client, at: nil) { desk in
      try await desk.wait("Q quit")
      desk.type("n")
      try await desk.wait("New match")
      desk.keys.yield(.key(.enter))
      try await desk.wait("Your start has no answer yet.")
      try await desk.wait("Connection lost. Trying again")
      desk.keys.yield(.key(.enter))
      isThere.withLock { $0 = true }
      // The match itself cannot be shown here.
      try await desk.wait("It is tried again.")
    }
    #expect(app.match?.key == Scenery.key)
    #expect(count.withLock { $0 } == 1)
  }

  @Test("A challenge without an answer is begun where it was asked for when the answer comes")
  func pendingDaily() async throws {
    var client = Self.client()
    let isThere = Mutex(false)
    client.home = {
      var list = HomeList(name: "ada", rows: [])
      if isThere.withLock({ $0 }) { list.started = .began(Scenery.key) }
      return list
    }
    client.menus.board = { _ in
      BoardNews(head: "Today.", columns: [], rows: [], today: .open)
    }
    client.menus.daily = { _ async throws(ScreenTrouble) in
      isThere.withLock { $0 = true }
      throw .pending
    }
    let app = try await LoopTests.run(client, at: nil) { desk in
      try await desk.wait("Q quit")
      desk.type("b")
      try await desk.wait("Today.")
      desk.keys.yield(.key(.enter))
      try await desk.wait("It is tried again.")
    }
    #expect(app.match?.key == Scenery.key)
  }

  @Test("A match that was chosen is shown when it has begun")
  func starting() async throws {
    var client = Self.client()
    let asked = Mutex<[NewMatch]>([])
    client.menus.start = { wanted, _ in
      asked.withLock { $0.append(wanted) }
      return .began(Scenery.key)
    }
    let app = try await LoopTests.run(client, at: nil) { desk in
      try await desk.wait("Q quit")
      desk.type("n")
      try await desk.wait("New match")
      desk.keys.yield(.key(.arrow(.down)))
      desk.type("ben")
      try await desk.wait("[ben_]")
      desk.keys.yield(.key(.enter))
      try await desk.wait("The service cannot be reached.")
    }
    #expect(app.match?.key == Scenery.key)
    let terms = NewMatch.Terms(turnLimit: "1d", isCasual: false)
    #expect(asked.withLock { $0 } == [.named("ben", terms)])
  }
}
