-- The whole schema of a new database, for PostgreSQL 14 or newer.
--
-- deploy/migrations holds the same in numbered steps; a test keeps the two equal. Names are looked
-- up in the session's search path. Instants are stored with microseconds, ids as uuid, keys and
-- hashes as bytea.
--
-- There are no foreign keys: all writing goes through batches that one version guard covers, and
-- `cubistd check` compares everything with the record. Whatever is not entries, replies, players or
-- codes is derived and can be made again from the entries.

CREATE TABLE schema_version (
  version integer PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE schema_version IS 'The migrations that this database has had; the highest counts.';

CREATE TABLE service (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  id uuid NOT NULL,
  root_key bytea NOT NULL CHECK (octet_length(root_key) = 32),
  certificates bytea[] NOT NULL
);
COMMENT ON TABLE service IS 'Who this deployment is: one row.';
COMMENT ON COLUMN service.certificates IS
  'Working keys as the root key certified them, past ones too.';

-- Players.

CREATE TABLE players (
  id uuid PRIMARY KEY,
  registered_at timestamptz NOT NULL,
  name text NOT NULL,
  name_key text NOT NULL CONSTRAINT players_name_key UNIQUE
);
CREATE INDEX players_registered_at ON players (registered_at);
COMMENT ON TABLE players IS 'Everybody who has registered.';
COMMENT ON COLUMN players.name_key IS 'The name in lower case: names differ in more than case.';

CREATE TABLE player_keys (
  key bytea PRIMARY KEY CHECK (octet_length(key) = 32),
  player uuid NOT NULL,
  added_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE INDEX player_keys_player ON player_keys (player);
COMMENT ON TABLE player_keys IS 'The keys that speak for a player, until they are revoked.';

CREATE TABLE player_settings (
  player uuid PRIMARY KEY,
  muted integer NOT NULL,
  display_name text,
  seen_until timestamptz
);
COMMENT ON TABLE player_settings IS 'What players have set and seen; who has no row has done neither.';
COMMENT ON COLUMN player_settings.muted IS
  'The kinds of notifications that are not wanted, a bit each; see MatchCore, PushJob.Kind.mask.';
COMMENT ON COLUMN player_settings.display_name IS
  'What notifications call the player; null: the name.';
COMMENT ON COLUMN player_settings.seen_until IS
  'Notifications that were sent until then count as seen; null: only those that say so.';

CREATE TABLE devices (
  player uuid NOT NULL,
  registered_at timestamptz NOT NULL,
  name text NOT NULL,
  token text,
  permission text NOT NULL,
  PRIMARY KEY (player, name)
);
COMMENT ON TABLE devices IS 'The devices of players, and what their owners allowed on them.';

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

CREATE TABLE key_revocations (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  last_no bigint NOT NULL
);
INSERT INTO key_revocations (last_no) VALUES (0);
COMMENT ON TABLE key_revocations IS
  'How many keys have been revoked: one row. What a worker knows of keys holds as long as this does.';

CREATE TABLE registration (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  mode text NOT NULL CHECK (mode IN ('open', 'code'))
);
INSERT INTO registration (mode) VALUES ('open');
COMMENT ON TABLE registration IS 'Whether anybody may register, or who has a code: one row.';

CREATE TABLE registration_codes (
  code text PRIMARY KEY,
  created_at timestamptz NOT NULL,
  used_by uuid,
  used_at timestamptz
);
COMMENT ON TABLE registration_codes IS 'Codes that admit one player each.';

-- Matches. A plain turn touches matches, entries, events and outbox, and nothing else.

CREATE TABLE matches (
  id uuid PRIMARY KEY,
  version bigint NOT NULL,
  deadline timestamptz,
  declined_at timestamptz,
  successor uuid,
  due integer,
  turn integer,
  declined_seat smallint,
  remind_at timestamptz,
  remind_due integer,
  state bytea NOT NULL
) WITH (fillfactor = 70);
ALTER TABLE matches ALTER COLUMN state SET STORAGE MAIN;
CREATE INDEX matches_due ON matches (due) WHERE due IS NOT NULL;
CREATE INDEX matches_remind_due ON matches (remind_due) WHERE remind_due IS NOT NULL;
COMMENT ON TABLE matches IS
  'The state of every match as its record gives it, for judging the next event.';
COMMENT ON COLUMN matches.version IS 'How often the row was written: what the guard compares.';
COMMENT ON COLUMN matches.turn IS
  'The number of the turn to be played next; null once the match is over.';
COMMENT ON COLUMN matches.due IS
  'The deadline in units of ten minutes since 1970. The index is on this and not on the deadline, '
  'so that a turn, '
  'which moves the deadline by little, seldom touches an index.';
COMMENT ON COLUMN matches.successor IS
  'The rematch of this match; beside the record, which is closed by then.';
COMMENT ON COLUMN matches.declined_seat IS
  'Whose offer of a rematch was turned down last; beside the record.';
COMMENT ON COLUMN matches.remind_at IS
  'When to look whether whoever is to play is to be reminded; null where nobody is, or who is has '
  'been.';
COMMENT ON COLUMN matches.remind_due IS 'The same in units of ten minutes since 1970; see due.';
COMMENT ON COLUMN matches.state IS
  'See MatchCore, Match.encodedState(). The last column, because its end stays as it is: of a row '
  'that is updated, only what lies between its unchanged beginning and end is logged.';

CREATE TABLE entries (
  match uuid NOT NULL,
  accepted_at timestamptz NOT NULL,
  position smallint NOT NULL CHECK (position >= 0),
  key bytea NOT NULL CHECK (octet_length(key) = 32),
  signature bytea NOT NULL,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  payload bytea NOT NULL,
  PRIMARY KEY (match, position)
);
COMMENT ON TABLE entries IS
  'The record of every match, kept for ever: what was signed, byte for byte, in order.';

CREATE TABLE seats (
  match uuid NOT NULL,
  player uuid NOT NULL,
  seat smallint NOT NULL,
  is_invited boolean NOT NULL,
  PRIMARY KEY (match, seat)
);
CREATE INDEX seats_player ON seats (player, is_invited, match);
COMMENT ON TABLE seats IS 'Who sits or is invited where, in matches that are not over.';

CREATE TABLE past_games (
  player uuid NOT NULL,
  ended_at timestamptz NOT NULL,
  match uuid NOT NULL,
  opponent uuid,
  points bigint NOT NULL,
  opponent_points bigint,
  turn_limit_seconds bigint,
  daily_day date,
  daily_mode text,
  kind text NOT NULL,
  language text NOT NULL,
  result text NOT NULL,
  reason text NOT NULL,
  is_casual boolean NOT NULL DEFAULT false,
  PRIMARY KEY (player, ended_at, match)
);
CREATE INDEX past_games_match ON past_games (match);
COMMENT ON TABLE past_games IS
  'Ended matches that were played, as each of their players sees them, kept for ever.';

CREATE TABLE open_seats (
  match uuid PRIMARY KEY,
  player uuid NOT NULL,
  since timestamptz NOT NULL,
  turn_limit_seconds bigint NOT NULL,
  language text NOT NULL,
  is_casual boolean NOT NULL DEFAULT false,
  has_turn boolean NOT NULL DEFAULT false,
  rating integer NOT NULL DEFAULT 1500
);
CREATE INDEX open_seats_above
  ON open_seats (language, is_casual, turn_limit_seconds, rating, since, match);
CREATE INDEX open_seats_below
  ON open_seats (language, is_casual, turn_limit_seconds, rating DESC, since, match);
CREATE INDEX open_seats_movers ON open_seats (since, match) WHERE NOT has_turn;
COMMENT ON COLUMN open_seats.rating IS
  'The player''s rating when the seat came to wait; in no record, and not compared with one.';
COMMENT ON TABLE open_seats IS 'Matches in which a seat waits for anyone, by their terms.';

CREATE TABLE pairs (
  key text PRIMARY KEY,
  match uuid NOT NULL
);
CREATE INDEX pairs_match ON pairs (match);
COMMENT ON TABLE pairs IS 'The one invitation that stands between two players on the same terms.';

CREATE TABLE invitation_codes (
  code text PRIMARY KEY,
  match uuid NOT NULL
);
CREATE INDEX invitation_codes_match ON invitation_codes (match);
COMMENT ON TABLE invitation_codes IS 'The codes of open invitations, until the match is over.';

CREATE TABLE rematch_offers (
  match uuid PRIMARY KEY,
  from_player uuid NOT NULL,
  to_player uuid NOT NULL,
  at timestamptz NOT NULL,
  seat smallint NOT NULL,
  key bytea NOT NULL CHECK (octet_length(key) = 32),
  signature bytea NOT NULL,
  payload bytea NOT NULL
);
CREATE INDEX rematch_offers_from ON rematch_offers (from_player);
CREATE INDEX rematch_offers_to ON rematch_offers (to_player);
CREATE INDEX rematch_offers_at ON rematch_offers (at);
COMMENT ON TABLE rematch_offers IS
  'Offers of a rematch that wait for an answer, as they were signed: they are in no record before '
  'the rematch is dealt.';

-- Meeting.

CREATE TABLE blocks (
  player uuid NOT NULL,
  blocked uuid NOT NULL,
  since timestamptz NOT NULL,
  PRIMARY KEY (player, blocked)
);
COMMENT ON TABLE blocks IS 'Who does not want to meet whom; it holds in both directions.';

CREATE TABLE stranger_invitations (
  day date NOT NULL,
  player uuid NOT NULL,
  sender uuid NOT NULL,
  sent integer NOT NULL,
  PRIMARY KEY (day, player, sender)
);
COMMENT ON TABLE stranger_invitations IS
  'How often players whom one has never met have invited one on a day (UTC), kept two days.';
COMMENT ON COLUMN stranger_invitations.sent IS
  'Withdrawn, declined and expired ones included.';

-- The daily challenge.

CREATE TABLE daily_challenges (
  day date NOT NULL,
  fan_out_cursor uuid,
  fan_out_done boolean NOT NULL DEFAULT false,
  mode text NOT NULL,
  language text NOT NULL,
  lexicon text NOT NULL,
  letters text NOT NULL,
  reminder_cursor uuid,
  reminder_done boolean NOT NULL DEFAULT false,
  PRIMARY KEY (day, mode, language)
);
COMMENT ON TABLE daily_challenges IS 'The puzzle of each day.';
COMMENT ON COLUMN daily_challenges.fan_out_cursor IS
  'The last player who has been told, in the order of ids.';
COMMENT ON COLUMN daily_challenges.reminder_cursor IS
  'The last player who has been looked at for a reminder that the day ends soon.';

CREATE TABLE daily_scores (
  player uuid NOT NULL,
  points bigint NOT NULL,
  day date NOT NULL,
  mode text NOT NULL,
  language text NOT NULL,
  PRIMARY KEY (day, mode, language, player)
);
CREATE INDEX daily_scores_ranking ON daily_scores (day, mode, language, points DESC);
COMMENT ON TABLE daily_scores IS 'What each player has made of a day''s challenge so far.';

-- Ratings.

CREATE TABLE ratings (
  player uuid PRIMARY KEY,
  rating_no bigint NOT NULL,
  rated_at timestamptz NOT NULL,
  rating bigint NOT NULL,
  deviation bigint NOT NULL,
  volatility bigint NOT NULL,
  match_count integer NOT NULL,
  points integer NOT NULL
    GENERATED ALWAYS AS (((rating + 500000) / 1000000)::integer) STORED,
  is_bot boolean NOT NULL DEFAULT false
) WITH (fillfactor = 80);
CREATE INDEX ratings_ladder ON ratings (points, player) WHERE NOT is_bot;
COMMENT ON TABLE ratings IS 'Where every player stands who has ended a rated match.';
COMMENT ON COLUMN ratings.rating_no IS 'The place of the player''s last match in the rating order.';
COMMENT ON COLUMN ratings.rating IS
  'In millionths of a point, as the deviation; the volatility is in billionths.';
COMMENT ON COLUMN ratings.points IS 'The rating in whole points: what players are ranked by.';
COMMENT ON COLUMN ratings.is_bot IS
  'Whether the rater has taken the player off the ladder; see bots.';

CREATE TABLE rating_results (
  rating_no bigint NOT NULL,
  match uuid NOT NULL,
  player uuid NOT NULL,
  rated_at timestamptz NOT NULL,
  rated_at_before timestamptz,
  rating_before bigint NOT NULL,
  deviation_before bigint NOT NULL,
  volatility_before bigint NOT NULL,
  rating bigint NOT NULL,
  deviation bigint NOT NULL,
  volatility bigint NOT NULL,
  match_count integer NOT NULL,
  result text NOT NULL,
  PRIMARY KEY (match, player)
);
CREATE UNIQUE INDEX rating_results_player ON rating_results (player, rating_no);
COMMENT ON TABLE rating_results IS
  'What each match did to each player''s rating and what that was computed from, kept for ever: '
  'any rating can be computed again in the order of rating_no.';

CREATE TABLE rating_queue (
  match uuid NOT NULL,
  player uuid NOT NULL,
  ended_at timestamptz NOT NULL,
  result text NOT NULL,
  next_try_at timestamptz,
  PRIMARY KEY (match, player)
);
CREATE INDEX rating_queue_order ON rating_queue (ended_at, match);
COMMENT ON COLUMN rating_queue.next_try_at IS
  'When a match that could not be rated is tried again; null: at once.';
COMMENT ON TABLE rating_queue IS 'Matches that ended and are to be rated, written as they end.';

CREATE TABLE rating_clock (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  last_no bigint NOT NULL
);
INSERT INTO rating_clock (last_no) VALUES (0);
COMMENT ON TABLE rating_clock IS 'The place of the last match in the rating order: one row.';

CREATE TABLE ladder_counts (
  points integer PRIMARY KEY,
  players integer NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE ladder_counts IS
  'How many players who are no bots have so many points, so that a rank is found without counting '
  'players.';

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

-- What was said and has to be said.

CREATE TABLE events (
  player uuid NOT NULL,
  id uuid NOT NULL,
  handled_at timestamptz NOT NULL,
  payload_hash bytea NOT NULL CHECK (octet_length(payload_hash) = 32),
  reply bytea NOT NULL,
  PRIMARY KEY (id, player)
) PARTITION BY RANGE (id);
CREATE TABLE events_default PARTITION OF events DEFAULT;
COMMENT ON TABLE events IS
  'The one reply to every handled event, kept 8 days. Partitioned by the day in the event''s own '
  'id, so that an id is unique across partitions. In the key the id comes first: it grows with '
  'time, so inserts stay at one end of the index.';

CREATE TABLE outbox (
  job uuid PRIMARY KEY,
  player uuid NOT NULL,
  created_at timestamptz NOT NULL,
  match uuid,
  turn integer,
  day date,
  kind text NOT NULL
) WITH (
  fillfactor = 90, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 0
);
CREATE INDEX outbox_created_at ON outbox (created_at);
COMMENT ON TABLE outbox IS 'Push jobs that the broker has not confirmed yet.';

CREATE TABLE deliveries (
  job uuid PRIMARY KEY,
  player uuid NOT NULL,
  recorded_at timestamptz NOT NULL,
  match uuid,
  turn integer,
  day date,
  kind text NOT NULL,
  fate text NOT NULL,
  seen_at timestamptz
);
CREATE INDEX deliveries_recorded_at ON deliveries (recorded_at);
CREATE INDEX deliveries_match ON deliveries (match);
CREATE INDEX deliveries_unseen ON deliveries (player, recorded_at)
  WHERE fate = 'delivered' AND seen_at IS NULL;
COMMENT ON COLUMN deliveries.seen_at IS
  'When the player said that this one was seen; see player_settings.seen_until.';
COMMENT ON TABLE deliveries IS
  'What became of push jobs, kept 30 days. Not partitioned: a job''s id tells no day, and only a '
  'key over all days lets '
  'the first word on a job stand.';

CREATE TABLE dead_events (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  at timestamptz NOT NULL,
  player uuid NOT NULL,
  event uuid NOT NULL,
  queue integer NOT NULL,
  reason text NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);
CREATE TABLE dead_events_default PARTITION OF dead_events DEFAULT;
COMMENT ON TABLE dead_events IS
  'What no worker could handle, kept 30 days for a person to look at: what a known player signed, '
  'and, with player and event 0, what came ten times and was not read again.';

CREATE TABLE trials (
  message bytea PRIMARY KEY CHECK (octet_length(message) = 32),
  lives integer NOT NULL,
  at timestamptz NOT NULL
);
COMMENT ON TABLE trials IS
  'Messages, by their SHA-256, that came so often that it is noted when a worker reads one, and how '
  'many workers have begun to and not said that they lived on.';

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

-- The running of the service.

CREATE TABLE queue_clocks (
  queue integer PRIMARY KEY,
  time timestamptz,
  credit_microseconds bigint NOT NULL,
  held_until timestamptz,
  outage_from timestamptz,
  outage_until timestamptz
) WITH (fillfactor = 50);
COMMENT ON TABLE queue_clocks IS
  'The last tick seen in each queue, and the time the service owes its matches.';
COMMENT ON COLUMN queue_clocks.held_until IS
  'Before this time of the queue no deadline passes: nobody could play shortly before.';
COMMENT ON COLUMN queue_clocks.outage_from IS
  'The last time without ticks that was credited: what is set within it gets the rest of it only.';

CREATE TABLE queue_layout (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  queues integer NOT NULL CHECK (queues BETWEEN 1 AND 1024),
  slot_credits bigint[] NOT NULL DEFAULT '{}',
  unmoved integer[] NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE queue_layout IS 'How many queues of events there are: one row, by cubistd setup.';
COMMENT ON COLUMN queue_layout.slot_credits IS
  'The credit of each slot beside its queue''s, in microseconds: what it has brought along from the '
  'queue that served it before the number of queues changed. Empty: none has any.';
COMMENT ON COLUMN queue_layout.unmoved IS
  'Former numbers of queues, as long as events may wait in queues that served their slots then: no '
  'role works until cubistd setup has moved them.';

CREATE TABLE broker_claim (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  mark uuid NOT NULL,
  former uuid,
  claimed_at timestamptz
);
COMMENT ON TABLE broker_claim IS
  'The mark by which the broker knows this database: one row, by cubistd setup. The mark changes '
  'each minute, so that a copy of the database soon has one that the broker does not know.';
COMMENT ON COLUMN broker_claim.former IS
  'The mark before, good until the next change.';
COMMENT ON COLUMN broker_claim.claimed_at IS
  'When the mark was changed last; null: the broker has not got it yet.';

CREATE TABLE workers (
  id uuid PRIMARY KEY,
  started_at timestamptz NOT NULL,
  heartbeat_at timestamptz NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE workers IS 'Workers that have given a sign of life lately.';

CREATE TABLE housekeeping (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  horizon timestamptz NOT NULL
);
INSERT INTO housekeeping (horizon) VALUES (now());
COMMENT ON TABLE housekeeping IS
  'The time by which it is judged what is too old to be kept: one row. It goes forward by two hours '
  'a round at most, so that a clock that is set forth makes nothing old at once.';

CREATE FUNCTION cubist_horizon(at timestamptz) RETURNS timestamptz
LANGUAGE sql AS $$
  UPDATE housekeeping SET horizon = least(at, horizon + interval '2 hours') RETURNING horizon
$$;

CREATE TABLE problems (
  part text NOT NULL,
  subject uuid NOT NULL,
  since timestamptz NOT NULL,
  at timestamptz NOT NULL,
  reason text NOT NULL,
  PRIMARY KEY (part, subject)
);
COMMENT ON TABLE problems IS
  'Single matches and players that a part of the service cannot handle and has passed over, so that '
  'the others go on; one that is met no more is forgotten after a day.';

CREATE FUNCTION cubist_note_problems(of_part text, subjects uuid[], reasons text[]) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO problems AS p (part, subject, since, at, reason)
  SELECT of_part, u.subject, statement_timestamp(), statement_timestamp(), u.reason
  FROM unnest(subjects, reasons) AS u (subject, reason)
  ON CONFLICT (part, subject) DO UPDATE SET at = excluded.at, reason = excluded.reason
$$;

CREATE TABLE roles (
  id uuid PRIMARY KEY,
  started_at timestamptz NOT NULL,
  heartbeat_at timestamptz NOT NULL,
  role text NOT NULL,
  process text NOT NULL,
  problem text
) WITH (fillfactor = 50);
COMMENT ON TABLE roles IS
  'Roles that have given a sign of life lately, workers included, each on the connection that it '
  'works with.';
COMMENT ON COLUMN roles.process IS
  'Where it runs: the name of the machine and the number of the process.';
COMMENT ON COLUMN roles.problem IS 'What keeps it from working; null: it works.';

CREATE TABLE operator_acts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  act text NOT NULL,
  detail text NOT NULL
);
COMMENT ON TABLE operator_acts IS 'What operators did outside of matches.';

-- The guard of every batch. It raises, because a count looked at afterwards comes too late in a
-- pipeline that commits.

CREATE FUNCTION cubist_guard(ids uuid[], versions bigint[]) RETURNS void
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
  IF held <> cardinality(ids) THEN
    RAISE EXCEPTION '% of % matches have changed', cardinality(ids) - held, cardinality(ids)
      USING ERRCODE = 'CB001';
  END IF;
END
$$;

CREATE FUNCTION cubist_guard(ids uuid[], versions bigint[], revocations bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF revocations IS NOT NULL THEN
    -- Batches share it; who revokes a key waits until those that are being written are committed.
    -- Before any row is locked, so that nobody who has one waits for it.
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('cubist/keys', 0));
    IF revocations IS DISTINCT FROM (SELECT last_no FROM key_revocations) THEN
      RAISE EXCEPTION 'a key has been revoked' USING ERRCODE = 'CB001';
    END IF;
  END IF;
  IF cardinality(ids) > 0 THEN
    PERFORM cubist_guard(ids, versions);
  END IF;
END
$$;

-- The guard of what a batch updates: raises unless every row was the one that it was judged by.

CREATE FUNCTION cubist_expect(updated bigint, expected bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF updated <> expected THEN
    RAISE EXCEPTION '% of % matches have changed', expected - updated, expected
      USING ERRCODE = 'CB001';
  END IF;
END
$$;

CREATE FUNCTION cubist_use_codes(used text[], players uuid[], at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  taken bigint;
BEGIN
  UPDATE registration_codes AS c SET used_by = u.player, used_at = at
  FROM unnest(used, players) AS u (code, player)
  WHERE c.code = u.code AND c.used_by IS NULL;
  GET DIAGNOSTICS taken = ROW_COUNT;
  IF taken <> cardinality(used) THEN
    RAISE EXCEPTION 'a registration code has been used' USING ERRCODE = 'CB001';
  END IF;
END
$$;

CREATE FUNCTION cubist_rating(who uuid) RETURNS integer
LANGUAGE sql STABLE AS $$
  -- Whoever has no rating yet counts as the middle.
  SELECT coalesce((SELECT points FROM ratings WHERE player = who), 1500)
$$;

-- The guard of every batch in which players meet: raises where one of them has blocked the other
-- meanwhile. Whoever blocks has a lock that nobody who meets the player can have as well.

CREATE FUNCTION cubist_guard_blocks(players uuid[], others uuid[], changed uuid[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  one record;
BEGIN
  -- Locked in the order of players, so that two batches never wait for one another.
  FOR one IN
    SELECT u.player, bool_or(u.is_changed) AS is_changed
    FROM (
      SELECT unnest(players) AS player, false AS is_changed
      UNION ALL SELECT unnest(changed), true
    ) AS u
    GROUP BY u.player ORDER BY u.player
  LOOP
    IF one.is_changed THEN
      PERFORM pg_advisory_xact_lock(hashtextextended('block ' || one.player, 0));
    ELSE
      PERFORM pg_advisory_xact_lock_shared(hashtextextended('block ' || one.player, 0));
    END IF;
  END LOOP;
  IF EXISTS (
    SELECT FROM unnest(players, others) AS u (player, other)
    JOIN blocks AS b ON b.player = u.player AND b.blocked = u.other
  ) THEN
    RAISE EXCEPTION 'a player has blocked another one' USING ERRCODE = 'CB001';
  END IF;
END
$$;

-- Partitions by UTC day. A row whose partition is missing lands in the default partition. Whoever
-- waits for a lock here makes everybody wait who comes later, so it waits for a moment only.

CREATE FUNCTION cubist_first_id(day date) RETURNS uuid
LANGUAGE sql IMMUTABLE AS $$
  -- The lowest UUIDv7 of a day: its first millisecond in the upper 48 bits.
  SELECT (lpad(to_hex((day - DATE '1970-01-01')::bigint * 86400000), 12, '0')
    || '00000000000000000000')::uuid
$$;

CREATE FUNCTION cubist_add_partition(
  parent text, day date, key text, low text, high text, is_ahead boolean, portion integer
) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
DECLARE
  child text := parent || to_char(day, '_YYYYMMDD');
  spare text := parent || '_default';
  mover text := format(
    'WITH moved AS (DELETE FROM %1$I WHERE ctid = ANY(ARRAY('
    'SELECT ctid FROM %1$I WHERE %2$I >= %3$L AND %2$I < %4$L LIMIT %5$s)) RETURNING *), '
    'kept AS (INSERT INTO %6$I SELECT * FROM moved ON CONFLICT DO NOTHING) '
    'SELECT count(*) FROM moved', spare, key, low, high, portion, child);
  is_used boolean;
  moved bigint;
BEGIN
  IF EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass(child)) THEN
    RETURN false;
  END IF;
  IF to_regclass(child) IS NULL THEN
    EXECUTE format('SELECT EXISTS (SELECT FROM %1$I WHERE %2$I >= %3$L AND %2$I < %4$L)',
      spare, key, low, high) INTO is_used;
    -- What a day that has begun has in the default partition must be found all the time: it stays
    -- there until it is too old.
    IF is_used AND NOT is_ahead THEN
      RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', child, parent);
  END IF;
  -- What is dated ahead was refused. A copy that is not found for a moment is refused again.
  EXECUTE mover INTO moved;
  IF moved > 0 THEN
    RETURN true;
  END IF;
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', spare);
  EXECUTE mover INTO moved;
  EXECUTE format(
    'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, child, low, high);
  RETURN true;
END
$$;

CREATE FUNCTION cubist_add_partitions(at timestamptz, portion integer) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
DECLARE
  today date := (at AT TIME ZONE 'UTC')::date;
  -- Of a day that is about to begin what is not refused may be there already.
  begun date := ((at + interval '1 hour') AT TIME ZONE 'UTC')::date;
BEGIN
  -- One step of what there is to do; false: nothing is left. The days ahead come first.
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/partitions', 0));
  FOR i IN REVERSE 2..-8 LOOP
    IF cubist_add_partition('events', today + i, 'id', cubist_first_id(today + i)::text,
      cubist_first_id(today + i + 1)::text, today + i > begun, portion)
    THEN
      RETURN true;
    END IF;
  END LOOP;
  FOR i IN REVERSE 2..0 LOOP
    IF cubist_add_partition('dead_events', today + i, 'at', (today + i)::text || ' 00:00:00+00',
      (today + i + 1)::text || ' 00:00:00+00', today + i > begun, portion)
    THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN false;
END
$$;

-- As the build before calls it.
CREATE FUNCTION cubist_add_partitions(today date) RETURNS void
LANGUAGE sql AS $$
  SELECT cubist_add_partitions(today::timestamp AT TIME ZONE 'UTC', 5000)
$$;

CREATE FUNCTION cubist_drop_partitions(parent text, before date) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
DECLARE
  child text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/partitions', 0));
  FOR child IN
    SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = to_regclass(parent) AND c.relname ~ ('^' || parent || '_[0-9]{8}$')
      AND to_date(right(c.relname, 8), 'YYYYMMDD') < before
    ORDER BY c.relname
  LOOP
    EXECUTE format('DROP TABLE %I', child);
  END LOOP;
END
$$;

-- Leaderboards. What a game of one player made goes to solo_scores in the transaction that ends it;
-- everything about ranks is counted afterwards by the steward that leads, in transactions of its
-- own, so that no turn waits for a rank and no two workers meet on a counter. A board is named
-- kind/mode/language/measure/window (solo/timed/en/points/week), the results of one day's challenge
-- daily/mode/language/day.

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
CREATE INDEX solo_scores_best ON solo_scores
  (player, kind, mode, language, points DESC, ended_at DESC, match DESC);
CREATE INDEX solo_scores_best_words ON solo_scores
  (player, kind, mode, language, (word_points[1]) DESC, ended_at DESC, match DESC);
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
  language text NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  next_try_at timestamptz,
  problem text
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX ranking_queue_put_off ON ranking_queue (player) WHERE next_try_at IS NOT NULL;
COMMENT ON TABLE ranking_queue IS
  'Players whose standing may have changed: with a day in that day''s challenge, else on the boards '
  'of that kind, mode and language.';
COMMENT ON COLUMN ranking_queue.failures IS
  'How often ranking the player has failed in a row, the last time with this problem; it is not '
  'tried again before next_try_at.';

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

CREATE FUNCTION cubist_rank_next(portion integer) RETURNS integer
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

CREATE FUNCTION cubist_forget_days(before date, portion integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  gone integer;
  boards text[];
BEGIN
  -- A portion of what is left of the days before one, the scores first: a board without scores is
  -- missed by nobody, scores without a board are.
  DELETE FROM daily_scores WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM daily_scores WHERE day < before
    ORDER BY day, mode, language, player LIMIT portion));
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone > 0 THEN RETURN gone; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  -- The buckets go last: they name the boards that there are.
  boards := ARRAY(
    SELECT DISTINCT board FROM ranked_buckets
    WHERE board ~ '^daily/[^/]+/[^/]+/[0-9]{4}-[0-9]{2}-[0-9]{2}$'
      AND right(board, 10) < to_char(before, 'YYYY-MM-DD') COLLATE "C");
  DELETE FROM ranked WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM ranked WHERE board = ANY(boards) LIMIT portion));
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone > 0 THEN RETURN gone; END IF;
  DELETE FROM ranked_counts WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM ranked_counts WHERE board = ANY(boards) LIMIT portion));
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone > 0 THEN RETURN gone; END IF;
  DELETE FROM ranked_buckets WHERE board = ANY(boards);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
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
CREATE INDEX past_games_opponent_kind
  ON past_games (player, opponent, kind COLLATE "C", result COLLATE "C", ended_at, match);

INSERT INTO schema_version (version) VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16);
