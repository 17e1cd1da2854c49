-- Boards are rows with columns. Guards say how many rows they expected and found. Rows are locked
-- in an order that is written down.

-- All locks come first: a session that has to wait for one has built nothing in vain. The lock of
-- ranking comes before those of its tables, as everywhere, so that no player is put off. Leaderboards
-- can be read until the former tables go, which is done at once when all else is built.
SELECT pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
LOCK TABLE ranked, ranked_counts, ranked_buckets IN SHARE ROW EXCLUSIVE MODE;
-- These get comments, which only maintenance waits for.
LOCK TABLE service, player_settings, key_revocations, registration, matches, entries, seats,
  past_games, blocks, stranger_invitations, daily_scores, ratings, rating_results, deliveries,
  dead_events, trials, queue_clocks, queue_layout, housekeeping, roles, operator_acts, shared_games
  IN SHARE UPDATE EXCLUSIVE MODE;

CREATE TABLE boards (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  day date,
  kind text NOT NULL,
  mode text NOT NULL,
  language text NOT NULL,
  measure text,
  time_window text,
  CHECK ((day IS NULL) = (measure IS NOT NULL) AND (day IS NULL) = (time_window IS NOT NULL))
);
CREATE UNIQUE INDEX boards_of_windows ON boards (kind, mode, language, measure, time_window)
  WHERE day IS NULL;
CREATE UNIQUE INDEX boards_of_days ON boards (day, kind, mode, language) WHERE day IS NOT NULL;
COMMENT ON TABLE boards IS
  'The lists on which players are ranked: leaderboards, and the results of each day''s challenge. '
  'The points and words of a game of one player go to solo_scores in the transaction that ends '
  'it. The leading steward counts ranks afterwards, in transactions of its own. So no turn waits '
  'for a rank, and no two workers meet on a counter.';
COMMENT ON COLUMN boards.day IS 'The day of the challenge; null: a leaderboard.';
COMMENT ON COLUMN boards.measure IS
  'The part of a game that counts: points, or words for its best word.';
COMMENT ON COLUMN boards.time_window IS 'How long a game counts: day, week or all.';

CREATE TABLE board_places (
  board integer NOT NULL,
  player uuid NOT NULL,
  points bigint NOT NULL,
  ended_at timestamptz,
  expires_at timestamptz,
  match uuid,
  word text
);
COMMENT ON TABLE board_places IS
  'The one score by which a player stands on a board, until a better one comes or it leaves the '
  'board''s window.';

CREATE TABLE board_counts (
  board integer NOT NULL,
  points bigint NOT NULL,
  players bigint NOT NULL,
  PRIMARY KEY (board, points)
) WITH (fillfactor = 70);
COMMENT ON TABLE board_counts IS 'How many players stand on a board with just those points.';

CREATE TABLE board_buckets (
  board integer NOT NULL,
  bucket bigint NOT NULL,
  players bigint NOT NULL,
  scores bigint NOT NULL,
  PRIMARY KEY (board, bucket)
) WITH (fillfactor = 50);
COMMENT ON TABLE board_buckets IS
  'For each 256 points of a board: how many players, and how many different scores. A rank is the '
  'sum over the buckets above and a count within one.';

-- The boards that there are. This is the last time that a name is taken apart. Every row is read,
-- so indexes would only slow it down.
SET LOCAL enable_seqscan = on;
CREATE TEMPORARY TABLE named_boards ON COMMIT DROP AS
SELECT n.board AS name, string_to_array(n.board, '/') AS parts FROM (
  SELECT board FROM ranked UNION SELECT board FROM ranked_counts
  UNION SELECT board FROM ranked_buckets) AS n;
INSERT INTO boards (kind, mode, language, measure, time_window, day)
SELECT parts[1], parts[2], parts[3],
  CASE WHEN cardinality(parts) = 5 THEN parts[4] END, parts[5],
  CASE WHEN cardinality(parts) = 4 THEN parts[4]::date END
FROM named_boards ORDER BY name;
CREATE TEMPORARY TABLE moved_boards ON COMMIT DROP AS
SELECT b.id, n.name FROM named_boards AS n JOIN boards AS b
  ON (b.kind, b.mode, b.language) = (parts[1], parts[2], parts[3])
  AND coalesce(to_char(b.day, 'YYYY-MM-DD'), b.measure || '/' || b.time_window) = concat_ws('/', parts[4], parts[5]);
