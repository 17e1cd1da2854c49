-- The whole schema, for PostgreSQL 14 or newer, as all migrations of deploy/migrations together
-- make it. deploy/make-schema wrote this file for readers, and a test compares the two. Nothing runs
-- it: a new database gets the migrations.
--
-- Names are looked up in the session's search path. Instants are stored with microseconds, ids as
-- uuid, keys and hashes as bytea.
--
-- There are no foreign keys: one version guard covers each batch that writes, and `cubistd check`
-- compares everything with the record. Only entries, replies, players and codes cannot be made
-- again: the rest is derived from the entries.

SET check_function_bodies = off;

CREATE TABLE schema_version (
  version integer NOT NULL,
  applied_at timestamptz DEFAULT now() NOT NULL,
  CONSTRAINT schema_version_pkey PRIMARY KEY (version)
);
COMMENT ON TABLE schema_version IS
  'The migrations that this database has had; the highest counts.';

CREATE TABLE service (
  is_only boolean DEFAULT true NOT NULL,
  id uuid NOT NULL,
  root_key bytea NOT NULL,
  certificates bytea[] NOT NULL,
  push_key bytea,
  CONSTRAINT service_pkey PRIMARY KEY (is_only),
  CONSTRAINT service_is_only_check CHECK (is_only),
  CONSTRAINT service_push_key_check CHECK ((octet_length(push_key) = 65)),
  CONSTRAINT service_root_key_check CHECK ((octet_length(root_key) = 32))
);
COMMENT ON TABLE service IS
  'The identity of this deployment: one row.';
COMMENT ON COLUMN service.certificates IS
  'Working keys as the root key certified them, past ones too.';
COMMENT ON COLUMN service.push_key IS
  'The public key by which browsers know the service''s notifications (VAPID), an uncompressed '
  'P-256 point; null: Web Push is not set up.';

CREATE TABLE players (
  id uuid NOT NULL,
  registered_at timestamptz NOT NULL,
  name text NOT NULL,
  name_key text NOT NULL,
  CONSTRAINT players_name_key UNIQUE (name_key),
  CONSTRAINT players_pkey PRIMARY KEY (id)
);
CREATE INDEX players_registered_at ON players (registered_at);
CREATE INDEX players_skeleton ON players (replace(translate(name_key, '01i'::text, 'oll'::text), 'm'::text, 'rn'::text));
COMMENT ON TABLE players IS
  'Everybody who has registered.';
COMMENT ON COLUMN players.name_key IS
  'The name in lower case: names differ in more than case.';

CREATE TABLE player_keys (
  key bytea NOT NULL,
  player uuid NOT NULL,
  added_at timestamptz NOT NULL,
  revoked_at timestamptz,
  removed_by bytea,
  origin bytea[],
  CONSTRAINT player_keys_pkey PRIMARY KEY (key),
  CONSTRAINT player_keys_key_check CHECK ((octet_length(key) = 32))
);
CREATE INDEX player_keys_player ON player_keys (player);
COMMENT ON TABLE player_keys IS
  'The keys that speak for a player, until they are removed or revoked. A row is kept for ever: '
  'the key may have signed entries.';
COMMENT ON COLUMN player_keys.revoked_at IS
  'Since when the key does not speak for the player any more.';
COMMENT ON COLUMN player_keys.removed_by IS
  'The player''s key that removed it, or that a recovery brought in; null beside a time of '
  'revocation: an operator revoked it.';
COMMENT ON COLUMN player_keys.origin IS
  'The envelopes that brought the key in: deviceInvited and keyAdded; or the naming of a '
  'recovery key, playerRecovered, and the service''s statement. Null: the key that the player''s '
  'id is derived from.';

CREATE TABLE registration (
  is_only boolean DEFAULT true NOT NULL,
  mode text NOT NULL,
  CONSTRAINT registration_pkey PRIMARY KEY (is_only),
  CONSTRAINT registration_is_only_check CHECK (is_only),
  CONSTRAINT registration_mode_check CHECK ((mode = ANY (ARRAY['open'::text, 'code'::text])))
);
COMMENT ON TABLE registration IS
  'Whether anybody may register, or only with a code: one row.';

CREATE TABLE registration_codes (
  code text NOT NULL,
  created_at timestamptz NOT NULL,
  used_by uuid,
  used_at timestamptz,
  CONSTRAINT registration_codes_pkey PRIMARY KEY (code)
);
COMMENT ON TABLE registration_codes IS
  'Codes that admit one player each.';

CREATE TABLE matches (
  id uuid NOT NULL,
  version bigint NOT NULL,
  deadline timestamptz,
  declined_at timestamptz,
  successor uuid,
  due integer,
  turn integer,
  declined_seat smallint,
  remind_at timestamptz,
  remind_due integer,
  state bytea NOT NULL,
  CONSTRAINT matches_pkey PRIMARY KEY (id)
) WITH (
  fillfactor=70
);
ALTER TABLE matches ALTER COLUMN state SET STORAGE MAIN;
CREATE INDEX matches_due ON matches (due) WHERE (due IS NOT NULL);
CREATE INDEX matches_remind_due ON matches (remind_due) WHERE (remind_due IS NOT NULL);
COMMENT ON TABLE matches IS
  'The state of every match as its record gives it, for judging the next event.';
COMMENT ON COLUMN matches.version IS
  'How often the row was written: what the guard compares.';
COMMENT ON COLUMN matches.successor IS
  'The rematch of this match. It stands beside the record, which is closed by then.';
COMMENT ON COLUMN matches.due IS
  'The deadline in units of ten minutes since 1970. The index is on this and not on the '
  'deadline. A turn moves the deadline by little, so it seldom touches an index.';
COMMENT ON COLUMN matches.turn IS
  'The number of the turn to be played next; null once the match is over.';
COMMENT ON COLUMN matches.declined_seat IS
  'The seat of the last declined offer of a rematch. It stands beside the record.';
COMMENT ON COLUMN matches.remind_at IS
  'When to look whether the player with the turn is to be reminded. Null: nobody has the turn, '
  'or the player has been reminded.';
COMMENT ON COLUMN matches.remind_due IS
  'The same in units of ten minutes since 1970; see due.';
COMMENT ON COLUMN matches.state IS
  'See MatchCore, Match.encodedState(). It is the last column because its end stays as it is: of '
  'an updated row, only the part between the unchanged beginning and end is logged.';

CREATE TABLE entries (
  match uuid NOT NULL,
  accepted_at timestamptz NOT NULL,
  position smallint NOT NULL,
  key bytea NOT NULL,
  signature bytea NOT NULL,
  hash bytea NOT NULL,
  payload bytea NOT NULL,
  CONSTRAINT entries_pkey PRIMARY KEY (match, "position"),
  CONSTRAINT entries_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT entries_key_check CHECK ((octet_length(key) = 32)),
  CONSTRAINT entries_position_check CHECK (("position" >= 0))
);
COMMENT ON TABLE entries IS
  'The record of every match, as long as the match is kept: each signed event, byte for byte, in '
  'order.';

CREATE TABLE seats (
  match uuid NOT NULL,
  player uuid NOT NULL,
  seat smallint NOT NULL,
  is_invited boolean NOT NULL,
  CONSTRAINT seats_pkey PRIMARY KEY (match, seat)
);
CREATE INDEX seats_player ON seats (player, is_invited, match);
COMMENT ON TABLE seats IS
  'The players of matches that are not over, by seat, invited ones included.';

CREATE TABLE past_games (
  player uuid NOT NULL,
  ended_at timestamptz NOT NULL,
  match uuid NOT NULL,
  opponent uuid,
  points bigint NOT NULL,
  opponent_points bigint,
  turn_limit_seconds bigint,
  daily_day date,
  daily_mode text,
  kind text NOT NULL,
  language text NOT NULL,
  result text NOT NULL,
  reason text NOT NULL,
  is_casual boolean DEFAULT false NOT NULL,
  CONSTRAINT past_games_pkey PRIMARY KEY (player, ended_at, match)
);
CREATE INDEX past_games_match ON past_games (match);
CREATE INDEX past_games_kind ON past_games (player, kind, result, ended_at, match);
CREATE INDEX past_games_opponent_kind ON past_games (player, opponent, kind COLLATE "C", result COLLATE "C", ended_at, match);
COMMENT ON TABLE past_games IS
  'Ended matches that were played, once for each of their players, as long as the matches are '
  'kept.';

CREATE TABLE open_seats (
  match uuid NOT NULL,
  player uuid NOT NULL,
  since timestamptz NOT NULL,
  turn_limit_seconds bigint NOT NULL,
  language text NOT NULL,
  is_casual boolean DEFAULT false NOT NULL,
  has_turn boolean DEFAULT false NOT NULL,
  rating integer DEFAULT 1500 NOT NULL,
  leavers uuid[] DEFAULT '{}'::uuid[] NOT NULL,
  CONSTRAINT open_seats_pkey PRIMARY KEY (match)
);
CREATE INDEX open_seats_above ON open_seats (language, is_casual, turn_limit_seconds, rating, since, match);
CREATE INDEX open_seats_below ON open_seats (language, is_casual, turn_limit_seconds, rating DESC, since, match);
CREATE INDEX open_seats_movers ON open_seats (since, match) WHERE (NOT has_turn);
COMMENT ON TABLE open_seats IS
  'Matches in which a seat waits for anyone, by their terms.';
COMMENT ON COLUMN open_seats.rating IS
  'The player''s rating when the seat came to wait; in no record, and not compared with one.';
COMMENT ON COLUMN open_seats.leavers IS
  'The players who left the seat, in order. They do not get it again.';

CREATE TABLE pairs (
  key text NOT NULL,
  match uuid NOT NULL,
  CONSTRAINT pairs_pkey PRIMARY KEY (key)
);
CREATE INDEX pairs_match ON pairs (match);
COMMENT ON TABLE pairs IS
  'The one invitation that stands between two players on the same terms.';

CREATE TABLE invitation_codes (
  code text NOT NULL,
  match uuid NOT NULL,
  CONSTRAINT invitation_codes_pkey PRIMARY KEY (code)
);
CREATE INDEX invitation_codes_match ON invitation_codes (match);
COMMENT ON TABLE invitation_codes IS
  'The codes of open invitations, also of those that are over: a code tells what became of its '
  'invitation. Up to schema 21 it went with the end of the match.';

