import CubeLexicon
import CubePlay
import CubeRules
import ServiceNews
import Synchronization
import TerminalScreen
import Testing

@testable import GameScreens
@testable import cubist

/// A turn that was sent, at every stage up to its answer.
@Suite("A turn without an answer is kept, or its match stays", .timeLimit(.minutes(2)))
struct TurnKeptTests {
  /// How far a turn has come.
  enum Stage: CaseIterable {
    case beingKept
    /// The service was away before the turn was kept.
    case notKept
    case kept
    /// The service was away after that.
    case waits

    var isKept: Bool { self == .kept || self == .waits }
  }

  private static let reducer = GameApp.reducer(words: .english, checks: .live)
  private static let other = MatchKey("9876")

  /// Every key that means anything anywhere, and each letter.
  private static let keys: [Key] =
    [
      .enter, .tab, .backTab, .backspace, .delete, .insert, .escape, .home, .end, .pageUp,
      .pageDown, .function(1),
    ] + Key.Direction.allCases.map { .arrow($0) }
    + "abcdefghijklmnopqrstuvwxyz".flatMap { [Key.control($0), .character($0)] }
    + "#/? 0".map { .character($0) }

  /// A match whose turn was sent; another match waits for the player, too.
  private static func state(
    _ stage: Stage, facilities: Facilities = .service
  ) throws -> ScreenState {
    var app = GameApp(at: Scenery.key, facilities: facilities)
    let rows = [
      HomeRow(Scenery.key, .yourTurn, opponent: "grace", points: [0, 0]),
      HomeRow(other, .yourTurn, opponent: "grace", points: [0, 0]),
    ]
    let actions = try Scenery.typed.actions().filter { if case .home = $0 { false } else { true } }
    for action in [.home(.arrived(HomeList(name: "ada", rows: rows)))] + actions {
      _ = reducer.reduce(&app, action)
    }
    var state = ScreenState(app)
    let effects = state.reduce(.match(Scenery.key, .play(.submit)), reducer)
    let number = try #require(
      effects.lazy.compactMap { effect -> Int? in
        guard case .match(_, .play(.send(_, let number))) = effect else { return nil }
        return number
      }.first)
    if stage.isKept { state.keep(Scenery.key, number) }
    if stage == .notKept || stage == .waits {
      _ = state.reduce(.match(Scenery.key, .play(.serviceLost)), reducer)
    }
    return state
  }

  private static func press(_ key: Key, _ state: inout ScreenState) {
    guard let action = ScreenKeys.action(key, in: state.app) else { return }
    _ = state.reduce(action, reducer)
  }

  private static func status(_ state: ScreenState) -> String {
    ScreenDrawing(
      app: state.app, size: TerminalSize(columns: 80, rows: 24),
      setting: ScreenSetting(depth: .none, isUnicode: true), isTurnKept: state.isShownTurnKept,
      waitBeforeEnd: state.waitBeforeEnd
    ).canvas().text(.none)
  }

  @Test("No key leaves a match whose turn is not kept, and no key forgets the turn")
  func stays() throws {
    for stage in Stage.allCases {
      for key in Self.keys {
        var state = try Self.state(stage)
        let turns = state.end.turns
        Self.press(key, &state)
        if !stage.isKept {
          #expect(state.app.match?.key == Scenery.key, "\(stage) \(key)")
          #expect(state.app.sentTurn(in: Scenery.key) != nil, "\(stage) \(key)")
        }
        #expect(state.end.turns == turns && turns.count == 1, "\(stage) \(key)")
      }
    }
  }

  @Test("Keys lead from a match whose turn is kept to the next one and to the other player")
  func leaves() throws {
    for key in [Key.control("n"), .control("o")] {
      var state = try Self.state(.kept)
      Self.press(key, &state)
      #expect(state.app.match?.key != Scenery.key, "\(key)")
      #expect(state.end.turns.map(\.keeping) == [.kept])
    }
  }

  @Test("The screen says that a turn is on its way once it is kept")
  func words() throws {
    let word = try Scenery.word { _ in true }
    #expect(Self.status(try Self.state(.beingKept)).contains("\(word) is being kept."))
    #expect(Self.status(try Self.state(.kept)).contains("\(word) is on its way."))
    #expect(Self.status(try Self.state(.notKept)).contains("Stay here: \(word) is sent"))
    #expect(Self.status(try Self.state(.waits)).contains("\(word) waits and is sent when it is"))
    let robots = try Self.state(.beingKept, facilities: .robots)
    #expect(Self.status(robots).contains("\(word) is on its way."), "nothing is kept there")
  }

  @Test("Quitting waits while a turn is being kept, and for nothing else")
  func quitting() throws {
    for stage in Stage.allCases {
      var state = try Self.state(stage)
      Self.press(.control("c"), &state)
      #expect(state.isOver == (stage != .beingKept), "\(stage)")
    }
    var state = try Self.state(.beingKept)
    let turn = try #require(state.end.turns.first)
    Self.press(.control("c"), &state)
    #expect(Self.status(state).contains("Keeping \(turn.word). Ctrl-C again quits without that."))
    state.keep(turn.match, turn.number)
    #expect(state.isOver && state.end.turns.map(\.keeping) == [.kept])
  }

  @Test("Who quits twice waits no more, and the turn is known to be lost")
  func quittingTwice() throws {
    var state = try Self.state(.beingKept)
    Self.press(.control("c"), &state)
    Self.press(.control("c"), &state)
    #expect(state.isOver && state.end.turns.map(\.keeping) == [.underWay])
  }

  @Test("Quitting waits until a turn could not be kept")
  func quittingFails() throws {
    var state = try Self.state(.beingKept)
    Self.press(.control("c"), &state)
    _ = state.reduce(.match(Scenery.key, .play(.serviceLost)), Self.reducer)
    #expect(state.isOver && state.end.turns.map(\.keeping) == [.failed])
  }

  @Test("Quitting waits for other wishes that are under way")
  func otherWishes() throws {
    let row = HomeRow(Scenery.key, .invitation, opponent: "eve")
    var state = ScreenState(GameApp())
    _ = state.reduce(.home(.arrived(HomeList(name: "ada", rows: [row]))), Self.reducer)
    let effects = state.reduce(.home(.opened), Self.reducer)
    #expect(!effects.isEmpty)
    Self.press(.control("c"), &state)
    #expect(!state.isOver)
    for effect in effects { state.end(effect) }
    #expect(state.isOver)
  }

  @Test("An answer ends the work, also if the match is not shown any more")
  func answered() throws {
    var state = try Self.state(.kept)
    Self.press(.control("n"), &state)
    _ = state.reduce(
      .match(Scenery.key, .play(.answered(.accepted(secondsLeft: nil)))), Self.reducer)
    #expect(state.end.turns.isEmpty)
    // So does the match as it stands after that turn.
    state = try Self.state(.waits)
    var news = try Scenery.news(.theirs(secondsLeft: nil))
    news.standing.turnNumber = try #require(state.end.turns.first).number + 1
    _ = state.reduce(.match(Scenery.key, .arrived(news)), Self.reducer)
    #expect(state.end.turns.isEmpty)
  }

  @Test("A turn sent again when the service is back is being kept again, unless it is kept")
  func sentAgain() throws {
    for (stage, keeping) in [(Stage.notKept, WorkUnderWay.Keeping.underWay), (.waits, .kept)] {
      var state = try Self.state(stage)
      _ = state.reduce(.connectionFound, Self.reducer)
      #expect(state.end.turns.map(\.keeping) == [keeping], "\(stage)")
    }
  }

  @Test("The loop keeps a turn before it plays it, and waits for that when the player quits")
  func loop() async throws {
    let news = try Scenery.news(.yours(secondsLeft: nil))
    let steps = Mutex<[String]>([])
    let (release, releasing) = AsyncStream.makeStream(of: Void.self)
    var client = ScreenClient.failing
    client.home = { HomeList(name: "ada", rows: []) }
    client.match = { _, version in
      if version != nil { await LoopTests.nothingNew() }
      return FoundMatch(news: news, version: 1, lexicon: "none")
    }
    client.keep = { _, _, _ in
      for await _ in release { break }
      steps.withLock { $0.append("kept") }
      return true
    }
    client.play = { _, _, _ async throws(ScreenTrouble) in
      steps.withLock { $0.append("played") }
      throw .away
    }
    let desk = LoopTests.Desk()
    let loop = GameLoop(
      client: client, words: { _ in nil }, setting: ScreenSetting(depth: .none, isUnicode: true),
      rings: false, sleep: { await LoopTests.sleep($0) })
    async let end = {
      defer { desk.end() }
      return try await loop.run(GameApp(at: Scenery.key), on: desk.screen)
    }()
    try await desk.wait("Your turn: type a word.")
    desk.type(try Scenery.word { _ in true })
    desk.keys.yield(.key(.enter))
    try await desk.wait("is being kept.")
    desk.keys.yield(.key(.control("c")))
    try await desk.wait("Ctrl-C again quits without that.")
    #expect(steps.withLock { $0.isEmpty })
    releasing.yield()
    let last = try await end
    #expect(last.turns.map(\.keeping) == [.kept])
    #expect(steps.withLock { $0.first } == "kept")
  }
}