INSERT INTO board_places (board, player, points, ended_at, expires_at, match, word)
SELECT m.id, r.player, r.points, r.ended_at, r.expires_at, r.match, r.word
FROM ranked AS r JOIN moved_boards AS m ON m.name = r.board;
INSERT INTO board_counts (board, points, players)
SELECT m.id, c.points, c.players FROM ranked_counts AS c JOIN moved_boards AS m ON m.name = c.board;
INSERT INTO board_buckets (board, bucket, players, scores)
SELECT m.id, b.bucket, b.players, b.scores
FROM ranked_buckets AS b JOIN moved_boards AS m ON m.name = b.board;

ALTER TABLE board_places ADD PRIMARY KEY (board, player);
CREATE INDEX board_places_best ON board_places (board, points DESC, player);
CREATE INDEX board_places_expiry ON board_places (expires_at) WHERE expires_at IS NOT NULL;
ANALYZE boards, board_places, board_counts, board_buckets;

DO $$
DECLARE
  copied text;
  former text;
BEGIN
  SELECT concat_ws(', ', (SELECT count(*) FROM board_places), (SELECT count(*) FROM board_counts),
    (SELECT count(*) FROM board_buckets)) INTO copied;
  SELECT concat_ws(', ', (SELECT count(*) FROM ranked), (SELECT count(*) FROM ranked_counts),
    (SELECT count(*) FROM ranked_buckets)) INTO former;
  IF copied <> former THEN
    RAISE EXCEPTION 'of % places, counts and buckets of leaderboards only % were copied',
      former, copied;
  END IF;
END
$$;
RESET enable_seqscan;
DROP TABLE ranked, ranked_counts, ranked_buckets, named_boards, moved_boards;

CREATE FUNCTION cubist_board(
  of_kind text, of_mode text, of_language text, of_measure text, of_window text, of_day date
) RETURNS integer
LANGUAGE sql STABLE AS $$
  -- A board by its columns; null: nobody has been ranked on it yet.
  SELECT id FROM boards WHERE day IS NULL AND kind = of_kind AND mode = of_mode
    AND language = of_language AND measure = of_measure AND time_window = of_window
  UNION ALL
  SELECT id FROM boards WHERE day IS NOT NULL AND day = of_day AND kind = of_kind
    AND mode = of_mode AND language = of_language
$$;

CREATE FUNCTION cubist_made_board(
  of_kind text, of_mode text, of_language text, of_measure text, of_window text, of_day date
) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  board integer :=
    cubist_board(of_kind, of_mode, of_language, of_measure, of_window, of_day);
BEGIN
  -- A board by its columns, made if there is none. The lock for ranking is held.
  IF board IS NULL THEN
    INSERT INTO boards (day, kind, mode, language, measure, time_window)
    VALUES (of_day, of_kind, of_mode, of_language, of_measure, of_window) RETURNING id INTO board;
  END IF;
  RETURN board;
END
$$;

CREATE FUNCTION cubist_place(of_board integer, of_points bigint)
RETURNS TABLE (rank bigint, out_of bigint)
LANGUAGE sql STABLE AS $$
  -- Dense: one more than there are different scores above. One SELECT, so that a query that asks
  -- for many places is planned once, with this within it.
  SELECT 1 + b.higher + c.higher, b.players
  FROM (SELECT coalesce(sum(players), 0)::bigint AS players,
      coalesce(sum(scores) FILTER (WHERE bucket > of_points >> 8), 0)::bigint AS higher
    FROM board_buckets WHERE board = of_board) AS b
  CROSS JOIN (SELECT count(*) AS higher FROM board_counts
    WHERE board = of_board AND points > of_points
      AND points < ((of_points >> 8) + 1) << 8) AS c
$$;

