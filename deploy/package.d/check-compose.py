#!/usr/bin/env python3
"""check-compose.py COMPOSE.yaml ROOT SECRETS: the part of check-compose that runs setup and roles."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import yaml

compose, root, secrets = sys.argv[1:]
with open(compose) as file:
    services = yaml.safe_load(file)["services"]
roles = [name for name, service in services.items() if service.get("command", [None])[0] == "run"]


def fail(text):
    sys.exit("check-compose: " + text)


def meant(text):
    given = {"CUBIST_URL": "https://play.example.org"}
    text = re.sub(r"\$\{([A-Z_]+):[-?][^}]*\}", lambda match: given[match[1]], str(text))
    return text.replace("$$", "$")


def start(name, command, log):
    """A program in a mount namespace of its own, where /run/secrets has the secrets of the service alone."""
    service = services[name]
    user, group = service["user"].split(":")
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)
    for secret in service["secrets"]:
        shutil.copy(f"{secrets}/{secret}", folder)
        shutil.copystat(f"{secrets}/{secret}", f"{folder}/{secret}")
        os.chown(f"{folder}/{secret}", int(user), int(group))
    environment = {key: meant(value) for key, value in service["environment"].items()}
    inside = ["chroot", root, "/usr/bin/setpriv", "--reuid", user, "--regid", group, "--clear-groups",
              "--bounding-set=-all", "--no-new-privs", *command]
    script = 'mount --bind "$1" "$2/run/secrets" && mount -t tmpfs tmpfs "$2/tmp" && shift 2 && exec "$@"'
    return subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", script, "sh", folder, root, *inside],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **environment}, stdout=log, stderr=log)


def run(name, arguments):
    with tempfile.TemporaryFile("w+") as log:
        status = start(name, ["/usr/bin/cubistd", *arguments], log).wait()
        log.seek(0)
        return status, log.read()


def healthy(name):
    test = [meant(word) for word in services[name]["healthcheck"]["test"][1:]]
    with open(os.devnull, "w") as nothing:
        return start(name, ["/usr/bin/env", *test], nothing).wait() == 0


status, said = run("setup", services["setup"]["command"])
if status != 0 or "changed: keys made" not in said:
    fail(f"setup ends with {status}: {said}")
status, said = run("setup", services["setup"]["command"])
if status != 0 or "nothing to change" not in said:
    fail(f"the second setup ends with {status}: {said}")

logs = {name: tempfile.TemporaryFile("w+") for name in roles}
running = {name: start(name, ["/usr/bin/cubistd", *services[name]["command"]], logs[name]) for name in roles}


def lines(name):
    logs[name].seek(0)
    return logs[name].read()


waiting = set(roles)
for _ in range(90):
    waiting = {name for name in waiting if not healthy(name)}
    ended = [name for name in roles if running[name].poll() is not None]
    if ended:
        fail(f"{ended[0]} ends with {running[ended[0]].returncode}: {lines(ended[0])}")
    if not waiting:
        break
    # Health is asked, as the engine asks.
    time.sleep(1)
for name in waiting:
    fail(f"{name} is not healthy: {lines(name)}")

status, said = run("setup", ["status"])
if status != 0:
    fail(f"status ends with {status}: {said}")
print(said.strip().splitlines()[-1])
for name in roles:
    running[name].send_signal(signal.SIGTERM)
for name in roles:
    grace = int(services[name]["stop_grace_period"].removesuffix("s"))
    if running[name].wait(timeout=grace) != 0:
        fail(f"{name} ends with {running[name].returncode}: {lines(name)}")
print(f"check-compose: setup and {len(roles)} roles run with their commands, settings and secrets, are healthy, and leave in time")
