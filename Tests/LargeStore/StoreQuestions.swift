internal import Glibc
package import LibPQ
internal import MatchCore
internal import MatchInterfaces
internal import MatchStoreLive
internal import MatchWire

/// The queries of readers, the ranker and pairing, to a database that `StoreFill` has filled.
///
/// The server has to be on this machine.
package struct StoreQuestions {
  /// The times of a question, in nanoseconds.
  package struct Answer: Sendable {
    /// The name of the question.
    package var question: String
    /// Processor time of the server's process, on the average.
    package var database: UInt64
    /// The median of the round trips.
    package var median: UInt64
    /// The 99th percentile of the round trips.
    package var slow: UInt64
  }

  private let connection: PostgreSQLConnection
  private let size: StoreSize
  private let took: (Answer) throws -> Void

  /// Prepares to ask.
  /// - Parameter took: Called after each question.
  package init(
    _ connection: PostgreSQLConnection, _ size: StoreSize, took: @escaping (Answer) throws -> Void
  ) {
    self.connection = connection
    self.size = size
    self.took = took
  }

  /// Asks each question 300 times.
  package func ask() throws {
    try boards()
    try pastGames()
    try seats()
  }

  private func boards() throws {
    let reader = ReaderStore.live(connection)
    let scheduler = SchedulerStore.live(connection)
    let timed = SoloGames(kind: .solo, mode: .timed)
    for measure in Leaderboard.Measure.allCases {
      let board = Leaderboard(games: timed, measure: measure, window: .week)
      try time("the best 100 by \(measure.rawValue), and one's own rank") { number in
        _ = try reader.leaderboard(board, asker(number, of: size.scores), 100)
      }
    }
    let today = DailyKey(day: Day(containing: WallClock.live.now()), mode: .timed)
    try time("the results of today's daily, and one's own rank") { number in
      _ = try reader.dailyResults(today, asker(number, of: size.dailyPlayers), 100)
    }
    try time("31 days of dailies") { number in
      _ = try reader.dailyHistory(
        asker(number, of: size.dailyPlayers / 100), Day(number: today.day.number - 31))
    }
    try time("the first 100 of the ladder, one's own rank and the nearest players") { number in
      _ = try reader.ladder(
        LadderQuestion(player: asker(number, of: size.scores), limit: 100, neighborLimit: 5))
    }
    try time("a week's games by kind and result, of the player with most") { _ in
      _ = try reader.tallies(
        PlayerID(rawValue: 1), WallClock.live.now().adding(seconds: -7 * 86_400),
        WeekInReview.countLimit)
    }
    try time("ranking a player anew") { number in
      try connection.query(
        "SELECT cubist_rank_player($1, 'daily', 'timed', 'en', NULL)",
        [.uuid(asker(number, of: size.players).rawValue)])
    }
    try time("an empty look for somebody to rank") { _ in _ = try scheduler.rank(50) }
  }

  private func pastGames() throws {
    let reader = ReaderStore.live(connection)
    let filters: [(String, PlayerID?, PastGamesFilter)] = [
      ("all", nil, .init()), ("against one opponent", PlayerID(rawValue: 77), .init()),
      ("of one kind", nil, .init(kind: .daily)), ("won", nil, .init(result: .won)),
      ("tied by invitation", nil, .init(kind: .invitation, result: .tied)),
      ("won alone, of which there are none", nil, .init(kind: .solo, result: .won)),
      ("lost against one opponent", PlayerID(rawValue: 77), .init(result: .lost)),
      (
        "of a week a year ago", nil,
        .init(
          from: WallClock.live.now().adding(seconds: -365 * 86_400),
          until: WallClock.live.now().adding(seconds: -358 * 86_400))
      ),
    ]
    for (name, opponent, filter) in filters {
      var before: ReaderStore.PastGamesQuestion.Position?
      try time("a page of 20 past games: \(name)") { _ in
        let rows = try reader.pastGames(
          .init(
            player: PlayerID(rawValue: 1), opponent: opponent, filter: filter, before: before,
            limit: 21))
        // On and on through the pages, and from the beginning.
        before =
          rows.count < 21
          ? nil
          : rows.last.map {
            .init(endedAt: $0.game.endedAt, match: $0.match)
          }
      }
    }
  }

  private func seats() throws {
    let worker = WorkerStore.live(connection)
    let terms = Terms(kind: .random, turnLimitSeconds: 86_400, language: .english)
    try time("finding an open seat, with its locks") { number in
      _ = try worker.resolve([.seat(terms, for: asker(number, of: size.players))])
      worker.abandon()
    }
    try time("taking an open seat and adding one") { number in
      let player = asker(number, of: size.players)
      guard case .waiting(let found) = try worker.resolve([.seat(terms, for: player)])[0] else {
        return
      }
      worker.abandon()
      try connection.query(
        """
        WITH taken AS (DELETE FROM open_seats WHERE match = $2 RETURNING language)
        INSERT INTO open_seats (match, player, since, turn_limit_seconds, language, rating)
        SELECT gen_random_uuid(), $1, now(), 86400, language, cubist_rating($1) FROM taken
        """,
        [.uuid(player.rawValue), .uuid(found.waiting.first?.match.rawValue ?? 0)])
    }
    let scheduler = SchedulerStore.live(connection)
    var last: Pairing.Waiting?
    try time("looking for players to bring together, 50 of them") { _ in
      last = try scheduler.movers(last, 50).last?.own
    }
  }

  /// Some player, another one each time.
  private func asker(_ number: Int, of count: Int) -> PlayerID {
    PlayerID(rawValue: UInt128(1 + number * 7_919 % max(1, count)))
  }

  private func time(_ what: String, _ body: (Int) throws -> Void) throws {
    for number in 0..<20 { try body(number) }
    let backend = try connection.query("SELECT pg_backend_pid()").only[0].int64
    var times: [UInt64] = []
    let before = try processorTime(of: backend)
    for number in 0..<300 {
      let start = WallClock.live.uptimeNanoseconds()
      try body(1_000 + number)
      times.append(WallClock.live.uptimeNanoseconds() - start)
    }
    let mean = (try processorTime(of: backend) - before) / UInt64(times.count)
    times.sort()
    try took(
      Answer(
        question: what, database: mean, median: times[times.count / 2],
        slow: times[times.count * 99 / 100]))
  }

  /// Nanoseconds that a process of this machine has had a processor.
  private func processorTime(of process: Int64) throws -> UInt64 {
    let path = "/proc/\(process)/schedstat"
    guard let file = fopen(path, "r") else { throw Unreadable(path: path) }
    defer { fclose(file) }
    var (time, count): (UInt64, Int32) = (0, 0)
    count = withUnsafeMutablePointer(to: &time) { time in
      withVaList([time]) { vfscanf(file, "%lu", $0) }
    }
    guard count == 1 else { throw Unreadable(path: path) }
    return time
  }

  /// The database server is not on this machine, or its system does not give processor times.
  private struct Unreadable: Error {
    var path: String
  }
}
