-- A player may have several keys. Each later key keeps the signed events that brought it in.

ALTER TABLE player_keys ADD COLUMN removed_by bytea;
ALTER TABLE player_keys ADD COLUMN origin bytea[];
COMMENT ON TABLE player_keys IS
  'The keys that speak for a player, until they are removed or revoked. A row is kept for ever: the '
  'key may have signed entries.';
COMMENT ON COLUMN player_keys.revoked_at IS
  'Since when the key does not speak for the player any more.';
COMMENT ON COLUMN player_keys.removed_by IS
  'The player''s key that removed it; null beside a time of revocation: an operator revoked it.';
COMMENT ON COLUMN player_keys.origin IS
  'The envelopes of the events that brought the key in: deviceInvited and keyAdded. Null: the key '
  'that the player''s id is derived from.';

CREATE TABLE device_invitations (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  player uuid NOT NULL,
  until timestamptz NOT NULL,
  envelope bytea NOT NULL,
  used_by bytea
);
CREATE INDEX device_invitations_player ON device_invitations (player, until) WHERE used_by IS NULL;
CREATE INDEX device_invitations_until ON device_invitations (until);
COMMENT ON TABLE device_invitations IS
  'Invitations of further devices by players, kept for a day after their end. No code is in it.';
COMMENT ON COLUMN device_invitations.hash IS
  'The hash of the code, see MatchCore, DeviceCode.hash(at:).';
COMMENT ON COLUMN device_invitations.envelope IS
  'The event deviceInvited, with the key that signed it.';
COMMENT ON COLUMN device_invitations.used_by IS
  'The key that showed the code; null: nobody has.';

INSERT INTO schema_version (version) VALUES (19);
