internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let hideWord = SQL(
    "hideWord",
    """
    WITH hidden AS (
      INSERT INTO hidden_words (language, word, hidden_at) VALUES ($1, $2, clock_timestamp())
      ON CONFLICT DO NOTHING RETURNING word)
    INSERT INTO operator_acts (at, act, detail)
    SELECT clock_timestamp(), 'word hidden', $3 FROM hidden RETURNING id
    """)
  static let showWord = SQL(
    "showWord",
    """
    WITH shown AS (DELETE FROM hidden_words WHERE language = $1 AND word = $2 RETURNING word)
    INSERT INTO operator_acts (at, act, detail)
    SELECT clock_timestamp(), 'word shown', $3 FROM shown RETURNING id
    """)
  static let hiddenWords = SQL(
    "hiddenWords",
    "SELECT language, word, hidden_at FROM hidden_words ORDER BY hidden_at DESC, word LIMIT $1")
}

extension StoreSession {
  func setWord(
    _ word: HiddenWord, isHidden: Bool, by operator: String
  ) throws(StoreError) -> Bool {
    let sql = isHidden ? SQL.hideWord : SQL.showWord
    return try !rows(
      sql(
        .text(word.language.rawValue), .text(word.word), .text("\(word) by \(`operator`)"))
    ).isEmpty
  }

  func hiddenWords(_ limit: Int) throws(StoreError) -> [HiddenWordRow] {
    let rows = try rows(SQL.hiddenWords(.int(limit)))
    return try reading(
      try rows.map { row throws(PostgreSQLError) in
        let language: Language = try row[0].case()
        guard let word = HiddenWord(try row[1].text, language: language) else {
          throw PostgreSQLError(.malformedValue, "a value in the database is no word")
        }
        return HiddenWordRow(word: word, hiddenAt: try row[2].instant)
      })
  }
}
