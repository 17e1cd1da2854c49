"""Debian's Chromium, driven by DevTools: without its windows, which takes half of the processor's time, or whole."""

import json
import os
import pathlib
import re
import tempfile
import time

from devtools import PATIENCE, DevTools, Gone, Machine, Target

#: A failure shows the line of the test, and not these of its tools.
__unittest = True

PROGRAMS = {False: "/usr/lib/chromium/chromium-headless-shell", True: "/usr/lib/chromium/chromium"}
#: A browser does nothing but what a test tells it, asks nobody anything, and slows nothing down that is out of sight.
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage", "--enable-logging", "--enable-automation", "--test-type",
    "--no-first-run", "--no-default-browser-check", "--password-store=basic", "--use-mock-keychain", "--disable-background-networking",
    "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-client-side-phishing-detection",
    "--disable-component-update", "--disable-default-apps", "--disable-extensions", "--disable-hang-monitor", "--disable-popup-blocking",
    "--disable-prompt-on-repost", "--disable-sync", "--disable-features=SpareRendererForSitePerProcess,Prewarm", "about:blank",
]
#: The function of a script, in a page that has come whole.
CALL = """(async () => {
if (document.readyState !== 'complete') await new Promise((resolve) => addEventListener('load', resolve, { once: true }));
const found = await (async function () { %s
}).apply(null, %s);
return found instanceof Node ? true : found;
})()"""
#: The numbers of keys without a letter.
KEYS = {
    "Enter": 13, "Backspace": 8, "Escape": 27, "Delete": 46, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
    "PageUp": 33, "PageDown": 34, "Home": 36, "End": 35,
}


def patiently(ask, seconds=PATIENCE):
    """Asks until the answer is something true, and gives it; nothing after so many seconds: then it hangs. On a busy machine it may take seven times as long.

    A question to a browser costs the processor a few milliseconds, so they come the more seldom the longer it takes."""
    begun, machine = time.monotonic(), Machine()
    while not (found := ask()):
        waited = time.monotonic() - begun
        if waited > (seconds if machine.is_quiet() else 7 * seconds):
            return None
        # Nothing tells of what is asked for, so it is asked again and again.
        time.sleep(min(max(0.03, waited / 5), 0.25))
    return found


def complaint(event):
    """The error or warning that an event adds to the console of a page; None where it adds nothing, or a hint for developers."""
    told = event["params"]
    match event["method"]:
        case "Log.entryAdded" if (entry := told["entry"])["level"] in ("error", "warning"):
            return f"{entry.get('url')} {entry.get('lineNumber') or '-'} {entry['text']}"
        case "Runtime.consoleAPICalled" if told["type"] in ("error", "assert", "warning"):
            return f"console.{told['type']}: {[part.get('value', part.get('description')) for part in told['args']]}"
        case "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            return f"{details.get('url')} {details['lineNumber']} {details['text']} {details.get('exception', {}).get('description')}"


