-- The first schema, for PostgreSQL 14 or newer.
--
-- schema.sql shows the outcome of all migrations.

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
  state bytea NOT NULL
) WITH (fillfactor = 70);
ALTER TABLE matches ALTER COLUMN state SET STORAGE MAIN;
CREATE INDEX matches_due ON matches (due) WHERE due IS NOT NULL;
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
COMMENT ON COLUMN matches.state IS 'See MatchCore, Match.encodedState().';

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
CREATE INDEX seats_player ON seats (player, match);
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
  PRIMARY KEY (player, ended_at, match)
);
CREATE INDEX past_games_opponent ON past_games (player, opponent, ended_at, match);
CREATE INDEX past_games_match ON past_games (match);
COMMENT ON TABLE past_games IS
  'Ended matches that were played, as each of their players sees them, kept for ever.';

CREATE TABLE open_seats (
  match uuid PRIMARY KEY,
  player uuid NOT NULL,
  since timestamptz NOT NULL,
  turn_limit_seconds bigint NOT NULL,
  language text NOT NULL
);
CREATE INDEX open_seats_terms ON open_seats (language, turn_limit_seconds, since, match);
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
COMMENT ON TABLE rematch_offers IS
  'Offers of a rematch that wait for an answer, as they were signed: they are in no record before '
  'the rematch is dealt.';

-- The daily challenge.

CREATE TABLE daily_challenges (
  day date NOT NULL,
  fan_out_cursor uuid,
  fan_out_done boolean NOT NULL DEFAULT false,
  mode text NOT NULL,
  language text NOT NULL,
  lexicon text NOT NULL,
  letters text NOT NULL,
  PRIMARY KEY (day, mode, language)
);
COMMENT ON TABLE daily_challenges IS 'The puzzle of each day.';
COMMENT ON COLUMN daily_challenges.fan_out_cursor IS
  'The last player who has been told, in the order of ids.';

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

-- Replies that were given, and notifications that are owed.

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
  fate text NOT NULL
);
CREATE INDEX deliveries_recorded_at ON deliveries (recorded_at);
CREATE INDEX deliveries_match ON deliveries (match);
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
  'What a known player signed and no worker could handle, kept 30 days for a person to look at.';

-- The running of the service.

CREATE TABLE queue_clocks (
  queue integer PRIMARY KEY,
  time timestamptz,
  credit_microseconds bigint NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE queue_clocks IS
  'The last tick seen in each queue, and the time the service owes its matches.';

CREATE TABLE workers (
  id uuid PRIMARY KEY,
  started_at timestamptz NOT NULL,
  heartbeat_at timestamptz NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE workers IS 'Workers that have given a sign of life lately.';

CREATE TABLE operator_acts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  act text NOT NULL,
  detail text NOT NULL
);
COMMENT ON TABLE operator_acts IS 'What operators did outside of matches.';

-- The guard of every batch. It raises: in a pipeline that commits, a count would be read too late.

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

-- Partitions by UTC day. A row whose partition is missing lands in the default partition and is
-- moved later.

CREATE FUNCTION cubist_first_id(day date) RETURNS uuid
LANGUAGE sql IMMUTABLE AS $$
  -- The lowest UUIDv7 of a day: its first millisecond in the upper 48 bits.
  SELECT (lpad(to_hex((day - DATE '1970-01-01')::bigint * 86400000), 12, '0')
    || '00000000000000000000')::uuid
$$;

CREATE FUNCTION cubist_add_partition(parent text, day date, key text, low text, high text)
RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  child text := parent || to_char(day, '_YYYYMMDD');
BEGIN
  IF to_regclass(child) IS NOT NULL THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', child, parent);
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', parent || '_default');
  EXECUTE format(
    'WITH moved AS (DELETE FROM %I WHERE %I >= %L AND %I < %L RETURNING *) '
    'INSERT INTO %I SELECT * FROM moved',
    parent || '_default', key, low, key, high, child);
  EXECUTE format(
    'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, child, low, high);
END
$$;

CREATE FUNCTION cubist_add_partitions(today date) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/partitions', 0));
  FOR i IN -8..2 LOOP
    PERFORM cubist_add_partition('events', today + i, 'id',
      cubist_first_id(today + i)::text, cubist_first_id(today + i + 1)::text);
  END LOOP;
  FOR i IN 0..2 LOOP
    PERFORM cubist_add_partition('dead_events', today + i, 'at',
      (today + i)::text || ' 00:00:00+00', (today + i + 1)::text || ' 00:00:00+00');
  END LOOP;
END
$$;

CREATE FUNCTION cubist_drop_partitions(parent text, before date) RETURNS void
LANGUAGE plpgsql AS $$
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

INSERT INTO schema_version (version) VALUES (1);
