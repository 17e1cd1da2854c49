import CubeRules
import MatchCore
import MatchWire
import PlayerClient
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Playing")
struct PlayTests {
  private static let match = Made.match(0x1234)

  /// Turns after which the three ways to spell YZA let different cubes vanish.
  static let worn = [
    "022L 012L 002L", "002L 012L 022L", "222T 222L 222R", "222R 222L 222T",
  ]

  /// A lab in which it is ada's turn in one match, on a cube where YZA can be spelled in three
  /// ways.
  private static func lab(moves: [String] = []) throws -> CommandLab {
    let lab = CommandLab()
    lab.service.home = Made.home([Made.summary(match)])
    let letters = try Position.fullCube().puzzle.description
    lab.service.views[match] = try Made.view(match, moves: moves, letters: letters)
    lab.service.onEvent = { _ in .reply(.accepted(.turnAccepted(Made.receipt(match)))) }
    return lab
  }

  private static func moves(_ lab: CommandLab) -> [[String]] {
    lab.service.events.compactMap { event in
      guard case .turnPlayed(let played) = event.action else { return nil }
      return played.turn.moves.map(\.description)
    }
  }

  @Test(
    "A turn asks once for the list and once for the match, also on a terminal; by a whole ID once")
  func queries() throws {
    let view = Query.Kind.match(.init(Self.match))
    for (line, isTerminal, queries) in [
      ("play twz", false, [.matches, view]), ("play grace twz", false, [.matches, view]),
      ("play \(Self.match) twz", false, [view]), ("play twz", true, [.matches, view]),
      ("play grace --remove 222 --remove 022", false, [.matches, view]),
    ] as [(String, Bool, [Query.Kind])] {
      let lab = try Self.lab()
      (lab.isTerminal, lab.opensScreen) = (isTerminal, isTerminal)
      var asked: [Query.Kind] = []
      lab.service.onEvent = { [unowned service = lab.service] _ in
        asked = service.queries
        return .reply(.accepted(.turnAccepted(Made.receipt(Self.match))))
      }
      #expect(lab.run(line).status == 0, "\(line)")
      #expect(asked == queries, "\(line)")
      // The cube is shown after the turn, where somebody looks.
      #expect(lab.service.queries.count == queries.count + (isTerminal ? 1 : 0), "\(line)")
    }
  }

  @Test("A word that can be played in one way only is played at once")
  func oneWay() throws {
    let lab = try Self.lab()
    let run = lab.run("play twz")
    #expect(run.status == 0)
    #expect(Self.moves(lab).count == 1)
    guard case .turnPlayed(let played)? = lab.service.events.first?.action else {
      Issue.record("no turn was played")
      return
    }
    #expect(played.match == Self.match)
    #expect(played.turn.number == 1)
    #expect(played.turn.previous == Made.hash(0xaa))
  }