DROP FUNCTION cubist_count(text, bigint, integer);
CREATE FUNCTION cubist_count(of_board integer, of_points bigint, change integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  now_there bigint;
  new_scores integer := 0;
BEGIN
  INSERT INTO board_counts AS c (board, points, players) VALUES (of_board, of_points, change)
  ON CONFLICT (board, points) DO UPDATE SET players = c.players + change
  RETURNING players INTO now_there;
  IF now_there <= 0 THEN
    DELETE FROM board_counts WHERE board = of_board AND points = of_points;
    new_scores := -1;
  ELSIF now_there = 1 AND change = 1 THEN
    new_scores := 1;
  END IF;
  INSERT INTO board_buckets AS b (board, bucket, players, scores)
  VALUES (of_board, of_points >> 8, change, new_scores)
  ON CONFLICT (board, bucket) DO UPDATE
  SET players = b.players + change, scores = b.scores + new_scores;
END
$$;

DROP FUNCTION cubist_put_rank(text, uuid, bigint, timestamptz, timestamptz, uuid, text);
CREATE FUNCTION cubist_put_rank(
  of_board integer, who uuid, new_points bigint, ended timestamptz, expires timestamptz,
  of_match uuid, spelled text
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  old_points bigint;
BEGIN
  SELECT p.points INTO old_points FROM board_places AS p
  WHERE p.board = of_board AND p.player = who;
  IF new_points IS NOT NULL THEN
    INSERT INTO board_places AS p (board, player, points, ended_at, expires_at, match, word)
    VALUES (of_board, who, new_points, ended, expires, of_match, spelled)
    ON CONFLICT (board, player) DO UPDATE
    SET points = excluded.points, ended_at = excluded.ended_at,
      expires_at = excluded.expires_at, match = excluded.match, word = excluded.word
    WHERE (p.points, p.ended_at, p.expires_at, p.match, p.word)
      IS DISTINCT FROM (new_points, ended, expires, of_match, spelled);
  ELSIF old_points IS NOT NULL THEN
    DELETE FROM board_places WHERE board = of_board AND player = who;
  END IF;
  IF old_points IS DISTINCT FROM new_points THEN
    IF old_points IS NOT NULL THEN PERFORM cubist_count(of_board, old_points, -1); END IF;
    IF new_points IS NOT NULL THEN PERFORM cubist_count(of_board, new_points, 1); END IF;
  END IF;
END
$$;

DROP FUNCTION cubist_standings_of(uuid, text, text, text);
DROP TYPE cubist_standing;
CREATE TYPE cubist_standing AS (
  measure text, time_window text, points bigint, ended_at timestamptz, expires_at timestamptz,
  match uuid, word text
);

CREATE FUNCTION cubist_standings_of(who uuid, of_kind text, of_mode text, of_language text)
RETURNS SETOF cubist_standing
LANGUAGE plpgsql STABLE AS $$
DECLARE
  -- A player's right places on the boards of some games, by all games that are kept. A place
  -- without points is none. A bot has none.
  --
  -- Only so many games are looked at for each place: first the best ever. If none of them counts,
  -- the latest. So a player with more games than that within a window may stand by a game that is
  -- not the best of it.
  at_most CONSTANT integer := 2000;
  named text;
  span interval;
  since timestamptz;
  game record;
  shown record;
  best cubist_standing;
  none cubist_standing;
  is_bot boolean := EXISTS (SELECT FROM bots WHERE player = who);
BEGIN
  FOREACH named IN ARRAY ARRAY['day', 'week', 'all'] LOOP
    span := CASE named WHEN 'day' THEN interval '24 hours' WHEN 'week' THEN interval '168 hours' END;
    since := coalesce(statement_timestamp() - span, '-infinity');
    best := none;
    IF is_bot THEN
      best.time_window := named;
      best.measure := 'points';
      RETURN NEXT best;
      best.measure := 'words';
      RETURN NEXT best;
      CONTINUE;
    END IF;
    -- Of equal ones the latest stays in the window the longest.
    SELECT g.points, g.ended_at, g.match INTO game FROM (
      SELECT s.points, s.ended_at, s.match FROM solo_scores AS s
      WHERE s.player = who AND s.kind = of_kind AND s.mode = of_mode AND s.language = of_language
      ORDER BY s.points DESC, s.ended_at DESC, s.match DESC LIMIT at_most) AS g
    WHERE g.ended_at > since AND g.points > 0
    ORDER BY g.points DESC, g.ended_at DESC, g.match DESC LIMIT 1;
    IF NOT FOUND AND span IS NOT NULL THEN
      SELECT g.points, g.ended_at, g.match INTO game FROM (
        SELECT s.points, s.ended_at, s.match FROM solo_scores AS s
        WHERE s.player = who AND s.kind = of_kind AND s.mode = of_mode AND s.language = of_language
          AND s.ended_at > since
        ORDER BY s.ended_at DESC LIMIT at_most) AS g
      WHERE g.points > 0
      ORDER BY g.points DESC, g.ended_at DESC, g.match DESC LIMIT 1;
    END IF;
    IF FOUND THEN
      best.points := game.points;
      best.ended_at := game.ended_at;
      best.expires_at := game.ended_at + span;
      best.match := game.match;
    END IF;
    best.measure := 'points';
    best.time_window := named;
    RETURN NEXT best;

    best := none;
    -- Two parts, each with its best first. Words are long: they are read only of games that may be
    -- better.
    FOR game IN
      (SELECT g.match, g.ended_at, g.points FROM (
        SELECT s.match, s.ended_at, s.word_points[1] AS points FROM solo_scores AS s
        WHERE s.player = who AND s.kind = of_kind AND s.mode = of_mode AND s.language = of_language
          AND s.word_points[1] IS NOT NULL
        ORDER BY s.word_points[1] DESC, s.ended_at DESC, s.match DESC LIMIT at_most) AS g
      WHERE g.ended_at > since)
      UNION ALL
      (SELECT g.match, g.ended_at, g.points FROM (
        SELECT s.match, s.ended_at, s.word_points[1] AS points FROM solo_scores AS s
        WHERE s.player = who AND s.kind = of_kind AND s.mode = of_mode AND s.language = of_language
          AND s.ended_at > since
        ORDER BY s.ended_at DESC LIMIT at_most) AS g
      WHERE g.points IS NOT NULL
      ORDER BY g.points DESC, g.ended_at DESC, g.match DESC)
    LOOP
      -- The words are sorted: the rest cannot be better.
      EXIT WHEN best.points >= game.points;
      SELECT w.word, w.points INTO shown FROM solo_scores AS s
      CROSS JOIN LATERAL unnest(s.words, s.word_points) WITH ORDINALITY AS w (word, points, place)
      WHERE s.match = game.match AND NOT EXISTS (
        SELECT FROM hidden_words AS h WHERE h.language = of_language AND h.word = w.word)
      ORDER BY w.place LIMIT 1;
      IF FOUND AND (best.points IS NULL OR shown.points > best.points) THEN
        best.points := shown.points;
        best.word := shown.word;
        best.ended_at := game.ended_at;
        best.expires_at := game.ended_at + span;
        best.match := game.match;
      END IF;
    END LOOP;
    best.measure := 'words';
    best.time_window := named;
    RETURN NEXT best;
  END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION cubist_rank_player(
  who uuid, of_kind text, of_mode text, of_language text, of_day date
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  standing cubist_standing;
  made bigint;
BEGIN
  IF of_day IS NOT NULL THEN
    SELECT s.points INTO made FROM daily_scores AS s
    WHERE s.day = of_day AND s.mode = of_mode AND s.language = of_language AND s.player = who
      AND NOT EXISTS (SELECT FROM bots AS b WHERE b.player = who);
    PERFORM cubist_put_rank(
      cubist_made_board(of_kind, of_mode, of_language, NULL, NULL, of_day), who, made,
      NULL, NULL, NULL, NULL);
    RETURN;
  END IF;
  FOR standing IN SELECT * FROM cubist_standings_of(who, of_kind, of_mode, of_language) LOOP
    PERFORM cubist_put_rank(
      cubist_made_board(
        of_kind, of_mode, of_language, standing.measure, standing.time_window, NULL),
      who, standing.points, standing.ended_at, standing.expires_at, standing.match, standing.word);
  END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION cubist_rank(items bigint[]) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  item record;
  done integer := 0;
BEGIN
  -- One session counts at a time.
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  FOR item IN
    SELECT player, kind, mode, language, day, array_agg(id) AS ids FROM ranking_queue
    WHERE id = ANY(items) GROUP BY player, kind, mode, language, day ORDER BY min(id)
  LOOP
    BEGIN
      -- A player who was put off loses nothing: all games are looked at then.
      IF NOT EXISTS (
        SELECT FROM ranking_queue AS q
        WHERE q.player = item.player AND q.next_try_at > statement_timestamp()
          AND (q.kind, q.mode, q.language) = (item.kind, item.mode, item.language)
          AND q.day IS NOT DISTINCT FROM item.day)
      THEN
        PERFORM cubist_rank_player(item.player, item.kind, item.mode, item.language, item.day);
      END IF;
      DELETE FROM ranking_queue WHERE id = ANY(item.ids);
    EXCEPTION WHEN OTHERS THEN
      -- A statement that takes too long is no such exception: its caller sees to that.
      PERFORM cubist_put_off_rank(
        item.player, item.kind, item.mode, item.language, item.day, SQLERRM);
    END;
    done := done + 1;
    -- The rest waits for the next time, long before a statement takes too long.
    EXIT WHEN clock_timestamp() >= statement_timestamp() + interval '1 second';
  END LOOP;
  RETURN done;
END
$$;

CREATE OR REPLACE FUNCTION cubist_queue_expired(portion integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  queued integer;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  -- A player with a score that left its window waits like the others. The row is looked at again in
  -- an hour if it is still there.
  WITH expired AS (
    UPDATE board_places SET expires_at = statement_timestamp() + interval '1 hour'
    WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM board_places WHERE expires_at <= statement_timestamp()
      ORDER BY expires_at LIMIT portion))
    RETURNING player, board)
  INSERT INTO ranking_queue (player, day, kind, mode, language)
  SELECT DISTINCT e.player, b.day, b.kind, b.mode, b.language
  FROM expired AS e JOIN boards AS b ON b.id = e.board;
  GET DIAGNOSTICS queued = ROW_COUNT;
  RETURN queued;
END
$$;

CREATE FUNCTION cubist_recount(of_board integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  DELETE FROM board_counts WHERE board = of_board;
  DELETE FROM board_buckets WHERE board = of_board;
  INSERT INTO board_counts (board, points, players)
  SELECT board, points, count(*) FROM board_places WHERE board = of_board GROUP BY board, points;
  INSERT INTO board_buckets (board, bucket, players, scores)
  SELECT board, points >> 8, sum(players), count(*) FROM board_counts
  WHERE board = of_board GROUP BY board, points >> 8;
END
$$;

CREATE OR REPLACE FUNCTION cubist_forget_days(before date, portion integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  gone integer;
  old integer[];
BEGIN
  -- A portion of the rows of the days before one. The scores go first: nobody misses a board
  -- without scores, but scores need their board.
  DELETE FROM daily_scores WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM daily_scores WHERE day < before
    ORDER BY day, mode, language, player LIMIT portion));
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone > 0 THEN RETURN gone; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  old := ARRAY(SELECT id FROM boards WHERE day < before);
  DELETE FROM board_places WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM board_places WHERE board = ANY(old) LIMIT portion));
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone > 0 THEN RETURN gone; END IF;
  DELETE FROM board_counts WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM board_counts WHERE board = ANY(old) LIMIT portion));
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone > 0 THEN RETURN gone; END IF;
  DELETE FROM board_buckets WHERE board = ANY(old);
  DELETE FROM boards WHERE id = ANY(old);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END
