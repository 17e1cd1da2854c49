"""Measures the push worker: every player has a browser, and everybody is told of the day's challenge.

    push.py --cubistd PROGRAM --trusting LIBRARY [N] [--origins K]

The players and their devices are written by SQL. The service does the rest: a scheduler deals the challenge and owes the jobs, a relay
publishes them, and only then one push worker begins. nginx is the push service. It speaks TLS, and answers 201 after 50 ms. To the
worker it is a server that a client chose, so the worker speaks HTTP/1.1."""

import argparse
import collections
import datetime
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".cubist/bench-push"
DELAY = 0.05
#: Real points of P-256. Players share them, since only the browser that decrypts would notice.
KEYS = 500
TICKS = os.sysconf("SC_CLK_TCK")

RECEIVER = """
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx-errors.log warn;
load_module /usr/lib/nginx/modules/ngx_http_echo_module.so;
events {{ worker_connections 4096; }}
http {{
  log_format message '$msec $status $server_protocol $connection $request_length $uri';
  access_log {folder}/messages.log message buffer=4k flush=100ms;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/unused;
  fastcgi_temp_path {folder}/unused;
  uwsgi_temp_path {folder}/unused;
  scgi_temp_path {folder}/unused;
  keepalive_requests 100000000;
  ssl_certificate {folder}/receiver.pem;
  ssl_certificate_key {folder}/receiver-key.pem;
  server {{
    {listen}
    location / {{ echo_status 201; echo_sleep {delay}; echo_flush; }}
  }}
}}
"""

PLAYERS = """
INSERT INTO players (id, registered_at, name, name_key)
SELECT gen_random_uuid(), now() - interval '1 day', 'p' || number, 'p' || number FROM generate_series(1, {count}) AS number;
INSERT INTO player_settings (player, muted, time_zone, language, quiet_from, quiet_until)
SELECT id, 0, 'Etc/UTC', CASE WHEN random() < 0.5 THEN 'de' ELSE 'en' END, {quiet}, ({quiet} + 60) % 1440 FROM players;
INSERT INTO devices (player, name, service, token, subscription_key, subscription_secret, permission, registered_at)
SELECT p.id, 'browser', 'webPush',
  'https://127.0.0.1:' || (ARRAY[{ports}])[1 + p.number % {origins}] || '/wpush/v2/' || p.number || '/' || md5(p.name) || md5(p.name || 'x')
    || md5(p.name || 'y') || md5(p.name || 'z'),
  decode((ARRAY[{keys}])[1 + p.number % {key_count}], 'hex'), decode(md5(p.name || 's'), 'hex'), 'authorized', now() - interval '1 day'
FROM (SELECT id, name, substr(name, 2)::integer AS number FROM players) AS p;
"""


def fail(text):
    raise SystemExit(f"bench: {text}")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Process:
    """A process of the benchmark, and what it has used."""

    def __init__(self, name, command, environment):
        self.log = FOLDER / f"{name}.log"
        self.name = name
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        self.id = self.process.pid

    def check(self):
        if self.process.poll() is not None:
            fail(f"{self.name} ended with {self.process.returncode}: {self.log.read_text()[-2_000:]}")

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def cpu(*processes):
    """Seconds of processor time of processes."""
    ticks = 0
    for process in processes:
        try:
            fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / TICKS


def megabytes(process, field):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith(field + ":"))


def children(parent):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(stat.parent.name))
    return found


class Servers:
    """PostgreSQL and RabbitMQ of the benchmark alone. They end with it, however it ends."""

    def __init__(self, cubistd):
        self.cubistd = cubistd
        self.folder = FOLDER / "servers"
        subprocess.run([cubistd, "servers", "start", self.folder, "--owner", str(os.getpid())], check=True, stdout=subprocess.DEVNULL)
        said = subprocess.run(["bash", "-c", f". '{self.folder}/env'; env"], check=True, capture_output=True, text=True).stdout
        self.values = dict(line.split("=", 1) for line in said.splitlines() if line.startswith("CUBIST_TEST_"))
        self.broker = [int(one.parent.name) for one in pathlib.Path("/proc").glob("[0-9]*/cmdline") if self.is_broker(one)]

    def is_broker(self, file):
        try:
            line = file.read_bytes()
        except OSError:
            return False
        return b"beam.smp" in line.split(b"\0")[0] and str(self.folder).encode() in line

    def stop(self):
        subprocess.run([self.cubistd, "servers", "stop", self.folder], stdout=subprocess.DEVNULL)

    def sql(self, text, database="bench"):
        command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", f"{self.values['CUBIST_TEST_POSTGRES']} dbname={database}"]
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        if done.returncode:
            fail(f"PostgreSQL: {done.stderr}")
        return done.stdout.strip()

    def cpu(self):
        postmaster = int(self.sql("SELECT pg_read_file('postmaster.pid')").split()[0]) if not hasattr(self, "postmaster") else self.postmaster
        self.postmaster = postmaster
        return {"PostgreSQL": cpu(postmaster, *children(postmaster)), "RabbitMQ": cpu(*self.broker)}


