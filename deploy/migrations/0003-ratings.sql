-- Ratings. Matches that ended before are rated in the order of their ends.

CREATE TABLE ratings (
  player uuid PRIMARY KEY,
  rating_no bigint NOT NULL,
  rated_at timestamptz NOT NULL,
  rating bigint NOT NULL,
  deviation bigint NOT NULL,
  volatility bigint NOT NULL,
  match_count integer NOT NULL,
  points integer NOT NULL
    GENERATED ALWAYS AS (((rating + 500000) / 1000000)::integer) STORED
) WITH (fillfactor = 80);
CREATE INDEX ratings_ladder ON ratings (points, player);
COMMENT ON TABLE ratings IS 'Where every player stands who has ended a rated match.';
COMMENT ON COLUMN ratings.rating_no IS 'The place of the player''s last match in the rating order.';
COMMENT ON COLUMN ratings.rating IS
  'In millionths of a point, as the deviation; the volatility is in billionths.';
COMMENT ON COLUMN ratings.points IS 'The rating in whole points: what players are ranked by.';

CREATE TABLE rating_results (
  rating_no bigint NOT NULL,
  match uuid NOT NULL,
  player uuid NOT NULL,
  rated_at timestamptz NOT NULL,
  rated_at_before timestamptz,
  rating_before bigint NOT NULL,
  deviation_before bigint NOT NULL,
  volatility_before bigint NOT NULL,
  rating bigint NOT NULL,
  deviation bigint NOT NULL,
  volatility bigint NOT NULL,
  match_count integer NOT NULL,
  result text NOT NULL,
  PRIMARY KEY (match, player)
);
CREATE UNIQUE INDEX rating_results_player ON rating_results (player, rating_no);
COMMENT ON TABLE rating_results IS
  'What each match did to each player''s rating and what that was computed from, kept for ever: '
  'any rating can be computed again in the order of rating_no.';

CREATE TABLE rating_queue (
  match uuid NOT NULL,
  player uuid NOT NULL,
  ended_at timestamptz NOT NULL,
  result text NOT NULL,
  PRIMARY KEY (match, player)
);
CREATE INDEX rating_queue_order ON rating_queue (ended_at, match);
COMMENT ON TABLE rating_queue IS 'Matches that ended and are to be rated, written as they end.';

CREATE TABLE rating_clock (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  last_no bigint NOT NULL
);
INSERT INTO rating_clock (last_no) VALUES (0);
COMMENT ON TABLE rating_clock IS 'The place of the last match in the rating order: one row.';

CREATE TABLE ladder_counts (
  points integer PRIMARY KEY,
  players integer NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE ladder_counts IS
  'How many players have so many points, so that a rank is found without counting players.';

INSERT INTO rating_queue (match, player, ended_at, result)
SELECT match, player, ended_at, result FROM past_games
WHERE opponent IS NOT NULL AND NOT is_casual AND result IN ('won', 'lost', 'tied');

INSERT INTO schema_version (version) VALUES (3);
