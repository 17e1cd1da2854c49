import CubeLexicon
import CubePlay
import CubeRules
import MatchCore
import MatchWire
import PlayerClient
import Testing

@testable import GameScreens
@testable import cubist

@Suite("A match of the service as the screen shows it")
struct NewsTests {
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
    let dealt = CubeGame(puzzle: try Position.unwrap(Puzzle(view.letters)))
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
    let best = try #require(
      Lexicon.english.words(on: CubeGame(puzzle: Position.unwrap(Puzzle(view.letters)))).first)
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
    view.seats[0].player = Made.key(9).player
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

  @Test("The waiting matches are in order of urgency")
  func home() {
    let home = Made.home(
      [
        Made.summary(Made.match(1), yourTurn: false), Made.summary(Made.match(2)),
        Made.summary(Made.match(3), stage: .waiting, opponent: nil),
      ], invitations: [Made.summary(Made.match(4))],
      offers: [Made.offer(Made.match(5), isYours: true), Made.offer(Made.match(6))])
    let list = HomeList(home, name: Made.name("ada"), now: Made.now, told: "said")
    #expect(list.name == "ada" && list.told == "said")
    #expect(
      list.rows.map(\.kind) == [
        .yourTurn, .invitation, .rematchOffer, .ownOffer, .daily(.unlimited), .theirTurn, .yourTurn,
      ])
    #expect(list.rows.first?.points == [42, 36])
    #expect(list.rows.first?.secondsLeft == 3_600)
    #expect(list.rows.map(\.isWithdrawable) == [false, false, false, false, false, false, true])
    #expect(list.rows[4].opponent == "daily \(home.daily.daily.day)")
    #expect(list.more == nil)
  }

  @Test("The own turn with the least time left comes first, those without a clock last")
  func urgent() {
    let matches = [(1, nil), (2, 900), (3, 60), (4, nil), (5, 3_600)] as [(UInt128, Int64?)]
    let home = Made.home(
      matches.map { number, seconds in
        var match = Made.summary(Made.match(number))
        match.deadline = seconds.map { Made.now.adding(seconds: $0) }
        return match
      }, daily: Made.match(9))
    let list = HomeList(home, name: nil, now: Made.now)
    #expect(
      list.rows.map(\.key) == [3, 2, 5, 1, 4].map { MatchKey(Made.match($0).description) })
  }

  @Test("Games alone without a clock say when they began")
  func alone() {
    let ages = [(1, 30), (2, 7_200), (3, 3 * 86_400)] as [(UInt128, Int64)]
    let home = Made.home(
      ages.map { number, age in
        var match = Made.summary(Made.match(number), kind: .solo, opponent: nil)
        (match.deadline, match.turnLimit) = (nil, nil)
        match.startedAt = Made.now.adding(seconds: -age)
        return match
      }, daily: Made.match(9))
    let list = HomeList(home, name: nil, now: Made.now)
    #expect(
      list.rows.map(\.opponent)
        == ["solo game 30 s ago", "solo game 2 h ago", "solo game 3 days ago"])
    // The drawing has so many columns for it.
    #expect(list.rows.allSatisfy { $0.opponent.count <= 23 })
  }

  @Test(
    "Matches that are not listed are counted",
    arguments: [
      (1, nil, "1 older match is not listed."), (2, nil, "2 older matches are not listed."),
      (nil, 1, "1 older invitation is not listed."),
      (1, 1, "1 older match and 1 older invitation are not listed."),
      (30, 2, "30 older matches and 2 older invitations are not listed."),
    ] as [(Int?, Int?, String)])
  func more(matches: Int?, invitations: Int?, text: String) {
    var home = Made.home()
    (home.moreMatches, home.moreInvitations) = (matches, invitations)
    #expect(HomeList(home, name: nil, now: Made.now).more == text)
  }
}
