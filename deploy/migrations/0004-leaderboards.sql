-- Leaderboards. The result of a game of one player goes to solo_scores in the transaction that ends
-- it. The scheduler that leads counts ranks afterwards, in transactions of its own. So no turn waits
-- for a rank, and no two workers meet on a counter. A board is named kind/mode/language/measure/window
-- (solo/timed/en/points/week), the results of one day's challenge daily/mode/language/day.

CREATE TABLE solo_scores (
  match uuid PRIMARY KEY,
  player uuid NOT NULL,
  ended_at timestamptz NOT NULL,
  points bigint NOT NULL,
  kind text NOT NULL,
  mode text NOT NULL,
  language text NOT NULL,
  words text[] NOT NULL,
  word_points bigint[] NOT NULL
);
CREATE INDEX solo_scores_points ON solo_scores (player, kind, mode, language, points DESC);
CREATE INDEX solo_scores_words ON solo_scores (player, kind, mode, language, (word_points[1]) DESC);
CREATE INDEX solo_scores_ended ON solo_scores (player, kind, mode, language, ended_at);
COMMENT ON TABLE solo_scores IS
  'Points and words of every ended game of one player, the best word first.';

CREATE TABLE ranked (
  board text NOT NULL,
  player uuid NOT NULL,
  points bigint NOT NULL,
  ended_at timestamptz,
  expires_at timestamptz,
  match uuid,
  word text,
  PRIMARY KEY (board, player)
);
CREATE INDEX ranked_best ON ranked (board, points DESC, player);
CREATE INDEX ranked_expiry ON ranked (expires_at) WHERE expires_at IS NOT NULL;
COMMENT ON TABLE ranked IS
  'The one score by which a player stands on a board, until a better one comes or it leaves the '
  'board''s window.';

CREATE TABLE ranked_counts (
  board text NOT NULL,
  points bigint NOT NULL,
  players bigint NOT NULL,
  PRIMARY KEY (board, points)
) WITH (fillfactor = 70);
COMMENT ON TABLE ranked_counts IS 'How many players stand on a board with just those points.';

CREATE TABLE ranked_buckets (
  board text NOT NULL,
  bucket bigint NOT NULL,
  players bigint NOT NULL,
  scores bigint NOT NULL,
  PRIMARY KEY (board, bucket)
) WITH (fillfactor = 50);
COMMENT ON TABLE ranked_buckets IS
  'For each 256 points of a board: how many players, and how many different scores. A rank is the '
  'sum over the buckets above and a count within one.';

