-- A hostile client cannot stop, blind or cheat the others.

-- All at once: a session that has to wait for one of them has not built anything in vain.
LOCK TABLE seats, players, ranking_queue, solo_scores;

COMMENT ON TABLE dead_events IS
  'What no worker could handle, kept 30 days for a person to look at: what a known player signed, '
  'and, with player and event 0, what came ten times and was not read again.';

CREATE TABLE dead_jobs (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL,
  reason text NOT NULL,
  body bytea NOT NULL
);
CREATE INDEX dead_jobs_at ON dead_jobs (at);
COMMENT ON TABLE dead_jobs IS
  'Push jobs that push workers gave up, kept 30 days for a person to look at. The id is a hash of the '
  'body, so that a job that is given up twice is kept once.';

-- A player's matches and the invitations to that player are found apart, the newest first; and the
-- registrations of an hour are counted.
DROP INDEX seats_player;
CREATE INDEX seats_player ON seats (player, is_invited, match);
CREATE INDEX players_registered_at ON players (registered_at);

-- Ranking: one player who cannot be ranked keeps nobody else from it, and however many games a
-- player has, few are looked at.

ALTER TABLE ranking_queue
  ADD COLUMN failures integer NOT NULL DEFAULT 0,
  ADD COLUMN next_try_at timestamptz,
  ADD COLUMN problem text;
COMMENT ON COLUMN ranking_queue.failures IS
  'How often ranking the player has failed in a row, the last time with this problem; it is not '
  'tried again before next_try_at.';

CREATE INDEX solo_scores_best ON solo_scores
  (player, kind, mode, language, points DESC, ended_at DESC, match DESC);
CREATE INDEX solo_scores_best_words ON solo_scores
  (player, kind, mode, language, (word_points[1]) DESC, ended_at DESC, match DESC);
DROP INDEX solo_scores_points;
DROP INDEX solo_scores_words;

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
    FOR game IN
      SELECT g.words, g.word_points, g.ended_at, g.match FROM (
        (SELECT s.words, s.word_points, s.ended_at, s.match FROM solo_scores AS s
        WHERE s.player = who AND s.kind = of_kind AND s.mode = of_mode AND s.language = of_language
          AND s.word_points[1] IS NOT NULL
        ORDER BY s.word_points[1] DESC, s.ended_at DESC, s.match DESC LIMIT at_most)
        UNION
        (SELECT s.words, s.word_points, s.ended_at, s.match FROM solo_scores AS s
        WHERE s.player = who AND s.kind = of_kind AND s.mode = of_mode AND s.language = of_language
          AND s.ended_at > since
        ORDER BY s.ended_at DESC LIMIT at_most)
      ) AS g
      WHERE g.ended_at > since AND g.word_points[1] IS NOT NULL
      ORDER BY g.word_points[1] DESC, g.ended_at DESC, g.match DESC
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

CREATE FUNCTION cubist_rank_apart(
  who uuid, of_kind text, of_mode text, of_language text, of_day date, failed integer
) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM cubist_rank_player(who, of_kind, of_mode, of_language, of_day);
  RETURN true;
EXCEPTION WHEN OTHERS THEN
  -- The others go on; this one is tried again after ever longer times, up to an hour and a half.
  INSERT INTO ranking_queue (player, day, kind, mode, language, failures, next_try_at, problem)
  VALUES (who, of_day, of_kind, of_mode, of_language, failed + 1,
    statement_timestamp() + interval '10 seconds' * 2 ^ least(failed, 9), SQLERRM);
  RETURN false;
END
$$;

CREATE OR REPLACE FUNCTION cubist_rank_next(portion integer) RETURNS integer
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
        SELECT id FROM ranking_queue
        WHERE next_try_at IS NULL OR next_try_at <= statement_timestamp()
        ORDER BY id LIMIT portion)
      RETURNING player, kind, mode, language, day, failures)
    SELECT player, kind, mode, language, day, max(failures) AS failures FROM taken
    GROUP BY player, kind, mode, language, day ORDER BY 1, 2, 3, 4, 5
  LOOP
    PERFORM cubist_rank_apart(
      item.player, item.kind, item.mode, item.language, item.day, item.failures);
    done := done + 1;
  END LOOP;
  FOR item IN
    SELECT DISTINCT player, split_part(board, '/', 1) AS kind, split_part(board, '/', 2) AS mode,
      split_part(board, '/', 3) AS language
    FROM (SELECT player, board FROM ranked WHERE expires_at <= statement_timestamp()
      ORDER BY expires_at LIMIT portion) AS expired
  LOOP
    IF NOT cubist_rank_apart(item.player, item.kind, item.mode, item.language, NULL, 0) THEN
      -- Or else it would be the first one again and again.
      UPDATE ranked SET expires_at = statement_timestamp() + interval '1 hour'
      WHERE player = item.player AND expires_at <= statement_timestamp()
        AND starts_with(board, concat_ws('/', item.kind, item.mode, item.language, ''));
    END IF;
    done := done + 1;
  END LOOP;
  RETURN done;
END
$$;

INSERT INTO schema_version (version) VALUES (10);