CREATE TABLE rematch_offers (
  match uuid NOT NULL,
  from_player uuid NOT NULL,
  to_player uuid NOT NULL,
  at timestamptz NOT NULL,
  seat smallint NOT NULL,
  key bytea NOT NULL,
  signature bytea NOT NULL,
  payload bytea NOT NULL,
  CONSTRAINT rematch_offers_pkey PRIMARY KEY (match),
  CONSTRAINT rematch_offers_key_check CHECK ((octet_length(key) = 32))
);
CREATE INDEX rematch_offers_from ON rematch_offers (from_player);
CREATE INDEX rematch_offers_to ON rematch_offers (to_player);
CREATE INDEX rematch_offers_at ON rematch_offers (at);
COMMENT ON TABLE rematch_offers IS
  'Offers of a rematch that wait for an answer, as they were signed: they are in no record '
  'before the rematch is dealt.';

CREATE TABLE daily_challenges (
  day date NOT NULL,
  fan_out_cursor uuid,
  fan_out_done boolean DEFAULT false NOT NULL,
  mode text NOT NULL,
  language text NOT NULL,
  lexicon text NOT NULL,
  letters text NOT NULL,
  reminder_cursor uuid,
  reminder_done boolean DEFAULT false NOT NULL,
  CONSTRAINT daily_challenges_pkey PRIMARY KEY (day, mode, language)
);
COMMENT ON TABLE daily_challenges IS
  'The puzzle of each day.';
COMMENT ON COLUMN daily_challenges.fan_out_cursor IS
  'The last player who has been told, in the order of ids.';
COMMENT ON COLUMN daily_challenges.reminder_cursor IS
  'The last player who has been looked at for a reminder that the day ends soon.';

CREATE TABLE daily_scores (
  player uuid NOT NULL,
  points bigint NOT NULL,
  day date NOT NULL,
  mode text NOT NULL,
  language text NOT NULL,
  CONSTRAINT daily_scores_pkey PRIMARY KEY (day, mode, language, player)
);
CREATE INDEX daily_scores_ranking ON daily_scores (day, mode, language, points DESC);
COMMENT ON TABLE daily_scores IS
  'The points of each player in each day''s challenge so far.';

CREATE TABLE events (
  player uuid NOT NULL,
  id uuid NOT NULL,
  handled_at timestamptz NOT NULL,
  payload_hash bytea NOT NULL,
  reply bytea NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (id, player),
  CONSTRAINT events_payload_hash_check CHECK ((octet_length(payload_hash) = 32))
) PARTITION BY RANGE (id);
COMMENT ON TABLE events IS
  'The one reply to every handled event, kept 8 days. Partitioned by the day in the event''s own '
  'id, so that an id is unique across partitions. In the key the id comes first: it grows with '
  'time, so inserts stay at one end of the index.';

CREATE TABLE events_default PARTITION OF events DEFAULT;

CREATE TABLE outbox (
  job uuid NOT NULL,
  player uuid NOT NULL,
  created_at timestamptz NOT NULL,
  match uuid,
  turn integer,
  day date,
  kind text NOT NULL,
  CONSTRAINT outbox_pkey PRIMARY KEY (job)
) WITH (
  fillfactor=90,
  autovacuum_vacuum_scale_factor=0,
  autovacuum_vacuum_threshold=1000,
  autovacuum_vacuum_insert_threshold=-1,
  autovacuum_vacuum_cost_delay=0
);
CREATE INDEX outbox_created_at ON outbox (created_at);
COMMENT ON TABLE outbox IS
  'Push jobs that the broker has not confirmed yet.';

CREATE TABLE deliveries (
  job uuid NOT NULL,
  player uuid NOT NULL,
  recorded_at timestamptz NOT NULL,
  match uuid,
  turn integer,
  day date,
  kind text NOT NULL,
  fate text NOT NULL,
  seen_at timestamptz,
  reason text,
  CONSTRAINT deliveries_pkey PRIMARY KEY (job)
);
CREATE INDEX deliveries_recorded_at ON deliveries (recorded_at);
CREATE INDEX deliveries_match ON deliveries (match);
CREATE INDEX deliveries_unseen ON deliveries (player, recorded_at) WHERE ((fate = 'delivered'::text) AND (seen_at IS NULL));
CREATE INDEX deliveries_account ON deliveries (player, recorded_at) WHERE (kind = 'account'::text);
COMMENT ON TABLE deliveries IS
  'The fate of each push job, kept 30 days. It is not partitioned: a job''s id tells no day, and '
  'only a key over all days lets the first word on a job stand.';
COMMENT ON COLUMN deliveries.seen_at IS
  'When the player said that this one was seen; see player_settings.seen_until.';
COMMENT ON COLUMN deliveries.reason IS
  'The named reason for the fate, such as answered; null: it was delivered alone and with a '
  'sound, or an older build recorded it.';

CREATE TABLE dead_events (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  at timestamptz NOT NULL,
  player uuid NOT NULL,
  event uuid NOT NULL,
  queue integer NOT NULL,
  reason text NOT NULL,
  body bytea NOT NULL,
  CONSTRAINT dead_events_pkey PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);
COMMENT ON TABLE dead_events IS
  'Events that no worker could handle, kept 30 days for a person to look at. Player and event '
  'are 0 if the event ended three workers and was not read again.';

CREATE TABLE dead_events_default PARTITION OF dead_events DEFAULT;

CREATE TABLE queue_clocks (
  queue integer NOT NULL,
  time timestamptz,
  credit_microseconds bigint NOT NULL,
  held_until timestamptz,
  outage_from timestamptz,
  outage_until timestamptz,
  CONSTRAINT queue_clocks_pkey PRIMARY KEY (queue)
) WITH (
  fillfactor=50
);
COMMENT ON TABLE queue_clocks IS
  'The last tick seen in each queue, and the time the service owes its matches.';
COMMENT ON COLUMN queue_clocks.held_until IS
  'Before this time of the queue no deadline passes: nobody could play shortly before.';
COMMENT ON COLUMN queue_clocks.outage_from IS
  'The last time without ticks that was credited. A deadline that is set within it gets only the '
  'rest of it.';

CREATE TABLE workers (
  id uuid NOT NULL,
  started_at timestamptz NOT NULL,
  heartbeat_at timestamptz NOT NULL,
  CONSTRAINT workers_pkey PRIMARY KEY (id)
) WITH (
  fillfactor=50
);
COMMENT ON TABLE workers IS
  'Workers that have given a sign of life lately.';

CREATE TABLE operator_acts (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at timestamptz NOT NULL,
  act text NOT NULL,
  detail text NOT NULL,
  CONSTRAINT operator_acts_pkey PRIMARY KEY (id)
);
COMMENT ON TABLE operator_acts IS
  'The acts of operators outside of matches.';

CREATE TABLE ratings (
  player uuid NOT NULL,
  rating_no bigint NOT NULL,
  rated_at timestamptz NOT NULL,
  rating bigint NOT NULL,
  deviation bigint NOT NULL,
  volatility bigint NOT NULL,
  match_count integer NOT NULL,
  points integer GENERATED ALWAYS AS ((((rating + 500000) / 1000000))::integer) STORED NOT NULL,
  is_bot boolean DEFAULT false NOT NULL,
  CONSTRAINT ratings_pkey PRIMARY KEY (player)
) WITH (
  fillfactor=80
);
CREATE INDEX ratings_ladder ON ratings (points, player) WHERE (NOT is_bot);
CREATE INDEX ratings_ranked ON ratings (points, player) WHERE ((NOT is_bot) AND (deviation < 110500000));
COMMENT ON TABLE ratings IS
  'The rating of every player with an ended rated match.';
COMMENT ON COLUMN ratings.rating_no IS
  'The place of the player''s last match in the rating order.';
COMMENT ON COLUMN ratings.rating IS
  'In millionths of a point, as the deviation; the volatility is in billionths.';
COMMENT ON COLUMN ratings.points IS
  'The rating in whole points: what players are ranked by.';
COMMENT ON COLUMN ratings.is_bot IS
  'Whether the rater has taken the player off the ladder; see bots.';

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
  CONSTRAINT rating_results_pkey PRIMARY KEY (match, player)
);
CREATE UNIQUE INDEX rating_results_player ON rating_results (player, rating_no);
COMMENT ON TABLE rating_results IS
  'The effect of each match on each player''s rating, and the values that it was computed from, '
  'kept for ever. Any rating can be computed again in the order of rating_no.';
COMMENT ON COLUMN rating_results.result IS
  'Won, lost or tied; none: the match was one too many of its two players, and changed nothing.';

CREATE TABLE rating_queue (
  match uuid NOT NULL,
  player uuid NOT NULL,
  ended_at timestamptz NOT NULL,
  result text NOT NULL,
  next_try_at timestamptz,
  CONSTRAINT rating_queue_pkey PRIMARY KEY (match, player)
);
CREATE INDEX rating_queue_order ON rating_queue (ended_at, match);
COMMENT ON TABLE rating_queue IS
  'Matches that ended and are to be rated, written as they end.';
COMMENT ON COLUMN rating_queue.next_try_at IS
  'When a match that could not be rated is tried again; null: at once.';

CREATE TABLE rating_clock (
  is_only boolean DEFAULT true NOT NULL,
  last_no bigint NOT NULL,
  CONSTRAINT rating_clock_pkey PRIMARY KEY (is_only),
  CONSTRAINT rating_clock_is_only_check CHECK (is_only)
);
COMMENT ON TABLE rating_clock IS
  'The place of the last match in the rating order: one row.';

CREATE TABLE ladder_counts (
  points integer NOT NULL,
  players integer NOT NULL,
  CONSTRAINT ladder_counts_pkey PRIMARY KEY (points)
) WITH (
  fillfactor=50
);
COMMENT ON TABLE ladder_counts IS
  'How many players with a place on the ladder have so many points, so that a rank is found '
  'without counting players: no bots, and no provisional ratings.';

CREATE TABLE solo_scores (
  match uuid NOT NULL,
  player uuid NOT NULL,
  ended_at timestamptz NOT NULL,
  points bigint NOT NULL,
  kind text NOT NULL,
  mode text NOT NULL,
  language text NOT NULL,
  words text[] NOT NULL,
  word_points bigint[] NOT NULL,
  CONSTRAINT solo_scores_pkey PRIMARY KEY (match)
);
CREATE INDEX solo_scores_ended ON solo_scores (player, kind, mode, language, ended_at);
CREATE INDEX solo_scores_best ON solo_scores (player, kind, mode, language, points DESC, ended_at DESC, match DESC);
CREATE INDEX solo_scores_best_words ON solo_scores (player, kind, mode, language, (word_points[1]) DESC, ended_at DESC, match DESC);
COMMENT ON TABLE solo_scores IS
  'Points and words of every ended game of one player, the best word first.';