CREATE TABLE ranking_queue (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  player uuid NOT NULL,
  day date,
  kind text NOT NULL,
  mode text NOT NULL,
  language text NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
COMMENT ON TABLE ranking_queue IS
  'Players whose standing may have changed: with a day in that day''s challenge, else on the boards '
  'of that kind, mode and language.';

CREATE TABLE hidden_words (
  language text NOT NULL,
  word text NOT NULL,
  hidden_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (language, word)
);
COMMENT ON TABLE hidden_words IS 'Words that no board shows, as an operator decided.';

CREATE FUNCTION cubist_words_changed() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  changed hidden_words := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  -- Whom a rank is being counted for just now may have played it, too.
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  INSERT INTO ranking_queue (player, kind, mode, language)
  SELECT DISTINCT player, kind, mode, language FROM solo_scores
  WHERE language = changed.language AND changed.word = ANY(words);
  RETURN NULL;
END
$$;
CREATE TRIGGER hidden_words_changed AFTER INSERT OR DELETE ON hidden_words
FOR EACH ROW EXECUTE FUNCTION cubist_words_changed();

CREATE FUNCTION cubist_place(of_board text, of_points bigint)
RETURNS TABLE (rank bigint, out_of bigint)
LANGUAGE sql STABLE AS $$
  -- Dense: one more than there are different scores above. One SELECT, so that a query that asks
  -- for many places is planned once, with this within it.
  SELECT 1 + b.higher + c.higher, b.players
  FROM (SELECT coalesce(sum(players), 0)::bigint AS players,
      coalesce(sum(scores) FILTER (WHERE bucket > of_points >> 8), 0)::bigint AS higher
    FROM ranked_buckets WHERE board = of_board) AS b
  CROSS JOIN (SELECT count(*) AS higher FROM ranked_counts
    WHERE board = of_board AND points > of_points
      AND points < ((of_points >> 8) + 1) << 8) AS c
$$;

CREATE FUNCTION cubist_count(of_board text, of_points bigint, change integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  now_there bigint;
  new_scores integer := 0;
BEGIN
  INSERT INTO ranked_counts AS c (board, points, players) VALUES (of_board, of_points, change)
  ON CONFLICT (board, points) DO UPDATE SET players = c.players + change
  RETURNING players INTO now_there;
  IF now_there <= 0 THEN
    DELETE FROM ranked_counts WHERE board = of_board AND points = of_points;
    new_scores := -1;
  ELSIF now_there = 1 AND change = 1 THEN
    new_scores := 1;
  END IF;
  INSERT INTO ranked_buckets AS b (board, bucket, players, scores)
  VALUES (of_board, of_points >> 8, change, new_scores)
  ON CONFLICT (board, bucket) DO UPDATE
  SET players = b.players + change, scores = b.scores + new_scores;
END
$$;

CREATE FUNCTION cubist_put_rank(
  of_board text, who uuid, new_points bigint, ended timestamptz, expires timestamptz,
  of_match uuid, spelled text
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  old_points bigint;
BEGIN
  SELECT r.points INTO old_points FROM ranked AS r WHERE r.board = of_board AND r.player = who;
  IF new_points IS NOT NULL THEN
    INSERT INTO ranked AS r (board, player, points, ended_at, expires_at, match, word)
    VALUES (of_board, who, new_points, ended, expires, of_match, spelled)
    ON CONFLICT (board, player) DO UPDATE
    SET points = excluded.points, ended_at = excluded.ended_at,
      expires_at = excluded.expires_at, match = excluded.match, word = excluded.word
    WHERE (r.points, r.ended_at, r.expires_at, r.match, r.word)
      IS DISTINCT FROM (new_points, ended, expires, of_match, spelled);
  ELSIF old_points IS NOT NULL THEN
    DELETE FROM ranked WHERE board = of_board AND player = who;
  END IF;
  IF old_points IS DISTINCT FROM new_points THEN
    IF old_points IS NOT NULL THEN PERFORM cubist_count(of_board, old_points, -1); END IF;
    IF new_points IS NOT NULL THEN PERFORM cubist_count(of_board, new_points, 1); END IF;
  END IF;
END
$$;

CREATE TYPE cubist_standing AS (
  board text, points bigint, ended_at timestamptz, expires_at timestamptz, match uuid, word text
);

CREATE FUNCTION cubist_standings_of(who uuid, of_kind text, of_mode text, of_language text)
RETURNS SETOF cubist_standing
LANGUAGE plpgsql STABLE AS $$
DECLARE
  -- Where a player has to stand on the boards of a kind, by all games that are kept; without
  -- points: nowhere.
  base text := of_kind || '/' || of_mode || '/' || of_language;
  named text;
  span interval;
  since timestamptz;
  game record;
  best cubist_standing;
  none cubist_standing;
BEGIN
  FOREACH named IN ARRAY ARRAY['day', 'week', 'all'] LOOP
    span := CASE named WHEN 'day' THEN interval '24 hours' WHEN 'week' THEN interval '168 hours' END;
    since := coalesce(statement_timestamp() - span, '-infinity');
    best := none;
    SELECT s.points, s.ended_at, s.match INTO game FROM solo_scores AS s
    WHERE s.player = who AND s.kind = of_kind AND s.mode = of_mode AND s.language = of_language
      AND s.ended_at > since AND s.points > 0
    -- Of equal ones the latest stays in the window the longest.
    ORDER BY s.points DESC, s.ended_at DESC, s.match DESC LIMIT 1;
    IF FOUND THEN
      best.points := game.points;
      best.ended_at := game.ended_at;
      best.expires_at := game.ended_at + span;
      best.match := game.match;
    END IF;
    best.board := base || '/points/' || named;
    RETURN NEXT best;

    best := none;
    FOR game IN
      SELECT s.words, s.word_points, s.ended_at, s.match FROM solo_scores AS s
      WHERE s.player = who AND s.kind = of_kind AND s.mode = of_mode AND s.language = of_language
        AND s.ended_at > since AND s.word_points[1] IS NOT NULL
      ORDER BY s.word_points[1] DESC, s.ended_at DESC, s.match DESC
    LOOP
      -- The words are sorted: what follows cannot be better.
      EXIT WHEN best.points >= game.word_points[1];
      FOR i IN 1..cardinality(game.words) LOOP
        EXIT WHEN best.points >= game.word_points[i];
        IF NOT EXISTS (SELECT FROM hidden_words AS h
          WHERE h.language = of_language AND h.word = game.words[i])
        THEN
          best.points := game.word_points[i];
          best.word := game.words[i];
          best.ended_at := game.ended_at;
          best.expires_at := game.ended_at + span;
          best.match := game.match;
          EXIT;
        END IF;
      END LOOP;
    END LOOP;
    best.board := base || '/words/' || named;
    RETURN NEXT best;
  END LOOP;
END
$$;

CREATE FUNCTION cubist_rank_player(
  who uuid, of_kind text, of_mode text, of_language text, of_day date
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  standing cubist_standing;
  made bigint;
BEGIN
  IF of_day IS NOT NULL THEN
    SELECT s.points INTO made FROM daily_scores AS s
    WHERE s.day = of_day AND s.mode = of_mode AND s.language = of_language AND s.player = who;
    PERFORM cubist_put_rank(
      of_kind || '/' || of_mode || '/' || of_language || '/' || to_char(of_day, 'YYYY-MM-DD'), who, made,
      NULL, NULL, NULL, NULL);
    RETURN;
  END IF;
  FOR standing IN SELECT * FROM cubist_standings_of(who, of_kind, of_mode, of_language) LOOP
    PERFORM cubist_put_rank(standing.board, who, standing.points, standing.ended_at,
      standing.expires_at, standing.match, standing.word);
  END LOOP;
END
$$;

CREATE FUNCTION cubist_rank_next(portion integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  item record;
  done integer := 0;
BEGIN
  -- One at a time: whoever counts, counts alone.
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  FOR item IN
    WITH taken AS (
      DELETE FROM ranking_queue WHERE id IN (
        SELECT id FROM ranking_queue ORDER BY id LIMIT portion)
      RETURNING player, kind, mode, language, day)
    SELECT DISTINCT player, kind, mode, language, day FROM taken ORDER BY 1, 2, 3, 4, 5
  LOOP
    PERFORM cubist_rank_player(item.player, item.kind, item.mode, item.language, item.day);
    done := done + 1;
  END LOOP;
  FOR item IN
    SELECT DISTINCT player, split_part(board, '/', 1) AS kind, split_part(board, '/', 2) AS mode,
      split_part(board, '/', 3) AS language
    FROM (SELECT player, board FROM ranked WHERE expires_at <= statement_timestamp()
      ORDER BY expires_at LIMIT portion) AS expired
  LOOP
    PERFORM cubist_rank_player(item.player, item.kind, item.mode, item.language, NULL);
    done := done + 1;
  END LOOP;
  RETURN done;
END
$$;

CREATE FUNCTION cubist_recount(of_board text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  DELETE FROM ranked_counts WHERE board = of_board;
  DELETE FROM ranked_buckets WHERE board = of_board;
  INSERT INTO ranked_counts (board, points, players)
  SELECT board, points, count(*) FROM ranked WHERE board = of_board GROUP BY board, points;
  INSERT INTO ranked_buckets (board, bucket, players, scores)
  SELECT board, points >> 8, sum(players), count(*) FROM ranked_counts
  WHERE board = of_board GROUP BY board, points >> 8;
END
$$;

CREATE FUNCTION cubist_stale_boards(
  who uuid, of_kind text, of_mode text, of_language text, of_day date
) RETURNS SETOF text
LANGUAGE sql STABLE AS $$
  -- The boards on which a player does not stand as the games say, or whose counts do not fit; what
  -- waits to be ranked, or has just left its window, is not wrong yet.
  WITH wanted AS (
    SELECT board, points, match, word FROM cubist_standings_of(who, of_kind, of_mode, of_language)
    UNION ALL
    SELECT of_kind || '/' || of_mode || '/' || of_language || '/' || to_char(of_day, 'YYYY-MM-DD'), s.points,
      NULL::uuid, NULL::text
    FROM daily_scores AS s
    WHERE s.day = of_day AND s.mode = of_mode AND s.language = of_language AND s.player = who
  )
  SELECT w.board FROM wanted AS w
  LEFT JOIN ranked AS r ON r.board = w.board AND r.player = who
  WHERE NOT EXISTS (SELECT FROM ranking_queue AS q WHERE q.player = who)
    AND (r.expires_at IS NULL OR r.expires_at > statement_timestamp())
    AND ((w.points, w.match, w.word) IS DISTINCT FROM (r.points, r.match, r.word)
      OR (r.points IS NOT NULL AND (
        (SELECT c.players FROM ranked_counts AS c WHERE c.board = r.board AND c.points = r.points)
          IS DISTINCT FROM
          (SELECT count(*) FROM ranked AS o WHERE o.board = r.board AND o.points = r.points)
        OR (SELECT (b.players, b.scores) FROM ranked_buckets AS b
            WHERE b.board = r.board AND b.bucket = r.points >> 8)
          IS DISTINCT FROM
          (SELECT (sum(c.players)::bigint, count(*)) FROM ranked_counts AS c
            WHERE c.board = r.board AND c.points >= (r.points >> 8) << 8
              AND c.points < ((r.points >> 8) + 1) << 8))))
$$;

-- Games that were shared, and the index by which past games of rare kinds and results are found.

CREATE TABLE shared_games (
  code text PRIMARY KEY,
  match uuid NOT NULL,
  shared_at timestamptz NOT NULL
);
COMMENT ON TABLE shared_games IS
  'The codes with which anyone may see one game. A code follows from the service''s secret and the '
  'match; that it was shared stands here alone.';

CREATE INDEX past_games_kind ON past_games (player, kind, result, ended_at, match);

INSERT INTO schema_version (version) VALUES (4);
