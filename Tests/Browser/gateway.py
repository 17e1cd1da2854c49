"""A service whose gateway serves the page: `cubistd up` from the folder that CUBIST_BIN names."""

import atexit
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import traceback

from browser import patiently


class Gateway:
    """A service with servers of its own."""

    #: Whether its clocks were set on.
    is_later = False

    def __init__(self, environment=None):
        self.environment = environment or {}
        self.folder = tempfile.TemporaryDirectory(prefix="cubist-web-")
        self.path = pathlib.Path(self.folder.name)
        # Its processes have to reach it, also those that do not run as root.
        self.path.chmod(0o755)
        self.address = self.begin()

    def begin(self, days=0):
        """Starts the service, where and as it was before, its clocks set on by so many days. Gives its address."""
        log = self.path / "up.log"
        later = {}
        if days:
            self.is_later = True
            library = self.path / "later.so"
            subprocess.run(["clang", "-shared", "-fPIC", f"-DSECONDS={days * 86_400}", "-o", library, pathlib.Path(__file__).with_name("later.c")], check=True)
            later = {"LD_PRELOAD": str(library)}
        with log.open("w") as out:
            self.process = subprocess.Popen(
                [pathlib.Path(os.environ["CUBIST_BIN"]) / "cubistd", "up", "--folder", self.path / "service", "--bots", "0", "--workers", "1"],
                env={**os.environ, "CUBIST_PUSH_BUNDLE": "0", **self.environment, **later}, stdout=out, stderr=subprocess.STDOUT,
            )
        printed = lambda: re.search(r"^ +(http://\S+/)$", log.read_text(), re.MULTILINE)
        patiently(lambda: printed() or self.process.poll() is not None)
        if not (found := printed()):
            self.stop()
            raise AssertionError(f"cubistd up prints no address: {self.said}")
        return found[1]

    def end(self):
        """Ends the service, which can begin again."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait()
        self.said = (self.path / "up.log").read_text()
        if status not in (0, 130):
            raise AssertionError(f"cubistd up ended with {status}: {self.said}")

    def cubistd(self, *arguments):
        """What the operators' program says."""
        config = re.search(r"CUBIST_CONFIG=(\S+)", (self.path / "up.log").read_text())[1]
        program = pathlib.Path(os.environ["CUBIST_BIN"]) / "cubistd"
        return subprocess.run([program, *arguments], env={**os.environ, "CUBIST_CONFIG": config}, capture_output=True, text=True, check=True).stdout

    def sql(self, statement):
        """Changes the service's database."""
        config = re.search(r"CUBIST_CONFIG=(\S+)", (self.path / "up.log").read_text())[1]
        database = re.search(r"^CUBIST_DATABASE=(.+)$", pathlib.Path(config).read_text(), re.MULTILINE)[1]
        subprocess.run(["psql", database, "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", statement], capture_output=True, text=True, check=True)

    def stop(self):
        try:
            self.end()
        finally:
            self.folder.cleanup()


class Shared:
    """What the test classes of a run share, as far as they can: a service, two players, and browsers. The start of a service costs as much as many tests."""

    gateway = pair = None
    #: Those of one player after the other: a whole one, or one without windows.
    guests = {}
    #: Ends them, and what they need, at the end of the run: the last one first.
    stack = contextlib.ExitStack()

    @classmethod
    def service(cls, environment=None):
        """The service of the classes so far. A new one takes its place where its clocks were set on, or where it lacks something in its environment."""
        environment = environment or {}
        if cls.gateway and (cls.gateway.is_later or not environment.items() <= cls.gateway.environment.items()):
            cls.end_gateway()
        if not cls.gateway:
            cls.gateway = Gateway(environment)
            cls.stack.callback(cls.end_gateway)
            # After the first temporary folder, so that this runs before Python removes what is left of them.
            atexit.unregister(cls.end)
            atexit.register(cls.end)
        return cls.gateway

    @classmethod
    def end_gateway(cls):
        with contextlib.ExitStack() as stack:
            if gateway := cls.gateway:
                cls.gateway = None
                stack.callback(gateway.stop)
            while cls.guests:
                stack.callback(cls.guests.popitem()[1].leave)
            stack.callback(cls.end_pair)

    @classmethod
    def end_pair(cls):
        if pair := cls.pair:
            cls.pair = None
            pair.leave()

    @classmethod
    def end(cls):
        try:
            cls.stack.close()
        except BaseException:
            # The tests have told their outcome already.
            traceback.print_exc()
            sys.stdout.flush()
            os._exit(1)