CREATE TABLE ranking_queue (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  player uuid NOT NULL,
  day date,
  kind text NOT NULL,
  mode text NOT NULL,
  language text NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  next_try_at timestamptz,
  problem text,
  CONSTRAINT ranking_queue_pkey PRIMARY KEY (id)
) WITH (
  autovacuum_vacuum_scale_factor=0,
  autovacuum_vacuum_threshold=1000
);
CREATE INDEX ranking_queue_put_off ON ranking_queue (player) WHERE (next_try_at IS NOT NULL);
COMMENT ON TABLE ranking_queue IS
  'Players whose standing may have changed: with a day in that day''s challenge, else on the '
  'boards of that kind, mode and language.';
COMMENT ON COLUMN ranking_queue.failures IS
  'How often ranking the player has failed in a row, the last time with this problem; it is not '
  'tried again before next_try_at.';

CREATE TABLE hidden_words (
  language text NOT NULL,
  word text NOT NULL,
  hidden_at timestamptz DEFAULT now() NOT NULL,
  CONSTRAINT hidden_words_pkey PRIMARY KEY (language, word)
);
COMMENT ON TABLE hidden_words IS
  'Words that no board shows, as an operator decided.';

CREATE TABLE shared_games (
  code text NOT NULL,
  match uuid NOT NULL,
  shared_at timestamptz NOT NULL,
  CONSTRAINT shared_games_pkey PRIMARY KEY (code)
);
COMMENT ON TABLE shared_games IS
  'The codes with which anyone may see one game. A code follows from the service''s secret and '
  'the match. Only this table says that the game was shared.';

CREATE TABLE player_settings (
  player uuid NOT NULL,
  muted integer NOT NULL,
  display_name text,
  seen_until timestamptz,
  time_zone text,
  language text,
  quiet_from smallint,
  quiet_until smallint,
  quiet_drops boolean DEFAULT false NOT NULL,
  is_bundled boolean DEFAULT true NOT NULL,
  takes_nudges boolean DEFAULT true NOT NULL,
  digest_minute smallint,
  review_weekday smallint,
  next_digest_at timestamptz,
  CONSTRAINT player_settings_pkey PRIMARY KEY (player),
  CONSTRAINT player_settings_check CHECK ((num_nulls(quiet_from, quiet_until) = ANY (ARRAY[0, 2])))
);
CREATE INDEX player_settings_digest ON player_settings (next_digest_at, player) WHERE (next_digest_at IS NOT NULL);
COMMENT ON TABLE player_settings IS
  'The settings of players, and the time until which they have seen notifications. A player '
  'without a row has neither set nor seen anything.';
COMMENT ON COLUMN player_settings.muted IS
  'The kinds of notifications that are not wanted, a bit each; see MatchCore, PushJob.Kind.mask.';
COMMENT ON COLUMN player_settings.display_name IS
  'What notifications call the player; null: the name.';
COMMENT ON COLUMN player_settings.seen_until IS
  'Notifications that were sent until then count as seen. Null: only those with seen_at.';
COMMENT ON COLUMN player_settings.time_zone IS
  'A name of the IANA database, such as Europe/Berlin; null: UTC.';
COMMENT ON COLUMN player_settings.language IS
  'The language of notifications; null: English.';
COMMENT ON COLUMN player_settings.quiet_from IS
  'The minute of the local day at which quiet hours begin; null: there are none.';
COMMENT ON COLUMN player_settings.quiet_drops IS
  'Whether a notification that cannot wait for the end of the quiet hours is not sent; else it '
  'comes without a sound.';
COMMENT ON COLUMN player_settings.digest_minute IS
  'The minute of the local day for the daily digest; null: none is wanted.';
COMMENT ON COLUMN player_settings.review_weekday IS
  'The day of the week, 1 (Monday) to 7, for the review of the week; null: none is wanted.';
COMMENT ON COLUMN player_settings.next_digest_at IS
  'When the scheduler looks at this player for a digest or a review next; null: never.';

CREATE TABLE devices (
  player uuid NOT NULL,
  registered_at timestamptz NOT NULL,
  name text NOT NULL,
  token text,
  permission text NOT NULL,
  service text DEFAULT 'app'::text NOT NULL,
  subscription_key bytea,
  subscription_secret bytea,
  arrived_at timestamptz,
  answered_at timestamptz,
  answer text,
  key bytea,
  CONSTRAINT devices_pkey PRIMARY KEY (player, name),
  CONSTRAINT devices_check CHECK (((service = 'webPush'::text) = (num_nulls(subscription_key, subscription_secret) = 0))),
  CONSTRAINT devices_service_check CHECK ((service = ANY (ARRAY['app'::text, 'webPush'::text, 'apns'::text]))),
  CONSTRAINT devices_subscription_key_check CHECK ((octet_length(subscription_key) = 65)),
  CONSTRAINT devices_subscription_secret_check CHECK ((octet_length(subscription_secret) = 16))
);
CREATE INDEX devices_token ON devices (token);
COMMENT ON TABLE devices IS
  'The devices of players, and what their owners allowed on them.';
COMMENT ON COLUMN devices.token IS
  'The address: a token of the service, or the endpoint of a subscription; null: none is known.';
COMMENT ON COLUMN devices.service IS
  'The way to the device: the operator''s receiver, Web Push, or APNs.';
COMMENT ON COLUMN devices.subscription_key IS
  'Web Push: the browser''s public key, an uncompressed P-256 point.';
COMMENT ON COLUMN devices.subscription_secret IS
  'Web Push: the secret that the browser shares with the service.';
COMMENT ON COLUMN devices.arrived_at IS
  'When a push service last took a notification for it.';
COMMENT ON COLUMN devices.answered_at IS
  'When a push service last answered about it.';
COMMENT ON COLUMN devices.answer IS
  'That answer, for a person.';
COMMENT ON COLUMN devices.key IS
  'The key that registered it last. The row goes with it. Null: a build before schema 22 wrote '
  'the row, and it goes with the first key of the player that is removed.';

CREATE TABLE key_revocations (
  is_only boolean DEFAULT true NOT NULL,
  last_no bigint NOT NULL,
  CONSTRAINT key_revocations_pkey PRIMARY KEY (is_only),
  CONSTRAINT key_revocations_is_only_check CHECK (is_only)
);
COMMENT ON TABLE key_revocations IS
  'How many keys have been revoked: one row. A worker''s knowledge of keys holds as long as the '
  'number stays.';

CREATE TABLE blocks (
  player uuid NOT NULL,
  blocked uuid NOT NULL,
  since timestamptz NOT NULL,
  CONSTRAINT blocks_pkey PRIMARY KEY (player, blocked)
);
CREATE INDEX blocks_blocked ON blocks (blocked);
COMMENT ON TABLE blocks IS
  'Blocks of players by players. A block holds in both directions.';

CREATE TABLE dead_jobs (
  id uuid NOT NULL,
  at timestamptz NOT NULL,
  reason text NOT NULL,
  body bytea NOT NULL,
  CONSTRAINT dead_jobs_pkey PRIMARY KEY (id)
);
CREATE INDEX dead_jobs_at ON dead_jobs (at);
COMMENT ON TABLE dead_jobs IS
  'Push jobs that push workers gave up, kept 30 days for a person to look at. The id is a hash '
  'of the body, so that a job that is given up twice is kept once.';

CREATE TABLE trials (
  message bytea NOT NULL,
  lives integer NOT NULL,
  at timestamptz NOT NULL,
  CONSTRAINT trials_pkey PRIMARY KEY (message),
  CONSTRAINT trials_message_check CHECK ((octet_length(message) = 32))
);
COMMENT ON TABLE trials IS
  'Messages, by their SHA-256, that came so often that each reading is noted: how many workers '
  'have begun to read one and have not said that they lived on.';

CREATE TABLE housekeeping (
  is_only boolean DEFAULT true NOT NULL,
  horizon timestamptz NOT NULL,
  CONSTRAINT housekeeping_pkey PRIMARY KEY (is_only),
  CONSTRAINT housekeeping_is_only_check CHECK (is_only)
);
COMMENT ON TABLE housekeeping IS
  'The time by which rows are judged too old to be kept: one row. It goes forward by two hours a '
  'round at most, so that a clock that is set forth makes nothing old at once.';

CREATE TABLE problems (
  part text NOT NULL,
  subject uuid NOT NULL,
  since timestamptz NOT NULL,
  at timestamptz NOT NULL,
  reason text NOT NULL,
  CONSTRAINT problems_pkey PRIMARY KEY (part, subject)
);
COMMENT ON TABLE problems IS
  'Single matches and players that a part of the service cannot handle and has passed over, so '
  'that the others go on; one that is met no more is forgotten after a day.';

CREATE TABLE roles (
  id uuid NOT NULL,
  started_at timestamptz NOT NULL,
  heartbeat_at timestamptz NOT NULL,
  role text NOT NULL,
  process text NOT NULL,
  problem text,
  schema integer,
  CONSTRAINT roles_pkey PRIMARY KEY (id)
) WITH (
  fillfactor=50
);
COMMENT ON TABLE roles IS
  'Roles that have given a sign of life lately, workers included, each on the connection that it '
  'works with.';
COMMENT ON COLUMN roles.process IS
  'Where it runs: the name of the machine and the number of the process.';
COMMENT ON COLUMN roles.problem IS
  'The reason why it cannot work; null: it works.';
COMMENT ON COLUMN roles.schema IS
  'The version of the schema that its build needs. Null: a build before schema 22, which cannot '
  'read a match that a joiner has left. While such a role lives, such a match ends.';

CREATE TABLE queue_layout (
  is_only boolean DEFAULT true NOT NULL,
  queues integer NOT NULL,
  slot_credits bigint[] DEFAULT '{}'::bigint[] NOT NULL,
  unmoved integer[] DEFAULT '{}'::integer[] NOT NULL,
  CONSTRAINT queue_layout_pkey PRIMARY KEY (is_only),
  CONSTRAINT queue_layout_is_only_check CHECK (is_only),
  CONSTRAINT queue_layout_queues_check CHECK (((queues >= 1) AND (queues <= 1024)))
);
COMMENT ON TABLE queue_layout IS
  'How many queues of events there are: one row, by cubistd setup.';
