-- The state comes last in its row, so that little of it is logged, and has a format of its own for
-- that. A state that an older build wrote, or writes while it still runs, is folded from the record
-- when it is next wanted.

ALTER TABLE matches DROP COLUMN state;
ALTER TABLE matches ADD COLUMN state bytea NOT NULL DEFAULT '';
ALTER TABLE matches ALTER COLUMN state DROP DEFAULT;
ALTER TABLE matches ALTER COLUMN state SET STORAGE MAIN;
COMMENT ON COLUMN matches.state IS
  'See MatchCore, Match.encodedState(). The last column, because its end stays as it is: of a row '
  'that is updated, only what lies between its unchanged beginning and end is logged.';

CREATE FUNCTION cubist_expect(updated bigint, expected bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF updated <> expected THEN
    RAISE EXCEPTION '% of % matches have changed', expected - updated, expected
      USING ERRCODE = 'CB001';
  END IF;
END
$$;

CREATE OR REPLACE FUNCTION cubist_guard(ids uuid[], versions bigint[], revocations bigint) RETURNS void
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

INSERT INTO schema_version (version) VALUES (9);
