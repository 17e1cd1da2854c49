-- A player can have the account deleted. The name and everything beside the matches go; the matches,
-- their records and their results stay, and name nobody.

CREATE TABLE departures (
  player uuid PRIMARY KEY,
  asked_at timestamptz,
  gone_at timestamptz,
  is_settled boolean NOT NULL DEFAULT false
);
CREATE INDEX departures_asked ON departures (asked_at, player) WHERE gone_at IS NULL AND asked_at IS NOT NULL;
CREATE INDEX departures_unsettled ON departures (gone_at, player) WHERE gone_at IS NOT NULL AND NOT is_settled;
COMMENT ON TABLE departures IS 'Players who have asked for the end of their account, and players who are gone. A row is kept for ever.';
COMMENT ON COLUMN departures.asked_at IS 'When the player asked, 72 hours before the account may end; null: the player has taken it back.';
COMMENT ON COLUMN departures.gone_at IS 'Since when the player is gone; null: not yet.';
COMMENT ON COLUMN departures.is_settled IS 'Whether the housekeeper has seen that no match of the player who is gone runs any more.';

CREATE TABLE reserved_names (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  until timestamptz NOT NULL
);
CREATE INDEX reserved_names_until ON reserved_names (until);
COMMENT ON TABLE reserved_names IS 'Names of players who are gone, so that nobody takes one shortly after and passes for its former owner.';
COMMENT ON COLUMN reserved_names.hash IS 'SHA-256 of the skeleton of the name.';

-- Nobody registers a name that looks like another one: the two have the same skeleton, with each
-- character as that which looks like it, by the confusables of Unicode. Players who have such names
-- already keep them, so that the index is not unique.
CREATE INDEX players_skeleton ON players (replace(translate(name_key, '01i', 'oll'), 'm', 'rn'));

-- A block goes with either of its players.
CREATE INDEX blocks_blocked ON blocks (blocked);

COMMENT ON TABLE bots IS 'Accounts that have no place on any board, for ever: those declared a bot''s, and those of players who are gone.';

