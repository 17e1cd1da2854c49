import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Looking at a match again")
struct ReplayTests {
  private static let match = Made.match(0x1234)

  /// A lab with one match: three turns, the last of which takes a cube away.
  private static func lab(outcome: Outcome? = nil) throws -> CommandLab {
    let lab = CommandLab()
    lab.variables["TERM"] = "dumb"
    lab.service.home = Made.home([Made.summary(match)])
    lab.service.past = PastGames(games: [Made.pastGame(match)], next: nil)
    lab.service.views[match] = try Made.view(
      match, moves: ["222T 222L 222R", "222R 222L 222T", "222L 222R 222T"], seatToPlay: 1,
      outcome: outcome)
    return lab
  }

  @Test("A pipe gets each turn on its cube, then how the match stands")
  func printing() throws {
    let run = try Self.lab().run("replay 1234")
    #expect(run.status == 0)
    let headings = run.output.split(separator: "\n").filter { $0.hasPrefix("Match ") }
    #expect(headings.map(String.init) == (1...3).map { "Match 1234: turn \($0) of 3" })
    #expect(run.output.contains("you played CAB for 27."))
    #expect(run.output.contains("grace played BAC for 27."))
    #expect(run.output.contains("1 cube vanished."))
    #expect(run.output.hasSuffix("It is the turn of grace, 1 h left.\n"))
  }

  @Test("The game that ended last is looked at without a name")
  func last() throws {
    let outcome = Outcome(reason: .cleared, seat: nil, results: [.won, .lost])
    let run = try Self.lab(outcome: outcome).run("replay")
    #expect(run.output.hasSuffix("Over: won, no cube is left.\n"))
  }

  @Test("A game that was shared is looked at by its code, with the players' names")
  func shared() throws {
    let lab = try Self.lab()
    var view = try #require(lab.service.views[Self.match])
    view.seats[0].player = Made.key(9).player
    let shared = view
    lab.service.onQuery = { if case .matchByCode = $0 { .answer(shared) } else { nil } }
    let run = lab.run("replay --code 7K3QX2M97K3QX2M9")
    #expect(run.output.contains("ada played CAB for 27."))
    #expect(lab.run("replay 1234 --code 7K3QX2M97K3QX2M9").status == 64)
  }

  @Test("A terminal opens the whole screen at the first turn", arguments: [true, false])
  func screen(isShared: Bool) throws {
    let lab = try Self.lab()
    (lab.isTerminal, lab.opensScreen, lab.variables["TERM"]) = (true, true, "xterm-256color")
    let shared = try #require(lab.service.views[Self.match])
    lab.service.onQuery = { if case .matchByCode = $0 { .answer(shared) } else { nil } }
    let line = isShared ? "replay --code 7K3QX2M97K3QX2M9" : "replay 1234"
    #expect(lab.run(line) == .init(status: 0, output: "", errors: ""))
    let plan = try #require(lab.screens.first?.plan)
    #expect(plan.isReplay)
    #expect(plan.match == (isShared ? nil : Self.match))
    #expect(plan.code == (isShared ? ShareCode("7K3QX2M97K3QX2M9") : nil))
  }

  @Test("A code that nobody has is said before a screen is opened", arguments: [true, false])
  func wrongCode(hasScreen: Bool) throws {
    let lab = try Self.lab()
    (lab.isTerminal, lab.opensScreen, lab.variables["TERM"]) = (true, hasScreen, "xterm-256color")
    lab.service.onQuery = { if case .matchByCode = $0 { .refusal(.codeUnknown) } else { nil } }
    let run = lab.run("replay --code 7K3QX2M97K3QX2M9")
    #expect(run.status == 3)
    #expect(run.errors.contains("has that code"))
    #expect(lab.screens.isEmpty)
  }

  @Test("The cube is shown as it stood after a turn, with the points then")
  func turn() throws {
    let lab = try Self.lab()
    let before = lab.run("show 1234 --turn 0").output
    #expect(before.contains("Match 1234: before its first turn\nyou 0\ngrace 0\n"))
    #expect(!before.contains("[C+1]"))
    let one = lab.run("show 1234 --turn 1").output
    #expect(one.contains("Match 1234: turn 1 of 3\nyou 27\ngrace 0\n\n1. you CAB 27"))
    #expect(one.contains("[C+1]"))
    let all = lab.run("show 1234 --turn 3").output
    #expect(all.contains("3. you ABC 27"))
    #expect(lab.run("show 1234 --turn 3 --svg").output.hasPrefix("<svg"))
    for options in ["--turn 4", "--turn -1", "--turn 1 --why"] {
      #expect(lab.run("show 1234 \(options)").status == 64)
    }
  }
}
