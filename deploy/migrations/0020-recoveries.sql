-- A player may name a recovery key, which brings a new key in if no device is left.

CREATE TABLE recoveries (
  player uuid PRIMARY KEY,
  key bytea CHECK (octet_length(key) = 32),
  naming bytea,
  next_key bytea,
  next_naming bytea,
  next_at timestamptz,
  next_credit bigint,
  named_at timestamptz,
  recovery uuid,
  new_key bytea,
  request bytea,
  due_at timestamptz,
  due_credit bigint,
  objector bytea,
  begun_at timestamptz,
  CHECK (num_nulls(next_key, next_naming, next_at, next_credit) IN (0, 4)),
  CHECK (num_nulls(recovery, new_key, request, due_at, due_credit) IN (0, 5)),
  CHECK (num_nulls(key, naming) IN (0, 2))
);
CREATE INDEX recoveries_due ON recoveries (due_at, player) WHERE recovery IS NOT NULL;
COMMENT ON TABLE recoveries IS
  'The recovery keys of players, and the recoveries that wait for their time. A row is kept for '
  'ever.';
COMMENT ON COLUMN recoveries.key IS 'The recovery key that counts; null: none does yet.';
COMMENT ON COLUMN recoveries.naming IS 'The envelope of the event that named it.';
COMMENT ON COLUMN recoveries.next_key IS
  'The recovery key that counts once its time has come; null: none waits.';
COMMENT ON COLUMN recoveries.next_credit IS
  'The credit of the player''s queue when it was named, in microseconds.';
COMMENT ON COLUMN recoveries.named_at IS 'When a recovery key was last named that had to wait.';
COMMENT ON COLUMN recoveries.recovery IS
  'The event playerRecovered that waits for its time; null: none does.';
COMMENT ON COLUMN recoveries.new_key IS 'The key that is to speak for the player.';
COMMENT ON COLUMN recoveries.request IS 'The envelope of that event.';
COMMENT ON COLUMN recoveries.due_credit IS
  'The credit of the player''s queue when the recovery was begun, in microseconds.';
COMMENT ON COLUMN recoveries.objector IS 'The key of the player that objected; null: none has.';
COMMENT ON COLUMN recoveries.begun_at IS 'When a recovery was last begun.';

COMMENT ON COLUMN player_keys.removed_by IS
  'The player''s key that removed it, or that a recovery brought in; null beside a time of '
  'revocation: an operator revoked it.';
COMMENT ON COLUMN player_keys.origin IS
  'The envelopes that brought the key in: deviceInvited and keyAdded; or the naming of a recovery '
  'key, playerRecovered, and the service''s statement. Null: the key that the player''s id is '
  'derived from.';

CREATE INDEX deliveries_account ON deliveries (player, recorded_at) WHERE kind = 'account';

INSERT INTO schema_version (version) VALUES (20);
