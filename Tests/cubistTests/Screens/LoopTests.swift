import CubePlay
import CubeRules
import FoundationEssentials
import MatchCore
import Synchronization
import TerminalScreen
import Testing

@testable import GameScreens
@testable import cubist

/// The loop with a service that a test makes up; every other call fails.
@Suite("The loop of the whole screen", .timeLimit(.minutes(2)))
struct LoopTests {
  /// A screen that remembers its last contents, and a keyboard.
  final class Desk: Sendable {
    let keys: AsyncStream<TerminalEvent>.Continuation
    let screen: Screen
    private let frame: Frames
    /// One element after the latest frame, if nobody has looked at it yet.
    private let drawn: AsyncStream<Void>
    private let drawing: AsyncStream<Void>.Continuation

    /// The contents of the screen.
    final class Frames: Sendable {
      let last = Mutex("")
      /// What was written to each row last.
      let rows = Mutex<[Substring: Substring]>([:])
      let all = Mutex<[String]>([])
      let bellCount = Mutex(0)

      /// The whole screen after a frame.
      func screen(after frame: String) -> String {
        rows.withLock { rows in
          for part in frame.split(separator: "\u{1b}[") {
            guard let place = part.firstRange(of: ";1H") else { continue }
            rows[part[..<place.lowerBound]] = part[place.upperBound...]
          }
          return rows.sorted { (Int($0.key) ?? 0) < (Int($1.key) ?? 0) }.map { $0.value + "\n" }
            .joined()
        }
      }
    }

    init() {
      let (events, keys) = AsyncStream.makeStream(of: TerminalEvent.self)
      let frame = Frames()
      let (drawn, drawing) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      (self.keys, self.frame, self.drawn, self.drawing) = (keys, frame, drawn, drawing)
      screen = Screen(
        events: events, size: { TerminalSize(columns: 80, rows: 24) },
        write: { bytes throws(TerminalFailure) in
          let text = frame.screen(after: String(decoding: bytes, as: UTF8.self))
          if bytes.last == 0x07 { frame.bellCount.withLock { $0 += 1 } }
          frame.all.withLock { $0.append(text) }
          // Last: who sees it finds the others.
          frame.last.withLock { $0 = text }
          drawing.yield()
        }, stop: {})
    }

    /// Nothing more is drawn.
    func end() { drawing.finish() }

    /// How often something was written.
    var frameCount: Int { frame.all.withLock { $0.count } }

    var bellCount: Int { frame.bellCount.withLock { $0 } }

    func type(_ text: String) {
      for character in text { keys.yield(.key(.character(character))) }
    }

    func shows(_ text: String) -> Bool { frame.last.withLock { $0.contains(text) } }

    /// Whether the screen has shown a text at any time.
    func hasShown(_ text: String) -> Bool {
      frame.all.withLock { $0.contains { $0.contains(text) } }
    }

    /// Waits until the screen shows a text no more.
    func waitUntilGone(
      _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      await wait { !shows(text) }
      #expect(!shows(text), "\(text)", sourceLocation: sourceLocation)
    }

    /// Waits until the screen shows a text.
    func wait(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
      await wait { shows(text) }
      #expect(shows(text), "\(text)", sourceLocation: sourceLocation)
    }

    /// Looks after each frame, to the last one or the end of the test's time.
    private func wait(until isSo: () -> Bool) async {
      while !isSo() {
        var frames = drawn.makeAsyncIterator()
        guard await frames.next() != nil else { return }
      }
    }
  }

  /// The time of the loop and of its service: each wait takes a moment. A wait that takes none would
  /// keep a core busy, and a test beside it from its turn.
  static func sleep(_: Duration = .zero) async { try? await Task.sleep(for: .milliseconds(20)) }

  /// Waits until its task is cancelled: the service has nothing new.
  static func nothingNew() async {
    let (news, sender) = AsyncStream.makeStream(of: Void.self)
    for await _ in news {}
    sender.finish()
  }