CREATE FUNCTION cubist_remove_player(leaver uuid, at timestamptz, asked_until timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- The caller has the locks on the player's keys and on all keys. Without a time it is an operator
  -- who removes the player.
  IF asked_until IS NULL THEN
    INSERT INTO departures AS d (player, asked_at, gone_at)
    SELECT id, at, at FROM players WHERE id = leaver
    ON CONFLICT (player) DO UPDATE SET asked_at = coalesce(d.asked_at, at), gone_at = at
      WHERE d.gone_at IS NULL;
  ELSE
    -- Each key that speaks has had the same time to take it back, and so has one that a recovery is
    -- about to bring in.
    UPDATE departures SET gone_at = at
    WHERE player = leaver AND gone_at IS NULL AND asked_at <= asked_until
      AND NOT EXISTS (SELECT FROM recoveries WHERE player = leaver AND recovery IS NOT NULL)
      AND NOT EXISTS (
        SELECT FROM player_keys
        WHERE player = leaver AND revoked_at IS NULL AND added_at > asked_until);
  END IF;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE player_keys SET revoked_at = at WHERE player = leaver AND revoked_at IS NULL;
  -- No batch that was judged before is committed after this, even if every key was revoked already.
  UPDATE key_revocations SET last_no = last_no + 1;
  INSERT INTO reserved_names (hash, until)
  SELECT sha256(convert_to(replace(translate(name_key, '01i', 'oll'), 'm', 'rn'), 'UTF8')),
    at + interval '90 days'
  FROM players WHERE id = leaver
  ON CONFLICT (hash) DO UPDATE SET until = excluded.until;
  -- No name has a space in it, so nobody is found by this one.
  UPDATE players SET name = 'gone', name_key = 'gone ' || id WHERE id = leaver;
  DELETE FROM player_settings WHERE player = leaver;
  DELETE FROM devices WHERE player = leaver;
  DELETE FROM device_invitations WHERE player = leaver;
  DELETE FROM recoveries WHERE player = leaver;
  DELETE FROM blocks WHERE player = leaver OR blocked = leaver;
  DELETE FROM rematch_offers WHERE from_player = leaver OR to_player = leaver;
  PERFORM cubist_declare_bots(ARRAY[leaver], at);
  RETURN true;
END
$$;
COMMENT ON FUNCTION cubist_remove_player(uuid, timestamptz, timestamptz) IS
  'Removes the name of a player and all rows beside the matches. False: there is no such player, the player is gone already, or has not asked in time.';

-- Reminders come before quiet hours for players who want neither a digest nor a review, too.
UPDATE player_settings SET next_digest_at = now() WHERE quiet_from IS NOT NULL AND next_digest_at IS NULL;

-- The service may keep games for some time only.
COMMENT ON TABLE entries IS 'The record of every match, as long as the match is kept: each signed event, byte for byte, in order.';
COMMENT ON TABLE past_games IS 'Ended matches that were played, once for each of their players, as long as the matches are kept.';

-- A check compares every push job with a note that it is owed, where nothing else that is kept shows
-- that.

CREATE TABLE owed_jobs (
  job uuid PRIMARY KEY,
  player uuid NOT NULL,
  owed_at timestamptz NOT NULL,
  match uuid,
  turn integer,
  day date,
  kind text NOT NULL
);
CREATE INDEX owed_jobs_owed_at ON owed_jobs (owed_at);
COMMENT ON TABLE owed_jobs IS
  'Push jobs that no record shows to be owed, each noted in the transaction that owes it, and kept as long as deliveries. '
  'cubistd check looks for what became of them.';

-- The service's time goes on as time does, whatever the database's clock shows.

CREATE TABLE service_time (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  added_microseconds bigint NOT NULL
    CHECK (added_microseconds BETWEEN -3155760000000000 AND 3155760000000000),
  jump_microseconds bigint,
  jumped_at timestamptz CHECK (isfinite(jumped_at))
);
COMMENT ON TABLE service_time IS
  'The service''s time is the database''s clock and what is added to it here: one row. The scheduler keeps it, so that a jump of the clock is none of the service''s time. A hundred years are the most.';
COMMENT ON COLUMN service_time.jump_microseconds IS
  'How far the clock jumped when it jumped last; below 0: back. Null: no jump was ever noticed.';
COMMENT ON COLUMN service_time.jumped_at IS
  'When it jumped last, in the service''s time.';
INSERT INTO service_time (added_microseconds) VALUES (0);
CREATE VIEW service_clock AS
SELECT statement_timestamp() + added_microseconds * interval '1 microsecond' AS now
FROM service_time WHERE is_only;
COMMENT ON VIEW service_clock IS
  'The service''s time at the beginning of the statement: whatever concerns players goes by it.';

-- The best words of a daily come onto their boards once nobody can play it any more.

CREATE OR REPLACE FUNCTION cubist_standings_of(who uuid, of_kind text, of_mode text, of_language text)
 RETURNS SETOF cubist_standing
 LANGUAGE plpgsql
 STABLE
AS $$
DECLARE
  -- A player's right places on the boards of some games, by all games that are kept. A place
  -- without points is none. A bot has none.
  --
  -- Only so many games are looked at for each place: first the best ever. If none of them counts,
  -- the latest. So a player with more games than that within a window may stand by a game that is
  -- not the best of it.
  --
  -- A word of a daily counts once it helps nobody any more: when the day is over, and the time of a
  -- game that was begun in the day's last moment. Until then the player's place by points of all
  -- games expires at that time, so that the player is ranked anew.
  at_most CONSTANT integer := 2000;
  named text;
  span interval;
  since timestamptz;
  game record;
  shown record;
  best cubist_standing;
  none cubist_standing;
  is_bot boolean := EXISTS (SELECT FROM bots WHERE player = who);
  tail interval := CASE of_mode WHEN 'timed' THEN interval '180 seconds' ELSE interval '0' END;
  service_now timestamptz;
  -- The UTC day of the first daily that may still be played, and the lowest id of its games.
  open_day date;
  open_games uuid;
BEGIN
  SELECT now INTO STRICT service_now FROM service_clock;
  IF of_kind = 'daily' THEN
    open_day := ((service_now - tail) AT TIME ZONE 'UTC')::date;
    open_games := cubist_first_id(open_day);
  END IF;
  FOREACH named IN ARRAY ARRAY['day', 'week', 'all'] LOOP
    span := CASE named WHEN 'day' THEN interval '24 hours' WHEN 'week' THEN interval '168 hours' END;
    since := coalesce(service_now - span, '-infinity');
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
      IF span IS NULL AND EXISTS (
        SELECT FROM solo_scores AS s
        WHERE s.player = who AND s.kind = of_kind AND s.mode = of_mode AND s.language = of_language
          AND s.match >= open_games)
      THEN
        best.expires_at := (open_day + 1)::timestamp AT TIME ZONE 'UTC' + tail;
      END IF;
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
          AND s.word_points[1] IS NOT NULL AND (open_games IS NULL OR s.match < open_games)
        ORDER BY s.word_points[1] DESC, s.ended_at DESC, s.match DESC LIMIT at_most) AS g
      WHERE g.ended_at > since)
      UNION ALL
      (SELECT g.match, g.ended_at, g.points FROM (
        SELECT s.match, s.ended_at, s.word_points[1] AS points FROM solo_scores AS s
        WHERE s.player = who AND s.kind = of_kind AND s.mode = of_mode AND s.language = of_language
          AND s.ended_at > since AND (open_games IS NULL OR s.match < open_games)
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

CREATE OR REPLACE FUNCTION cubist_wrong_boards(who uuid, of_kind text, of_mode text, of_language text, of_day date)
 RETURNS TABLE(measure text, time_window text, day date)
 LANGUAGE sql
 STABLE
AS $$
  -- The boards on which a player does not stand as the games say, or with wrong counts. A player
  -- who waits for a ranking is not wrong yet, and neither is a score that has just left its
  -- window, nor a word of a daily that is just over.
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
    AND (p.expires_at IS NULL OR p.expires_at > (SELECT now FROM service_clock))
    AND NOT EXISTS (SELECT FROM board_places AS o
      WHERE o.board = cubist_board(of_kind, of_mode, of_language, 'points', 'all', NULL)
        AND o.player = who AND o.expires_at <= (SELECT now FROM service_clock))
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

CREATE OR REPLACE FUNCTION cubist_queue_expired(portion integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $$
DECLARE
  service_now timestamptz;
  queued integer;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  SELECT now INTO STRICT service_now FROM service_clock;
  -- A player with a score that left its window waits like the others. The row is looked at again in
  -- an hour if it is still there.
  WITH expired AS (
    UPDATE board_places SET expires_at = service_now + interval '1 hour'
    WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM board_places WHERE expires_at <= service_now
      ORDER BY expires_at LIMIT portion))
    RETURNING player, board)
  INSERT INTO ranking_queue (player, day, kind, mode, language)
  SELECT DISTINCT e.player, b.day, b.kind, b.mode, b.language
  FROM expired AS e JOIN boards AS b ON b.id = e.board;
  GET DIAGNOSTICS queued = ROW_COUNT;
  RETURN queued;
END
$$;

INSERT INTO ranking_queue (player, kind, mode, language)
SELECT DISTINCT player, kind, mode, language FROM solo_scores
WHERE kind = 'daily' AND match >= cubist_first_id((now() AT TIME ZONE 'UTC')::date - 1);

-- A provisional rating has no place on the ladder. The rater that starts next corrects the counts.

CREATE INDEX ratings_ranked ON ratings (points, player) WHERE NOT is_bot AND deviation < 110500000;
COMMENT ON TABLE ladder_counts IS
  'How many players with a place on the ladder have so many points, so that a rank is found without '
  'counting players: no bots, and no provisional ratings.';
COMMENT ON COLUMN rating_results.result IS
  'Won, lost or tied; none: the match was one too many of its two players, and changed nothing.';

CREATE OR REPLACE FUNCTION cubist_retire_bots(rated uuid[])
 RETURNS integer
 LANGUAGE plpgsql
AS $$
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
    RETURNING r.points, r.deviation),
  counts AS (
    SELECT points, count(*)::integer AS players FROM gone WHERE deviation < 110500000
    GROUP BY points),
  moved AS (
    INSERT INTO ladder_counts AS c (points, players) SELECT points, -players FROM counts
    ON CONFLICT (points) DO UPDATE SET players = c.players + excluded.players)
  SELECT coalesce(sum(players), 0) INTO retired FROM counts;
  RETURN retired;
