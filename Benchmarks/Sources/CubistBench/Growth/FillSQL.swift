import LargeStore

/// The statements of the fill.
struct FillSQL {
  let size: GrownSize
  /// When the fill began: all times are counted back from it.
  let began: String

  /// Hours from one entry of a match to the next: the longest match, of some twenty, takes five
  /// days.
  private static let hours = 6
  /// The first match was dealt so many days ago, the last one six days ago.
  private static let (firstDay, lastDay) = (720, 6)
  static let (eventDays, deliveryDays) = (8, 30)

  // MARK: Templates

  static let templates = """
    CREATE TEMPORARY TABLE template
      (match uuid, is_over boolean, number integer, turns integer)
    """

  /// The rows of the templates; after them the tables are empty again.
  static let templateRows = """
    CREATE TEMPORARY TABLE template_match AS
    SELECT t.is_over, t.number, t.turns, m.version, m.turn, m.state,
      m.deadline IS NOT NULL AS has_deadline, m.remind_at IS NOT NULL AS is_reminded
    FROM template AS t JOIN matches AS m ON m.id = t.match;
    CREATE TEMPORARY TABLE template_entry AS
    SELECT t.is_over, t.number, e.position, e.key, e.signature, e.hash, e.payload
    FROM template AS t JOIN entries AS e ON e.match = t.match;
    CREATE TEMPORARY TABLE template_game AS
    SELECT t.number, row_number() OVER (PARTITION BY g.match ORDER BY g.player) AS seat, g.*
    FROM template AS t JOIN past_games AS g ON g.match = t.match;
    CREATE TEMPORARY TABLE template_rating AS
    SELECT t.number, row_number() OVER (PARTITION BY r.match ORDER BY r.player) AS seat, r.*
    FROM template AS t JOIN rating_results AS r ON r.match = t.match;
    CREATE TEMPORARY TABLE template_seat AS
    SELECT t.number, s.seat, s.is_invited
    FROM template AS t JOIN seats AS s ON s.match = t.match;
    CREATE TEMPORARY TABLE template_event AS
    SELECT row_number() OVER () - 1 AS number, e.payload_hash, e.reply
    FROM events AS e WHERE position('"match"' IN convert_from(e.reply, 'UTF8')) > 0;
    CREATE TEMPORARY TABLE template_delivery AS
    SELECT row_number() OVER () - 1 AS number, d.kind, d.fate
    FROM deliveries AS d WHERE d.match IN (SELECT match FROM template);
    ANALYZE template_match, template_entry, template_game, template_rating, template_seat,
      template_event, template_delivery;
    TRUNCATE matches, entries, seats, past_games, pairs, open_seats, rating_results, rating_queue,
      ratings, ladder_counts, events, deliveries, outbox;
    SELECT cubist_add_partitions(current_date)
    """

  static let missingTemplateRows = """
    SELECT count(*) FROM template AS t WHERE NOT EXISTS (
      SELECT FROM template_match AS m WHERE (m.is_over, m.number) = (t.is_over, t.number))
    OR (SELECT count(*) FROM template_entry AS e
      WHERE (e.is_over, e.number) = (t.is_over, t.number)) <= t.turns
    OR (CASE WHEN t.is_over THEN (SELECT count(*) FROM template_game AS g WHERE g.number = t.number)
      ELSE (SELECT count(*) FROM template_seat AS s WHERE s.number = t.number) END) <> 2
    OR t.is_over
      AND (SELECT count(*) FROM template_rating AS r WHERE r.number = t.number) <> 2
    OR NOT EXISTS (SELECT FROM template_event) OR NOT EXISTS (SELECT FROM template_delivery)
    """

  // MARK: Indexes

  static let primaryKeys = """
    SELECT conrelid::regclass::text, conname::text, pg_get_constraintdef(oid)
    FROM pg_constraint WHERE contype = 'p' AND conrelid::regclass::text = ANY($1::text[])
    ORDER BY 1
    """

  static let otherIndexes = """
    SELECT indexname::text, indexdef FROM pg_indexes
    WHERE schemaname = current_schema() AND tablename = ANY($1::text[]) ORDER BY 1
    """

  // MARK: Matches

  /// The next matches to deal: ids grow with time, players meet by chance.
  static let portion = """
    CREATE TEMPORARY TABLE portion (
      n integer, id uuid, dealt timestamptz, is_over boolean, number integer, turns integer,
      players uuid[])
    """

  /// Copies so many matches with all the rows that they leave.
  func matches(_ range: Range<Int>) -> String {
    """
    TRUNCATE portion;
    INSERT INTO portion
    SELECT n, \(Self.id("dealt", "'match ' || n")), dealt, t.is_over, t.number, t.turns,
      ARRAY[\(StoreFill.player("first")), \(StoreFill.player("second"))]
    FROM (SELECT n, first, dealt,
        1 + (first + floor(random() * \(size.store.players - 1))::int) % \(size.store.players)
          AS second
      FROM (SELECT n, 1 + floor(random() * \(size.store.players))::int AS first,
          '\(began)'::timestamptz - interval '\(Self.firstDay) days' + n::float8
            / \(size.matches) * interval '\(Self.firstDay - Self.lastDay) days' AS dealt
        FROM generate_series(\(range.lowerBound), \(range.upperBound - 1)) AS n) AS f) AS s
    JOIN template AS t ON t.is_over = (n < \(size.ended)) AND t.number = n % \(Templates.count);
    ANALYZE portion;
    \(tables)
    """
  }