COMMENT ON COLUMN queue_layout.slot_credits IS
  'The credit of each slot beside its queue''s, in microseconds. A slot brings it along from the '
  'queue that served it before the number of queues changed. Empty: no slot has any.';
COMMENT ON COLUMN queue_layout.unmoved IS
  'Former numbers of queues, as long as events may wait in queues that served their slots then. '
  'No role works until cubistd setup has moved them.';

CREATE TABLE stranger_invitations (
  day date NOT NULL,
  player uuid NOT NULL,
  sender uuid NOT NULL,
  sent integer NOT NULL,
  CONSTRAINT stranger_invitations_pkey PRIMARY KEY (day, player, sender)
);
COMMENT ON TABLE stranger_invitations IS
  'How often a player was invited on a day (UTC) by each player never met before, kept two days.';
COMMENT ON COLUMN stranger_invitations.sent IS
  'Withdrawn, declined and expired ones included.';

CREATE TABLE broker_claim (
  is_only boolean DEFAULT true NOT NULL,
  mark uuid NOT NULL,
  former uuid,
  claimed_at timestamptz,
  CONSTRAINT broker_claim_pkey PRIMARY KEY (is_only),
  CONSTRAINT broker_claim_is_only_check CHECK (is_only)
);
COMMENT ON TABLE broker_claim IS
  'The mark by which the broker knows this database: one row, by cubistd setup. The mark changes '
  'each minute, so that a copy of the database soon has one that the broker does not know.';
COMMENT ON COLUMN broker_claim.former IS
  'The mark before, good until the next change.';
COMMENT ON COLUMN broker_claim.claimed_at IS
  'When the mark was changed last; null: the broker has not got it yet.';

CREATE TABLE bots (
  player uuid NOT NULL,
  declared_at timestamptz NOT NULL,
  is_settled boolean DEFAULT false NOT NULL,
  CONSTRAINT bots_pkey PRIMARY KEY (player)
);
CREATE INDEX bots_unsettled ON bots (player) WHERE (NOT is_settled);
COMMENT ON TABLE bots IS
  'Accounts that have no place on any board, for ever: those declared a bot''s, and those of '
  'players who are gone.';
COMMENT ON COLUMN bots.is_settled IS
  'Whether the rater has seen it, so that the player is not on the ladder.';

CREATE TABLE boards (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  day date,
  kind text NOT NULL,
  mode text NOT NULL,
  language text NOT NULL,
  measure text,
  time_window text,
  CONSTRAINT boards_pkey PRIMARY KEY (id),
  CONSTRAINT boards_check CHECK ((((day IS NULL) = (measure IS NOT NULL)) AND ((day IS NULL) = (time_window IS NOT NULL))))
);
CREATE UNIQUE INDEX boards_of_windows ON boards (kind, mode, language, measure, time_window) WHERE (day IS NULL);
CREATE UNIQUE INDEX boards_of_days ON boards (day, kind, mode, language) WHERE (day IS NOT NULL);
COMMENT ON TABLE boards IS
  'The lists on which players are ranked: leaderboards, and the results of each day''s '
  'challenge. The points and words of a game of one player go to solo_scores in the transaction '
  'that ends it. The leading steward counts ranks afterwards, in transactions of its own. So no '
  'turn waits for a rank, and no two workers meet on a counter.';
COMMENT ON COLUMN boards.day IS
  'The day of the challenge; null: a leaderboard.';
COMMENT ON COLUMN boards.measure IS
  'The part of a game that counts: points, or words for its best word.';
COMMENT ON COLUMN boards.time_window IS
  'How long a game counts: day, week or all.';

CREATE TABLE board_places (
  board integer NOT NULL,
  player uuid NOT NULL,
  points bigint NOT NULL,
  ended_at timestamptz,
  expires_at timestamptz,
  match uuid,
  word text,
  CONSTRAINT board_places_pkey PRIMARY KEY (board, player)
);
CREATE INDEX board_places_best ON board_places (board, points DESC, player);
CREATE INDEX board_places_expiry ON board_places (expires_at) WHERE (expires_at IS NOT NULL);
COMMENT ON TABLE board_places IS
  'The one score by which a player stands on a board, until a better one comes or it leaves the '
  'board''s window.';

CREATE TABLE board_counts (
  board integer NOT NULL,
  points bigint NOT NULL,
  players bigint NOT NULL,
  CONSTRAINT board_counts_pkey PRIMARY KEY (board, points)
) WITH (
  fillfactor=70
);
COMMENT ON TABLE board_counts IS
  'How many players stand on a board with just those points.';

CREATE TABLE board_buckets (
  board integer NOT NULL,
  bucket bigint NOT NULL,
  players bigint NOT NULL,
  scores bigint NOT NULL,
  CONSTRAINT board_buckets_pkey PRIMARY KEY (board, bucket)
) WITH (
  fillfactor=50
);
COMMENT ON TABLE board_buckets IS
  'For each 256 points of a board: how many players, and how many different scores. A rank is '
  'the sum over the buckets above and a count within one.';

CREATE TABLE reports (
  player uuid NOT NULL,
  match uuid NOT NULL,
  other uuid NOT NULL,
  reason text NOT NULL,
  text text,
  at timestamptz NOT NULL,
  CONSTRAINT reports_pkey PRIMARY KEY (player, match)
);
CREATE INDEX reports_by_player ON reports (player, at);
CREATE INDEX reports_about ON reports (other, at);
CREATE INDEX reports_at ON reports (at);
COMMENT ON TABLE reports IS
  'Reports of players about their opponents, for operators. They are in no record, and only the '
  'last one of a player about a match is kept, for 180 days.';
COMMENT ON COLUMN reports.player IS
  'The player who reports.';
COMMENT ON COLUMN reports.other IS
  'The player who is reported.';
COMMENT ON COLUMN reports.text IS
  'The words of the player who reports; null: none.';

CREATE TABLE device_invitations (
  hash bytea NOT NULL,
  player uuid NOT NULL,
  until timestamptz NOT NULL,
  envelope bytea NOT NULL,
  used_by bytea,
  CONSTRAINT device_invitations_pkey PRIMARY KEY (hash),
  CONSTRAINT device_invitations_hash_check CHECK ((octet_length(hash) = 32))
);
CREATE INDEX device_invitations_player ON device_invitations (player, until) WHERE (used_by IS NULL);
CREATE INDEX device_invitations_until ON device_invitations (until);
COMMENT ON TABLE device_invitations IS
  'Invitations of further devices by players, kept for a day after their end. No code is in it.';
COMMENT ON COLUMN device_invitations.hash IS
  'The hash of the code, see MatchCore, DeviceCode.hash(at:).';
COMMENT ON COLUMN device_invitations.envelope IS
  'The event deviceInvited, with the key that signed it.';
COMMENT ON COLUMN device_invitations.used_by IS
  'The key that showed the code; null: nobody has.';

CREATE TABLE recoveries (
  player uuid NOT NULL,
  key bytea,
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
  CONSTRAINT recoveries_pkey PRIMARY KEY (player),
  CONSTRAINT recoveries_check CHECK ((num_nulls(next_key, next_naming, next_at, next_credit) = ANY (ARRAY[0, 4]))),
  CONSTRAINT recoveries_check1 CHECK ((num_nulls(recovery, new_key, request, due_at, due_credit) = ANY (ARRAY[0, 5]))),
  CONSTRAINT recoveries_check2 CHECK ((num_nulls(key, naming) = ANY (ARRAY[0, 2]))),
  CONSTRAINT recoveries_key_check CHECK ((octet_length(key) = 32))
);
CREATE INDEX recoveries_due ON recoveries (due_at, player) WHERE (recovery IS NOT NULL);
COMMENT ON TABLE recoveries IS
  'The recovery keys of players, and the recoveries that wait for their time. A row is kept for '
  'ever.';
COMMENT ON COLUMN recoveries.key IS
  'The recovery key that counts; null: none does yet.';
COMMENT ON COLUMN recoveries.naming IS
  'The envelope of the event that named it.';
COMMENT ON COLUMN recoveries.next_key IS
  'The recovery key that counts once its time has come; null: none waits.';
COMMENT ON COLUMN recoveries.next_credit IS
  'The credit of the player''s queue when it was named, in microseconds.';
COMMENT ON COLUMN recoveries.named_at IS
  'When a recovery key was last named that had to wait.';
COMMENT ON COLUMN recoveries.recovery IS
  'The event playerRecovered that waits for its time; null: none does.';
COMMENT ON COLUMN recoveries.new_key IS
  'The key that is to speak for the player.';
COMMENT ON COLUMN recoveries.request IS
  'The envelope of that event.';
COMMENT ON COLUMN recoveries.due_credit IS
  'The credit of the player''s queue when the recovery was begun, in microseconds.';
COMMENT ON COLUMN recoveries.objector IS
  'The key of the player that objected; null: none has.';
COMMENT ON COLUMN recoveries.begun_at IS
  'When a recovery was last begun.';

CREATE TABLE held_jobs (
  job uuid NOT NULL,
  player uuid NOT NULL,
  held_at timestamptz NOT NULL,
  until timestamptz NOT NULL,
  match uuid,
  turn integer,
  day date,
  kind text NOT NULL,
  reason text NOT NULL,
  CONSTRAINT held_jobs_pkey PRIMARY KEY (job)
);
CREATE INDEX held_jobs_until ON held_jobs (until, player);
CREATE INDEX held_jobs_match ON held_jobs (match);
COMMENT ON TABLE held_jobs IS
  'Push jobs that wait for their hour. The relay sends each to the broker once more when it has '
  'come.';
COMMENT ON COLUMN held_jobs.reason IS
  'quietHours, or bundle.';

CREATE TABLE push_answers (
  minute timestamptz NOT NULL,
  provider text NOT NULL,
  answer text NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT push_answers_pkey PRIMARY KEY (minute, provider, answer)
);
COMMENT ON TABLE push_answers IS
  'How often each provider answered what, in each minute, kept for a day.';

CREATE TABLE nudges (
  match uuid NOT NULL,
  turn integer NOT NULL,
  at timestamptz NOT NULL,
  CONSTRAINT nudges_pkey PRIMARY KEY (match)
);
COMMENT ON TABLE nudges IS
  'The last turn of each running match of which its player was reminded by the other one.';

