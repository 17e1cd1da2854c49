import CubePlay
import MatchCore
import MatchWire
import ServiceNews
import Testing

@Suite("Lists of results of the service as the game shows them")
struct BoardNewsTests {
  private static func status(
    isDealt: Bool = true, _ match: MatchID? = nil, isOver: Bool = false
  ) -> DailyStatus {
    DailyStatus(
      daily: Made.daily, isDealt: isDealt, endsAt: Made.daily.day.end, match: match,
      isOver: isOver, points: match == nil ? nil : 12)
  }

  private static func news(_ status: DailyStatus, _ standings: Standings?) -> BoardNews {
    BoardNews(status, standings, for: Made.ada, now: Made.now)
  }

  @Test("Today's challenge says how far the player is, and the next possible acts")
  func today() throws {
    let standings = Standings(daily: Made.daily, Made.ranking())
    let open = Self.news(Self.status(), standings)
    #expect(open.today == .open)
    #expect(open.head.contains("you have not begun it; it ends in "))
    #expect(open.rows.map(\.cells) == [["1", "grace", "36"], ["2", "ada", "12"]])
    #expect(open.rows.map(\.isOwn) == [false, true])
    let begun = Self.news(Self.status(Made.match(1)), standings)
    #expect(begun.today == .begun(MatchKey(Made.match(1).description)))
    #expect(begun.head.contains("12 points so far"))
    #expect(
      Self.news(Self.status(Made.match(1), isOver: true), standings).head.hasSuffix(
        "over, 12 points."))
    let missing = Self.news(Self.status(isDealt: false), nil)
    #expect(missing.today == .missing && missing.rows.isEmpty)
  }

  @Test("A leaderboard shows words where words count, and the player's own row in any case")
  func leaderboard() {
    let games = SoloGames(kind: .solo, mode: .timed)
    var ranking = Made.ranking(word: "CUBES")
    let board = Leaderboard(games: games, measure: .words, window: .all)
    let news = BoardNews(LeaderboardView(board, ranking), for: Made.ada)
    #expect(news.head == "Best words, timed solo games, all time: 2 players")
    #expect(news.columns.last == "Word" && news.rows[0].cells.last == "CUBES")
    ranking.rows.removeLast()
    let later = BoardNews(LeaderboardView(board, ranking), for: Made.ada)
    #expect(later.rows.map(\.isOwn) == [false, true])
  }

  @Test("The ladder has those next to the player too, each once")
  func ladder() {
    func row(_ rank: Int, _ player: PlayerID, _ name: String) -> Ladder.Row {
      Ladder.Row(
        rank: rank, outOf: 30, player: player, name: Made.name(name),
        rating: RatingView(rating: 1_500, deviation: 80, isProvisional: rank > 1, matches: 3))
    }
    let (first, own) = (row(1, Made.grace, "grace"), row(20, Made.ada, "ada"))
    let news = BoardNews(
      Ladder(rows: [first], you: own, around: [first, own], outOf: 30), for: Made.ada)
    #expect(
      news.rows.map(\.cells) == [
        ["1", "grace", "1500", "80", "3"], ["20", "ada", "1500?", "80", "3"],
      ])
    #expect(news.rows.map(\.isOwn) == [false, true])
    let none = BoardNews(Ladder(rows: [], you: nil, around: [], outOf: 1), for: Made.ada)
    #expect(none.head == "1 player is ranked. You get a rank by playing more rated matches.")
  }

  @Test("The player's own challenges have a row each")
  func history() {
    let result = DailyHistory.Result(daily: Made.daily, points: 12, rank: 2, outOf: 5)
    #expect(
      BoardNews(DailyHistory(results: [result])).rows.map(\.cells) == [
        [Made.daily.day.description, "none", "12", "2", "5"]
      ])
  }

  @Test("A week has a row for each kind of game, and one for each place on its boards")
  func review() {
    func tally(_ kind: MatchKind, _ count: Int, won: Int = 0) -> WeekInReview.Tally {
      WeekInReview.Tally(kind: kind, count: count, won: won, lost: 0, tied: 0)
    }
    let board = Leaderboard(.daily, .timed, .week, .words)
    let row = RankedRow(
      rank: 3, outOf: 40, player: Made.ada, name: Made.name("ada"), points: 48, word: "CUBES")
    var review = WeekInReview(
      since: Made.now, until: Made.now,
      games: [tally(.random, 7, won: 4), tally(.daily, 1), tally(.invitation, 1_000, won: 1_000)],
      places: [.init(board, row)])
    let news = BoardNews(review)
    #expect(news.head == "The last seven days")
    #expect(
      news.rows.map(\.cells) == [
        ["random", "7 played, 4 won, 0 lost, 0 tied"], ["daily", "1 played"],
        ["invitation", "1000 or more played, 1000 or more won, 0 lost, 0 tied"],
        ["timed daily challenges, best word", "rank 3 of 40 with CUBES, 48 points"],
      ])
    review.games = []
    #expect(BoardNews(review).rows.isEmpty)
    #expect(BoardNews(review).head == "No game of yours ended in the last week.")
  }

  @Test("A board of games alone is one of the service's lists")
  func boards() {
    let words = Leaderboard(.daily, .timed, .week, .words)
    #expect(words.description == "daily/timed/en/words/week")
    #expect(
      Leaderboard(.solo, .unlimited, .all, .points).description == "solo/unlimited/en/points/all")
    #expect(Leaderboard(.solo, .unlimited, .day, .points).window == .day)
  }
}
