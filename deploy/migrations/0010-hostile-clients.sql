-- What keeps a hostile client from stopping, blinding or cheating the others.

COMMENT ON TABLE dead_events IS
  'What no worker could handle, kept 30 days for a person to look at: what a known player signed, '
  'and, with player and event 0, what came ten times and was not read again.';

INSERT INTO schema_version (version) VALUES (10);
