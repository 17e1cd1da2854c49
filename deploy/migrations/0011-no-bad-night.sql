-- Outages, locks, full disks, expired keys and slow hours cost no game and no record.

-- One thing alone counts against a message: a worker that was reading it did not live on.

CREATE TABLE trials (
  message bytea PRIMARY KEY CHECK (octet_length(message) = 32),
  lives integer NOT NULL,
  at timestamptz NOT NULL
);
COMMENT ON TABLE trials IS
  'Messages, by their SHA-256, that came so often that it is noted when a worker reads one, and how '
  'many workers have begun to and not said that they lived on.';

-- A clock that jumps makes nothing old. A match or player that cannot be handled is passed over.

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

ALTER TABLE rating_queue ADD COLUMN next_try_at timestamptz;
COMMENT ON COLUMN rating_queue.next_try_at IS
  'When a match that could not be rated is tried again; null: at once.';

-- The codes of invitations that were withdrawn in the batch that made them.
DELETE FROM invitation_codes AS c USING matches AS m WHERE m.id = c.match AND m.turn IS NULL;

-- Signs of life of every role.

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
-- The clock of a queue knows when nobody could play. The queue of each slot is written down. Workers
-- of the former build go on with the columns that they know.

ALTER TABLE queue_clocks
  ADD COLUMN held_until timestamptz,
  ADD COLUMN outage_from timestamptz,
  ADD COLUMN outage_until timestamptz;
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

-- Rows that nobody can ask for any more are deleted.

CREATE INDEX rematch_offers_at ON rematch_offers (at);

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

INSERT INTO schema_version (version) VALUES (11);
