-- Waiting players are found by rating, and by whether the first turn has been played.

ALTER TABLE open_seats ADD COLUMN has_turn boolean NOT NULL DEFAULT false;
ALTER TABLE open_seats ADD COLUMN rating integer NOT NULL DEFAULT 1500;
UPDATE open_seats AS o SET has_turn = true FROM matches AS m WHERE m.id = o.match AND m.turn > 1;
DROP INDEX open_seats_terms;
CREATE INDEX open_seats_above
  ON open_seats (language, is_casual, turn_limit_seconds, rating, since, match);
CREATE INDEX open_seats_below
  ON open_seats (language, is_casual, turn_limit_seconds, rating DESC, since, match);
CREATE INDEX open_seats_movers ON open_seats (since, match) WHERE NOT has_turn;
COMMENT ON COLUMN open_seats.rating IS
  'The player''s rating when the seat came to wait; in no record, and not compared with one.';

CREATE FUNCTION cubist_rating(who uuid) RETURNS integer
LANGUAGE sql STABLE AS $$
  -- Whoever has no rating yet counts as the middle.
  SELECT coalesce((SELECT points FROM ratings WHERE player = who), 1500)
$$;

INSERT INTO schema_version (version) VALUES (8);
