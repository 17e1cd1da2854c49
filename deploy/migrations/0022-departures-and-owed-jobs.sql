-- A player can have the account deleted. The name and everything beside the matches go; the matches,
-- their records and their results stay, and name nobody.

CREATE TABLE departures (
  player uuid PRIMARY KEY,
  asked_at timestamptz,
  gone_at timestamptz
);
CREATE INDEX departures_asked ON departures (asked_at, player) WHERE gone_at IS NULL AND asked_at IS NOT NULL;
COMMENT ON TABLE departures IS 'Players who have asked for the end of their account, and players who are gone. A row is kept for ever.';
COMMENT ON COLUMN departures.asked_at IS 'When the player asked, 72 hours before the account may end; null: the player has taken it back.';
COMMENT ON COLUMN departures.gone_at IS 'Since when the player is gone; null: not yet.';

CREATE TABLE reserved_names (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  until timestamptz NOT NULL
);
CREATE INDEX reserved_names_until ON reserved_names (until);
COMMENT ON TABLE reserved_names IS 'Names of players who are gone, so that nobody takes one shortly after and passes for its former owner.';
COMMENT ON COLUMN reserved_names.hash IS 'SHA-256 of the name in lower case.';

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
  SELECT sha256(convert_to(name_key, 'UTF8')), at + interval '90 days' FROM players WHERE id = leaver
  ON CONFLICT (hash) DO UPDATE SET until = excluded.until;
  -- No name has a space in it, so nobody is found by this one.
  UPDATE players SET name = 'gone', name_key = 'gone ' || id WHERE id = leaver;
  DELETE FROM player_settings WHERE player = leaver;
  DELETE FROM devices WHERE player = leaver;
  DELETE FROM device_invitations WHERE player = leaver;
  DELETE FROM recoveries WHERE player = leaver;
  DELETE FROM blocks WHERE player = leaver OR blocked = leaver;
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

INSERT INTO schema_version (version) VALUES (22);
