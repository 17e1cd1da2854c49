-- What keeps outages, locks, full disks, expired keys and slow hours from costing a game or a record.

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

INSERT INTO schema_version (version) VALUES (11);