class Browser:
    """A browser with a window of a certain size. `profile` is a folder that outlives it, `host` a name of this machine.

    A `whole` one has all that a browser adds to its engine, such as notifications and the installation of pages. So has one with a profile."""

    def __init__(self, width=1280, height=800, dark=False, still=False, touch=False, profile=None, host=None, whole=False):
        self.profile = profile
        whole = whole or profile is not None
        self.folder = tempfile.TemporaryDirectory(prefix="cubist-browser-")
        self.log, self.read = pathlib.Path(self.folder.name, "log"), 0
        self.told, self.is_open = [], True
        arguments = [*ARGUMENTS, "--headless=new" if whole else "--headless", f"--user-data-dir={profile or pathlib.Path(self.folder.name, 'profile')}"]
        if host:
            arguments.append(f"--host-resolver-rules=MAP {host} 127.0.0.1")
        self.devtools = DevTools(PROGRAMS[whole], arguments, {**os.environ, "CHROME_LOG_FILE": str(self.log)})
        self.tabs = []
        self.add_tab(patiently(lambda: self.devtools.targets("page", ""))[0])
        self.resize(width, height)
        self.media(dark, still)
        # The settings name it.
        self.command("Emulation.setTimezoneOverride", timezoneId="Europe/Berlin")
        if touch:
            self.command("Emulation.setTouchEmulationEnabled", enabled=True)

    # MARK: Tabs

    def add_tab(self, target):
        self.tab = Target(self.devtools, target)
        self.tabs.append(self.tab)
        self.tab.commands(("Log.enable", {}), ("Runtime.enable", {}), ("Page.enable", {}))

    def new_tab(self):
        """Opens a tab, to which commands go from now on."""
        self.add_tab(self.devtools.command("Target.createTarget", url="about:blank")["targetId"])
        return self.tab

    def close_tab(self):
        """Closes the tab, and goes to the first of the others."""
        self.collect()
        self.tabs.remove(self.tab)
        self.devtools.command("Target.closeTarget", targetId=self.tab.id)
        self.devtools.event(lambda event: event["method"] == "Target.detachedFromTarget" and event["params"]["sessionId"] == self.tab.session)
        self.tab = self.tabs[0]

    def command(self, name, **arguments):
        """A command of the DevTools protocol to the tab."""
        return self.tab.command(name, **arguments)

    def resize(self, width, height, scale=1):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def media(self, dark=False, still=False):
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"},
        ]
        self.command("Emulation.setEmulatedMedia", features=features)

    # MARK: Pages

    def visit(self, address):
        """Goes to an address, and waits until the page has come."""
        if fault := self.command("Page.navigate", url=address).get("errorText"):
            raise AssertionError(f"{address}: {fault}")
        self.run("")

    def open(self, address):
        self.visit(address)
        self.wait("return document.body.dataset.ready === 'yes'", "the game arrives")

    def before_each_load(self, source):
        """Has the pages of the tab run a script first. Gives what takes that back."""
        tab, script = self.tab, self.command("Page.addScriptToEvaluateOnNewDocument", source=source)["identifier"]

        def remove():
            if tab in self.tabs:
                tab.command("Page.removeScriptToEvaluateOnNewDocument", identifier=script)

        return remove

    def run(self, script, *arguments):
        """What the body of an asynchronous function returns. An element is something true."""
        call = CALL % (script, json.dumps(arguments))
        while True:
            try:
                return self.tab.value(call)
            except Gone:
                # The page has gone, so the script runs in the next one.
                continue

    def wait(self, script, what, seconds=PATIENCE):
        """Waits until a script gives something true. The limit is one against hanging."""
        if found := patiently(lambda: self.run(script), seconds):
            return found
        raise AssertionError(f"{what}: not within {seconds} s; the page says: {self.text('status')}")

    def text(self, name):
        return self.run("return document.getElementById(arguments[0])?.textContent", name)

    def choose(self, selector, option):
        """Chooses an option of a list."""
        self.run("const [selector, option] = arguments; const list = document.querySelector(selector); list.value = option;"
                 " list.dispatchEvent(new Event('change', { bubbles: true }))", selector, option)

    def choose_file(self, selector, path):
        """Has a field for files take one."""
        field = self.command("Runtime.evaluate", expression=f"document.querySelector({json.dumps(selector)})")["result"]
        self.command("DOM.setFileInputFiles", files=[str(path)], objectId=field["objectId"])

    # MARK: Hands

    def key(self, key):
        """Presses and lets go a key."""
        self.press([key])

    def type(self, word):
        self.press(word)

    def press(self, keys):
        events = []
        for key in keys:
            event = {"key": key, "windowsVirtualKeyCode": KEYS.get(key) or ord(key.upper())}
            text = {"text": "\r" if key == "Enter" else key} if key == "Enter" or key not in KEYS else {}
            events += [("Input.dispatchKeyEvent", {"type": "keyDown", **event, **text}), ("Input.dispatchKeyEvent", {"type": "keyUp", **event})]
        self.tab.commands(*events)

    def click_at(self, x, y):
        event = {"x": x, "y": y, "button": "left", "clickCount": 1}
        self.tab.commands(*[("Input.dispatchMouseEvent", {"type": kind, **event}) for kind in ("mousePressed", "mouseReleased")])

    def tap(self, x, y):
        self.tab.commands(
            ("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}), ("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []}))
        # The click comes a little later.
        self.run("for (const _ of [1, 2]) await new Promise(requestAnimationFrame)")

    def double_tap(self, x, y):
        """Taps twice, so soon that the page takes it for one act, however busy the machine is."""
        now = time.time()
        events = [("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])] * 2
        self.tab.commands(*[
            ("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points, "timestamp": now + 0.05 * index}) for index, (kind, points) in enumerate(events)
        ])
        self.run("for (const _ of [1, 2]) await new Promise(requestAnimationFrame)")

    def middle(self, selector):
        """The middle of an element on the screen."""
        return self.run("const box = document.querySelector(arguments[0]).getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]", selector)

    # MARK: The console

    def errors(self):
        """What the consoles of all tabs and of the service worker have had since this was asked last, except hints for developers.

        Violations of the policy are among it. So is what a tab had that is closed, or a browser that was killed."""
        self.collect()
        told, self.told = self.told, []
        return told

    def collect(self):
        if self.is_open:
            for tab in self.tabs:
                # Its answer comes after all that the page has told.
                tab.command("Log.enable")
            self.told += filter(None, map(complaint, self.devtools.take(lambda _: True)))
            # The service worker tells its browser's log alone, and has nothing to say.
            log = self.log.read_bytes()
            self.told += re.findall(r"CONSOLE.*source: \S+/worker\.js .*", log[self.read:].decode(errors="replace"))
            self.read = len(log)

    # MARK: The end

    def close(self):
        if self.is_open:
            self.collect()
            self.devtools.command("Browser.close")
            self.end()

    def kill(self):
        """Ends the browser at once, as a power failure does."""
        self.collect()
        self.devtools.process.kill()
        self.end()

    def end(self):
        self.is_open = False
        self.devtools.end()
        self.folder.cleanup()