CREATE TABLE departures (
  player uuid NOT NULL,
  asked_at timestamptz,
  gone_at timestamptz,
  is_settled boolean DEFAULT false NOT NULL,
  CONSTRAINT departures_pkey PRIMARY KEY (player)
);
CREATE INDEX departures_asked ON departures (asked_at, player) WHERE ((gone_at IS NULL) AND (asked_at IS NOT NULL));
CREATE INDEX departures_unsettled ON departures (gone_at, player) WHERE ((gone_at IS NOT NULL) AND (NOT is_settled));
COMMENT ON TABLE departures IS
  'Players who have asked for the end of their account, and players who are gone. A row is kept '
  'for ever.';
COMMENT ON COLUMN departures.asked_at IS
  'When the player asked, 72 hours before the account may end; null: the player has taken it '
  'back.';
COMMENT ON COLUMN departures.gone_at IS
  'Since when the player is gone; null: not yet.';
COMMENT ON COLUMN departures.is_settled IS
  'Whether the housekeeper has seen that no match of the player who is gone runs any more.';

CREATE TABLE reserved_names (
  hash bytea NOT NULL,
  until timestamptz NOT NULL,
  CONSTRAINT reserved_names_pkey PRIMARY KEY (hash),
  CONSTRAINT reserved_names_hash_check CHECK ((octet_length(hash) = 32))
);
CREATE INDEX reserved_names_until ON reserved_names (until);
COMMENT ON TABLE reserved_names IS
  'Names of players who are gone, so that nobody takes one shortly after and passes for its '
  'former owner.';
COMMENT ON COLUMN reserved_names.hash IS
  'SHA-256 of the skeleton of the name.';

CREATE TABLE owed_jobs (
  job uuid NOT NULL,
  player uuid NOT NULL,
  owed_at timestamptz NOT NULL,
  match uuid,
  turn integer,
  day date,
  kind text NOT NULL,
  CONSTRAINT owed_jobs_pkey PRIMARY KEY (job)
);
CREATE INDEX owed_jobs_owed_at ON owed_jobs (owed_at);
COMMENT ON TABLE owed_jobs IS
  'Push jobs that no record shows to be owed, each noted in the transaction that owes it, and '
  'kept as long as deliveries. cubistd check looks for what became of them.';

CREATE TABLE service_time (
  is_only boolean DEFAULT true NOT NULL,
  added_microseconds bigint NOT NULL,
  jump_microseconds bigint,
  jumped_at timestamptz,
  CONSTRAINT service_time_pkey PRIMARY KEY (is_only),
  CONSTRAINT service_time_added_microseconds_check CHECK (((added_microseconds >= '-3155760000000000'::bigint) AND (added_microseconds <= '3155760000000000'::bigint))),
  CONSTRAINT service_time_is_only_check CHECK (is_only),
  CONSTRAINT service_time_jumped_at_check CHECK (isfinite(jumped_at))
);
COMMENT ON TABLE service_time IS
  'The service''s time is the database''s clock and what is added to it here: one row. The '
  'scheduler keeps it, so that a jump of the clock is none of the service''s time. A hundred '
  'years are the most.';
COMMENT ON COLUMN service_time.jump_microseconds IS
  'How far the clock jumped when it jumped last; below 0: back. Null: no jump was ever noticed.';
COMMENT ON COLUMN service_time.jumped_at IS
  'When it jumped last, in the service''s time.';

CREATE TABLE set_aside (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  match uuid NOT NULL,
  at timestamptz NOT NULL,
  act text NOT NULL,
  rows jsonb NOT NULL,
  CONSTRAINT set_aside_pkey PRIMARY KEY (id),
  CONSTRAINT set_aside_act_check CHECK ((act = ANY (ARRAY['annulled'::text, 'restored'::text])))
);
CREATE INDEX set_aside_match ON set_aside (match);
COMMENT ON TABLE set_aside IS
  'Rows of damaged matches as they were before an operator annulled or restored them: for each '
  'table the list of its rows. They go with their matches.';
COMMENT ON COLUMN set_aside.act IS
  'Annulled: the record that is kept does not hold, and cubistd check says nothing of it. '
  'Restored: it holds.';

CREATE TABLE seats_left (
  player uuid NOT NULL,
  at timestamptz NOT NULL,
  match uuid NOT NULL,
  CONSTRAINT seats_left_pkey PRIMARY KEY (player, at, match)
);
CREATE INDEX seats_left_at ON seats_left (at);
COMMENT ON TABLE seats_left IS
  'Who left a match after joining it, before anybody had played: kept for a day. Each one more '
  'makes the pause longer before the player may join another one.';

CREATE TYPE cubist_standing AS (
  measure text,
  time_window text,
  points bigint,
  ended_at timestamptz,
  expires_at timestamptz,
  match uuid,
  word text
);

CREATE FUNCTION cubist_guard(ids uuid[], versions bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $$
DECLARE
  held bigint;
BEGIN
  -- Locked in the order of ids, so that two batches never wait for one another.
  SELECT count(*) INTO held FROM (
    SELECT m.id FROM unnest(ids, versions) AS u (id, version)
    JOIN matches AS m ON m.id = u.id AND m.version = u.version
    ORDER BY m.id FOR NO KEY UPDATE OF m
  ) AS locked;
  PERFORM cubist_expect('guardVersions', 'matches', held, cardinality(ids));
END
$$;

CREATE FUNCTION cubist_use_codes(used text[], players uuid[], at timestamptz)
 RETURNS void
 LANGUAGE plpgsql
AS $$
DECLARE
  taken bigint;
BEGIN
  -- Locked in the order of codes, so that two batches never wait for one another.
  PERFORM FROM registration_codes AS c WHERE c.code = ANY(used)
  ORDER BY c.code FOR NO KEY UPDATE OF c;
  UPDATE registration_codes AS c SET used_by = u.player, used_at = at
  FROM unnest(used, players) AS u (code, player)
  WHERE c.code = u.code AND c.used_by IS NULL;
  GET DIAGNOSTICS taken = ROW_COUNT;
  IF taken <> cardinality(used) THEN
    RAISE EXCEPTION 'useCodes: expected % registration_codes that nobody has used, found %',
      cardinality(used), taken USING ERRCODE = 'CB001';
  END IF;
END
$$;

CREATE FUNCTION cubist_first_id(day date)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE
AS $$
  -- The lowest UUIDv7 of a day: its first millisecond in the upper 48 bits.
  SELECT (lpad(to_hex((day - DATE '1970-01-01')::bigint * 86400000), 12, '0')
    || '00000000000000000000')::uuid
$$;

CREATE FUNCTION cubist_add_partitions(today date)
 RETURNS void
 LANGUAGE sql
AS $$
  SELECT cubist_add_partitions(today::timestamp AT TIME ZONE 'UTC', 5000)
$$;

CREATE FUNCTION cubist_drop_partitions(parent text, before date)
 RETURNS void
 LANGUAGE plpgsql
 SET lock_timeout TO '500ms'
AS $$
DECLARE
  child text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/partitions', 0));
  FOR child IN
    SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = to_regclass(parent) AND c.relname ~ ('^' || parent || '_[0-9]{8}$')
      AND to_date(right(c.relname, 8), 'YYYYMMDD') < before
    ORDER BY c.relname
  LOOP
    EXECUTE format('DROP TABLE %I', child);
  END LOOP;
END
$$;

CREATE FUNCTION cubist_words_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $$
DECLARE
  changed hidden_words := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  -- A player who is being ranked just now may have played the word, too.
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  INSERT INTO ranking_queue (player, kind, mode, language)
  SELECT DISTINCT player, kind, mode, language FROM solo_scores
  WHERE language = changed.language AND changed.word = ANY(words);
  RETURN NULL;
END
$$;

CREATE FUNCTION cubist_place(of_board text, of_points bigint)
 RETURNS TABLE(rank bigint, out_of bigint)
 LANGUAGE sql
 STABLE
AS $$
  SELECT o.rank, o.out_of FROM cubist_place(
    (SELECT b.id FROM boards AS b WHERE cubist_board_name(b) = of_board), of_points) AS o
$$;

CREATE FUNCTION cubist_rank_player(who uuid, of_kind text, of_mode text, of_language text, of_day date)
 RETURNS void
 LANGUAGE plpgsql
AS $$
DECLARE
  standing cubist_standing;
  made bigint;
BEGIN
  IF of_day IS NOT NULL THEN
    SELECT s.points INTO made FROM daily_scores AS s
    WHERE s.day = of_day AND s.mode = of_mode AND s.language = of_language AND s.player = who
      AND NOT EXISTS (SELECT FROM bots AS b WHERE b.player = who);
    PERFORM cubist_put_rank(
      cubist_made_board(of_kind, of_mode, of_language, NULL, NULL, of_day), who, made,
      NULL, NULL, NULL, NULL);
    RETURN;
  END IF;
  FOR standing IN SELECT * FROM cubist_standings_of(who, of_kind, of_mode, of_language) LOOP
    PERFORM cubist_put_rank(
      cubist_made_board(
        of_kind, of_mode, of_language, standing.measure, standing.time_window, NULL),
      who, standing.points, standing.ended_at, standing.expires_at, standing.match, standing.word);
  END LOOP;
END
$$;

CREATE FUNCTION cubist_rank_next(portion integer)
 RETURNS integer
 LANGUAGE sql
AS $$
  SELECT cubist_rank(ARRAY(
    SELECT id FROM ranking_queue
    WHERE next_try_at IS NULL OR next_try_at <= statement_timestamp()
    ORDER BY id LIMIT portion))
$$;

CREATE FUNCTION cubist_recount(of_board text)
 RETURNS void
 LANGUAGE sql
AS $$
  SELECT cubist_recount(b.id) FROM boards AS b WHERE cubist_board_name(b) = of_board
$$;

CREATE FUNCTION cubist_stale_boards(who uuid, of_kind text, of_mode text, of_language text, of_day date)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
AS $$
  SELECT concat_ws('/', of_kind, of_mode, of_language, w.measure, w.time_window,
    to_char(w.day, 'YYYY-MM-DD'))
  FROM cubist_wrong_boards(who, of_kind, of_mode, of_language, of_day) AS w
$$;

CREATE FUNCTION cubist_guard(ids uuid[], versions bigint[], revocations bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $$
DECLARE
  counted bigint;
BEGIN
  IF revocations IS NOT NULL THEN
    -- Batches share it. A session that revokes a key waits until the batches that are being written
    -- are committed. It is taken before any row is locked, so that no holder of a row waits for it.
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('cubist/keys', 0));
    SELECT last_no INTO counted FROM key_revocations;
    IF revocations IS DISTINCT FROM counted THEN
      RAISE EXCEPTION 'guardVersions: a key has been revoked: expected % revocations, found %',
        revocations, counted USING ERRCODE = 'CB001';
    END IF;
  END IF;
  IF cardinality(ids) > 0 THEN
    PERFORM cubist_guard(ids, versions);
  END IF;
END
$$;
COMMENT ON FUNCTION cubist_guard(uuid[],bigint[],bigint) IS
  'The guard of a batch. It raises: in a pipeline that commits, a count would be read too late.';

CREATE FUNCTION cubist_guard_blocks(players uuid[], others uuid[], changed uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $$
DECLARE
  one record;
BEGIN
  -- Locked in the order of players, so that two batches never wait for one another.
  FOR one IN
    SELECT u.player, bool_or(u.is_changed) AS is_changed
    FROM (
      SELECT unnest(players) AS player, false AS is_changed
      UNION ALL SELECT unnest(changed), true
    ) AS u
    GROUP BY u.player ORDER BY u.player
  LOOP
    IF one.is_changed THEN
      PERFORM pg_advisory_xact_lock(hashtextextended('block ' || one.player, 0));
    ELSE
      PERFORM pg_advisory_xact_lock_shared(hashtextextended('block ' || one.player, 0));
    END IF;
  END LOOP;
  IF EXISTS (
    SELECT FROM unnest(players, others) AS u (player, other)
    JOIN blocks AS b ON b.player = u.player AND b.blocked = u.other
  ) THEN
    RAISE EXCEPTION 'a player has blocked another one' USING ERRCODE = 'CB001';
  END IF;
END
$$;
COMMENT ON FUNCTION cubist_guard_blocks(uuid[],uuid[],uuid[]) IS
  'The guard of a batch in which players meet: raises if one of them has blocked the other '
  'meanwhile. A block takes a lock that no batch in which the player meets anybody can have at '
  'once.';

CREATE FUNCTION cubist_rating(who uuid)
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $$
  -- A player without a rating counts as the middle.
  SELECT coalesce((SELECT points FROM ratings WHERE player = who), 1500)
$$;

CREATE FUNCTION cubist_expect(updated bigint, expected bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $$
BEGIN
  IF updated <> expected THEN
    RAISE EXCEPTION '% of % matches have changed', expected - updated, expected
      USING ERRCODE = 'CB001';
  END IF;
END
$$;

CREATE FUNCTION cubist_horizon(at timestamptz)
 RETURNS timestamptz
 LANGUAGE sql
AS $$
  UPDATE housekeeping SET horizon = least(at, horizon + interval '2 hours') RETURNING horizon
$$;

CREATE FUNCTION cubist_note_problems(of_part text, subjects uuid[], reasons text[])
 RETURNS void
 LANGUAGE sql
AS $$
  -- In the order of subjects, so that two that note never wait for one another.
  INSERT INTO problems AS p (part, subject, since, at, reason)
  SELECT of_part, u.subject, statement_timestamp(), statement_timestamp(), u.reason
  FROM unnest(subjects, reasons) AS u (subject, reason)
  ORDER BY u.subject
  ON CONFLICT (part, subject) DO UPDATE SET at = excluded.at, reason = excluded.reason
$$;

CREATE FUNCTION cubist_forget_days(before date, portion integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $$
DECLARE
  gone integer;
  old integer[];
BEGIN
  -- A portion of the rows of the days before one. The scores go first: nobody misses a board
  -- without scores, but scores need their board.
  DELETE FROM daily_scores WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM daily_scores WHERE day < before
    ORDER BY day, mode, language, player LIMIT portion));
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone > 0 THEN RETURN gone; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  old := ARRAY(SELECT id FROM boards WHERE day < before);
  DELETE FROM board_places WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM board_places WHERE board = ANY(old) LIMIT portion));
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone > 0 THEN RETURN gone; END IF;
  DELETE FROM board_counts WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM board_counts WHERE board = ANY(old) LIMIT portion));
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone > 0 THEN RETURN gone; END IF;
  DELETE FROM board_buckets WHERE board = ANY(old);
  DELETE FROM boards WHERE id = ANY(old);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END
