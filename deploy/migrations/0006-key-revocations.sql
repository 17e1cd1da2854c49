-- Keys can be revoked. A worker knows by a count of revocations whether its cached keys still hold.

CREATE TABLE key_revocations (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  last_no bigint NOT NULL
);
INSERT INTO key_revocations (last_no) SELECT count(*) FROM player_keys WHERE revoked_at IS NOT NULL;
COMMENT ON TABLE key_revocations IS
  'How many keys have been revoked: one row. What a worker knows of keys holds as long as this does.';

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
  PERFORM cubist_guard(ids, versions);
END
$$;

INSERT INTO schema_version (version) VALUES (6);
