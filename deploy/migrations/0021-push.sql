-- Notifications find browsers and phones by themselves, wait for the end of quiet hours, and tell
-- what became of them.

ALTER TABLE devices
  ADD service text NOT NULL DEFAULT 'app',
  ADD subscription_key bytea CHECK (octet_length(subscription_key) = 65),
  ADD subscription_secret bytea CHECK (octet_length(subscription_secret) = 16),
  ADD arrived_at timestamptz,
  ADD answered_at timestamptz,
  ADD answer text,
  ADD CHECK (service IN ('app', 'webPush', 'apns')),
  ADD CHECK ((service = 'webPush') = (num_nulls(subscription_key, subscription_secret) = 0));
COMMENT ON COLUMN devices.token IS 'The address: a token of the service, or the endpoint of a subscription; null: none is known.';
COMMENT ON COLUMN devices.service IS 'The way to the device: the operator''s receiver, Web Push, or APNs.';
COMMENT ON COLUMN devices.subscription_key IS 'Web Push: the browser''s public key, an uncompressed P-256 point.';
COMMENT ON COLUMN devices.subscription_secret IS 'Web Push: the secret that the browser shares with the service.';
COMMENT ON COLUMN devices.arrived_at IS 'When a push service last took a notification for it.';
COMMENT ON COLUMN devices.answered_at IS 'When a push service last answered about it.';
COMMENT ON COLUMN devices.answer IS 'That answer, for a person.';

ALTER TABLE player_settings
  ADD time_zone text,
  ADD language text,
  ADD quiet_from smallint,
  ADD quiet_until smallint,
  ADD quiet_drops boolean NOT NULL DEFAULT false,
  ADD is_bundled boolean NOT NULL DEFAULT true,
  ADD takes_nudges boolean NOT NULL DEFAULT true,
  ADD digest_minute smallint,
  ADD review_weekday smallint,
  ADD next_digest_at timestamptz,
  ADD CHECK (num_nulls(quiet_from, quiet_until) IN (0, 2));
CREATE INDEX player_settings_digest ON player_settings (next_digest_at, player) WHERE next_digest_at IS NOT NULL;
COMMENT ON COLUMN player_settings.time_zone IS 'A name of the IANA database, such as Europe/Berlin; null: UTC.';
COMMENT ON COLUMN player_settings.language IS 'The language of notifications; null: English.';
COMMENT ON COLUMN player_settings.quiet_from IS 'The minute of the local day at which quiet hours begin; null: there are none.';
COMMENT ON COLUMN player_settings.quiet_drops IS
  'Whether a notification that cannot wait for the end of the quiet hours is not sent; else it comes without a sound.';
COMMENT ON COLUMN player_settings.digest_minute IS 'The minute of the local day for the daily digest; null: none is wanted.';
COMMENT ON COLUMN player_settings.review_weekday IS
  'The day of the week, 1 (Monday) to 7, for the review of the week; null: none is wanted.';
COMMENT ON COLUMN player_settings.next_digest_at IS
  'When the scheduler looks at this player for a digest or a review next; null: never.';

CREATE TABLE held_jobs (
  job uuid PRIMARY KEY,
  player uuid NOT NULL,
  held_at timestamptz NOT NULL,
  until timestamptz NOT NULL,
  match uuid,
  turn integer,
  day date,
  kind text NOT NULL,
  reason text NOT NULL
);
CREATE INDEX held_jobs_until ON held_jobs (until, player);
CREATE INDEX held_jobs_match ON held_jobs (match);
COMMENT ON TABLE held_jobs IS
  'Push jobs that wait for their hour. The relay sends each to the broker once more when it has come.';
COMMENT ON COLUMN held_jobs.reason IS 'quietHours, or bundle.';

ALTER TABLE deliveries ADD reason text;
COMMENT ON COLUMN deliveries.reason IS 'The named reason for the fate, such as answered; null: it was delivered alone and with a sound, or an older build '
  'recorded it.';

CREATE TABLE push_answers (
  minute timestamptz NOT NULL,
  provider text NOT NULL,
  answer text NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (minute, provider, answer)
);
COMMENT ON TABLE push_answers IS 'How often each provider answered what, in each minute, kept for a day.';

CREATE TABLE nudges (
  match uuid PRIMARY KEY,
  turn integer NOT NULL,
  at timestamptz NOT NULL
);
COMMENT ON TABLE nudges IS 'The last turn of each running match of which its player was reminded by the other one.';

ALTER TABLE service ADD push_key bytea CHECK (octet_length(push_key) = 65);
COMMENT ON COLUMN service.push_key IS
  'The public key by which browsers know the service''s notifications (VAPID), an uncompressed P-256 point; null: Web Push is not set up.';

INSERT INTO schema_version (version) VALUES (21);
