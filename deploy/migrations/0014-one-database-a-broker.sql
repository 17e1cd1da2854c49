-- A broker serves one database, and tells a copy of it apart.

CREATE TABLE broker_claim (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  mark uuid NOT NULL,
  former uuid,
  claimed_at timestamptz
);
COMMENT ON TABLE broker_claim IS
  'The mark by which the broker knows this database: one row, by cubistd setup. The mark changes '
  'each minute, so that a copy of the database soon has one that the broker does not know.';
COMMENT ON COLUMN broker_claim.former IS
  'The mark before, good until the next change.';
COMMENT ON COLUMN broker_claim.claimed_at IS
  'When the mark was changed last; null: the broker has not got it yet.';

INSERT INTO schema_version (version) VALUES (14);
