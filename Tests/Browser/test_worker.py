"""The service worker: the page without a network, and from one build to the next."""

import pathlib
import tempfile

from page import PageTest
from server import WEB

OLD, NEW = "a" * 32, "b" * 32


class Worker(PageTest):
    build = OLD
    whole = True

    def setUp(self):
        super().setUp()
        self.server.server.build, self.server.server.is_away, self.server.server.extra = OLD, False, {}
        self.forget()
        self.browser.run(
            "for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.unregister();"
            " for (const name of await caches.keys()) await caches.delete(name);"
        )
        self.open()
        self.until_whole(OLD)

    def until_whole(self, build):
        self.assertTrue(self.browser.run(
            "for (let count = 0; count < 1500; count++) {"
            " if ((await navigator.serviceWorker.getRegistration())?.active && await caches.match('/', { cacheName: arguments[0], ignoreVary: true })) return true;"
            " await new Promise((resolve) => setTimeout(resolve, 30)); }", build
        ), "the service worker installs the build")

    def update(self):
        """The server has another build, and no file of the one before."""
        self.server.server.build = NEW
        self.open()
        self.until_whole(NEW)

    def until_build(self, build):
        self.browser.wait(f"return document.baseURI.includes('{build}') && document.body?.dataset.ready === 'yes'", "the other build begins")

    def builds(self):
        return self.browser.run("return caches.keys()")

    def note(self, text):
        self.browser.wait(f"return document.getElementById('note').checkVisibility() && document.getElementById('note-text').textContent.includes('{text}')", "the page tells of the update")

    def test_after_one_visit_no_network_is_needed(self):
        self.browser.type("PLAN")
        self.server.server.is_away = True
        self.open()
        self.assertEqual(self.word(), "PLAN")
        self.browser.type("ET")
        self.browser.key("Enter")
        self.assertEqual(self.points()[0], 216)
        # The recorded match was never watched before.
        self.browser.run("document.getElementById('list-button').click(); document.getElementById('trailer-button').click()")
        self.browser.wait("return document.getElementById('note-text').textContent === 'Spell a word over faces that touch.'", "the recorded match begins")
        # The list looks for a player, whose files nobody has wanted so far.
        self.assertEqual([text for text in self.browser.errors() if "/player.js" not in text and "/people.js" not in text], [])
        self.browser.new_tab()
        self.open()
        self.browser.close_tab()

    def test_a_game_alone_needs_no_network(self):
        # The cube is the same in each run.
        self.addCleanup(self.browser.before_each_load("Crypto.prototype.getRandomValues = (numbers) => numbers.fill(1n)"))
        self.open()
        # The list has a part of a player with a name.
        self.browser.run("document.getElementById('list-button').click()")
        self.browser.wait("return document.getElementById('account-form')?.checkVisibility()", "the list is whole")
        self.server.server.is_away = True
        rows = "[...document.querySelectorAll('#rows button')]"
        self.browser.run(f"{rows}.at(-1).click()")
        self.assertEqual((self.points()[0], self.shown("theirs")), (0, ""))
        self.browser.type("TOE")
        self.open()
        self.assertEqual(self.word(), "TOE")
        self.browser.key("Enter")
        self.assertEqual((self.points()[0], self.shown("verdict")), (12, ""))
        self.assertIn("Your turn.", self.shown("status"))
        self.open()
        self.assertEqual(self.points()[0], 12)
        # One cube is a turn, or two, and the last one ends the game.
        self.browser.run("[...document.querySelectorAll('.face')].find((face) => face.tabIndex === 0 && !face.hidden).focus()")
        turns = 0
        while self.faces():
            for _ in range(1 if turns == 0 else 2):
                if self.faces():
                    self.browser.key("Delete")
            self.browser.key("Enter")
            # The focus goes on once the cube has vanished.
            self.browser.wait("return !document.querySelector('.face.marked:not([hidden])')", "the cube is away")
            turns += 1
            self.assertLessEqual(turns, 14)
        self.assertGreater(turns, 7)
        self.open()
        self.browser.wait("return !document.getElementById('end').hidden", "the end is shown")
        self.assertEqual((self.shown("end-title"), self.shown("end-text")), ("The game is over.", "12 points. No cube is left."))
        self.assertEqual((self.shown("rematch"), self.shown("other")), ("", "Games"))
        self.browser.run("document.getElementById('other').click()")
        self.assertEqual(self.browser.run(f"return {rows}.map((row) => row.textContent)")[-1], "Alonenew match")

    def test_the_page_can_be_installed(self):
        self.assertEqual(self.browser.command("Page.getInstallabilityErrors")["installabilityErrors"], [])
        self.assertEqual(self.browser.command("Page.getAppManifest")["errors"], [])

    def test_an_error_of_the_worker_would_be_found(self):
        with tempfile.TemporaryDirectory() as folder:
            worker = pathlib.Path(folder, "worker.js")
            worker.write_text("throw new Error('of the worker');")
            self.server.server.extra = {"/worker.js": worker}
            self.assertTrue(self.browser.run("return (await navigator.serviceWorker.getRegistration()).update().then(() => false, () => true)"))
        self.assertIn("Uncaught Error: of the worker", " ".join(self.browser.errors()))

    def test_what_a_proxy_answers_of_its_own_is_not_kept_as_a_file_of_the_build(self):
        self.server.server.build, self.server.server.extra = NEW, {"/hands.js": WEB / "icon.svg"}
        self.browser.run(
            "const registration = await (await navigator.serviceWorker.getRegistration()).update();"
            " while (registration.installing) await new Promise((resolve) => setTimeout(resolve, 30));")
        self.assertFalse(self.browser.run("return caches.match('/', { cacheName: arguments[0], ignoreVary: true })", NEW))
        self.open()
        self.assertIn(OLD, self.browser.run("return document.baseURI"))
        # The right file comes with the next try.
        self.server.server.extra = {}
        self.update()
        self.until_build(NEW)
        self.assertIn("/worker.js", " ".join(self.browser.errors()))

    def test_requests_of_the_api_are_left_alone(self):
        self.open()
        self.server.server.extra = {"/v1/service": WEB / "icon.svg"}
        found = self.browser.run(
            "const cache = await caches.open(arguments[0]); await cache.put('/v1/service', new Response('cached'));"
            " return (await fetch('/v1/service')).text()", OLD
        )
        self.assertIn("<svg", found)

    def test_an_update_waits_until_no_match_is_under_way(self):
        self.browser.type("PLAN")
        self.update()
        self.note("waits until no match")
        for _ in range(2):
            self.assertEqual(self.word(), "PLAN")
            self.assertIn(OLD, self.browser.run("return document.baseURI"))
            self.assertEqual(self.builds(), [OLD, NEW])
            self.open()
        self.browser.key("Escape")
        self.browser.visit(self.server.address)
        self.until_build(NEW)
        self.assertEqual((self.builds(), self.shown("note")), ([NEW], ""))
        self.browser.type("PLAN")
        self.open()
        self.assertEqual(self.word(), "PLAN")

    def test_a_game_of_the_old_build_outlives_a_reload_past_the_worker(self):
        self.browser.type("PLAN")
        self.update()
        self.browser.command("Page.reload", ignoreCache=True)
        self.until_build(NEW)
        self.assertEqual((self.word(), self.shown("note")), ("", ""))
        self.open()
        self.assertIn(OLD, self.browser.run("return document.baseURI"))
        self.assertEqual(self.word(), "PLAN")

    def test_an_update_begins_at_once_where_nothing_is_lost(self):
        self.server.server.build = NEW
        self.browser.visit(self.server.address)
        self.until_build(NEW)
        self.assertEqual(self.builds(), [NEW])

    def test_a_player_may_ask_for_an_update(self):
        self.browser.type("PLAN")
        self.browser.new_tab()
        self.update()
        self.note("waits until no match")
        self.browser.run("document.getElementById('note-act').click()")
        self.note("Close the other tabs")
        self.browser.close_tab()
        self.open()
        self.note("waits until no match")
        self.browser.run("document.getElementById('note-act').click()")
        self.note("will end")
        self.assertIn(OLD, self.browser.run("return document.baseURI"))
        self.browser.run("document.getElementById('note-act').click()")
        self.until_build(NEW)
        self.assertEqual((self.word(), self.shown("note"), self.builds()), ("", "", [NEW]))
