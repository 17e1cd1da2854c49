-- Matches whose result changes no rating. All earlier matches were rated.

ALTER TABLE past_games ADD COLUMN is_casual boolean NOT NULL DEFAULT false;
ALTER TABLE open_seats ADD COLUMN is_casual boolean NOT NULL DEFAULT false;
DROP INDEX open_seats_terms;
CREATE INDEX open_seats_terms
  ON open_seats (language, is_casual, turn_limit_seconds, since, match);

INSERT INTO schema_version (version) VALUES (2);
