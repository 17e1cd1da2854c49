-- What one player asks for costs a bounded number of rows.

-- Games against one opponent, of one kind and result: a short walk, however many others there are.
CREATE INDEX past_games_opponent_kind
  ON past_games (player, opponent, kind, result, ended_at, match);
DROP INDEX past_games_opponent;

INSERT INTO schema_version (version) VALUES (12);
