internal import LibPQ
internal import MatchCore

// Terms as the columns kind, daily day and mode, turn limit, language and whether they are casual.

extension Terms {
  /// The name of the kind; stored, so it must never change.
  var kindColumn: String {
    switch kind {
    case .random: "random"
    case .invitation: "invitation"
    case .open: "open"
    case .rematch: "rematch"
    case .solo: "solo"
    case .daily: "daily"
    }
  }

  /// The challenge of a daily.
  var daily: DailyKey? {
    if case .daily(let key) = kind { key } else { nil }
  }

  /// Reads the columns `kind`, `daily_day` (as days since 1970), `daily_mode`,
  /// `turn_limit_seconds`, `language` and `is_casual`.
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    let language: Language = try row["language"].case()
    let kind: Kind
    switch try row["kind"].text {
    case "random": kind = .random
    case "invitation": kind = .invitation
    case "open": kind = .open
    case "rematch": kind = .rematch
    case "solo":
      // Rows from before timed games name no mode.
      kind = .solo(try row["daily_mode"].ifPresent?.case() ?? .unlimited)
    case "daily":
      kind = .daily(
        DailyKey(
          day: try row["daily_day"].day, mode: try row["daily_mode"].case(), language: language))
    default: throw PostgreSQLError(.malformedValue, "a value in the database is no kind of match")
    }
    self.init(
      kind: kind, turnLimitSeconds: try row["turn_limit_seconds"].ifPresent?.int64,
      language: language, isCasual: try row["is_casual"].bool)
  }
}