$$;

CREATE FUNCTION cubist_add_partition(parent text, day date, key text, low text, high text, is_ahead boolean, portion integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET lock_timeout TO '500ms'
AS $$
DECLARE
  child text := parent || to_char(day, '_YYYYMMDD');
  spare text := parent || '_default';
  mover text := format(
    'WITH moved AS (DELETE FROM %1$I WHERE ctid = ANY(ARRAY('
    'SELECT ctid FROM %1$I WHERE %2$I >= %3$L AND %2$I < %4$L LIMIT %5$s)) RETURNING *), '
    'kept AS (INSERT INTO %6$I SELECT * FROM moved ON CONFLICT DO NOTHING) '
    'SELECT count(*) FROM moved', spare, key, low, high, portion, child);
  is_used boolean;
  moved bigint;
BEGIN
  IF EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass(child)) THEN
    RETURN false;
  END IF;
  IF to_regclass(child) IS NULL THEN
    EXECUTE format('SELECT EXISTS (SELECT FROM %1$I WHERE %2$I >= %3$L AND %2$I < %4$L)',
      spare, key, low, high) INTO is_used;
    -- What a day that has begun has in the default partition must be found all the time: it stays
    -- there until it is too old.
    IF is_used AND NOT is_ahead THEN
      RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', child, parent);
  END IF;
  -- What is dated ahead was refused. A copy that is not found for a moment is refused again.
  EXECUTE mover INTO moved;
  IF moved > 0 THEN
    RETURN true;
  END IF;
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', spare);
  EXECUTE mover INTO moved;
  EXECUTE format(
    'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, child, low, high);
  RETURN true;
END
$$;

CREATE FUNCTION cubist_add_partitions(at timestamptz, portion integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET lock_timeout TO '500ms'
AS $$
DECLARE
  today date := (at AT TIME ZONE 'UTC')::date;
  -- Of a day that is about to begin what is not refused may be there already.
  begun date := ((at + interval '1 hour') AT TIME ZONE 'UTC')::date;
BEGIN
  -- One step of what there is to do; false: nothing is left. The days ahead come first.
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/partitions', 0));
  FOR i IN REVERSE 2..-8 LOOP
    IF cubist_add_partition('events', today + i, 'id', cubist_first_id(today + i)::text,
      cubist_first_id(today + i + 1)::text, today + i > begun, portion)
    THEN
      RETURN true;
    END IF;
  END LOOP;
  FOR i IN REVERSE 2..0 LOOP
    IF cubist_add_partition('dead_events', today + i, 'at', (today + i)::text || ' 00:00:00+00',
      (today + i + 1)::text || ' 00:00:00+00', today + i > begun, portion)
    THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN false;
END
$$;
COMMENT ON FUNCTION cubist_add_partitions(timestamptz,integer) IS
  'Makes partitions by UTC day, one step a call. A row without a partition lands in the default '
  'one. A session that waits for a lock here holds up all later ones, so it waits for a moment '
  'only.';

CREATE FUNCTION cubist_put_off_rank(who uuid, of_kind text, of_mode text, of_language text, of_day date, why text)
 RETURNS void
 LANGUAGE sql
AS $$
  -- The others go on; this one is tried again after ever longer times, up to an hour and a half.
  WITH waiting AS (
    DELETE FROM ranking_queue
    WHERE player = who AND kind = of_kind AND mode = of_mode AND language = of_language
      AND day IS NOT DISTINCT FROM of_day
    RETURNING failures)
  INSERT INTO ranking_queue (player, day, kind, mode, language, failures, next_try_at, problem)
  SELECT who, of_day, of_kind, of_mode, of_language, max(failures) + 1,
    statement_timestamp() + interval '10 seconds' * 2 ^ least(max(failures), 9), why
  FROM waiting HAVING count(*) > 0
$$;

CREATE FUNCTION cubist_rank(items bigint[])
 RETURNS integer
 LANGUAGE plpgsql
AS $$
DECLARE
  item record;
  done integer := 0;
BEGIN
  -- One session counts at a time.
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  FOR item IN
    SELECT player, kind, mode, language, day, array_agg(id) AS ids FROM ranking_queue
    WHERE id = ANY(items) GROUP BY player, kind, mode, language, day ORDER BY min(id)
  LOOP
    BEGIN
      -- A player who was put off loses nothing: all games are looked at then.
      IF NOT EXISTS (
        SELECT FROM ranking_queue AS q
        WHERE q.player = item.player AND q.next_try_at > statement_timestamp()
          AND (q.kind, q.mode, q.language) = (item.kind, item.mode, item.language)
          AND q.day IS NOT DISTINCT FROM item.day)
      THEN
        PERFORM cubist_rank_player(item.player, item.kind, item.mode, item.language, item.day);
      END IF;
      DELETE FROM ranking_queue WHERE id = ANY(item.ids);
    EXCEPTION WHEN OTHERS THEN
      -- A statement that takes too long is no such exception: its caller sees to that.
      PERFORM cubist_put_off_rank(
        item.player, item.kind, item.mode, item.language, item.day, SQLERRM);
    END;
    done := done + 1;
    -- The rest waits for the next time, long before a statement takes too long.
    EXIT WHEN clock_timestamp() >= statement_timestamp() + interval '1 second';
  END LOOP;
  RETURN done;
END
$$;

CREATE FUNCTION cubist_queue_expired(portion integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $$
DECLARE
  service_now timestamptz;
  queued integer;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  SELECT now INTO STRICT service_now FROM service_clock;
  -- A player with a score that left its window waits like the others. The row is looked at again in
  -- an hour if it is still there.
  WITH expired AS (
    UPDATE board_places SET expires_at = service_now + interval '1 hour'
    WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM board_places WHERE expires_at <= service_now
      ORDER BY expires_at LIMIT portion))
    RETURNING player, board)
  INSERT INTO ranking_queue (player, day, kind, mode, language)
  SELECT DISTINCT e.player, b.day, b.kind, b.mode, b.language
  FROM expired AS e JOIN boards AS b ON b.id = e.board;
  GET DIAGNOSTICS queued = ROW_COUNT;
  RETURN queued;
END
$$;

CREATE FUNCTION cubist_declare_bots(declared uuid[], at timestamptz)
 RETURNS void
 LANGUAGE sql
AS $$
  -- An account that is declared again stays as it is. A new bot is ranked anew wherever it may have a
  -- place to lose.
  WITH new AS (
    INSERT INTO bots (player, declared_at)
    SELECT DISTINCT u.player, at FROM unnest(declared) AS u (player) ORDER BY u.player
    ON CONFLICT DO NOTHING
    RETURNING player)
  INSERT INTO ranking_queue (player, day, kind, mode, language)
  SELECT DISTINCT n.player, NULL::date, s.kind, s.mode, s.language
  FROM new AS n JOIN solo_scores AS s ON s.player = n.player
  UNION ALL
  SELECT n.player, c.day, 'daily', c.mode, c.language
  FROM new AS n CROSS JOIN daily_challenges AS c
  JOIN daily_scores AS s ON s.day = c.day AND s.mode = c.mode AND s.language = c.language
    AND s.player = n.player
$$;

CREATE FUNCTION cubist_retire_bots(rated uuid[])
 RETURNS integer
 LANGUAGE plpgsql
AS $$
DECLARE
  seen uuid[];
  retired integer;
BEGIN
  -- One session rates and counts at a time. Another one leaves it to that one.
  IF NOT pg_try_advisory_xact_lock(hashtextextended('cubist/rater', 0)) THEN RETURN 0; END IF;
  WITH settled AS (
    UPDATE bots SET is_settled = true
    WHERE player = ANY(ARRAY(
      SELECT player FROM bots WHERE NOT is_settled ORDER BY player LIMIT 1000))
    RETURNING player)
  SELECT coalesce(array_agg(player), '{}') INTO seen FROM settled;
  WITH gone AS (
    UPDATE ratings AS r SET is_bot = true FROM bots AS b
    WHERE r.player = ANY(seen || rated) AND b.player = r.player AND NOT r.is_bot
    RETURNING r.points, r.deviation),
  counts AS (
    SELECT points, count(*)::integer AS players FROM gone WHERE deviation < 110500000
    GROUP BY points),
  moved AS (
    INSERT INTO ladder_counts AS c (points, players) SELECT points, -players FROM counts
    ON CONFLICT (points) DO UPDATE SET players = c.players + excluded.players)
  SELECT coalesce(sum(players), 0) INTO retired FROM counts;
  RETURN retired;
END
$$;
COMMENT ON FUNCTION cubist_retire_bots(uuid[]) IS
  'Takes bots off the ladder: those that were just rated, and those that were declared lately.';

CREATE FUNCTION cubist_board(of_kind text, of_mode text, of_language text, of_measure text, of_window text, of_day date)
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $$
  -- A board by its columns; null: nobody has been ranked on it yet.
  SELECT id FROM boards WHERE day IS NULL AND kind = of_kind AND mode = of_mode
    AND language = of_language AND measure = of_measure AND time_window = of_window
  UNION ALL
  SELECT id FROM boards WHERE day IS NOT NULL AND day = of_day AND kind = of_kind
    AND mode = of_mode AND language = of_language
$$;

CREATE FUNCTION cubist_made_board(of_kind text, of_mode text, of_language text, of_measure text, of_window text, of_day date)
 RETURNS integer
 LANGUAGE plpgsql
AS $$
DECLARE
  board integer :=
    cubist_board(of_kind, of_mode, of_language, of_measure, of_window, of_day);
BEGIN
  -- A board by its columns, made if there is none. The lock for ranking is held.
  IF board IS NULL THEN
    INSERT INTO boards (day, kind, mode, language, measure, time_window)
    VALUES (of_day, of_kind, of_mode, of_language, of_measure, of_window) RETURNING id INTO board;
  END IF;
  RETURN board;
END
$$;

CREATE FUNCTION cubist_place(of_board integer, of_points bigint)
 RETURNS TABLE(rank bigint, out_of bigint)
 LANGUAGE sql
 STABLE
AS $$
  -- Dense: one more than there are different scores above. One SELECT, so that a query that asks
  -- for many places is planned once, with this within it.
  SELECT 1 + b.higher + c.higher, b.players
  FROM (SELECT coalesce(sum(players), 0)::bigint AS players,
      coalesce(sum(scores) FILTER (WHERE bucket > of_points >> 8), 0)::bigint AS higher
    FROM board_buckets WHERE board = of_board) AS b
  CROSS JOIN (SELECT count(*) AS higher FROM board_counts
    WHERE board = of_board AND points > of_points
      AND points < ((of_points >> 8) + 1) << 8) AS c
$$;

CREATE FUNCTION cubist_count(of_board integer, of_points bigint, change integer)
 RETURNS void
 LANGUAGE plpgsql
AS $$
DECLARE
  now_there bigint;
  new_scores integer := 0;
BEGIN
  INSERT INTO board_counts AS c (board, points, players) VALUES (of_board, of_points, change)
  ON CONFLICT (board, points) DO UPDATE SET players = c.players + change
  RETURNING players INTO now_there;
  IF now_there <= 0 THEN
    DELETE FROM board_counts WHERE board = of_board AND points = of_points;
    new_scores := -1;
  ELSIF now_there = 1 AND change = 1 THEN
    new_scores := 1;
  END IF;
  INSERT INTO board_buckets AS b (board, bucket, players, scores)
  VALUES (of_board, of_points >> 8, change, new_scores)
  ON CONFLICT (board, bucket) DO UPDATE
  SET players = b.players + change, scores = b.scores + new_scores;
END
$$;

CREATE FUNCTION cubist_put_rank(of_board integer, who uuid, new_points bigint, ended timestamptz, expires timestamptz, of_match uuid, spelled text)
 RETURNS void
 LANGUAGE plpgsql
AS $$
DECLARE
  old_points bigint;
BEGIN
  SELECT p.points INTO old_points FROM board_places AS p
  WHERE p.board = of_board AND p.player = who;
  IF new_points IS NOT NULL THEN
    INSERT INTO board_places AS p (board, player, points, ended_at, expires_at, match, word)
    VALUES (of_board, who, new_points, ended, expires, of_match, spelled)
    ON CONFLICT (board, player) DO UPDATE
    SET points = excluded.points, ended_at = excluded.ended_at,
      expires_at = excluded.expires_at, match = excluded.match, word = excluded.word
    WHERE (p.points, p.ended_at, p.expires_at, p.match, p.word)
      IS DISTINCT FROM (new_points, ended, expires, of_match, spelled);
  ELSIF old_points IS NOT NULL THEN
    DELETE FROM board_places WHERE board = of_board AND player = who;
  END IF;
  IF old_points IS DISTINCT FROM new_points THEN
    IF old_points IS NOT NULL THEN PERFORM cubist_count(of_board, old_points, -1); END IF;
    IF new_points IS NOT NULL THEN PERFORM cubist_count(of_board, new_points, 1); END IF;
  END IF;
END
$$;

CREATE FUNCTION cubist_standings_of(who uuid, of_kind text, of_mode text, of_language text)
 RETURNS SETOF cubist_standing
 LANGUAGE plpgsql
 STABLE
AS $$
DECLARE
  -- A player's right places on the boards of some games, by all games that are kept. A place
  -- without points is none. A bot has none.
  --
  -- Only so many games are looked at for each place: first the best ever. If none of them counts,
  -- the latest. So a player with more games than that within a window may stand by a game that is
  -- not the best of it.
  --
  -- A word of a daily counts once it helps nobody any more: when the day is over, and the time of a
  -- game that was begun in the day's last moment. Until then the player's place by points of all
  -- games expires at that time, so that the player is ranked anew.
  at_most CONSTANT integer := 2000;
  named text;
  span interval;
  since timestamptz;
  game record;
  shown record;
  best cubist_standing;
  none cubist_standing;
  is_bot boolean := EXISTS (SELECT FROM bots WHERE player = who);
  tail interval := CASE of_mode WHEN 'timed' THEN interval '180 seconds' ELSE interval '0' END;
  service_now timestamptz;
  -- The UTC day of the first daily that may still be played, and the lowest id of its games.
  open_day date;
  open_games uuid;
BEGIN
  SELECT now INTO STRICT service_now FROM service_clock;
  IF of_kind = 'daily' THEN
    open_day := ((service_now - tail) AT TIME ZONE 'UTC')::date;
    open_games := cubist_first_id(open_day);
  END IF;
  FOREACH named IN ARRAY ARRAY['day', 'week', 'all'] LOOP
    span := CASE named WHEN 'day' THEN interval '24 hours' WHEN 'week' THEN interval '168 hours' END;
    since := coalesce(service_now - span, '-infinity');
    best := none;
    IF is_bot THEN
      best.time_window := named;
      best.measure := 'points';
      RETURN NEXT best;
      best.measure := 'words';
      RETURN NEXT best;
      CONTINUE;
    END IF;
    -- Of equal ones the latest stays in the window the longest.
    SELECT g.points, g.ended_at, g.match INTO game FROM (
      SELECT s.points, s.ended_at, s.match FROM solo_scores AS s
      WHERE s.player = who AND s.kind = of_kind AND s.mode = of_mode AND s.language = of_language
      ORDER BY s.points DESC, s.ended_at DESC, s.match DESC LIMIT at_most) AS g
    WHERE g.ended_at > since AND g.points > 0
    ORDER BY g.points DESC, g.ended_at DESC, g.match DESC LIMIT 1;
    IF NOT FOUND AND span IS NOT NULL THEN
      SELECT g.points, g.ended_at, g.match INTO game FROM (
        SELECT s.points, s.ended_at, s.match FROM solo_scores AS s
        WHERE s.player = who AND s.kind = of_kind AND s.mode = of_mode AND s.language = of_language
          AND s.ended_at > since
        ORDER BY s.ended_at DESC LIMIT at_most) AS g
      WHERE g.points > 0
      ORDER BY g.points DESC, g.ended_at DESC, g.match DESC LIMIT 1;
    END IF;
    IF FOUND THEN
      best.points := game.points;
      best.ended_at := game.ended_at;
      best.expires_at := game.ended_at + span;
      best.match := game.match;
      IF span IS NULL AND EXISTS (
        SELECT FROM solo_scores AS s
        WHERE s.player = who AND s.kind = of_kind AND s.mode = of_mode AND s.language = of_language
          AND s.match >= open_games)
      THEN
        best.expires_at := (open_day + 1)::timestamp AT TIME ZONE 'UTC' + tail;
      END IF;
    END IF;
    best.measure := 'points';
    best.time_window := named;
    RETURN NEXT best;

    best := none;
    -- Two parts, each with its best first. Words are long: they are read only of games that may be
    -- better.
    FOR game IN
      (SELECT g.match, g.ended_at, g.points FROM (
        SELECT s.match, s.ended_at, s.word_points[1] AS points FROM solo_scores AS s
        WHERE s.player = who AND s.kind = of_kind AND s.mode = of_mode AND s.language = of_language
          AND s.word_points[1] IS NOT NULL AND (open_games IS NULL OR s.match < open_games)
        ORDER BY s.word_points[1] DESC, s.ended_at DESC, s.match DESC LIMIT at_most) AS g
      WHERE g.ended_at > since)
      UNION ALL
      (SELECT g.match, g.ended_at, g.points FROM (
        SELECT s.match, s.ended_at, s.word_points[1] AS points FROM solo_scores AS s
        WHERE s.player = who AND s.kind = of_kind AND s.mode = of_mode AND s.language = of_language
          AND s.ended_at > since AND (open_games IS NULL OR s.match < open_games)
        ORDER BY s.ended_at DESC LIMIT at_most) AS g
      WHERE g.points IS NOT NULL
      ORDER BY g.points DESC, g.ended_at DESC, g.match DESC)
    LOOP
      -- The words are sorted: the rest cannot be better.
      EXIT WHEN best.points >= game.points;
      SELECT w.word, w.points INTO shown FROM solo_scores AS s
      CROSS JOIN LATERAL unnest(s.words, s.word_points) WITH ORDINALITY AS w (word, points, place)
      WHERE s.match = game.match AND NOT EXISTS (
        SELECT FROM hidden_words AS h WHERE h.language = of_language AND h.word = w.word)
      ORDER BY w.place LIMIT 1;
      IF FOUND AND (best.points IS NULL OR shown.points > best.points) THEN
        best.points := shown.points;
        best.word := shown.word;
        best.ended_at := game.ended_at;
        best.expires_at := game.ended_at + span;
        best.match := game.match;
      END IF;
    END LOOP;
    best.measure := 'words';
    best.time_window := named;
    RETURN NEXT best;
  END LOOP;
END
$$;

CREATE FUNCTION cubist_recount(of_board integer)
 RETURNS void
 LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('cubist/ranking', 0));
  DELETE FROM board_counts WHERE board = of_board;
  DELETE FROM board_buckets WHERE board = of_board;
  INSERT INTO board_counts (board, points, players)
  SELECT board, points, count(*) FROM board_places WHERE board = of_board GROUP BY board, points;
  INSERT INTO board_buckets (board, bucket, players, scores)
  SELECT board, points >> 8, sum(players), count(*) FROM board_counts
  WHERE board = of_board GROUP BY board, points >> 8;
