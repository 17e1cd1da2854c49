internal import LibPQ
internal import MatchCore
internal import MatchInterfaces

extension SQL {
  static let deleteSeats = SQL(
    "deleteSeats",
    """
    DELETE FROM seats AS s USING unnest($1, $2) AS u (match, seat)
    WHERE s.match = u.match AND s.seat = u.seat
    """)
  static let putSeats = SQL(
    "putSeats",
    """
    INSERT INTO seats (match, seat, player, is_invited) SELECT * FROM unnest($1, $2, $3, $4)
    ON CONFLICT (match, seat)
    DO UPDATE SET player = excluded.player, is_invited = excluded.is_invited
    """)
  static let putPastGames = SQL(
    "putPastGames",
    """
    INSERT INTO past_games (player, ended_at, match, opponent, points, opponent_points,
      turn_limit_seconds, daily_day, daily_mode, kind, language, result, reason, is_casual)
    SELECT player, ended_at, match, opponent, points, opponent_points, turn_limit_seconds,
      DATE '1970-01-01' + daily_day, daily_mode, kind, language, result, reason, is_casual
    FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
      AS u (player, ended_at, match, opponent, points, opponent_points, turn_limit_seconds,
        daily_day, daily_mode, kind, language, result, reason, is_casual)
    ON CONFLICT (player, ended_at, match)
    DO UPDATE SET result = excluded.result, reason = excluded.reason
    """)
  // A match that is written anew may have been rated before.
  static let putRatingQueue = SQL(
    "putRatingQueue",
    """
    INSERT INTO rating_queue (match, player, ended_at, result)
    SELECT u.* FROM unnest($1, $2, $3, $4) AS u (match, player, ended_at, result)
    WHERE NOT EXISTS (SELECT FROM rating_results AS d WHERE d.match = u.match)
    ON CONFLICT (match, player) DO NOTHING
    """)
  static let deleteOpenSeats = SQL(
    "deleteOpenSeats", "DELETE FROM open_seats WHERE match = ANY($1)")
  static let putOpenSeats = SQL(
    "putOpenSeats",
    """
    INSERT INTO open_seats (match, player, since, turn_limit_seconds, language, is_casual, has_turn,
      leavers, rating)
    SELECT match, player, since, turn_limit_seconds, language, is_casual, has_turn,
      leavers::uuid[], cubist_rating(player)
    FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)
      AS u (match, player, since, turn_limit_seconds, language, is_casual, has_turn, leavers)
    """)
  static let deletePairs = SQL("deletePairs", "DELETE FROM pairs WHERE match = ANY($1)")
  static let putPairs = SQL(
    "putPairs",
    "INSERT INTO pairs (key, match) SELECT * FROM unnest($1, $2) AS u (key, match) ORDER BY key")
  static let deleteOffers = SQL(
    "deleteOffers", "DELETE FROM rematch_offers WHERE match = ANY($1)")
  static let putOffers = SQL(
    "putOffers",
    """
    INSERT INTO rematch_offers (match, from_player, to_player, at, seat, key, signature, payload)
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)
    """)
  static let putScores = SQL(
    "putScores",
    """
    INSERT INTO daily_scores (day, mode, language, player, points)
    SELECT DATE '1970-01-01' + day, mode, language, player, points
    FROM unnest($1, $2, $3, $4, $5) AS u (day, mode, language, player, points)
    ORDER BY day, mode, language, player
    ON CONFLICT (day, mode, language, player) DO UPDATE SET points = excluded.points
    """)
}

extension SQL {
  static let deleteScores = SQL(
    "deleteScores",
    """
    DELETE FROM daily_scores WHERE (day, mode, language, player) IN (
      SELECT s.day, s.mode, s.language, s.player
      FROM unnest($1, $2, $3, $4) AS u (day, mode, language, player)
      JOIN daily_scores AS s ON s.day = DATE '1970-01-01' + u.day AND s.mode = u.mode
        AND s.language = u.language AND s.player = u.player
      ORDER BY s.day, s.mode, s.language, s.player FOR UPDATE OF s)
    """)
}

/// The differences that the changes of a batch make to the rows that are derived from matches.
struct ListingChanges {
  private struct Offer {
    var match: MatchID
    var row: Listing.OfferRow
    var offer: Match.RematchOffer
  }

  private var lostSeats: [(match: MatchID, seat: Int)] = []
  private var seats: [(match: MatchID, row: Listing.SeatRow)] = []
  private var pastGames: [(match: MatchID, terms: Terms, row: Listing.PastGameRow)] = []
  private var lostOpenSeats: [MatchID] = []
  private var openSeats: [(match: Match, row: Listing.OpenSeatRow, player: PlayerID)] = []
  private var lostPairs: [MatchID] = []
  private var pairs: [(key: String, match: MatchID)] = []
  private var lostOffers: [MatchID] = []
  private var lostScores: [Listing.DailyScoreRow] = []
  private var offers: [Offer] = []
  private var scores: [Listing.DailyScoreRow] = []
  private var annulled: [MatchID] = []
  private var rated: [(match: RatedMatch, player: PlayerID, result: Outcome.Result)] = []
  private var rankings = RankingChanges()

  init(_ changes: [MatchChange]) {
    for change in changes { add(change) }
  }

