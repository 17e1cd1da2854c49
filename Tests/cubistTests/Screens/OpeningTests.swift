import CubePlay
import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import ServiceNews
import TerminalScreen
import Testing

@testable import GameScreens
@testable import cubist

/// When a command opens the whole screen, and when it prints.
@Suite("Opening the whole screen")
struct OpeningTests {
  private static let match = Made.match(0x1234)

  /// A lab on a terminal that has a screen.
  private static func lab() -> CommandLab {
    let lab = CommandLab()
    (lab.isTerminal, lab.opensScreen) = (true, true)
    lab.service.home = Made.home([Made.summary(match)])
    return lab
  }

  @Test("cubist opens the waiting matches, with the profile's folder and service")
  func home() throws {
    let lab = Self.lab()
    #expect(lab.run("") == .init(status: 0, output: "", errors: ""))
    let screen = try #require(lab.screens.first)
    #expect(screen.plan.match == nil)
    #expect(screen.plan.url == "amqp://localhost")
    #expect(screen.plan.folder.hasSuffix("/cubist/default"))
    #expect(screen.setting == ScreenSetting(depth: .palette, isUnicode: true))
  }

  @Test(
    "cubist play without a word opens the match that is meant",
    arguments: ["play", "play 1234", "play --match grace", "play --match 1234", "play \(match)"])
  func play(line: String) {
    let lab = Self.lab()
    #expect(lab.run(line).status == 0)
    #expect(lab.screens.map(\.plan.match) == [Self.match])
  }

  @Test(
    "cubist play opens the list of several waiting matches, also with the service away"
  )
  func several() {
    let lab = Self.lab()
    lab.service.home = Made.home([Made.summary(Self.match), Made.summary(Made.match(0x5678))])
    #expect(lab.run("play").status == 0)
    lab.service.onQuery = { _ in .error(.disconnected("gone")) }
    #expect(lab.run("play").status == 0)
    #expect(lab.screens.map(\.plan.match) == [nil, nil])
  }

  @Test(
    "The name of an opponent opens the match with that player, even if it is a word",
    arguments: ["xander7", "cab"])
  func names(name: String) throws {
    let lab = Self.lab()
    let mine = Made.summary(Self.match, opponent: name)
    lab.service.home = Made.home([
      Made.summary(Made.match(0x5678), yourTurn: false, opponent: name), mine,
    ])
    #expect(lab.run("play \(name.uppercased())").status == 0)
    #expect(lab.screens.map(\.plan.match) == [Self.match])
    #expect(lab.service.events.isEmpty)
    // If it is the other player's turn, there is nothing better to open.
    lab.service.home.matches.removeLast()
    #expect(lab.run("play \(name)").status == 0)
    #expect(lab.screens.map(\.plan.match) == [Self.match, Made.match(0x5678)])
  }

  @Test(
    "A word that is an opponent's name is played by --word, beside a match, or without a screen",
    arguments: [
      "play --word CAB --any", "play --word CAB", "play 1234 CAB", "play cab CAB", "pipe",
    ])
  func nameAsWord(line: String) throws {
    let lab = Self.lab()
    lab.service.home = Made.home([Made.summary(Self.match, opponent: "cab")])
    lab.service.views[Self.match] = try Made.view(Self.match, moves: [])
    lab.lines = [""]
    if line == "pipe" { lab.isTerminal = false }
    _ = lab.run(line == "pipe" ? "play CAB --any" : line)
    #expect(lab.screens.isEmpty)
    let played = lab.service.events.compactMap { event -> MatchID? in
      if case .turnPlayed = event.action { event.match } else { nil }
    }
    #expect(Set(played) == [Self.match])
  }

  @Test(
    "A word or a match that is given twice is an error",
    arguments: ["play CAB --word CAB --match 1234", "play 1234 CAB --word CAB"])
  func twice(line: String) {
    let run = Self.lab().run(line)
    #expect(run.status == 64)
    #expect(run.errors.contains("twice"))
  }

  @Test("A word is played and opens nothing, and an unknown match is an error")
  func word() throws {
    let lab = Self.lab()
    lab.service.views[Self.match] = try Made.view(Self.match, moves: [])
    #expect(lab.run("play CAB --any").status == 75)
    #expect(lab.run("play 77").status == 3)
    #expect(lab.screens.isEmpty)
  }

  @Test(
    "cubist prints with --json, --plain or --quiet, on a dumb terminal, and without one",
    arguments: ["--json", "--plain", "--quiet", "dumb", "pipe"])
  func printing(how: String) {
    let lab = Self.lab()
    switch how {
    case "dumb": lab.variables["TERM"] = "dumb"
    case "pipe": lab.isTerminal = false
    default: break
    }
    let run = lab.run(how.hasPrefix("-") ? how : "")
    #expect(run.status == 0)
    #expect(run.output.contains("1234"))
    #expect(lab.run(how.hasPrefix("-") ? "play \(how)" : "play").status == 64)
    #expect(lab.screens.isEmpty)
  }

