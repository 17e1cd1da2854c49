"""The same work by a task queue that many would pick: Celery on the same RabbitMQ and PostgreSQL.

One task is one turn: look for a known event, check the turn's order, write match, entry, reply and
push job in one transaction, publish the push job with a confirm, answer. No rules and no signatures.
"""
import datetime
import json
import os
import uuid

import psycopg
from celery import Celery
from kombu import Exchange, Producer

app = Celery("turns", broker=os.environ["BENCH_BROKER"], backend="rpc://")
app.conf.update(
    task_acks_late=True,
    worker_prefetch_multiplier=int(os.environ.get("BENCH_PREFETCH", "16")),
    task_default_queue="bench.celery",
    task_serializer="json",
    result_serializer="json",
    accept_content=["json"],
    task_send_sent_event=False,
    worker_send_task_events=False,
    broker_transport_options={"confirm_publish": True},
    result_persistent=False,
    worker_hijack_root_logger=False,
    broker_connection_retry_on_startup=True,
)

_database = None
_producer = None
_published = []


def database():
    global _database
    if _database is None:
        _database = psycopg.connect(os.environ["CUBIST_DATABASE"])
    return _database


def producer():
    global _producer
    if _producer is None:
        _producer = Producer(app.connection_for_write().channel(), exchange=Exchange(""))
    return _producer


@app.task(name="bench.turn", acks_late=True)
def turn(match, player, event, number, key, signature, payload):
    global _published
    connection = database()
    now = datetime.datetime.now(datetime.timezone.utc)
    with connection.transaction(), connection.cursor() as cursor:
        known = cursor.execute(
            "SELECT reply FROM events WHERE player = %s AND id = %s", (player, event)
        ).fetchone()
        if known:
            return bytes(known[0]).decode()
        moved = cursor.execute(
            """UPDATE matches SET version = version + 1, turn = turn + 1, deadline = %s,
                 state = substring(state FROM 1 FOR length(state) - 8) || int8send(version)
               WHERE id = %s AND turn = %s RETURNING version""",
            (now + datetime.timedelta(days=1), match, number),
        ).fetchone()
        if not moved:
            return json.dumps({"refused": "not this turn"})
        version = moved[0]
        reply = json.dumps({
            "v": 1, "event": event, "accepted": {
                "type": "turnAccepted", "match": match, "version": version, "turn": number,
                "scores": [36], "points": [412, 388], "hash": "7" * 64, "seatToPlay": 1}})
        cursor.execute(
            """INSERT INTO entries (match, position, accepted_at, key, signature, payload, hash)
               VALUES (%s, %s, %s, %s, %s, %s, %s)""",
            (match, version + 100, now, bytes.fromhex(key), bytes.fromhex(signature), payload.encode(),
             b"7" * 32))
        cursor.execute(
            """INSERT INTO events (player, id, payload_hash, reply, handled_at)
               VALUES (%s, %s, %s, %s, %s)""", (player, event, b"7" * 32, reply.encode(), now))
        job = str(uuid.uuid4())
        cursor.execute(
            """INSERT INTO outbox (job, player, match, turn, kind, created_at)
               VALUES (%s, %s, %s, %s, 'yourTurn', clock_timestamp())""",
            (job, player, match, number + 1))
        if _published:
            cursor.execute("DELETE FROM outbox WHERE job = ANY(%s)", (_published,))
    body = {"v": 1, "id": job, "kind": "yourTurn", "player": player, "match": match,
            "turn": number + 1}
    producer().publish(
        body, routing_key="cubist.push", serializer="json", delivery_mode=2)
    _published = [job]
    return reply