END
$$;

-- A device belongs to the key that registered it, and its address to one player: the last one. Where
-- a player never had but one key, that one registered the devices there are.

ALTER TABLE devices ADD COLUMN key bytea;
UPDATE devices AS d SET key = k.key FROM (
  SELECT player, (array_agg(key))[1] AS key FROM player_keys GROUP BY player HAVING count(*) = 1) AS k
WHERE k.player = d.player;
DELETE FROM devices AS d USING (
  SELECT DISTINCT ON (service, token, subscription_key, subscription_secret)
    service, token, subscription_key, subscription_secret, player
  FROM devices WHERE token IS NOT NULL
  ORDER BY service, token, subscription_key, subscription_secret, registered_at DESC, player) AS latest
WHERE latest.token = d.token AND latest.service = d.service AND latest.player <> d.player
  AND latest.subscription_key IS NOT DISTINCT FROM d.subscription_key
  AND latest.subscription_secret IS NOT DISTINCT FROM d.subscription_secret;
CREATE INDEX devices_token ON devices (token);
COMMENT ON COLUMN devices.key IS
  'The key that registered it last. The row goes with it. Null: a build before schema 22 wrote the row, and it goes with the first key of the player that is removed.';

-- Whoever has the code of an invitation that is over is told so.

COMMENT ON TABLE invitation_codes IS
  'The codes of open invitations, also of those that are over: a code tells what became of its invitation. Up to schema 21 it went with the end of the match.';