  private mutating func add(_ change: MatchChange) {
    if let before = change.before, Listing.stays(before, change.after) { return }
    let (id, after) = (change.after.id, Listing(of: change.after))
    let before = change.before.map(Listing.init(of:))
    addSeats(id, before?.seats ?? [], after.seats)
    let known = before?.pastGames ?? []
    for row in after.pastGames where !known.contains(row) {
      pastGames.append((id, change.after.terms, row))
    }
    // An older build may have queued what this one does not rate.
    if change.before?.ratedByOutcome != nil, change.after.ratedByOutcome == nil {
      annulled.append(id)
    }
    if let match = after.rated, before?.rated == nil {
      for (player, result) in match.results.sorted(by: { $0.key < $1.key }) {
        rated.append((match, player, result))
      }
    }
    if before?.openSeat != after.openSeat {
      if before?.openSeat != nil { lostOpenSeats.append(id) }
      if let row = after.openSeat, let player = change.after.players.first {
        openSeats.append((change.after, row, player))
      }
    }
    if before?.pairKey != after.pairKey {
      if before?.pairKey != nil { lostPairs.append(id) }
      if let key = after.pairKey { pairs.append((key, id)) }
    }
    if before?.rematchOffer != after.rematchOffer {
      if before?.rematchOffer != nil { lostOffers.append(id) }
      if let row = after.rematchOffer, let offer = change.after.rematch.offer {
        offers.append(Offer(match: id, row: row, offer: offer))
      }
    }
    if let score = after.dailyScore, before?.dailyScore != score { scores.append(score) }
    if let score = before?.dailyScore, after.dailyScore == nil { lostScores.append(score) }
    rankings.add(id, before, after)
  }

  private mutating func addSeats(
    _ id: MatchID, _ before: [Listing.SeatRow], _ after: [Listing.SeatRow]
  ) {
    // Matches that are over are found among past games.
    let (before, after) = (before.filter { !$0.isOver }, after.filter { !$0.isOver })
    for row in before where !after.contains(where: { $0.seat == row.seat }) {
      lostSeats.append((id, row.seat))
    }
    for row in after where !before.contains(row) { seats.append((id, row)) }
  }

  /// The statements to run. Deletions come before insertions, so that a pair that is free again can
  /// be taken.
  var calls: [Call] {
    var calls: [Call] = []
    if !lostSeats.isEmpty {
      calls.append(SQL.deleteSeats(lostSeats.uuids(\.match), lostSeats.int16s(\.seat)))
    }
    if !seats.isEmpty {
      calls.append(
        SQL.putSeats(
          seats.uuids(\.match), seats.int16s(\.row.seat), seats.uuids(\.row.player),
          seats.bools(\.row.isInvited)))
    }
    if !pastGames.isEmpty { calls.append(pastGamesCall) }
    if !lostOpenSeats.isEmpty { calls.append(SQL.deleteOpenSeats(.ids(lostOpenSeats))) }
    if !openSeats.isEmpty {
      calls.append(
        SQL.putOpenSeats(
          openSeats.uuids(\.match.id), openSeats.uuids(\.player),
          openSeats.instants(\.match.dealtAt),
          openSeats.int64s { $0.row.terms.turnLimitSeconds ?? 0 },
          openSeats.texts(\.row.terms.language.rawValue),
          openSeats.bools(\.row.terms.isCasual), openSeats.bools(\.row.hasTurn),
          // An array of arrays of several lengths cannot be.
          openSeats.texts { "{\($0.row.leavers.map(\.description).joined(separator: ","))}" }))
    }
    if !lostPairs.isEmpty { calls.append(SQL.deletePairs(.ids(lostPairs))) }
    if !pairs.isEmpty { calls.append(SQL.putPairs(pairs.texts(\.key), pairs.uuids(\.match))) }
    if !lostOffers.isEmpty { calls.append(SQL.deleteOffers(.ids(lostOffers))) }
    if !offers.isEmpty { calls.append(offersCall) }
    if !lostScores.isEmpty { calls.append(lostScoresCall) }
    if !scores.isEmpty { calls.append(scoresCall) }
    if !annulled.isEmpty { calls.append(SQL.leaveRatingQueue(.ids(annulled))) }
    if !rated.isEmpty {
      calls.append(
        SQL.putRatingQueue(
          rated.uuids(\.match.match), rated.uuids(\.player), rated.instants(\.match.endedAt),
          rated.texts(\.result.rawValue)))
    }
    return calls + rankings.calls
  }

  private var pastGamesCall: Call {
    SQL.putPastGames(
      pastGames.uuids(\.row.player), pastGames.instants(\.row.endedAt), pastGames.uuids(\.match),
      pastGames.uuids(\.row.opponent), pastGames.int64s { Int64($0.row.points) },
      pastGames.int64s { $0.row.opponentPoints.map(Int64.init) },
      pastGames.int64s(\.terms.turnLimitSeconds),
      pastGames.int32s { $0.terms.daily.map { Int($0.day.number) } },
      pastGames.texts(\.terms.soloMode?.rawValue), pastGames.texts(\.terms.kindColumn),
      pastGames.texts(\.terms.language.rawValue), pastGames.texts(\.row.result.rawValue),
      pastGames.texts(\.row.reason.rawValue), pastGames.bools(\.terms.isCasual))
  }

  private var offersCall: Call {
    SQL.putOffers(
      offers.uuids(\.match), offers.uuids(\.row.from), offers.uuids(\.row.to),
      offers.instants(\.row.at), offers.int16s(\.offer.seat),
      offers.blobs(\.offer.signed.key.bytes), offers.blobs(\.offer.signed.signature),
      offers.blobs(\.offer.signed.payload))
  }

  private var lostScoresCall: Call {
    SQL.deleteScores(
      lostScores.int32s { Int($0.key.day.number) }, lostScores.texts(\.key.mode.rawValue),
      lostScores.texts(\.key.language.rawValue), lostScores.uuids(\.player))
  }

  private var scoresCall: Call {
    SQL.putScores(
      scores.int32s { Int($0.key.day.number) }, scores.texts(\.key.mode.rawValue),
      scores.texts(\.key.language.rawValue), scores.uuids(\.player),
      scores.int64s { Int64($0.points) })
  }
}
