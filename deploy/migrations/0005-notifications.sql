-- Players' settings of notifications, their devices, reminders, and notifications that were sent and
-- not yet seen.
-- Turns that are due already have no reminder.

CREATE TABLE player_settings (
  player uuid PRIMARY KEY,
  muted integer NOT NULL,
  display_name text
);
COMMENT ON TABLE player_settings IS 'What players have set; who has no row has set nothing.';
COMMENT ON COLUMN player_settings.muted IS
  'The kinds of notifications that are not wanted, a bit each; see MatchCore, PushJob.Kind.mask.';
COMMENT ON COLUMN player_settings.display_name IS
  'What notifications call the player; null: the name.';

CREATE TABLE devices (
  player uuid NOT NULL,
  registered_at timestamptz NOT NULL,
  name text NOT NULL,
  token text,
  permission text NOT NULL,
  PRIMARY KEY (player, name)
);
COMMENT ON TABLE devices IS 'The devices of players, and what their owners allowed on them.';

ALTER TABLE matches ADD COLUMN remind_at timestamptz;
ALTER TABLE matches ADD COLUMN remind_due integer;
CREATE INDEX matches_remind_due ON matches (remind_due) WHERE remind_due IS NOT NULL;
COMMENT ON COLUMN matches.remind_at IS
  'When to look whether whoever is to play is to be reminded; null where nobody is, or who is has '
  'been.';
COMMENT ON COLUMN matches.remind_due IS 'The same in units of ten minutes since 1970; see due.';

ALTER TABLE daily_challenges ADD COLUMN reminder_cursor uuid;
ALTER TABLE daily_challenges ADD COLUMN reminder_done boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN daily_challenges.reminder_cursor IS
  'The last player who has been looked at for a reminder that the day ends soon.';

ALTER TABLE deliveries ADD COLUMN seen_at timestamptz;
CREATE INDEX deliveries_unseen ON deliveries (player, recorded_at)
  WHERE fate = 'delivered' AND seen_at IS NULL;
COMMENT ON COLUMN deliveries.seen_at IS 'When the player said that it was seen.';

INSERT INTO schema_version (version) VALUES (5);
