import CubeLexicon
import CubePlay
import CubeRules
import MatchCore
import MatchWire
import ServiceNews
import Testing

@Suite("A match of the service as the game shows it")
struct MatchNewsTests {
  private static func news(
    _ view: MatchView, words: Lexicon? = .english
  ) throws -> MatchNews { try MatchNews(view, for: Made.ada, now: Made.now, words: words) }

  @Test("While it is played: turn, seconds, points, the opponent, lines and no best word")
  func playing() throws {
    let view = try Made.view(Made.match(1))
    let news = try Self.news(view)
    #expect(news.standing.stage == .yours(secondsLeft: 3_600))
    #expect(news.standing.turnNumber == 2)
    #expect(news.opponent == "grace")
    #expect(news.standing.lastTurn?.player == .them)
    #expect(news.standing.lastTurn?.turn.word == "CAB")
    let turn = try #require(news.standing.lastTurn?.turn)
    let dealt = CubeGame(puzzle: try #require(Puzzle(view.letters)))
    #expect(
      news.lines == [
        TurnLine(
          number: 1, player: .them, word: "CAB", removedCount: 0, score: 27,
          replay: TurnReplay(turn, on: dealt))
      ])
    #expect(news.standing.players == .two(mine: 0, theirs: 27))
    #expect(news.rematch == .impossible)
    #expect(news.ending == nil)
    #expect(!news.isWaiting)
  }

  @Test("A game of one player has the name of its sort, a match of two has none")
  func game() throws {
    var view = try Made.view(Made.match(1), moves: [], seats: 1)
    #expect(try Self.news(view).game == "solo game")
    view.mode = .timed
    #expect(try Self.news(view).game == "timed solo game")
    (view.kind, view.daily) = (.daily, Made.daily)
    #expect(try Self.news(view).game == "timed daily \(Made.daily.day)")
    #expect(try Self.news(Made.view(Made.match(1))).game == nil)
  }

  @Test("A match by chance or with a code waited for anybody", arguments: MatchKind.allCases)
  func waiting(kind: MatchKind) throws {
    var view = try Made.view(Made.match(1))
    view.kind = kind
    #expect(try Self.news(view).waitedForAnyone == [.random, .open].contains(kind))
  }