END
$$;

CREATE FUNCTION cubist_wrong_boards(who uuid, of_kind text, of_mode text, of_language text, of_day date)
 RETURNS TABLE(measure text, time_window text, day date)
 LANGUAGE sql
 STABLE
AS $$
  -- The boards on which a player does not stand as the games say, or with wrong counts. A player
  -- who waits for a ranking is not wrong yet, and neither is a score that has just left its
  -- window, nor a word of a daily that is just over.
  WITH wanted AS (
    SELECT s.measure, s.time_window, NULL::date AS day, s.points, s.match, s.word
    FROM cubist_standings_of(who, of_kind, of_mode, of_language) AS s
    UNION ALL
    SELECT NULL, NULL, of_day,
      CASE WHEN EXISTS (SELECT FROM bots AS b WHERE b.player = who) THEN NULL ELSE s.points END,
      NULL::uuid, NULL::text
    FROM daily_scores AS s
    WHERE s.day = of_day AND s.mode = of_mode AND s.language = of_language AND s.player = who
  )
  SELECT w.measure, w.time_window, w.day FROM wanted AS w
  LEFT JOIN board_places AS p ON p.player = who AND p.board = cubist_board(
    of_kind, of_mode, of_language, w.measure, w.time_window, w.day)
  WHERE NOT EXISTS (SELECT FROM ranking_queue AS q WHERE q.player = who)
    AND (p.expires_at IS NULL OR p.expires_at > (SELECT now FROM service_clock))
    AND NOT EXISTS (SELECT FROM board_places AS o
      WHERE o.board = cubist_board(of_kind, of_mode, of_language, 'points', 'all', NULL)
        AND o.player = who AND o.expires_at <= (SELECT now FROM service_clock))
    AND ((w.points, w.match, w.word) IS DISTINCT FROM (p.points, p.match, p.word)
      OR (p.points IS NOT NULL AND (
        (SELECT c.players FROM board_counts AS c WHERE c.board = p.board AND c.points = p.points)
          IS DISTINCT FROM
          (SELECT count(*) FROM board_places AS o WHERE o.board = p.board AND o.points = p.points)
        OR (SELECT (b.players, b.scores) FROM board_buckets AS b
            WHERE b.board = p.board AND b.bucket = p.points >> 8)
          IS DISTINCT FROM
          (SELECT (sum(c.players)::bigint, count(*)) FROM board_counts AS c
            WHERE c.board = p.board AND c.points >= (p.points >> 8) << 8
              AND c.points < ((p.points >> 8) + 1) << 8))))
