-- Players block others.

CREATE TABLE blocks (
  player uuid NOT NULL,
  blocked uuid NOT NULL,
  since timestamptz NOT NULL,
  PRIMARY KEY (player, blocked)
);
COMMENT ON TABLE blocks IS 'Who does not want to meet whom; it holds in both directions.';

-- The guard of every batch in which players meet: raises if one of them has blocked the other
-- meanwhile. A block takes a lock that no batch in which the player meets anybody can have at once.

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

INSERT INTO schema_version (version) VALUES (7);
