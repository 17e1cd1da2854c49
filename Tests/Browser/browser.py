"""Debian's Chromium, driven through chromedriver: without its windows, which takes half of the processor's time, or whole."""

import json
import os
import pathlib
import re
import signal
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service


def patiently(ask, seconds):
    """Asks until the answer is something true, and gives it; nothing after so many seconds.

    A question to a browser costs the processor a few milliseconds, so they come the more seldom the longer it takes."""
    begun = time.monotonic()
    while not (found := ask()):
        waited = time.monotonic() - begun
        if waited > seconds:
            return None
        time.sleep(min(max(0.03, waited / 5), 0.25))
    return found


class Browser:
    """A browser with a window of a certain size. `profile` is a folder that outlives it, `host` a name of this machine.

    A `whole` one has all that a browser adds to its engine, such as notifications and the installation of pages. So has one with a profile."""

    def __init__(self, width=1280, height=800, dark=False, still=False, touch=False, profile=None, host=None, whole=False):
        self.profile = profile
        whole = whole or profile is not None
        self.folder = tempfile.TemporaryDirectory(prefix="cubist-browser-")
        self.log, self.read = pathlib.Path(self.folder.name, "log"), 0
        self.told, self.is_open = [], True
        options = Options()
        # The program itself: a signal that ends Debian's script of the same name leaves the browser alone.
        options.binary_location = "/usr/bin/chromium" if whole else "/usr/lib/chromium/chromium-headless-shell"
        for argument in ["--headless=new" if whole else "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                         "--enable-logging"]:
            options.add_argument(argument)
        if profile:
            options.add_argument(f"--user-data-dir={profile}")
        if host:
            options.add_argument(f"--host-resolver-rules=MAP {host} 127.0.0.1")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(
            service=Service("/usr/bin/chromedriver", env={**os.environ, "CHROME_LOG_FILE": str(self.log)}), options=options)
        self.driver.set_script_timeout(30)
        self.resize(width, height)
        self.media(dark, still)
        # The settings name it.
        self.command("Emulation.setTimezoneOverride", timezoneId="Europe/Berlin")
        if touch:
            self.command("Emulation.setTouchEmulationEnabled", enabled=True)

    def command(self, name, **arguments):
        """A command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, arguments)

    def resize(self, width, height, scale=1):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def media(self, dark=False, still=False):
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"},
        ]
        self.command("Emulation.setEmulatedMedia", features=features)

    def open(self, address):
        self.driver.get(address)
        self.wait("return document.body.dataset.ready === 'yes'", "the game arrives")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, what, seconds=20):
        """Waits until a script gives something true."""
        if found := patiently(lambda: self.run(script), seconds):
            return found
        raise AssertionError(f"{what}: not within {seconds} s; the page says: {self.text('status')}")

    def text(self, name):
        return self.run("return document.getElementById(arguments[0])?.textContent", name)

    def picture(self, path):
        self.driver.save_screenshot(path)

    def key(self, key, code=None, text=None):
        """Presses and lets go a key."""
        names = {"Enter": (13, "\r"), "Backspace": (8, None), "Escape": (27, None), "Delete": (46, None), "Tab": (9, None), " ": (32, " "),
                 "ArrowLeft": (37, None), "ArrowUp": (38, None), "ArrowRight": (39, None), "ArrowDown": (40, None),
                 "PageUp": (33, None), "PageDown": (34, None), "Home": (36, None), "End": (35, None)}
        number, text = names[key] if key in names else (ord(key.upper()), key)
        event = {"key": key, "windowsVirtualKeyCode": number}
        if text:
            event["text"] = text
        self.command("Input.dispatchKeyEvent", type="keyDown", **event)
        self.command("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=number)

    def type(self, word):
        for letter in word:
            self.key(letter)

    def tap(self, x, y):
        point = [{"x": x, "y": y}]
        self.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=point)
        self.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        # The click comes a little later.
        self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")

    def middle(self, selector):
        """The middle of an element on the screen."""
        return self.run("const box = document.querySelector(arguments[0]).getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]", selector)

    def errors(self):
        """What the consoles of all tabs and of the service worker have had since this was asked last, except hints for developers.

        Violations of the policy are among it. So is what a tab had that is closed, or a browser that was killed."""
        self.collect()
        told, self.told = self.told, []
        return told

    def collect(self):
        if self.is_open:
            self.told += [json.dumps(entry) for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
            # The service worker tells its browser's log alone, and has nothing to say.
            log = self.log.read_bytes()
            self.told += re.findall(r"CONSOLE.*source: \S+/worker\.js .*", log[self.read:].decode(errors="replace"))
            self.read = len(log)

    def close(self):
        if self.is_open:
            self.collect()
            self.driver.quit()
            self.end()

    def kill(self):
        """Ends the browser at once, as a power failure does. It needs a profile, whose lock names the process."""
        self.collect()
        os.kill(int(os.readlink(f"{self.profile}/SingletonLock").rsplit("-", 1)[1]), signal.SIGKILL)
        self.driver.service.stop()
        self.end()

    def end(self):
        self.is_open = False
        self.folder.cleanup()