$$;

CREATE FUNCTION cubist_wrong_boards(
  who uuid, of_kind text, of_mode text, of_language text, of_day date
) RETURNS TABLE (measure text, time_window text, day date)
LANGUAGE sql STABLE AS $$
  -- The boards on which a player does not stand as the games say, or with wrong counts. A player
  -- who waits for a ranking is not wrong yet, and neither is a score that has just left its
  -- window.
  WITH wanted AS (
    SELECT s.measure, s.time_window, NULL::date AS day, s.points, s.match, s.word
    FROM cubist_standings_of(who, of_kind, of_mode, of_language) AS s
    UNION ALL
    SELECT NULL, NULL, of_day,
      CASE WHEN EXISTS (SELECT FROM bots AS b WHERE b.player = who) THEN NULL ELSE s.points END,
      NULL::uuid, NULL::text
    FROM daily_scores AS s
    WHERE s.day = of_day AND s.mode = of_mode AND s.language = of_language AND s.player = who
  )
  SELECT w.measure, w.time_window, w.day FROM wanted AS w
  LEFT JOIN board_places AS p ON p.player = who AND p.board = cubist_board(
    of_kind, of_mode, of_language, w.measure, w.time_window, w.day)
  WHERE NOT EXISTS (SELECT FROM ranking_queue AS q WHERE q.player = who)
    AND (p.expires_at IS NULL OR p.expires_at > statement_timestamp())
    AND ((w.points, w.match, w.word) IS DISTINCT FROM (p.points, p.match, p.word)
      OR (p.points IS NOT NULL AND (
        (SELECT c.players FROM board_counts AS c WHERE c.board = p.board AND c.points = p.points)
          IS DISTINCT FROM
          (SELECT count(*) FROM board_places AS o WHERE o.board = p.board AND o.points = p.points)
        OR (SELECT (b.players, b.scores) FROM board_buckets AS b
            WHERE b.board = p.board AND b.bucket = p.points >> 8)
          IS DISTINCT FROM
          (SELECT (sum(c.players)::bigint, count(*)) FROM board_counts AS c
            WHERE c.board = p.board AND c.points >= (p.points >> 8) << 8
              AND c.points < ((p.points >> 8) + 1) << 8))))