  private var tables: String {
    """
    INSERT INTO matches (id, version, deadline, due, turn, remind_at, remind_due, state)
    SELECT p.id, t.version, d.deadline, extract(epoch FROM d.deadline)::bigint / 600, t.turn,
      r.at, extract(epoch FROM r.at)::bigint / 600, t.state
    FROM portion AS p JOIN template_match AS t USING (is_over, number)
    CROSS JOIN LATERAL (SELECT CASE WHEN t.has_deadline THEN \(Self.farDeadline("p.n")) END
      AS deadline) AS d
    CROSS JOIN LATERAL (SELECT CASE WHEN t.is_reminded THEN d.deadline - interval '3 hours' END
      AS at) AS r
    ORDER BY p.n;
    INSERT INTO entries (match, accepted_at, position, key, signature, hash, payload)
    SELECT p.id, \(Self.time("e.position")), e.position, e.key, e.signature, e.hash, e.payload
    FROM portion AS p JOIN template_entry AS e USING (is_over, number) ORDER BY 2;
    INSERT INTO past_games (player, ended_at, match, opponent, points, opponent_points,
      turn_limit_seconds, kind, language, result, reason, is_casual)
    SELECT p.players[g.seat], \(Self.time("p.turns + 6")), p.id, p.players[3 - g.seat], g.points,
      g.opponent_points, g.turn_limit_seconds, g.kind, g.language, g.result, g.reason, g.is_casual
    FROM portion AS p JOIN template_game AS g USING (number) WHERE p.is_over;
    INSERT INTO rating_results (rating_no, match, player, rated_at, rated_at_before, rating_before,
      deviation_before, volatility_before, rating, deviation, volatility, match_count, result)
    SELECT p.n + 1, p.id, p.players[r.seat], \(Self.time("p.turns + 6")), p.dealt, r.rating_before,
      r.deviation_before, r.volatility_before, r.rating, r.deviation, r.volatility, r.match_count,
      r.result
    FROM portion AS p JOIN template_rating AS r USING (number) WHERE p.is_over;
    INSERT INTO seats (match, player, seat, is_invited)
    SELECT p.id, p.players[s.seat + 1], s.seat, s.is_invited
    FROM portion AS p JOIN template_seat AS s USING (number) WHERE NOT p.is_over;
    INSERT INTO events (player, id, handled_at, payload_hash, reply)
    SELECT p.players[1 + k % 2], \(Self.id("at", "'event ' || p.n || ' ' || k")), at,
      e.payload_hash, e.reply
    FROM portion AS p CROSS JOIN LATERAL generate_series(0, p.turns + 1) AS k
    CROSS JOIN LATERAL (SELECT \(Self.time("k")) AS at) AS a
    JOIN template_event AS e
      ON e.number = (p.n::bigint * 17 + k) % (SELECT count(*) FROM template_event)
    WHERE at > '\(began)'::timestamptz - interval '\(Self.eventDays) days';
    INSERT INTO deliveries (job, player, recorded_at, match, turn, kind, fate, seen_at)
    SELECT gen_random_uuid(), p.players[1 + k % 2], at, p.id, k, d.kind, d.fate,
      CASE WHEN k % 10 > 0 THEN at + interval '1 hour' END
    FROM portion AS p CROSS JOIN LATERAL generate_series(0, p.turns + 1) AS k
    CROSS JOIN LATERAL (SELECT \(Self.time("k")) AS at) AS a
    JOIN template_delivery AS d
      ON d.number = (p.n::bigint * 17 + k) % (SELECT count(*) FROM template_delivery)
    WHERE at > '\(began)'::timestamptz - interval '\(Self.deliveryDays) days'
    """
  }

  /// An id of that time; the rest of it is random.
  private static func id(_ time: String, _ salt: String) -> String {
    "(lpad(to_hex((extract(epoch FROM \(time)) * 1000)::bigint), 12, '0') "
      + "|| right(md5(\(salt)), 20))::uuid"
  }

  private static func time(_ position: String) -> String {
    "p.dealt + (\(position)) * interval '\(hours) hours'"
  }

  /// So late that a folder may be kept: no run is spent on ending them.
  static func farDeadline(_ number: String) -> String {
    "now() + interval '10 years' + (\(number)) % 1440 * interval '10 minutes'"
  }

  /// A key for every player without one.
  static let keys = """
    INSERT INTO player_keys (key, player, added_at)
    SELECT sha256(uuid_send(id)), id, registered_at FROM players AS p
    WHERE NOT EXISTS (SELECT FROM player_keys AS k WHERE k.player = p.id);
    UPDATE rating_clock SET last_no = (SELECT max(rating_no) FROM ratings)
    """
}
