import CustomDump
import MatchCore
import MatchInterfaces
import PlayerClient
import Testing

@testable import GameScreens
@testable import MatchWire
@testable import cubist

@Suite("Texts for people")
struct TextTests {
  private static let match = Made.match(0x1234)
  private static let other = Made.match(0x5678)

  @Test("A week says that a limited count may be more")
  func review() {
    let lab = CommandLab()
    let review = WeekInReview(
      since: Made.now, until: Made.now,
      games: [
        .init(kind: .random, count: 1_999, won: 1_000, lost: 999, tied: 0),
        .init(kind: .invitation, count: 1_998, won: 999, lost: 999, tied: 0),
        .init(kind: .solo, count: 1_000, won: 0, lost: 0, tied: 0),
      ], places: [])
    lab.service.onQuery = { if case .review = $0 { .answer(review) } else { nil } }
    expectNoDifference(
      lab.run("review").output,
      """
      The last seven days
        random: 1999 or more played, 1000 or more won, 999 lost, 0 tied
        invitation: 1998 played, 999 won, 999 lost, 0 tied
        solo: 1000 or more played

      """)
  }

  @Test("The bare command shows turns, invitations, offers of rematches and the daily")
  func home() {
    let lab = CommandLab()
    lab.service.home = Made.home(
      [Made.summary(Self.match), Made.summary(Made.match(0x9abc), yourTurn: false)],
      invitations: [Made.summary(Self.other, yourTurn: false, stage: .waiting)],
      offers: [Made.offer(Made.match(0xdef0))])
    let run = lab.run("")
    #expect(run.status == 0)
    expectNoDifference(
      run.output,
      """
      Your turn
      ID    Against  Turn  Points   Time      State
      1234  grace       3  42 : 36  1 h left  your turn

      Waiting for others
      ID    Against  Turn  Points   Time      State
      9abc  grace       3  42 : 36  1 h left  turn of grace

      Invitations: cubist accept ID, or cubist decline ID
      ID    From   A turn  Until
      5678  grace  1 day   in 1 h

      Rematches: cubist rematch ID, or cubist rematch ID --decline
      ID    With   Offered by  Until
      def0  grace  grace       in 7 days

      Daily challenge of 2026-05-01: it ends in 22 h 14 min. Start it: cubist daily start

      """)
    lab.service.home = Made.home(offers: [Made.offer(Made.match(0xdef0), isYours: true)])
    #expect(lab.run("").output.hasPrefix("Rematches\nID "), "nothing can be done about it")
    let empty = CommandLab().run("")
    #expect(empty.output.hasPrefix("Nothing waits for you. Start a match: cubist start\n"))
  }

  @Test("A match is shown with its players, its time, its last word and its turns")
  func show() throws {
    let lab = CommandLab()
    lab.service.views[Self.match] = try Made.view(Self.match)
    lab.service.home = Made.home([Made.summary(Self.match)])
    let run = lab.run("show --plain")
    expectNoDifference(
      run.output.split(separator: "\n").prefix(7).joined(separator: "\n"),
      """
      Match 1234: invitation, 1 day a turn
      > you 0
      grace 27
      Your turn, 1 h left
      1. grace CAB 27
      Top faces, back row first:
      020T C      120T C      220T C
      """)
    #expect(run.output.contains("222L [A+1]"))
    #expect(run.errors == "Next: cubist --plain play 1234 WORD\n")
  }

  @Test("Colors are for terminals that want them")
  func colors() throws {
    for (variables, isTerminal, arguments, hasColors) in [
      (["TERM": "xterm"], true, "show", true), (["TERM": "xterm"], false, "show", false),
      (["TERM": "dumb"], true, "show", false),
      (["TERM": "xterm", "NO_COLOR": "1"], true, "show", false),
      (["TERM": "xterm"], true, "show --no-color", false),
      (["TERM": "xterm"], true, "show --plain", false),
      (["TERM": "xterm"], true, "show --json", false),
    ] {
      let lab = CommandLab()
      lab.variables.merge(variables) { $1 }
      lab.isTerminal = isTerminal
      lab.service.views[Self.match] = try Made.view(Self.match)
      lab.service.home = Made.home([Made.summary(Self.match)])
      let run = lab.run(arguments)
      #expect(run.status == 0)
      #expect(run.output.contains("\u{1b}") == hasColors, "\(variables) \(arguments)")
      let isPlain = variables["TERM"] == "dumb" || arguments.hasSuffix("plain")
      #expect(run.output.contains("Top faces") == isPlain, "\(variables) \(arguments)")
    }
  }