$$;

CREATE OR REPLACE FUNCTION cubist_words_changed() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  changed hidden_words := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  -- A player who is being ranked just now may have played the word, too.
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  INSERT INTO ranking_queue (player, kind, mode, language)
  SELECT DISTINCT player, kind, mode, language FROM solo_scores
  WHERE language = changed.language AND changed.word = ANY(words);
  RETURN NULL;
END
$$;

-- As the build before reads and calls them, until its processes are replaced.

CREATE FUNCTION cubist_board_name(board boards) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT concat_ws('/', board.kind, board.mode, board.language, board.measure, board.time_window,
    to_char(board.day, 'YYYY-MM-DD'))
$$;

CREATE VIEW ranked AS
SELECT cubist_board_name(b) AS board, p.player, p.points, p.ended_at, p.expires_at, p.match, p.word
FROM boards AS b JOIN board_places AS p ON p.board = b.id;

CREATE VIEW ranked_buckets AS
SELECT cubist_board_name(b) AS board, c.bucket, c.players, c.scores
FROM boards AS b JOIN board_buckets AS c ON c.board = b.id;

COMMENT ON FUNCTION cubist_board_name(boards) IS
  'For processes of the build before, which know boards by names.';
COMMENT ON VIEW ranked IS 'For processes of the build before: see board_places.';
COMMENT ON VIEW ranked_buckets IS 'For processes of the build before: see board_buckets.';

