-- 0012, block of the inbox: one word on all that was sent costs one row, however much it was.

ALTER TABLE player_settings ADD COLUMN seen_until timestamptz;
COMMENT ON TABLE player_settings IS 'What players have set and seen; who has no row has done neither.';
COMMENT ON COLUMN player_settings.seen_until IS
  'Notifications that were sent until then count as seen; null: only those that say so.';
COMMENT ON COLUMN deliveries.seen_at IS
  'When the player said that this one was seen; see player_settings.seen_until.';

-- 0012, end of the block of the inbox.

INSERT INTO schema_version (version) VALUES (12);
