-- What keeps outages, locks, full disks, expired keys and slow hours from costing a game or a record.

-- The time of a queue knows when nobody could play, and which queue serves which slots is written
-- down. Workers of the former build go on with the columns that they know.

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
  slot_credits bigint[] NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE queue_layout IS 'How many queues of events there are: one row, by cubistd setup.';
COMMENT ON COLUMN queue_layout.slot_credits IS
  'The credit of each slot beside its queue''s, in microseconds: what it has brought along from the '
  'queue that served it before the number of queues changed. Empty: none has any.';

INSERT INTO schema_version (version) VALUES (11);
