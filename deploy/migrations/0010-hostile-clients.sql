-- What keeps a hostile client from stopping, blinding or cheating the others.

COMMENT ON TABLE dead_events IS
  'What no worker could handle, kept 30 days for a person to look at: what a known player signed, '
  'and, with player and event 0, what came ten times and was not read again.';

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

-- A player's matches and the invitations to that player are found apart, the newest first; and the
-- registrations of an hour are counted.
DROP INDEX seats_player;
CREATE INDEX seats_player ON seats (player, is_invited, match);
CREATE INDEX players_registered_at ON players (registered_at);

INSERT INTO schema_version (version) VALUES (10);
