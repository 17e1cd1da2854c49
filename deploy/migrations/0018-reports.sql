-- Players report opponents to the operators.

CREATE TABLE reports (
  player uuid NOT NULL,
  match uuid NOT NULL,
  other uuid NOT NULL,
  reason text NOT NULL,
  text text,
  at timestamptz NOT NULL,
  PRIMARY KEY (player, match)
);
CREATE INDEX reports_by_player ON reports (player, at);
CREATE INDEX reports_about ON reports (other, at);
CREATE INDEX reports_at ON reports (at);
COMMENT ON TABLE reports IS
  'Reports of players about their opponents, for operators. They are in no record, and only the '
  'last one of a player about a match is kept, for 180 days.';
COMMENT ON COLUMN reports.player IS 'The player who reports.';
COMMENT ON COLUMN reports.other IS 'The player who is reported.';
COMMENT ON COLUMN reports.text IS 'The words of the player who reports; null: none.';

INSERT INTO schema_version (version) VALUES (18);