-- An operator annuls a damaged match, or brings its record back; its former rows stay.

CREATE TABLE set_aside (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  match uuid NOT NULL,
  at timestamptz NOT NULL,
  act text NOT NULL CHECK (act IN ('annulled', 'restored')),
  rows jsonb NOT NULL
);
CREATE INDEX set_aside_match ON set_aside (match);
COMMENT ON TABLE set_aside IS
  'Rows of damaged matches as they were before an operator annulled or restored them: for each table the list of its rows. They go with their matches.';
COMMENT ON COLUMN set_aside.act IS
  'Annulled: the record that is kept does not hold, and cubistd check says nothing of it. Restored: it holds.';

-- Whoever leaves a match after joining it leaves the seat to somebody else, and has to wait.

ALTER TABLE open_seats ADD COLUMN leavers uuid[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN open_seats.leavers IS
  'The players who left the seat, in order. They do not get it again.';

ALTER TABLE roles ADD COLUMN schema integer;
COMMENT ON COLUMN roles.schema IS
  'The version of the schema that its build needs. Null: a build before schema 22, which cannot read a match that a joiner has left. While such a role lives, such a match ends.';

CREATE TABLE seats_left (
  player uuid NOT NULL,
  at timestamptz NOT NULL,
  match uuid NOT NULL,
  PRIMARY KEY (player, at, match)
);
CREATE INDEX seats_left_at ON seats_left (at);
COMMENT ON TABLE seats_left IS
  'Who left a match after joining it, before anybody had played: kept for a day. Each one more makes the pause longer before the player may join another one.';

INSERT INTO schema_version (version) VALUES (22);