CREATE OR REPLACE FUNCTION cubist_place(of_board text, of_points bigint)
RETURNS TABLE (rank bigint, out_of bigint)
LANGUAGE sql STABLE AS $$
  SELECT o.rank, o.out_of FROM cubist_place(
    (SELECT b.id FROM boards AS b WHERE cubist_board_name(b) = of_board), of_points) AS o
$$;

CREATE OR REPLACE FUNCTION cubist_recount(of_board text) RETURNS void
LANGUAGE sql AS $$
  SELECT cubist_recount(b.id) FROM boards AS b WHERE cubist_board_name(b) = of_board
$$;

CREATE OR REPLACE FUNCTION cubist_stale_boards(
  who uuid, of_kind text, of_mode text, of_language text, of_day date
) RETURNS SETOF text
LANGUAGE sql STABLE AS $$
  SELECT concat_ws('/', of_kind, of_mode, of_language, w.measure, w.time_window,
    to_char(w.day, 'YYYY-MM-DD'))
  FROM cubist_wrong_boards(who, of_kind, of_mode, of_language, of_day) AS w
$$;

-- Guards say how many rows they expected and found.

CREATE FUNCTION cubist_expect(statement text, of_table text, held bigint, expected bigint)
RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  -- Raises unless every row was the one that the batch was judged by. The version without names is
  -- the one that the build before calls.
  IF held <> expected THEN
    RAISE EXCEPTION '%: expected % of % as they were judged, found %',
      statement, expected, of_table, held USING ERRCODE = 'CB001';
  END IF;
END
$$;

CREATE OR REPLACE FUNCTION cubist_guard(ids uuid[], versions bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  held bigint;
BEGIN
  -- Locked in the order of ids, so that two batches never wait for one another.
  SELECT count(*) INTO held FROM (
    SELECT m.id FROM unnest(ids, versions) AS u (id, version)
    JOIN matches AS m ON m.id = u.id AND m.version = u.version
    ORDER BY m.id FOR NO KEY UPDATE OF m
  ) AS locked;
  PERFORM cubist_expect('guardVersions', 'matches', held, cardinality(ids));
END
$$;

CREATE OR REPLACE FUNCTION cubist_guard(ids uuid[], versions bigint[], revocations bigint)
RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  counted bigint;
BEGIN
  IF revocations IS NOT NULL THEN
    -- Batches share it. A session that revokes a key waits until the batches that are being written
    -- are committed. It is taken before any row is locked, so that no holder of a row waits for it.
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('cubist/keys', 0));
    SELECT last_no INTO counted FROM key_revocations;
    IF revocations IS DISTINCT FROM counted THEN
      RAISE EXCEPTION 'guardVersions: a key has been revoked: expected % revocations, found %',
        revocations, counted USING ERRCODE = 'CB001';
    END IF;
  END IF;
  IF cardinality(ids) > 0 THEN
    PERFORM cubist_guard(ids, versions);
  END IF;
END
$$;