def url(text, user):
    """The same URL for another user, whose password is the name: the servers listen on 127.0.0.1 only."""
    scheme, rest = text.split("://", 1)
    return f"{scheme}://{user}:{user}@{rest.rpartition('@')[2].rpartition('/')[0]}/bench"


def settings(servers):
    values = servers.values
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "CUBIST_DATABASE": f"{values['CUBIST_TEST_POSTGRES']} dbname=bench",
        "CUBIST_BROKER": url(values["CUBIST_TEST_AMQP"], "service"),
        "CUBIST_BROKER_MANAGEMENT": values["CUBIST_TEST_RABBITMQ_MANAGEMENT"],
        "CUBIST_SERVICE_KEYS": f"{FOLDER}/keys.json",
        "CUBIST_PUSH": "webPush",
        "CUBIST_PUSH_VAPID_KEY": f"{FOLDER}/vapid.pem",
        "CUBIST_PUSH_CONTACT": "mailto:bench@play.example",
        "CUBIST_PUSH_ALLOW": "127.0.0.0/8",
        "CUBIST_LOG_LEVEL": "warning",
    }


def start_receiver(origins):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=bench",
         "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", FOLDER / "receiver-key.pem", "-out", FOLDER / "receiver.pem"],
        check=True, capture_output=True)
    ports = []
    while len(ports) < origins:
        port = free_port()
        if port not in ports:
            ports.append(port)
    listen = " ".join(f"listen 127.0.0.1:{port} ssl http2;" for port in ports)
    file = FOLDER / "nginx.conf"
    file.write_text(RECEIVER.format(folder=FOLDER, listen=listen, delay=DELAY))
    receiver = Process("nginx", ["nginx", "-p", str(FOLDER), "-c", str(file)], {"PATH": "/usr/sbin:/usr/bin:/bin"})
    for port in ports:
        while True:
            receiver.check()
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
    return receiver, ports


def seed(servers, count, ports):
    """Players without quiet hours today, and a browser of each."""
    now = datetime.datetime.now(datetime.timezone.utc)
    # Twelve hours away from now.
    quiet = (now.hour * 60 + now.minute + 720) % 1440
    keys = [ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint) for _ in range(KEYS)]
    servers.sql(
        PLAYERS.format(
            count=count, quiet=quiet, origins=len(ports), ports=",".join(map(str, ports)), key_count=KEYS,
            keys=",".join(f"'{key.hex()}'" for key in keys)))
    servers.sql("ANALYZE")


def publish(servers, cubistd, environment, count):
    """The service deals the day's challenge, owes everybody a job, and brings the jobs to their queue."""
    process = Process("scheduler", [cubistd, "run", "scheduler", "relay"], environment)
    began = time.monotonic()
    owed = None
    try:
        while True:
            process.check()
            time.sleep(0.2)
            state = servers.sql("SELECT coalesce(bool_or(fan_out_done), false) AND NOT EXISTS (SELECT FROM outbox), coalesce(bool_or(fan_out_done), false) FROM daily_challenges")
            done, told = state.split("|")
            if told == "t" and owed is None:
                owed = time.monotonic() - began
            if done == "t":
                return owed, time.monotonic() - began
            if time.monotonic() - began > 900:
                fail(f"the jobs do not reach their queue: {process.log.read_text()[-2_000:]}")
    finally:
        process.end()


class Messages:
    """What the receiver has taken, a line each."""

    def __init__(self):
        self.file = (FOLDER / "messages.log").open("rb")
        self.count = 0

    def look(self):
        while part := self.file.read(1 << 20):
            self.count += part.count(b"\n")
        return self.count


Sample = collections.namedtuple("Sample", "at count cpu resident own servers receiver")


def measure(servers, cubistd, environment, receiver, count, trusting):
    """Starts a push worker, and looks at it four times a second until everybody is told."""
    messages = Messages()
    worker = Process(
        "push", [cubistd, "run", "push"], environment | {"LD_PRELOAD": str(trusting), "CUBIST_TRUST": f"{FOLDER}/receiver.pem"})
    samples = []
    last = (0, time.monotonic())
    nginx = [receiver.id, *children(receiver.id)]
    try:
        while True:
            worker.check()
            now = time.monotonic()
            found = messages.look()
            samples.append(
                Sample(now, found, cpu(worker.id), megabytes(worker.id, "VmRSS"), megabytes(worker.id, "RssAnon"), servers.cpu(), cpu(*nginx)))
            if found != last[0]:
                last = (found, now)
            if found >= count or now - last[1] > 90:
                break
            time.sleep(0.25)
        # The last answers are recorded, and something that would come twice comes.
        end = time.monotonic() + 30
        while time.monotonic() < end and int(servers.sql("SELECT count(*) FROM deliveries")) < count:
            time.sleep(0.2)
        time.sleep(2)
        idle = megabytes(worker.id, "VmRSS")
    finally:
        worker.end()
    return samples, idle


