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

  @Test("While it is played: whose turn, seconds, points, the other one, lines and no best word")
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

  @Test("Who has no seat in it looks on: both have names, and nothing can be played")
  func watched() throws {
    var view = try Made.view(Made.match(1))
    view.seats[0].player = Made.key(9).player
    let news = try Self.news(view)
    #expect(news.watched == "ada")
    #expect(news.opponent == "grace")
    #expect(news.standing.stage == .theirs(secondsLeft: 3_600))
    #expect(!news.isRated && news.rematch == .impossible)
  }

  @Test("What counts for nobody has no rematch, nor has a game of one")
  func noRematch() throws {
    let void = Outcome(reason: .annulled, seat: nil, results: [.none, .none])
    #expect(try Self.news(Made.view(Made.match(1), outcome: void)).rematch == .impossible)
    let alone = Outcome(reason: .finished, seat: 0, results: [.completed])
    let news = try Self.news(Made.view(Made.match(1), outcome: alone, seats: 1))
    #expect(news.rematch == .impossible)
    #expect(news.opponent == nil)
  }

  @Test("What waits is in the order of what is urgent")
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
  }
}
