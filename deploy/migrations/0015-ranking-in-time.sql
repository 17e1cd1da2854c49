-- A player whose ranking takes too long keeps nobody else from it. A place is found without reading
-- the words of thousands of games.

CREATE INDEX ranking_queue_put_off ON ranking_queue (player) WHERE next_try_at IS NOT NULL;

CREATE OR REPLACE FUNCTION cubist_standings_of(who uuid, of_kind text, of_mode text, of_language text)
RETURNS SETOF cubist_standing
LANGUAGE plpgsql STABLE AS $$
DECLARE
  -- Where a player has to stand on the boards of a kind, by all games that are kept; without
  -- points: nowhere.
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
BEGIN
  FOREACH named IN ARRAY ARRAY['day', 'week', 'all'] LOOP
    span := CASE named WHEN 'day' THEN interval '24 hours' WHEN 'week' THEN interval '168 hours' END;
    since := coalesce(statement_timestamp() - span, '-infinity');
    best := none;
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

CREATE FUNCTION cubist_put_off_rank(
  who uuid, of_kind text, of_mode text, of_language text, of_day date, why text
) RETURNS void
LANGUAGE sql AS $$
  -- The others go on; this one is tried again after ever longer times, up to an hour and a half.
  WITH waiting AS (
    DELETE FROM ranking_queue
    WHERE player = who AND kind = of_kind AND mode = of_mode AND language = of_language
      AND day IS NOT DISTINCT FROM of_day
    RETURNING failures)
  INSERT INTO ranking_queue (player, day, kind, mode, language, failures, next_try_at, problem)
  SELECT who, of_day, of_kind, of_mode, of_language, max(failures) + 1,
    statement_timestamp() + interval '10 seconds' * 2 ^ least(max(failures), 9), why
  FROM waiting HAVING count(*) > 0
$$;

CREATE FUNCTION cubist_rank(items bigint[]) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  item record;
  done integer := 0;
BEGIN
  -- One at a time: whoever counts, counts alone.
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  FOR item IN
    SELECT player, kind, mode, language, day, array_agg(id) AS ids FROM ranking_queue
    WHERE id = ANY(items) GROUP BY player, kind, mode, language, day ORDER BY min(id)
  LOOP
    BEGIN
      -- Nothing is lost of a player who was put off: all games are looked at then.
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

CREATE OR REPLACE FUNCTION cubist_rank_next(portion integer) RETURNS integer
LANGUAGE sql AS $$
  SELECT cubist_rank(ARRAY(
    SELECT id FROM ranking_queue
    WHERE next_try_at IS NULL OR next_try_at <= statement_timestamp()
    ORDER BY id LIMIT portion))
$$;

CREATE FUNCTION cubist_queue_expired(portion integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  queued integer;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  -- Whoever stands by a score that has left its window waits like the others. The row is looked at
  -- again in an hour if it is still there.
  WITH expired AS (
    UPDATE ranked SET expires_at = statement_timestamp() + interval '1 hour'
    WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM ranked WHERE expires_at <= statement_timestamp()
      ORDER BY expires_at LIMIT portion))
    RETURNING player, board)
  INSERT INTO ranking_queue (player, kind, mode, language)
  SELECT DISTINCT player, split_part(board, '/', 1), split_part(board, '/', 2),
    split_part(board, '/', 3)
  FROM expired;
  GET DIAGNOSTICS queued = ROW_COUNT;
  RETURN queued;
END
$$;

DROP FUNCTION cubist_rank_apart(uuid, text, text, text, date, integer);

INSERT INTO schema_version (version) VALUES (15);