CREATE OR REPLACE FUNCTION cubist_use_codes(used text[], players uuid[], at timestamptz)
RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  taken bigint;
BEGIN
  -- Locked in the order of codes, so that two batches never wait for one another.
  PERFORM FROM registration_codes AS c WHERE c.code = ANY(used)
  ORDER BY c.code FOR NO KEY UPDATE OF c;
  UPDATE registration_codes AS c SET used_by = u.player, used_at = at
  FROM unnest(used, players) AS u (code, player)
  WHERE c.code = u.code AND c.used_by IS NULL;
  GET DIAGNOSTICS taken = ROW_COUNT;
  IF taken <> cardinality(used) THEN
    RAISE EXCEPTION 'useCodes: expected % registration_codes that nobody has used, found %',
      cardinality(used), taken USING ERRCODE = 'CB001';
  END IF;
END
$$;

CREATE OR REPLACE FUNCTION cubist_note_problems(of_part text, subjects uuid[], reasons text[]) RETURNS void
LANGUAGE sql AS $$
  -- In the order of subjects, so that two that note never wait for one another.
  INSERT INTO problems AS p (part, subject, since, at, reason)
  SELECT of_part, u.subject, statement_timestamp(), statement_timestamp(), u.reason
  FROM unnest(subjects, reasons) AS u (subject, reason)
  ORDER BY u.subject
  ON CONFLICT (part, subject) DO UPDATE SET at = excluded.at, reason = excluded.reason
$$;

-- Comments in plain words.

CREATE OR REPLACE FUNCTION cubist_rating(who uuid) RETURNS integer
LANGUAGE sql STABLE AS $$
  -- A player without a rating counts as the middle.
  SELECT coalesce((SELECT points FROM ratings WHERE player = who), 1500)
$$;

CREATE OR REPLACE FUNCTION cubist_retire_bots(rated uuid[]) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  seen uuid[];
  retired integer;
BEGIN
  -- One session rates and counts at a time. Another one leaves it to that one.
  IF NOT pg_try_advisory_xact_lock(hashtextextended('cubist/rater', 0)) THEN RETURN 0; END IF;
  WITH settled AS (
    UPDATE bots SET is_settled = true
    WHERE player = ANY(ARRAY(
      SELECT player FROM bots WHERE NOT is_settled ORDER BY player LIMIT 1000))
    RETURNING player)
  SELECT coalesce(array_agg(player), '{}') INTO seen FROM settled;
  WITH gone AS (
    UPDATE ratings AS r SET is_bot = true FROM bots AS b
    WHERE r.player = ANY(seen || rated) AND b.player = r.player AND NOT r.is_bot
    RETURNING r.points),
  counts AS (SELECT points, count(*)::integer AS players FROM gone GROUP BY points),
  moved AS (
    INSERT INTO ladder_counts AS c (points, players) SELECT points, -players FROM counts
    ON CONFLICT (points) DO UPDATE SET players = c.players + excluded.players)
  SELECT coalesce(sum(players), 0) INTO retired FROM counts;
  RETURN retired;
END
$$;

CREATE OR REPLACE FUNCTION cubist_declare_bots(declared uuid[], at timestamptz) RETURNS void
LANGUAGE sql AS $$
  -- An account that is declared again stays as it is. A new bot is ranked anew wherever it may have a
  -- place to lose.
  WITH new AS (
    INSERT INTO bots (player, declared_at)
    SELECT DISTINCT u.player, at FROM unnest(declared) AS u (player) ORDER BY u.player
    ON CONFLICT DO NOTHING
    RETURNING player)
  INSERT INTO ranking_queue (player, day, kind, mode, language)
  SELECT DISTINCT n.player, NULL::date, s.kind, s.mode, s.language
  FROM new AS n JOIN solo_scores AS s ON s.player = n.player
  UNION ALL
  SELECT n.player, c.day, 'daily', c.mode, c.language
  FROM new AS n CROSS JOIN daily_challenges AS c
  JOIN daily_scores AS s ON s.day = c.day AND s.mode = c.mode AND s.language = c.language
    AND s.player = n.player
$$;

COMMENT ON TABLE service IS 'The identity of this deployment: one row.';
COMMENT ON TABLE player_settings IS
  'The settings of players, and the time until which they have seen notifications. A player '
  'without a row has neither set nor seen anything.';
COMMENT ON COLUMN player_settings.seen_until IS
  'Notifications that were sent until then count as seen. Null: only those with seen_at.';
COMMENT ON TABLE key_revocations IS
  'How many keys have been revoked: one row. A worker''s knowledge of keys holds as long as the '
  'number stays.';
