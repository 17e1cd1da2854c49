"""The page as a gateway serves it: `cubistd up` from the folder that CUBIST_BIN names."""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from browser import Browser


class Gateway:
    """A service of its own, with its servers."""

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
            library = self.path / "later.so"
            subprocess.run(["clang", "-shared", "-fPIC", f"-DSECONDS={days * 86_400}", "-o", library, pathlib.Path(__file__).with_name("later.c")], check=True)
            later = {"LD_PRELOAD": str(library)}
        with log.open("w") as out:
            self.process = subprocess.Popen(
                [pathlib.Path(os.environ["CUBIST_BIN"]) / "cubistd", "up", "--folder", self.path / "service", "--bots", "0", "--workers", "1"],
                env={**os.environ, **self.environment, **later}, stdout=out, stderr=subprocess.STDOUT,
            )
        end = time.monotonic() + 120
        while not (found := re.search(r"^ +(http://\S+/)$", log.read_text(), re.MULTILINE)):
            if self.process.poll() is not None or time.monotonic() > end:
                self.stop()
                raise AssertionError(f"cubistd up prints no address: {self.said}")
            time.sleep(0.1)
        return found[1]

    def end(self):
        """Ends the service, which can begin again."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(60)
        self.said = (self.path / "up.log").read_text()
        if status not in (0, 130):
            raise AssertionError(f"cubistd up ended with {status}: {self.said}")

    def cubistd(self, *arguments):
        """What the operators' program says."""
        config = re.search(r"CUBIST_CONFIG=(\S+)", (self.path / "up.log").read_text())[1]
        program = pathlib.Path(os.environ["CUBIST_BIN"]) / "cubistd"
        return subprocess.run([program, *arguments], env={**os.environ, "CUBIST_CONFIG": config}, capture_output=True, text=True, check=True, timeout=60).stdout

    def stop(self):
        try:
            self.end()
        finally:
            self.folder.cleanup()


class ServedTest(unittest.TestCase):
    """A browser at a service of its own."""

    @classmethod
    def setUpClass(cls):
        cls.gateway = Gateway()
        cls.addClassCleanup(cls.gateway.stop)
        cls.browser = Browser(360, 740, still=True)
        cls.addClassCleanup(cls.browser.close)


class Served(ServedTest):
    def loaded(self):
        """What the page asked for: the path, and the bytes that came over the network."""
        return self.browser.run("return performance.getEntriesByType('resource').map(({ name, transferSize }) => [new URL(name).pathname, transferSize])")

    def test_the_page_of_a_gateway_is_played_and_violates_no_policy(self):
        browser = self.browser
        browser.open(self.gateway.address)
        browser.type("PLANET")
        browser.key("Enter")
        browser.wait("return Number(document.querySelector('#theirs .points').textContent) > 0", "the robot plays")
        self.assertGreater(int(browser.run("return document.querySelector('#mine .points').textContent")), 0)
        folders = {path.split("/")[1] for path, _ in self.loaded()}
        self.assertEqual(len(folders), 1, folders)
        self.assertRegex(folders.pop(), "^[0-9a-f]{32}$")
        self.assertGreater(sum(size for _, size in self.loaded()), 100_000)

        # A browser that was here asks for the index alone.
        browser.open(self.gateway.address)
        self.assertIn("cubist.wasm", " ".join(path for path, _ in self.loaded()))
        self.assertEqual([path for path, size in self.loaded() if size > 0], [])
        self.assertEqual(browser.errors(), [])

        # It needs no network any more.
        found = browser.driver.execute_async_script(
            "const [done] = arguments; navigator.serviceWorker.ready.then(async () => {"
            " while (!(await caches.match('/', { ignoreVary: true }))) await new Promise((resolve) => setTimeout(resolve, 50));"
            " done(await caches.keys()); })"
        )
        self.assertEqual(len(found), 1)
        browser.command("Network.enable")
        browser.command("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        browser.open(self.gateway.address)
        self.assertIn(found[0], browser.run("return document.baseURI"))
        self.assertGreater(int(browser.run("return document.querySelector('#mine .points').textContent")), 0)
        browser.command("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        self.assertEqual(browser.errors(), [])

        # A violation would be found, also in a tab that is closed.
        first = browser.driver.current_window_handle
        browser.driver.switch_to.new_window("tab")
        browser.open(self.gateway.address)
        browser.run("const style = document.createElement('style'); style.textContent = 'p { color: red }'; document.head.append(style)")
        browser.driver.close()
        browser.driver.switch_to.window(first)
        self.assertIn("default-src", " ".join(browser.errors()))
