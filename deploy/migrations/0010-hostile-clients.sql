-- What keeps a hostile client from stopping, blinding or cheating the others.

-- A player's matches and the invitations to that player are found apart, the newest first; and the
-- registrations of an hour are counted.
DROP INDEX seats_player;
CREATE INDEX seats_player ON seats (player, is_invited, match);
CREATE INDEX players_registered_at ON players (registered_at);

INSERT INTO schema_version (version) VALUES (10);