COMMENT ON TABLE registration IS 'Whether anybody may register, or only with a code: one row.';
COMMENT ON COLUMN matches.due IS
  'The deadline in units of ten minutes since 1970. The index is on this and not on the deadline. A '
  'turn moves the deadline by little, so it seldom touches an index.';
COMMENT ON COLUMN matches.successor IS
  'The rematch of this match. It stands beside the record, which is closed by then.';
COMMENT ON COLUMN matches.declined_seat IS
  'The seat of the last declined offer of a rematch. It stands beside the record.';
COMMENT ON COLUMN matches.remind_at IS
  'When to look whether the player with the turn is to be reminded. Null: nobody has the turn, or '
  'the player has been reminded.';
COMMENT ON COLUMN matches.state IS
  'See MatchCore, Match.encodedState(). It is the last column because its end stays as it is: of an '
  'updated row, only the part between the unchanged beginning and end is logged.';
COMMENT ON TABLE entries IS
  'The record of every match, kept for ever: each signed event, byte for byte, in order.';
COMMENT ON TABLE seats IS 'The players of matches that are not over, by seat, invited ones included.';
COMMENT ON TABLE past_games IS
  'Ended matches that were played, once for each of their players, kept for ever.';
COMMENT ON TABLE blocks IS
  'Blocks of players by players. A block holds in both directions.';
COMMENT ON TABLE stranger_invitations IS
  'How often a player was invited on a day (UTC) by each player never met before, kept two days.';
COMMENT ON TABLE daily_scores IS 'The points of each player in each day''s challenge so far.';
COMMENT ON TABLE ratings IS 'The rating of every player with an ended rated match.';
COMMENT ON TABLE rating_results IS
  'The effect of each match on each player''s rating, and the values that it was computed from, kept '
  'for ever. Any rating can be computed again in the order of rating_no.';
COMMENT ON TABLE deliveries IS
  'The fate of each push job, kept 30 days. It is not partitioned: a job''s id tells no day, and only '
  'a key over all days lets the first word on a job stand.';
COMMENT ON TABLE dead_events IS
  'Events that no worker could handle, kept 30 days for a person to look at. Player and event are 0 '
  'if the event ended three workers and was not read again.';
COMMENT ON TABLE trials IS
  'Messages, by their SHA-256, that came so often that each reading is noted: how many workers have '
  'begun to read one and have not said that they lived on.';
COMMENT ON COLUMN queue_clocks.outage_from IS
  'The last time without ticks that was credited. A deadline that is set within it gets only the '
  'rest of it.';
COMMENT ON COLUMN queue_layout.slot_credits IS
  'The credit of each slot beside its queue''s, in microseconds. A slot brings it along from the '
  'queue that served it before the number of queues changed. Empty: no slot has any.';
COMMENT ON COLUMN queue_layout.unmoved IS
  'Former numbers of queues, as long as events may wait in queues that served their slots then. No '
  'role works until cubistd setup has moved them.';
COMMENT ON TABLE housekeeping IS
  'The time by which rows are judged too old to be kept: one row. It goes forward by two hours a '
  'round at most, so that a clock that is set forth makes nothing old at once.';
COMMENT ON COLUMN roles.problem IS 'The reason why it cannot work; null: it works.';
COMMENT ON TABLE operator_acts IS 'The acts of operators outside of matches.';
COMMENT ON TABLE shared_games IS
  'The codes with which anyone may see one game. A code follows from the service''s secret and the '
  'match. Only this table says that the game was shared.';
COMMENT ON FUNCTION cubist_guard(uuid[], bigint[], bigint) IS
  'The guard of a batch. It raises: in a pipeline that commits, a count would be read too late.';
COMMENT ON FUNCTION cubist_expect(text, text, bigint, bigint) IS
  'The guard of the rows that a batch updates: raises unless every row was found as it was judged.';
COMMENT ON FUNCTION cubist_guard_blocks(uuid[], uuid[], uuid[]) IS
  'The guard of a batch in which players meet: raises if one of them has blocked the other '
  'meanwhile. A block takes a lock that no batch in which the player meets anybody can have at once.';
COMMENT ON FUNCTION cubist_add_partitions(timestamptz, integer) IS
  'Makes partitions by UTC day, one step a call. A row without a partition lands in the default one. '
  'A session that waits for a lock here holds up all later ones, so it waits for a moment only.';
COMMENT ON FUNCTION cubist_retire_bots(uuid[]) IS
  'Takes bots off the ladder: those that were just rated, and those that were declared lately.';

INSERT INTO schema_version (version) VALUES (17);