$$;

CREATE FUNCTION cubist_board_name(board boards)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $$
  SELECT concat_ws('/', board.kind, board.mode, board.language, board.measure, board.time_window,
    to_char(board.day, 'YYYY-MM-DD'))
$$;
COMMENT ON FUNCTION cubist_board_name(boards) IS
  'For processes of the build before, which know boards by names.';

CREATE FUNCTION cubist_expect(statement text, of_table text, held bigint, expected bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $$
BEGIN
  -- Raises unless every row was the one that the batch was judged by. The version without names is
  -- the one that the build before calls.
  IF held <> expected THEN
    RAISE EXCEPTION '%: expected % of % as they were judged, found %',
      statement, expected, of_table, held USING ERRCODE = 'CB001';
  END IF;
END
$$;
COMMENT ON FUNCTION cubist_expect(text,text,bigint,bigint) IS
  'The guard of the rows that a batch updates: raises unless every row was found as it was '
  'judged.';

CREATE FUNCTION cubist_remove_player(leaver uuid, at timestamptz, asked_until timestamptz)
 RETURNS boolean
 LANGUAGE plpgsql
AS $$
BEGIN
  -- The caller has the locks on the player's keys and on all keys. Without a time it is an operator
  -- who removes the player.
  IF asked_until IS NULL THEN
    INSERT INTO departures AS d (player, asked_at, gone_at)
    SELECT id, at, at FROM players WHERE id = leaver
    ON CONFLICT (player) DO UPDATE SET asked_at = coalesce(d.asked_at, at), gone_at = at
      WHERE d.gone_at IS NULL;
  ELSE
    -- Each key that speaks has had the same time to take it back, and so has one that a recovery is
    -- about to bring in.
    UPDATE departures SET gone_at = at
    WHERE player = leaver AND gone_at IS NULL AND asked_at <= asked_until
      AND NOT EXISTS (SELECT FROM recoveries WHERE player = leaver AND recovery IS NOT NULL)
      AND NOT EXISTS (
        SELECT FROM player_keys
        WHERE player = leaver AND revoked_at IS NULL AND added_at > asked_until);
  END IF;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE player_keys SET revoked_at = at WHERE player = leaver AND revoked_at IS NULL;
  -- No batch that was judged before is committed after this, even if every key was revoked already.
  UPDATE key_revocations SET last_no = last_no + 1;
  INSERT INTO reserved_names (hash, until)
  SELECT sha256(convert_to(replace(translate(name_key, '01i', 'oll'), 'm', 'rn'), 'UTF8')),
    at + interval '90 days'
  FROM players WHERE id = leaver
  ON CONFLICT (hash) DO UPDATE SET until = excluded.until;
  -- No name has a space in it, so nobody is found by this one.
  UPDATE players SET name = 'gone', name_key = 'gone ' || id WHERE id = leaver;
  DELETE FROM player_settings WHERE player = leaver;
  DELETE FROM devices WHERE player = leaver;
  DELETE FROM device_invitations WHERE player = leaver;
  DELETE FROM recoveries WHERE player = leaver;
  DELETE FROM blocks WHERE player = leaver OR blocked = leaver;
  DELETE FROM rematch_offers WHERE from_player = leaver OR to_player = leaver;
  PERFORM cubist_declare_bots(ARRAY[leaver], at);
  RETURN true;
END
$$;
COMMENT ON FUNCTION cubist_remove_player(uuid,timestamptz,timestamptz) IS
  'Removes the name of a player and all rows beside the matches. False: there is no such player, '
  'the player is gone already, or has not asked in time.';

CREATE VIEW ranked AS
 SELECT cubist_board_name(b.*) AS board,
    p.player,
    p.points,
    p.ended_at,
    p.expires_at,
    p.match,
    p.word
   FROM boards b
     JOIN board_places p ON p.board = b.id;
COMMENT ON VIEW ranked IS
  'For processes of the build before: see board_places.';

CREATE VIEW ranked_buckets AS
 SELECT cubist_board_name(b.*) AS board,
    c.bucket,
    c.players,
    c.scores
   FROM boards b
     JOIN board_buckets c ON c.board = b.id;
COMMENT ON VIEW ranked_buckets IS
  'For processes of the build before: see board_buckets.';

CREATE VIEW service_clock AS
 SELECT statement_timestamp() + service_time.added_microseconds::double precision * '00:00:00.000001'::interval AS now
   FROM service_time
  WHERE service_time.is_only;
COMMENT ON VIEW service_clock IS
  'The service''s time at the beginning of the statement: whatever concerns players goes by it.';

CREATE TRIGGER hidden_words_changed AFTER INSERT OR DELETE ON hidden_words FOR EACH ROW EXECUTE FUNCTION cubist_words_changed();

INSERT INTO schema_version (version, applied_at) VALUES
  ('1', now()),
  ('2', now()),
  ('3', now()),
  ('4', now()),
  ('5', now()),
  ('6', now()),
  ('7', now()),
  ('8', now()),
  ('9', now()),
  ('10', now()),
  ('11', now()),
  ('12', now()),
  ('13', now()),
  ('14', now()),
  ('15', now()),
  ('16', now()),
  ('17', now()),
  ('18', now()),
  ('19', now()),
  ('20', now()),
  ('21', now()),
  ('22', now());

INSERT INTO registration (is_only, mode) VALUES
  ('true', 'open');

INSERT INTO rating_clock (is_only, last_no) VALUES
  ('true', '0');

INSERT INTO key_revocations (is_only, last_no) VALUES
  ('true', '0');

INSERT INTO housekeeping (is_only, horizon) VALUES
  ('true', now());

INSERT INTO service_time (is_only, added_microseconds, jump_microseconds, jumped_at) VALUES
  ('true', '0', NULL, NULL);