  @Test("Two who met by chance are told why; where it was not chance nothing is told")
  func meeting() throws {
    var view = try Made.view(Made.match(1))
    #expect(try Self.news(view).meeting == [])
    view.why = MeetingView(
      MeetingReason(
        ratingDistance: 12, window: 100, waitedSeconds: 90, hadMetLately: true, merged: nil))
    let told = [
      "You met by chance.", "Your ratings were 12 points apart.",
      "After a wait of 2 min anybody within 100 points fitted.",
      "You had met lately: nobody else was to be had.",
    ]
    #expect(try Self.news(view).meeting == told)
    view.why?.window = nil
    view.why?.metLately = false
    #expect(try Self.news(view).meeting.last == "After a wait of 2 min anybody fitted.")
    // Somebody without a seat has met nobody.
    #expect(
      try MatchNews(view, for: PlayerID(rawValue: 5), now: Made.now, words: nil).meeting == [])
  }

  @Test("A daily that is over has its result for a chat; one that is played has none")
  func dailyResult() throws {
    var view = try Made.view(Made.match(1))
    view.kind = .daily
    view.daily = Made.daily
    #expect(try Self.news(view).dailyResult == nil)
    view.outcome = Outcome(
      reason: .finished, seat: 0, results: [.completed, .completed])
    let news = try Self.news(view)
    let text = DailyResult(
      day: Made.daily.day.description, isTimed: Made.daily.mode == .timed, lines: news.lines,
      isOver: true
    ).text(words: .english)
    #expect(news.dailyResult == text && text.contains("1 word\n"))
    view.daily = nil
    #expect(try Self.news(view).dailyResult == nil)
  }

  @Test("An invited player and a free seat are waited for")
  func waiting() throws {
    for state in [MatchView.Seat.State.invited, .free] {
      var view = try Made.view(Made.match(1), moves: [])
      (view.stage, view.seats[1].state) = (.waiting, state)
      if state == .free { (view.seats[1].player, view.seats[1].name) = (nil, nil) }
      let news = try Self.news(view)
      #expect(news.isWaiting)
      #expect(news.opponent == (state == .free ? nil : "grace"))
    }
  }

  @Test(
    "A begun second counts as left; after the deadline the seconds given back are shown",
    arguments: [(1_000_001, 2), (1, 1), (0, 0), (-999_999, 0), (-72_000_000, -72)] as [(Int64, Int)]
  )
  func seconds(microseconds: Int64, seconds: Int) throws {
    var view = try Made.view(Made.match(1))
    view.deadline = Made.now.adding(microseconds: microseconds)
    #expect(try Self.news(view).standing.stage == .yours(secondsLeft: seconds))
  }

  @Test("After the end: how it ended, a rematch that is possible, and the best word of each turn")
  func ended() throws {
    let outcome = Outcome(reason: .cleared, seat: nil, results: [.lost, .won])
    var view = try Made.view(Made.match(1), outcome: outcome)
    let dealt = CubeGame(puzzle: try #require(Puzzle(view.letters)))
    let best = try #require(Lexicon.english.words(on: dealt).first)
    let news = try Self.news(view)
    #expect(news.standing.stage == .over(.cleared))
    #expect(news.ending == "Over: lost, no cube is left.")
    #expect(news.lines.map(\.best) == [BestWord(best.word, best.score)])
    #expect(try Self.news(view, words: nil).lines.map(\.best) == [nil])
    #expect(news.rematch == .open)
    view.rematchOfferBy = 1
    #expect(try Self.news(view).rematch == .offered(by: .them))
    view.rematchOfferBy = 0
    #expect(try Self.news(view).rematch == .offered(by: .me))
    view.successor = Made.match(2)
    #expect(try Self.news(view).rematch == .began(MatchKey(Made.match(2).description)))
  }

  @Test("Whether it is rated: between two, unless they agreed otherwise or it counts for nobody")
  func rated() throws {
    var view = try Made.view(Made.match(1))
    #expect(try Self.news(view).isRated)
    view.casual = true
    #expect(try !Self.news(view).isRated)
    let void = Outcome(reason: .annulled, seat: nil, results: [.none, .none])
    #expect(try !Self.news(Made.view(Made.match(1), outcome: void)).isRated)
    #expect(try !Self.news(Made.view(Made.match(1), seats: 1)).isRated)
  }

  @Test("A spectator looks on: both players have names, and nothing can be played")
  func watched() throws {
    var view = try Made.view(Made.match(1))
    view.seats[0].player = PlayerID(rawValue: 9)
    let news = try Self.news(view)
    #expect(news.watched == "ada")
    #expect(news.opponent == "grace")
    #expect(news.standing.stage == .theirs(secondsLeft: 3_600))
    #expect(!news.isRated && news.rematch == .impossible)
  }

  @Test("A match that never began has no rematch, nor has a game of one")
  func noRematch() throws {
    let void = Outcome(reason: .declined, seat: 1, results: [.none, .none])
    #expect(try Self.news(Made.view(Made.match(1), outcome: void)).rematch == .impossible)
    let alone = Outcome(reason: .finished, seat: 0, results: [.completed])
    let news = try Self.news(Made.view(Made.match(1), outcome: alone, seats: 1))
    #expect(news.rematch == .impossible)
    #expect(news.opponent == nil)
  }

  @Test("A view of too many seats, of none, and of seats that are not there is shown all the same")
  func strangeSeats() throws {
    var view = try Made.view(
      Made.match(1), outcome: Outcome(reason: .timedOut, seat: 7, results: []))
    let ada = view.seats.removeFirst()
    view.seats += [view.seats[0], ada]
    for _ in 0..<3 {
      view.seats.removeFirst()
      (view.seatToPlay, view.rematchOfferBy) = (7, 7)
      view.turns[0].seat = 7
      let news = try Self.news(view)
      #expect(news.ending == "Over: the time of nobody ran out.")
      #expect(news.lines.map(\.player) == [.them])
    }
    #expect(view.seats.isEmpty)
  }

  @Test("A view that does not agree with itself is no news")
  func disagreement() throws {
    let view = try Made.view(Made.match(1))
    var (letters, rules, moves) = (view, view, view)
    letters.letters = "A"
    rules.rules = "cube-9"
    moves.turns[0].moves = ["nonsense"]
    #expect(throws: MatchViewFault.letters) { try letters.replays() }
    #expect(throws: MatchViewFault.rules("cube-9")) { try rules.replays() }
    #expect(throws: MatchViewFault.turn(1)) { try moves.replays() }
    for view in [letters, rules, moves] {
      #expect(throws: MatchViewFault.self) { try Self.news(view) }
    }
  }
}
