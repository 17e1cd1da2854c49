-- Accounts that are declared a bot's: their games have no place on any board.

CREATE TABLE bots (
  player uuid PRIMARY KEY,
  declared_at timestamptz NOT NULL,
  is_settled boolean NOT NULL DEFAULT false
);
CREATE INDEX bots_unsettled ON bots (player) WHERE NOT is_settled;
COMMENT ON TABLE bots IS
  'Accounts that are declared a bot''s, for ever: they have no place on any board.';
COMMENT ON COLUMN bots.is_settled IS
  'Whether the rater has seen it, so that the player is not on the ladder.';

ALTER TABLE ratings ADD COLUMN is_bot boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN ratings.is_bot IS
  'Whether the rater has taken the player off the ladder; see bots.';
DROP INDEX ratings_ladder;
CREATE INDEX ratings_ladder ON ratings (points, player) WHERE NOT is_bot;
COMMENT ON TABLE ladder_counts IS
  'How many players who are no bots have so many points, so that a rank is found without counting '
  'players.';

CREATE OR REPLACE FUNCTION cubist_standings_of(who uuid, of_kind text, of_mode text, of_language text)
RETURNS SETOF cubist_standing
LANGUAGE plpgsql STABLE AS $$
DECLARE
  -- Where a player has to stand on the boards of a kind, by all games that are kept; without
  -- points: nowhere. A bot stands nowhere.
  --
  -- However many games a player has, so many are looked at for each standing: first the best ever,
  -- and where none of those that count is among them the latest. Somebody with more games than that
  -- within a window may so stand by a game that is not the best of it.
  at_most CONSTANT integer := 2000;
  base text := of_kind || '/' || of_mode || '/' || of_language;
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
      best.board := base || '/points/' || named;
      RETURN NEXT best;
      best.board := base || '/words/' || named;
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
    best.board := base || '/points/' || named;
    RETURN NEXT best;

    best := none;
    -- One part after the other, each with its best first. Words are long: they are read of those
    -- games alone that may be better.
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
      -- The words are sorted: what follows cannot be better.
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
    best.board := base || '/words/' || named;
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

CREATE OR REPLACE FUNCTION cubist_stale_boards(
  who uuid, of_kind text, of_mode text, of_language text, of_day date
) RETURNS SETOF text
LANGUAGE sql STABLE AS $$
  -- The boards on which a player does not stand as the games say, or whose counts do not fit; what
  -- waits to be ranked, or has just left its window, is not wrong yet.
  WITH wanted AS (
    SELECT board, points, match, word FROM cubist_standings_of(who, of_kind, of_mode, of_language)
    UNION ALL
    SELECT of_kind || '/' || of_mode || '/' || of_language || '/' || to_char(of_day, 'YYYY-MM-DD'),
      CASE WHEN EXISTS (SELECT FROM bots AS b WHERE b.player = who) THEN NULL ELSE s.points END,
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

CREATE FUNCTION cubist_declare_bots(declared uuid[], at timestamptz) RETURNS void
LANGUAGE sql AS $$
  -- Who is declared again stays what it is. Whoever is new is ranked anew wherever there may be a
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

CREATE FUNCTION cubist_retire_bots(rated uuid[]) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  seen uuid[];
  retired integer;
BEGIN
  -- Takes bots off the ladder: those that were just rated, and those that were declared lately. Who
  -- rates and counts does so alone: who cannot leaves it to whoever does.
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

INSERT INTO schema_version (version) VALUES (16);
