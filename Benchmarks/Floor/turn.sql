\set n random(1, 1024)
BEGIN;
UPDATE matches SET version = version + 1, turn = turn + 1, deadline = now() + interval '1 day', state = substring(state FROM 1 FOR length(state) - 8) || int8send(version) WHERE id = md5('floor' || :n)::uuid RETURNING version \gset
INSERT INTO entries (match, position, accepted_at, key, signature, payload, hash) VALUES (md5('floor' || :n)::uuid, :version, now(), decode(:key, 'hex'), decode(:signature, 'hex'), decode(:payload, 'hex'), decode(:key, 'hex'));
INSERT INTO events (player, id, payload_hash, reply, handled_at) VALUES (md5('player' || :n)::uuid, (lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || substr(md5(random()::text), 1, 20))::uuid, decode(:key, 'hex'), decode(:payload, 'hex'), now());
DELETE FROM outbox WHERE job = :job::uuid;
INSERT INTO outbox (job, player, match, turn, kind, created_at) VALUES (gen_random_uuid(), md5('player' || :n)::uuid, md5('floor' || :n)::uuid, 2, 'yourTurn', now()) RETURNING job \gset
COMMIT;