  /// Runs the game with a client until it ends, while a body types; gives the state at the end.
  static func run(
    _ client: ScreenClient, at match: MatchKey? = Scenery.key, rings: Bool = false,
    _ body: (Desk) async throws -> Void
  ) async throws -> GameApp {
    let desk = Desk()
    let loop = GameLoop(
      client: client, words: { Lexicons.standard.named($0) },
      setting: ScreenSetting(depth: .none, isUnicode: true),
      rings: rings, sleep: { await Self.sleep($0) })
    async let end = {
      defer { desk.end() }
      return try await loop.run(GameApp(at: match), on: desk.screen).app
    }()
    do {
      try await body(desk)
    } catch {
      desk.keys.yield(.key(.control("c")))
      _ = try await end
      throw error
    }
    desk.keys.yield(.key(.control("c")))
    return try await end
  }

  /// A service that shows a match, and then has nothing new.
  private static func showing(_ news: MatchNews) -> ScreenClient {
    var client = ScreenClient.failing
    client.home = { HomeList(name: "ada", rows: []) }
    client.match = { _, version in
      if version != nil { await Self.nothingNew() }
      return FoundMatch(news: news, version: 1, lexicon: "none")
    }
    return client
  }

  @Test("Nothing is written while nothing changes that is in sight")
  func idle() async throws {
    var client = ScreenClient.failing
    let rows = [
      HomeRow(MatchKey("1"), .yourTurn, opponent: "ben", points: [3, 4], secondsLeft: 91_000),
      HomeRow(MatchKey("2"), .theirTurn, opponent: "eve", points: [0, 0], secondsLeft: 7_255),
    ]
    let (looks, looked) = AsyncStream.makeStream(of: Void.self)
    client.home = {
      looked.yield()
      return HomeList(name: "ada", rows: rows)
    }
    _ = try await Self.run(client, at: nil) { desk in
      try await desk.wait("ben")
      try await desk.wait("1 d 1 h left")
      var look = looks.makeAsyncIterator()
      let count = desk.frameCount
      // Ten seconds lie between two loads of the list.
      for _ in 0..<4 { _ = await look.next() }
      #expect(desk.frameCount == count)
      desk.keys.yield(.key(.arrow(.down)))
      try await desk.wait("> eve")
      #expect(desk.frameCount == count + 1)
      desk.keys.yield(.key(.control("l")))
      desk.type("?")
      try await desk.wait("Rules")
      #expect(desk.frameCount == count + 3)
    }
  }

  @Test(
    "A clock has the same text from its step on, which is a second in the last hour",
    arguments: [-70, -3, 0, 59, 3_599, 3_600, 3_661, 86_399, 86_400, 91_000, 900_000])
  func clockSteps(seconds: Int) {
    let step = ClockText.step(seconds)
    #expect(ClockText.text(step) == ClockText.text(seconds))
    #expect(step == seconds || ClockText.text(step - 1) != ClockText.text(seconds))
    #expect(seconds >= 3_600 || step == seconds)
  }

  @Test("A rematch that cannot be started puts the button back and says so")
  func rematch() async throws {
    var client = Self.showing(try Scenery.news(.over(.cleared), ending: "Over: won.", .open))
    let attempts = Mutex(0)
    client.rematch = { _ in
      let attempt = attempts.withLock { count in
        count += 1
        return count
      }
      return attempt == 1 ? .failed("The service cannot be reached.") : .offered
    }
    let app = try await Self.run(client) { desk in
      try await desk.wait("Over: won. R asks for a rematch.")
      desk.type("r")
      try await desk.wait("The rematch could not be started: The service cannot be reached.")
      #expect(desk.shows("R rematch"))
      desk.type("r")
      try await desk.wait("Your offer of a rematch waits for grace.")
      #expect(!desk.shows("R rematch"))
    }
    guard case .shown(let match)? = app.match?.content else {
      Issue.record("no match is shown")
      return
    }
    #expect(match.rematch == .waits)
  }

