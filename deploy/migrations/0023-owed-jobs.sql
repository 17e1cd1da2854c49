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

INSERT INTO schema_version (version) VALUES (23);
