"""The page as a gateway serves it."""

import unittest

from browser import Browser
from gateway import Shared


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gateway = Shared.service()
        cls.browser = Browser(360, 740, still=True)
        cls.addClassCleanup(cls.browser.close)

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
        found = browser.run(
            "await navigator.serviceWorker.ready;"
            " while (!(await caches.match('/', { ignoreVary: true }))) await new Promise((resolve) => setTimeout(resolve, 50));"
            " return caches.keys()"
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
        browser.new_tab()
        browser.open(self.gateway.address)
        browser.run("const style = document.createElement('style'); style.textContent = 'p { color: red }'; document.head.append(style)")
        browser.close_tab()
        self.assertIn("default-src", " ".join(browser.errors()))