  @Test(
    "cubist prints in a window that is too small for the game",
    arguments: [(63, 24), (64, 23), (80, 5)])
  func small(columns: Int, rows: Int) {
    let lab = Self.lab()
    (lab.columns, lab.rows) = (columns, rows)
    let run = lab.run("")
    #expect(run.status == 0)
    #expect(run.output.contains("1234"))
    #expect(lab.run("play").status == 64)
    #expect(lab.run("demo").errors.contains("64 columns and 24 rows"))
    #expect(lab.screens.isEmpty)
    // Nobody knows the size of a terminal that does not tell it.
    (lab.columns, lab.rows) = (nil, nil)
    #expect(lab.run("").status == 0)
    #expect(lab.screens.count == 1)
  }

  @Test("--no-color and NO_COLOR take the colors away")
  func colors() {
    let lab = Self.lab()
    _ = lab.run("--no-color")
    lab.variables["NO_COLOR"] = "1"
    lab.variables["LC_ALL"] = "C"
    _ = lab.run("")
    #expect(
      lab.screens.map(\.setting) == [
        ScreenSetting(depth: .none, isUnicode: true), ScreenSetting(depth: .none, isUnicode: false),
      ])
  }

  @Test("An unconnected or unregistered player is told, and no screen is opened")
  func notReady() {
    let unknown = CommandLab(isConnected: false)
    (unknown.isTerminal, unknown.opensScreen) = (true, true)
    #expect(unknown.run("").status == 64)
    let keyless = Self.lab()
    keyless.memory.key = nil
    #expect(keyless.run("").status == 77)
    #expect(unknown.screens.isEmpty && keyless.screens.isEmpty)
  }

  private static func turn(
    _ word: String, number: Int = 1, _ keeping: WorkUnderWay.Keeping
  ) -> WorkUnderWay.Turn {
    .init(match: MatchKey(match), number: number, word: word, keeping: keeping)
  }

  /// Keeps a turn and a start in the profile, as a screen does whose service never answers.
  private static func keepWishes(_ lab: CommandLab) throws {
    func player(after seconds: Int64) throws -> Player {
      let now = Made.now.adding(seconds: seconds)
      return try Player.open(
        lab.memory.store, bus: .failing,
        clock: WallClock(now: { now }, uptimeNanoseconds: { 0 }, sleep: { _ in }),
        randomness: lab.environment.randomness)
    }
    let view = try Made.view(match, moves: [])
    let request = MatchRequest(opponent: .random, turnLimitSeconds: 86_400)
    #expect(try player(after: 0).keep([try Move(notation: "222T 222L 222R")], in: view))
    #expect(try player(after: 1).keep(.matchRequested(request)))
  }

  @Test("A turn that was not kept when the player quits was not played, with status 69")
  func notPlayed() throws {
    let lab = Self.lab()
    for keeping in [WorkUnderWay.Keeping.underWay, .failed] {
      lab.screenEnd.turns = [Self.turn("CAB", keeping)]
      let run = lab.run("")
      #expect(run.status == 69)
      #expect(run.errors.contains("The service was away. CAB was not played."), "\(run)")
    }
  }

  @Test("Wishes that are kept without an answer when the player quits are named, with status 75")
  func pending() throws {
    let lab = Self.lab()
    try Self.keepWishes(lab)
    // Wherever the player was then: the profile knows.
    let number = try Made.view(Self.match, moves: []).turn
    lab.screenEnd.turns = [Self.turn("CAB", number: number, .kept)]
    let run = lab.run("")
    #expect(run.status == 75)
    #expect(
      run.errors == """
        cubist: The answer to CAB and your start is pending. Any cubist command sends them again, and \
        each counts once.

        """)
    lab.screenEnd.turns = []
    #expect(lab.run("").errors.contains("The answer to your turn and your start is pending."))
    lab.screenEnd.turns = [Self.turn("BAC", number: 7, .failed)]
    let both = lab.run("")
    #expect(both.status == 69)
    #expect(both.errors.contains("BAC was not played. The answer to your turn and your start is"))
  }

  @Test("A turn whose answer another program got meanwhile ends the screen with 0")
  func answeredElsewhere() {
    let lab = Self.lab()
    lab.screenEnd.turns = [Self.turn("CAB", .kept)]
    #expect(lab.run("").status == 0)
  }

  @Test("First steps that could not be kept are said at the end")
  func firstSteps() {
    let lab = Self.lab()
    lab.screenEnd.firstStepsFailure = "No space left on device."
    let run = lab.run("")
    #expect(run.status == 2)
    #expect(run.errors.contains("first steps was not kept. No space left on device."), "\(run)")
  }

  @Test("cubist home prints the waiting matches anywhere")
  func printed() {
    let lab = Self.lab()
    let run = lab.run("home")
    #expect(run.status == 0)
    #expect(run.output.contains("Your turn"))
    #expect(lab.screens.isEmpty)
  }
}