def report(servers, samples, idle, count, ports, published):
    time.sleep(0.3)
    lines = [line.split() for line in (FOLDER / "messages.log").read_text().splitlines()]
    taken = collections.Counter(line[5] for line in lines if line[1] == "201")
    fates = servers.sql("SELECT fate || coalesce(' (' || reason || ')', ''), count(*) FROM deliveries GROUP BY 1 ORDER BY 1").replace("|", " ").splitlines()
    dead = servers.sql("SELECT count(*) FROM dead_jobs")
    answers = servers.sql("SELECT provider || ' ' || answer, sum(count) FROM push_answers GROUP BY 1 ORDER BY 1").replace("|", " ").splitlines()
    # The beginning, with its connections and first statements, does not count.
    first = next((one for one in samples if one.count >= count / 50), samples[0])
    final = next((one for one in samples if one.count >= count), samples[-1])
    number = max(1, final.count - first.count)
    seconds = max(final.at - first.at, 0.001)

    def micros(after, before):
        return round((after - before) / number * 1e6)

    size = sum(int(line[4]) for line in lines) // max(1, len(lines))
    print(f"{count:,} dailies over Web Push: one push worker, a receiver that answers after {DELAY * 1000:.0f} ms, {len(ports)} {'origin' if len(ports) == 1 else 'origins'}")
    print(f"  owed after {published[0]:.1f} s, in the queue after {published[1]:.1f} s: scheduler and relay, before the worker begins")
    print(f"  messages        {len(lines):>9,} in {float(lines[-1][0]) - float(lines[0][0]):.1f} s, {size} bytes each")
    print(f"  a second        {number / seconds:>9,.0f}")
    print(f"  processor µs    {micros(final.cpu, first.cpu):>9,} a message, the push worker's own")
    others = {name: micros(final.servers[name], first.servers[name]) for name in final.servers} | {"nginx": micros(final.receiver, first.receiver)}
    print(f"                            beside it: {', '.join(f'{name} {value}' for name, value in others.items())}")
    quarter = [min(samples, key=lambda one: abs(one.count - count * part)) for part in (0.02, 0.25, 0.5, 0.75, 1)]
    print("  resident MB     " + ", ".join(f"{one.resident:.0f}" for one in quarter) + f" at 2, 25, 50, 75 and 100 in 100; then {idle:.0f}")
    print("  its own MB      " + ", ".join(f"{one.own:.0f}" for one in quarter) + f"; at most {max(one.own for one in samples):.0f}")
    print(f"  protocols       {dict(collections.Counter(line[2] for line in lines))}, {len({line[3] for line in lines})} connections")
    print(f"  duplicates      {sum(taken.values()) - len(taken):>9,}")
    print(f"  losses          {count - len(taken):>9,}")
    print(f"  recorded        {', '.join(fates)}; {dead} dead letters; answers: {', '.join(answers)}")
    return len(taken) == count and sum(taken.values()) == count


def main():
    parser = argparse.ArgumentParser(prog="deploy/bench --push")
    parser.add_argument("count", nargs="?", type=int, default=100_000, metavar="N", help="how many players are told (100,000)")
    parser.add_argument("--origins", type=int, default=4, help="at how many push services their browsers are (4)")
    parser.add_argument("--cubistd", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--trusting", required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not 1 <= arguments.count <= 180_000:
        fail("N is 1 to 180,000: the queue of push jobs holds no more than 200,000")
    if not 1 <= arguments.origins <= 64:
        fail("--origins is 1 to 64")
    now = datetime.datetime.now(datetime.timezone.utc)
    if now.hour == 23 and now.minute >= 30:
        fail("a new day begins soon, and with it another challenge; run it after midnight (UTC)")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    # Ctrl-C and an end by SIGTERM stop everything, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    servers = receiver = None
    try:
        servers = Servers(arguments.cubistd)
        servers.sql("CREATE DATABASE bench TEMPLATE template0", "postgres")
        environment = settings(servers)
        done = subprocess.run([arguments.cubistd, "setup"], env=environment, capture_output=True, text=True)
        if done.returncode:
            fail(f"cubistd setup: {done.stdout}{done.stderr}")
        receiver, ports = start_receiver(arguments.origins)
        seed(servers, arguments.count, ports)
        print(f"bench: {arguments.count:,} players with a browser each", file=sys.stderr)
        published = publish(servers, arguments.cubistd, environment, arguments.count)
        print("bench: every job is in the queue", file=sys.stderr)
        samples, idle = measure(servers, arguments.cubistd, environment, receiver, arguments.count, arguments.trusting)
        receiver.end()
        whole = report(servers, samples, idle, arguments.count, ports, published)
    finally:
        if receiver:
            receiver.end()
        if servers:
            servers.stop()
    if not whole:
        fail(f"not everybody was told once; the logs are in {FOLDER}")
    shutil.rmtree(FOLDER, ignore_errors=True)


if __name__ == "__main__":
    main()