  @Test("COLUMNS sets the width of the output and overrides the terminal's")
  func columns() throws {
    let lab = CommandLab()
    lab.isTerminal = true
    lab.service.views[Self.match] = try Made.view(Self.match)
    lab.service.home = Made.home([Made.summary(Self.match)])
    #expect(!lab.run("show --no-color").output.contains("Top faces"))
    lab.variables["COLUMNS"] = "40"
    let run = lab.run("show --no-color")
    #expect(run.output.contains("Top faces"))
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 40 })
    lab.variables["COLUMNS"] = "many"
    #expect(!lab.run("show --no-color").output.contains("Top faces"))
  }

  @Test("Removed cubes are counted, and a game of one player ends for one reason")
  func removed() throws {
    let outcome = Outcome(reason: .timeUp, seat: nil, results: [.completed])
    let view = try Made.view(Self.match, moves: [], outcome: outcome, seats: 1)
    let text = MatchText(view: view, player: Made.ada, now: Made.now, short: "1234")
    let turn = MatchView.Turn(
      number: 1, seat: 0, moves: ["-222", "-122"], words: ["", ""], scores: [0, 0],
      acceptedAt: Made.now, hash: Made.hash(1))
    #expect(text.line(turn) == "1. you -2 cubes 0")
    #expect(text.ending(outcome) == "Over: time ran out")
  }

  @Test("An answer to a turn stands above it, with the name of its player")
  func reaction() throws {
    let lab = CommandLab()
    var view = try Made.view(Self.match)
    let word = try #require(view.turns.first?.words.first)
    let last = view.turns.count - 1
    let other = 1 - view.turns[last].seat
    view.turns[last].reaction = MatchView.Reaction(seat: other, word: word)
    lab.service.views[Self.match] = view
    let text = MatchText(view: view, player: Made.ada, now: Made.now, short: "1234")
    let shown = lab.run(["show", Self.match.description, "--no-color"]).output
    let (answer, turn) = ("   \(text.name(other)): \(word)", text.line(view.turns[last]))
    let rows = shown.split(separator: "\n").map(String.init)
    let row = try #require(rows.firstIndex { $0.contains(answer) })
    #expect(rows[row + 1].contains(turn))
    #expect(lab.run(["show", Self.match.description, "--json"]).output.contains(#""reaction":{"#))
  }

  @Test("A word answers the last turn of the only match with your turn, or of a named one")
  func react() throws {
    let lab = CommandLab()
    // A match without a turn, and one without an opponent, are not meant.
    var (fresh, alone) = (Made.summary(Made.match(2)), Made.summary(Made.match(3)))
    fresh.turn = 1
    alone.opponent = nil
    lab.service.home = Made.home([fresh, alone, Made.summary(Self.match)])
    lab.service.views[Self.match] = try Made.view(Self.match)
    let turns = try Made.view(Self.match).turns.count
    var sent: [Event.Action] = []
    lab.service.onEvent = { event in
      sent.append(event.action)
      return .reply(.accepted(.done(.reacted, Self.match, version: 9)))
    }
    #expect(lab.run("react cubes").output.contains("is answered."))
    #expect(lab.run("react \(Self.match) CUBES --json").output.contains(#""done":"answered""#))
    #expect(sent == Array(repeating: .reacted(Self.match, turn: turns, word: "CUBES"), count: 2))
    lab.service.onEvent = { _ in .reply(.refused(.wordNotPlayed("CUBES"))) }
    let refused = lab.run("react CUBES")
    #expect(refused.status != 0 && refused.errors.contains("cubist show"))
    #expect(lab.run("react").status == 64)
    #expect(lab.run("react a b c").status == 64)
  }

  @Test("A picture is SVG")
  func svg() throws {
    let lab = CommandLab()
    lab.service.views[Self.match] = try Made.view(Self.match)
    let run = lab.run(["show", Self.match.description, "--svg"])
    #expect(run.output.hasPrefix("<svg "))
    #expect(run.output.hasSuffix("</svg>\n"))
  }

  @Test("Watching shows each change, waits for the next, and ends when it is one's turn")
  func watch() throws {
    let lab = CommandLab()
    lab.service.home = Made.home([Made.summary(Self.match, yourTurn: false)])
    var first = try Made.view(Self.match, moves: [], seatToPlay: 1)
    first.version = 2
    let second = try Made.view(Self.match)
    var waits: [Int64?] = []
    lab.service.onQuery = { kind in
      guard case .match(let asked) = kind else { return nil }
      waits.append(asked.newerThan)
      // The first wait ends without a change, the second with a lost connection.
      switch waits.count {
      case 1, 2: return .answer(first)
      case 3: return .error(.disconnected("gone"))
      default: return .answer(second)
      }
    }
    let run = lab.run("watch --json")
    #expect(run.status == 0)
    #expect(run.output.split(separator: "\n").count == 2)
    #expect(waits == [nil, 2, 2, nil])
  }

  @Test("A player following a match waits through any absence of the service")
  func followRestart() throws {
    let lab = CommandLab()
    var view = try Made.view(Self.match, moves: [], seatToPlay: 1)
    view.version = 2
    let end = try Made.view(
      Self.match, outcome: Outcome(reason: .cleared, seat: nil, results: [.won, .lost]))
    var asked = 0
    lab.service.onQuery = { kind in
      if asked == 0, !kind.waits { return .answer(view) }
      asked += 1
      switch asked {
      case 1...40: return .error(.disconnected("gone"))
      case 41...44: return .refusal(.unavailable)
      // A query that does not wait shows that the service is back, and the next one waits again.
      case 45: return kind.waits ? .error(.disconnected("it waits too early")) : .answer(view)
      default: return .answer(end)
      }
    }
    let run = lab.run(["watch", Self.match.description, "--follow"])
    #expect(run.status == 0)
    #expect(
      run.errors == """
        The service is away. Trying again until it is back.
        The service is back.

        """)
    lab.service.onQuery = { kind in
      if kind.waits { return .error(.notPermitted("password")) }
      return .answer(view)
    }
    #expect(lab.run(["watch", Self.match.description, "--follow"]).status == 77)
  }

  @Test("Following a match begins when the service is there")
  func watchFromAbsence() throws {
    let lab = CommandLab()
    let end = try Made.view(
      Self.match, outcome: Outcome(reason: .cleared, seat: nil, results: [.won, .lost]))
    var asked = 0
    lab.service.onQuery = { _ in
      asked += 1
      return asked <= 30 ? .error(.disconnected("gone")) : .answer(end)
    }
    let run = lab.run(["watch", Self.match.description, "--follow"])
    #expect(run.status == 0)
    #expect(run.errors.hasSuffix("Trying again until it is back.\nThe service is back.\n"))
  }

  @Test("Watching gives up when the connection stays lost")
  func watchLost() throws {
    let lab = CommandLab()
    var view = try Made.view(Self.match, moves: [], seatToPlay: 1)
    view.version = 2
    lab.service.onQuery = { kind in
      if kind.waits { return .error(.disconnected("gone")) }
      return .answer(view)
    }
    #expect(lab.run(["watch", Self.match.description]).status == 69)
  }

  @Test("The ladder shows the first, then those around the player, and marks the player")
  func ladder() {
    let lab = CommandLab()
    var ladder = Made.ladder
    lab.service.onQuery = { if case .ladder = $0 { .answer(ladder) } else { nil } }
    expectNoDifference(
      lab.run("ladder --limit 1").output,
      """
      Rank  Player  Rating     Matches
         1  grace   1750 ± 61      120

      Rank  Player     Rating       Matches
        38  ada (you)  1320? ± 212        2

      You: rank 38, 40 players are ranked

      """)
    #expect(lab.service.queries.last == .ladder(.init(limit: 1)))
    (ladder.you, ladder.around) = (nil, [])
    #expect(lab.run("ladder").output.hasSuffix("\nYou get a rank by playing more rated matches.\n"))
    ladder.rows = []
    #expect(lab.run("ladder").output == "Nobody has a rank yet. It takes some rated matches.\n")
    #expect(lab.run("ladder --limit 101").status == 64)
    #expect(lab.run("whoami").output.contains("\nRating 1512 ± 83 after 7 matches.\nProfile "))
    var ranked = Made.playerView(Made.ada, "ada")
    ranked.rating?.rank = 3
    ranked.rating?.outOf = 40
    lab.service.onQuery = { if case .whoAmI = $0 { .answer(ranked) } else { nil } }
    #expect(
      lab.run("whoami").output.contains(" after 7 matches, rank 3, 40 players are ranked.\n"))
  }

  @Test("The service tells its version, the oldest program served, its limits, and today's players")
  func service() {
    let lab = CommandLab()
    lab.service.info = Made.serviceInfo
    expectNoDifference(
      lab.run("service").output,
      """
      Service 5e71ce00-0000-0000-0000-000000000001, version 1.2.3, for cubist 0.1.0 and later.
      Its root key is 8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c.
      Its time is 2026-05-01 01:46:40 UTC.
      Anybody may register.
      A turn has 81 moves and 4096 bytes at most, anything else 1024 bytes, a match 1024 entries.
      A player has at most 600 events in a minute, 20 requests that wait, 100 matches that are not \
      over, 1200 queries in a minute, 200 invitations that wait, 50 of them from strangers, 1000 \
      blocked players.
      1000 players at most may register in an hour without a code.
      The daily of 2026-05-01 has 12 players so far.
      The timed daily of 2026-05-01 has 1 player so far.

      """)
    lab.service.info.registration = .code
    lab.service.info.dailies = nil
    lab.service.info.oldestClient = nil
    let run = lab.run("service")
    #expect(run.output.contains("version 1.2.3.\n") && !run.output.contains("daily"))
    #expect(run.output.contains("\nRegistration needs a code.\n"))
    lab.service.info.oldestClient = ProgramVersion(major: 9, minor: 0, patch: 0)
    let refused = lab.run("service")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("the service serves 9.0.0 and later"))
  }

  @Test("A match that an operator annulled says so, and why")
  func annulled() throws {
    let lab = CommandLab()
    var view = try Made.view(
      Self.match, outcome: Outcome(reason: .annulled, seat: nil, results: [.none, .none]))
    view.ruledFor = .cheating
    lab.service.views[Self.match] = view
    let output = lab.run(["show", Self.match.description]).output
    #expect(output.contains("Over: not counted, the service's\n"))
    #expect(output.contains("operator annulled it: somebody\n"))
  }

  @Test("A match that is given up before a move is not said to be over: it may go on without one")
  func leaving() {
    let lab = CommandLab()
    lab.service.home = Made.home([Made.summary(Self.match)])
    let outcome = Outcome(reason: .aborted, seat: 1, results: [.none, .none])
    lab.service.onEvent = { _ in
      .reply(.accepted(.matchEnded(Self.match, outcome, points: [0, 0], version: 4)))
    }
    #expect(
      lab.run("forfeit --yes").output
        == "You gave up match 1234 before your first move, so it does not count.\n")
  }

  @Test("Past games are a table with where the list goes on")
  func past() {
    let lab = CommandLab()
    let game = Made.pastGame(Self.match)
    lab.service.past = PastGames(
      games: [game, Made.pastGame(Self.other, opponent: nil)], next: game.cursor)
    let run = lab.run("games --past --with grace --limit 2")
    expectNoDifference(
      run.output,
      """
      ID    Against    Result             Points    Ended    Why
      1234  grace      won                442 : 36  1 h ago  no cube is left
      5678  solo game  played to the end  442       1 h ago  you ended it

      """)
    #expect(
      run.errors == "Next: cubist games --past --with grace --limit 2 --before \(game.cursor)\n")
    #expect(
      lab.service.queries.last == .pastGames(.init(with: Made.grace, before: nil, limit: 2)))
    #expect(lab.run("games --past --with nobody1").status == 3)
  }

  @Test("Two players' matches against each other are summed up in a few lines")
  func headToHead() {
    let lab = CommandLab()
    var summary = Made.headToHead(Self.match, Self.other)
    lab.service.onQuery = { if case .headToHead = $0 { .answer(summary) } else { nil } }
    let run = lab.run("games --with GRACE --summary")
    expectNoDifference(
      run.output,
      """
      You against grace: 12 matches, 7 won, 4 lost, 1 tied
        Run: you won the last 3 matches
        Your best word: JAZZIEST, 1480 points, turn 3 of match 1234
        Best word of grace: CUBES, 110 points, turn 6 of match 5678
        Series that began on 2026-04-24: you lead 3 : 1 after 4 matches; the next match is running
        Not counted, aborted or annulled: 1 match

      """)
    #expect(run.errors == "Next: cubist games --past --with grace\n")
    #expect(lab.service.queries.last == .headToHead(.init(with: Made.grace)))

    summary.score = .init(lost: 1_000)
    (summary.notCounted, summary.hasOlder, summary.wordMatches) = (0, true, 100)
    summary.run = .init(result: .lost, count: 1_000)
    summary.bestWord = nil
    summary.series = .init(score: .init(lost: 1, tied: 1), startedAt: Made.now, hasOlder: true)
    expectNoDifference(
      lab.run("games --with grace --summary").output,
      """
      You against grace: 1000 matches, 0 won, 1000 lost, 0 tied
        Run: you lost the last 1000 matches or more
        Best word of grace in the last 100 matches: CUBES, 110 points, turn 6 of match 5678
        Series that began before 2026-05-01: grace leads 1 : 0 with 1 tied after 2 matches
        Older matches are left out: these are your last 1000

      """)

    summary = HeadToHead(
      opponent: Made.grace, opponentName: Made.name("grace"), score: .init(tied: 1),
      run: .init(result: .tied, count: 1), wordMatches: 1)
    expectNoDifference(
      lab.run("games --with grace --summary").output,
      """
      You against grace: 1 match, 0 won, 0 lost, 1 tied
        Run: the last match was tied

      """)

    summary = HeadToHead(opponent: Made.grace, opponentName: Made.name("grace"), score: .init())
    let nothing = lab.run("games --with grace --summary")
    #expect(nothing.output == "You have no past match against grace.\n" && nothing.errors == "")
    #expect(lab.run("games --with nobody1 --summary").status == 3)
  }

  @Test("A match is named by its ending or its beginning; an ambiguous text is asked back")
  func ids() throws {
    let lab = CommandLab()
    lab.service.views[Self.match] = try Made.view(Self.match)
    lab.service.home = Made.home([Made.summary(Self.match), Made.summary(Self.other)])
    #expect(lab.run("show 1234").status == 0)
    #expect(lab.run(["show", Self.match.description]).status == 0)
    let ambiguous = lab.run("show 019d")
    #expect(ambiguous.status == 64)
    #expect(
      ambiguous.errors == """
        cubist: Several matches begin or end with 019d. Give more digits.
          1234  grace, turn 3, your turn
          5678  grace, turn 3, your turn

        """)
    #expect(lab.run("show ffff").status == 3)
    #expect(lab.run("show zzzz").status == 3)
    #expect(lab.run("show z!").status == 64)
    #expect(lab.run("show").status == 64)
    lab.service.home = Made.home([
      Made.summary(Self.match), Made.summary(Self.other, yourTurn: false),
    ])
    #expect(lab.run("show").status == 0)
    lab.service.home = Made.home()
    #expect(lab.run("show").status == 3)
    lab.service.past = PastGames(games: [Made.pastGame(Self.match)], next: nil)
    #expect(lab.run("show 1234").status == 0)
  }

  @Test("A record goes to the output as it is, and never over a file")
  func export() {
    let lab = CommandLab()
    lab.service.past = PastGames(games: [Made.pastGame(Self.match)], next: nil)
    lab.service.onQuery = {
      if case .record = $0 { .answer(RecordAnswer(record: "{\"a\":1}")) } else { nil }
    }
    #expect(lab.run("export") == .init(status: 0, output: "{\"a\":1}\n", errors: ""))
    #expect(lab.run("export 1234 game.json").status == 0)
    #expect(lab.files["game.json"] == Array("{\"a\":1}".utf8))
    #expect(lab.run("export 1234 game.json").status == 2)
  }
}

extension Query.Kind {
  /// Whether it is about a match and waits for a change.
  fileprivate var waits: Bool {
    guard case .match(let asked) = self else { return false }
    return asked.newerThan != nil
  }
}