  @Test("Giving up is asked, sent once, and its failure said; then the match goes on")
  func givingUp() async throws {
    let count = Mutex(0)
    var client = Self.showing(try Scenery.news(.yours(secondsLeft: nil)))
    client.giveUp = { _ in
      count.withLock { $0 += 1 }
      return .failed("Too much within a minute.")
    }
    _ = try await Self.run(client) { desk in
      try await desk.wait("Your turn: type a word.")
      desk.keys.yield(.key(.control("g")))
      try await desk.wait("Give up against grace? You lose.")
      desk.type("x")
      try await desk.wait("Your turn: type a word.")
      #expect(count.withLock { $0 } == 0)
      desk.keys.yield(.key(.control("g")))
      desk.type("y")
      try await desk.wait("Too much within a minute.")
    }
    #expect(count.withLock { $0 } == 1)
  }

  @Test("The rating is told as it changed after the end, and the game is shared by a key")
  func afterEnd() async throws {
    var before = try Scenery.news(.theirs(secondsLeft: nil), turns: 4)
    var after = try Scenery.news(.over(.cleared), ending: "Over: won.", .open)
    (before.isRated, after.isRated) = (true, true)
    let asked = Mutex(0)
    var client = ScreenClient.failing
    client.home = { HomeList(name: "ada", rows: []) }
    client.match = { [before, after] _, version in
      if version == 2 { await Self.nothingNew() }
      // The match ends only when the rating before it is known.
      while version == 1 && asked.withLock({ $0 }) == 0 && !Task.isCancelled { await Self.sleep() }
      // The answer is on its way, and nothing shows that it has come.
      if version == 1 { for _ in 0..<50 { await Self.sleep() } }
      return version == nil
        ? FoundMatch(news: before, version: 1, lexicon: "none")
        : FoundMatch(news: after, version: 2, lexicon: "none")
    }
    client.rating = {
      let count = asked.withLock { count in
        count += 1
        return count
      }
      // One question before the end, one at the end, and one a second. A letter means no command
      // for three seconds after the end, so the rater takes as long.
      let isNew = count >= 5
      return Strength(points: isNew ? 1_520 : 1_500, isReliable: true, matchCount: isNew ? 8 : 7)
    }
    client.share = { _ in .shared(code: "7K3QX2M97K3QX2M9") }
    _ = try await Self.run(client) { desk in
      try await desk.wait("rating 1500 → 1520")
      desk.type("s")
      try await desk.wait("7K3QX2M97K3QX2M9")
    }
  }

  @Test("The other one's word is spelled moment by moment, then its match is as it stands")
  func moments() async throws {
    let before = try Scenery.news(.theirs(secondsLeft: nil), turns: 4)
    var after = try Scenery.news(.yours(secondsLeft: nil))
    after.standing.lastTurn?.player = .them
    var client = ScreenClient.failing
    client.match = { [after] _, version in
      if version == 2 { await Self.nothingNew() }
      return version == nil
        ? FoundMatch(news: before, version: 1, lexicon: "none")
        : FoundMatch(news: after, version: 2, lexicon: "none")
    }
    let app = try await Self.run(client) { desk in
      // A letter before the turn, and after it.
      try await desk.wait("{E:}")
      #expect(desk.hasShown("{E·}"))
    }
    guard case .shown(let table)? = app.match?.content else {
      Issue.record("no match is shown")
      return
    }
    #expect(table.picture.game == after.standing.game)
  }

