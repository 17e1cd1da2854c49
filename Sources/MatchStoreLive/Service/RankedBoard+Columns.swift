internal import LibPQ
internal import MatchCore
internal import MatchWire

extension RankedBoard {
  /// The columns of a board: kind, mode, language, measure, window and day.
  var columns: [Value] {
    [
      .text(games.kind.rawValue), .text(games.mode.rawValue), .text(games.language.rawValue),
      .text(leaderboard?.measure.rawValue), .text(leaderboard?.window.rawValue),
      .int32(day.map(\.number)),
    ]
  }

  /// Reads them; a match comes first.
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    let (kind, mode, language): (SoloGames.Kind, SoloMode, Language) = (
      try row[1].case(), try row[2].case(), try row[3].case()
    )
    if let day = try row[6].ifPresent?.day {
      self = .daily(DailyKey(day: day, mode: mode, language: language))
    } else {
      self = .leaderboard(
        Leaderboard(
          games: SoloGames(kind: kind, mode: mode, language: language),
          measure: try row[4].case(), window: try row[5].case()))
    }
  }

  fileprivate var games: SoloGames {
    switch self {
    case .leaderboard(let board): board.games
    case .daily(let key): SoloGames(kind: .daily, mode: key.mode, language: key.language)
    }
  }

  fileprivate var leaderboard: Leaderboard? {
    if case .leaderboard(let board) = self { board } else { nil }
  }

  fileprivate var day: Day? {
    if case .daily(let key) = self { key.day } else { nil }
  }
}

extension SQL {
  /// Counts boards anew.
  static func recount(_ boards: [RankedBoard]) -> Call {
    recountBoards(
      boards.texts(\.games.kind.rawValue), boards.texts(\.games.mode.rawValue),
      boards.texts(\.games.language.rawValue), boards.texts(\.leaderboard?.measure.rawValue),
      boards.texts(\.leaderboard?.window.rawValue),
      boards.int32s { $0.day.map { Int($0.number) } })
  }
}
