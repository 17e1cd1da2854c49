-- The questions of one player cost a bounded number of rows, and partitions keep nobody waiting.

-- Games against one opponent, of one kind and result: a short walk, however many others there are.
-- The collation keeps the planner from walking past_games_kind instead, where it believes that
-- opponents tell little apart.
CREATE INDEX past_games_opponent_kind
  ON past_games (player, opponent, kind COLLATE "C", result COLLATE "C", ended_at, match);
DROP INDEX past_games_opponent;

-- Partitions are made in short steps that keep nobody waiting for long.

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
CREATE OR REPLACE FUNCTION cubist_add_partitions(today date) RETURNS void
LANGUAGE sql AS $$
  SELECT cubist_add_partitions(today::timestamp AT TIME ZONE 'UTC', 5000)
$$;

DROP FUNCTION cubist_add_partition(text, date, text, text, text);

ALTER FUNCTION cubist_drop_partitions(text, date) SET lock_timeout = '500ms';

-- One word on all notifications costs one row, however many they are.

ALTER TABLE player_settings ADD COLUMN seen_until timestamptz;
COMMENT ON TABLE player_settings IS 'What players have set and seen; who has no row has done neither.';
COMMENT ON COLUMN player_settings.seen_until IS
  'Notifications that were sent until then count as seen; null: only those that say so.';
COMMENT ON COLUMN deliveries.seen_at IS
  'When the player said that this one was seen; see player_settings.seen_until.';

INSERT INTO schema_version (version) VALUES (12);