  @Test("Ways that let other cubes vanish play nothing before one is chosen")
  func choiceNeeded() throws {
    let lab = try Self.lab(moves: Self.worn)
    let run = lab.run("play 1234 YZA")
    #expect(run.status == 64)
    #expect(
      run.errors == """
        cubist: YZA can be played in 3 ways. Say which.
        #  Score  Moves           Cubes that vanish
        1     51  022T 022L 122L  022
        2     51  022T 122T 122L
        3     51  022T 122T 222T  222
        Try: cubist play 1234 YZA --choice 1
        Try: cubist play 1234 YZA --any

        """)
    #expect(lab.service.events == [])
  }

  @Test("Ways that only wear other faces are one: the first is played and nobody is asked")
  func wearOnly() throws {
    let lab = try Self.lab()
    lab.isTerminal = true
    let run = lab.run("play YZA")
    #expect(run.status == 0)
    #expect(!run.errors.contains("Which one?"))
    #expect(Self.moves(lab) == [["022T 022L 122L"]])
  }

  @Test("A choice by number, by faces or by answering is played as chosen")
  func choosing() throws {
    let byNumber = try Self.lab(moves: Self.worn)
    #expect(byNumber.run("play YZA --choice 2").status == 0)
    #expect(Self.moves(byNumber) == [["022T 122T 122L"]])
    let byFaces = try Self.lab(moves: Self.worn)
    #expect(byFaces.run(["play", "YZA", "--faces", "022t,122t,222t"]).status == 0)
    #expect(Self.moves(byFaces) == [["022T 122T 222T"]])
    let byAnswer = try Self.lab(moves: Self.worn)
    byAnswer.isTerminal = true
    byAnswer.lines = ["3"]
    #expect(byAnswer.run("play YZA").status == 0)
    #expect(Self.moves(byAnswer) == [["022T 122T 222T"]])
  }

  @Test("A terminal draws the ways one after the other, until one is taken")
  func drawnWays() throws {
    let lab = try Self.lab(moves: Self.worn)
    lab.isTerminal = true
    lab.lines = ["n", ""]
    let run = lab.run("play YZA --no-color")
    #expect(run.status == 0)
    #expect(Self.moves(lab) == [["022T 122T 122L"]])
    for text in [
      "Way 1 of 3: YZA scores 51", "Cube 022 vanishes", "Way 2 of 3: YZA scores 51",
      "No cube vanishes", "[1-3] ",
    ] { #expect(run.errors.contains(text), "\(text)") }
    // The second path lies over the tops of two cubes; the text has no coordinates.
    #expect(run.errors.contains("[Y]") && !run.errors.contains("022T"))
    #expect(!run.errors.contains("Way 3"))
    let plain = try Self.lab(moves: Self.worn)
    plain.isTerminal = true
    plain.lines = ["2"]
    let listed = plain.run("play YZA --plain")
    #expect(listed.errors.contains("2     51  022T 122T 122L\n"))
    #expect(listed.errors.contains("Which one? [1-3] "))
    #expect(Self.moves(plain) == [["022T 122T 122L"]])
  }

  @Test("A turn names its match, and on a terminal the cube is drawn")
  func told() throws {
    let lab = try Self.lab()
    #expect(
      lab.run("play twz").output == "Turn 2 against grace: TWZ scores 27. You 27, grace 27.\n")
    lab.isTerminal = true
    let drawn = lab.run("play twz --no-color").output
    #expect(drawn.hasPrefix("Turn 2 against grace: "))
    #expect(drawn.contains("used once") && drawn.contains("Match 1234: invitation"))
    #expect(!lab.run("play twz --quiet").output.contains("used once"))
    lab.service.views[Self.match] = try Made.view(
      Self.match, moves: [], seats: 1, letters: Position.fullCube().puzzle.description)
    lab.isTerminal = false
    #expect(lab.run("play twz").output.hasPrefix("Turn 2 of your solo game: TWZ scores 27."))
  }

  @Test("The cubes of removals are told")
  func removedCubes() throws {
    let lab = try Self.lab()
    let run = lab.run("play --remove 222 --remove 022")
    #expect(run.output.contains("against grace: removed cubes 222 and 022. "))
  }

  @Test("One argument beside removals or faces is the match if it names one")
  func matchBesideRemovals() throws {
    let lab = try Self.lab()
    for line in ["play 1234 --remove 222 --remove 022", "play GRACE --remove 222 --remove 022"] {
      #expect(lab.run(line).status == 0, "\(line)")
    }
    #expect(lab.run(["play", "grace", "--faces", "222T 222L 222R"]).status == 0)
    #expect(Self.moves(lab) == [["-222", "-022"], ["-222", "-022"], ["222T 222L 222R"]])
    // After one removal a word may follow, and every run of letters is a word here.
    #expect(lab.run("play grace --remove 222").errors.contains("spell GRACE"))
    #expect(lab.run("play TWZ --remove 000").errors.contains("The cube 000 shows no face"))
    #expect(lab.run("play 77 --remove 222 --remove 022").errors.contains("against 77"))
  }

  @Test("The first way is played unasked with --any, and in a timed game")
  func first() throws {
    let any = try Self.lab(moves: Self.worn)
    #expect(any.run("play YZA --any").status == 0)
    #expect(Self.moves(any) == [["022T 022L 122L"]])
    let timed = try Self.lab(moves: Self.worn)
    timed.service.views[Self.match]?.mode = .timed
    timed.isTerminal = true
    let run = timed.run("play YZA")
    #expect(run.status == 0)
    #expect(!run.errors.contains("Which one?"))
    #expect(Self.moves(timed) == [["022T 022L 122L"]])
  }

  @Test("No answer, a wrong one, and a number that is no choice play nothing")
  func notChosen() throws {
    for line in ["0", "4", "x", "q"] {
      let lab = try Self.lab(moves: Self.worn)
      lab.isTerminal = true
      lab.lines = [line]
      #expect(lab.run("play YZA").status == 64)
      #expect(lab.service.events == [])
    }
    let lab = try Self.lab(moves: Self.worn)
    #expect(lab.run("play YZA --choice 4").status == 64)
    #expect(lab.run(["play", "YAZ", "--faces", "022T 122T 222T"]).status == 64)
    #expect(lab.service.events == [])
  }

  @Test("Removals come before the word, and two make a turn of their own")
  func removals() throws {
    let lab = try Self.lab()
    #expect(lab.run("play --remove 222 --remove 022").status == 0)
    #expect(lab.run(["play", "--remove", "222", "--faces", "212T 212L 202L"]).status == 0)
    #expect(Self.moves(lab) == [["-222", "-022"], ["-222", "212T 212L 202L"]])
    let single = lab.run("play --remove 222")
    #expect(single.status == 1)
    #expect(single.errors.contains("A removal alone is no turn"))
    #expect(Self.moves(lab).count == 2)
  }

  @Test("A dry run prints faces and score, out of turn as well, and sends nothing")
  func dryRun() throws {
    let lab = try Self.lab()
    lab.service.views[Self.match]?.seatToPlay = 1
    let run = lab.run("play 1234 YZA --dry-run --choice 1")
    #expect(run.status == 0)
    #expect(
      run.output == """
        #  Score  Moves           Cubes that vanish
        1     51  022T 022L 122L

        """)
    #expect(lab.service.events == [])
  }

  @Test(
    "A turn against the rules is refused before it is sent, with the rule and the value",
    arguments: [
      ("play QQQQ", 1, "No visible faces that touch one another spell QQQQ."),
      ("play T", 1, "The word has 1 of at least 3 characters"),
      ("play T3A", 64, "\"T3A\" is no word of letters A to Z."),
      ("play TWZ --remove 000", 1, "The cube 000 shows no face"),
    ] as [(String, Int32, String)])
  func refused(line: String, status: Int32, text: String) throws {
    let lab = try Self.lab()
    let run = lab.run(line)
    #expect(run.status == status)
    #expect(run.errors.hasPrefix("cubist: "))
    #expect(run.errors.contains(text), "\(run.errors)")
    #expect(lab.service.events == [])
  }

  @Test("A player out of turn, or after the end, is told the next command")
  func outOfTurn() throws {
    let lab = try Self.lab()
    lab.service.views[Self.match]?.seatToPlay = 1
    let run = lab.run("play 1234 TWZ")
    #expect(run.status == 1)
    #expect(
      run.errors == """
        cubist: It is the turn of grace, 1 h left. You cannot play in match 1234 now.
        Try: cubist watch 1234

        """)
    lab.service.views[Self.match]?.outcome = Outcome(
      reason: .timedOut, seat: 0, results: [.lost, .won])
    let over = lab.run("play 1234 TWZ")
    #expect(over.status == 1)
    #expect(over.errors.contains("cubist: Over: lost, your time ran out.\n"))
    #expect(over.errors.contains("Try: cubist rematch 1234\n"))
    #expect(lab.service.events == [])
  }

  @Test("Giving up is confirmed on a terminal; elsewhere --yes has to be said")
  func forfeit() throws {
    let ended = Acceptance.matchEnded(
      Self.match, Outcome(reason: .forfeited, seat: 0, results: [.lost, .won]), points: [0, 1],
      version: 2)
    for (line, answer, isSent) in [
      ("forfeit", "n", false), ("forfeit", "y", true), ("forfeit --yes", "n", true),
    ] {
      let lab = try Self.lab()
      lab.service.onEvent = { _ in .reply(.accepted(ended)) }
      lab.isTerminal = true
      lab.lines = [answer]
      #expect(lab.run(line).status == (isSent ? 0 : 1))
      #expect(lab.service.events.isEmpty == !isSent)
    }
    let lab = try Self.lab()
    lab.service.onEvent = { _ in .reply(.accepted(ended)) }
    #expect(lab.run("forfeit").status == 64)
    #expect(lab.run("forfeit --json").status == 64)
    #expect(lab.service.events.isEmpty)
    #expect(lab.run("forfeit --yes --json").status == 0)
  }
}