  @Test("A service that is away is tried until it is back, and the turn that waits is sent again")
  func away() async throws {
    let isAway = Mutex(true)
    let news = try Scenery.news(.yours(secondsLeft: nil))
    var client = Self.showing(news)
    client.home = { () async throws(ScreenTrouble) in
      guard !isAway.withLock({ $0 }) else { throw .away }
      return HomeList(name: "ada", rows: [])
    }
    let sent = Mutex<[Int]>([])
    client.play = { _, _, number async throws(ScreenTrouble) in
      sent.withLock { $0.append(number) }
      guard !isAway.withLock({ $0 }) else { throw .away }
      return .accepted(secondsLeft: 60)
    }
    _ = try await Self.run(client) { desk in
      try await desk.wait("Connection lost. Trying again")
      try await desk.wait("Your turn: type a word.")
      desk.type(try Scenery.word { _ in true })
      desk.keys.yield(.key(.enter))
      try await desk.wait("waits and is sent when it is back.")
      isAway.withLock { $0 = false }
      try await desk.wait("It is the turn of grace.")
      #expect(!desk.shows("Connection lost"))
    }
    let numbers = sent.withLock { $0 }
    #expect(numbers.count >= 2 && Set(numbers) == [news.standing.turnNumber])
  }

  @Test("A match that cannot be shown says why, and is shown once it can be")
  func matchFails() async throws {
    let isThere = Mutex(false)
    let news = try Scenery.news(.theirs(secondsLeft: nil))
    var client = Self.showing(news)
    client.match = { [shown = client.match] key, version async throws(ScreenTrouble) in
      guard isThere.withLock({ $0 }) else { throw .said("No such match.") }
      return try await shown(key, version)
    }
    _ = try await Self.run(client) { desk in
      try await desk.wait("No such match.")
      isThere.withLock { $0 = true }
      try await desk.wait("It is the turn of grace.")
    }
  }

  @Test("The other one's turn rings the bell where that is wanted", arguments: [true, false])
  func bell(rings: Bool) async throws {
    let before = try Scenery.news(.theirs(secondsLeft: nil), turns: 3)
    var after = try Scenery.news(.yours(secondsLeft: nil), turns: 4)
    after.standing.lastTurn?.player = .them
    var client = ScreenClient.failing
    client.match = { [after] _, version in
      if version == 2 { await Self.nothingNew() }
      return version == nil
        ? FoundMatch(news: before, version: 1, lexicon: "none")
        : FoundMatch(news: after, version: 2, lexicon: "none")
    }
    _ = try await Self.run(client, rings: rings) { desk in
      try await desk.wait("grace played BOTTOM")
      #expect(desk.bellCount == (rings ? 1 : 0))
    }
  }

  @Test("The service's refusal of a chosen match is said there")
  func refused() async throws {
    var client = ScreenClient.failing
    client.home = { HomeList(name: "ada", rows: []) }
    client.menus.start = { _, _ async throws(ScreenTrouble) in
      throw .said("You have too many matches.")
    }
    _ = try await Self.run(client, at: nil) { desk in
      try await desk.wait("Nothing waits for you.")
      desk.type("n")
      try await desk.wait("New match")
      desk.keys.yield(.key(.enter))
      try await desk.wait("You have too many matches.")
    }
  }

  @Test("Pasted text spells a word in a match, and gives no commands in the list")
  func pasting() async throws {
    let client = Self.showing(try Scenery.news(.yours(secondsLeft: nil)))
    let word = try Scenery.word { _ in true }
    let app = try await Self.run(client) { desk in
      try await desk.wait("Your turn: type a word.")
      desk.keys.yield(.key(.paste(word)))
      try await desk.wait("\(word) ")
      desk.keys.yield(.key(.escape))
      desk.keys.yield(.key(.escape))
      try await desk.wait("Nothing waits for you.")
      // N would open another screen, Q would quit.
      desk.keys.yield(.key(.paste("nq")))
      desk.type("?")
      try await desk.wait("Any key goes back.")
    }
    #expect(app.place == .home)
  }

  @Test("The loop shows that everything fails, takes keys, and ends when the terminal goes away")
  func failing() async throws {
    let app = try await Self.run(.failing) { desk in
      try await desk.wait("The service cannot be reached.")
      desk.type("?")
      try await desk.wait("Any key goes back.")
      desk.keys.finish()
    }
    #expect(app.isHelpShown)
    #expect(app.connection == .lost)
  }
}
