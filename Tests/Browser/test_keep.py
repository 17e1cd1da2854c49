"""A game goes on after a reload, whatever the browser has kept."""

from page import PageTest

#: The place where the first tab keeps its game.
PLACE = "cubist.game.0"


class Kept(PageTest):
    def before_each_load(self, source):
        self.addCleanup(self.browser.before_each_load(source))

    def kept(self):
        return self.browser.run("return localStorage.getItem(arguments[0])", PLACE)

    def lit(self):
        return self.browser.run("return [...document.querySelectorAll('.face.lit')].filter(face => !face.hidden).map(face => face.dataset.face)")

    def put(self, content):
        """Has the browser keep something else, as if the tab had."""
        self.leave()
        self.browser.run("localStorage.setItem(arguments[0], arguments[1])", PLACE, content)

    def test_a_word_is_there_after_a_reload(self):
        self.open_anew()
        self.browser.type("PLANETX")
        lit = self.lit()
        self.open()
        self.assertEqual(self.word(), "PLANETX")
        self.assertEqual(self.lit(), lit)
        self.browser.key("Backspace")
        self.browser.key("Enter")
        self.assertEqual((self.points()[0], self.shown("note")), (216, ""))

    def test_a_robot_that_thought_plays_after_a_reload(self):
        self.open_anew()
        self.browser.type("PLANET")
        self.browser.key("Enter")
        self.open()
        self.assertEqual(self.points(), [216, 0])
        self.assertTrue(self.browser.run("return document.getElementById('theirs').classList.contains('on-turn')"))
        self.assertTrue(self.until_my_turn())
        points = self.points()
        self.assertGreater(points[1], 0)
        self.open()
        self.assertEqual(self.points(), points)

    def test_the_first_steps_go_on_with_their_word(self):
        self.open_anew()
        self.browser.run("document.getElementById('welcome-button').click(); document.getElementById('step-next').click()")
        self.browser.type("GAM")
        title = self.shown("step-title")
        self.open()
        self.assertEqual((self.shown("step-title"), self.word()), (title, "GAM"))

    def test_a_game_goes_on_in_another_tab_once_its_own_is_closed(self):
        self.open_anew()
        self.browser.type("PLAN")
        [first] = self.browser.tabs
        self.browser.new_tab()
        self.browser.tab = first
        self.browser.close_tab()
        self.open()
        self.assertEqual(self.word(), "PLAN")

    def test_each_of_two_tabs_has_its_own_game(self):
        self.open_anew()
        self.browser.type("PLAN")
        self.browser.new_tab()
        self.open()
        self.assertEqual(self.word(), "")
        self.browser.type("NAL")
        self.open()
        self.assertEqual(self.word(), "NAL")
        self.browser.close_tab()
        self.open()
        self.assertEqual(self.word(), "PLAN")

    def test_a_place_that_is_let_go_of_late_is_waited_for(self):
        self.open_anew()
        self.browser.type("PLAN")
        # As a page does that a busy machine is slow to end. It answers nobody.
        held = "navigator.locks.request('%s', () => new Promise((end) => setTimeout(end, 1500)))" % PLACE
        self.before_each_load(held)
        self.open()
        self.assertEqual(self.word(), "PLAN")

    def test_a_copied_tab_has_a_game_of_its_own_without_waiting(self):
        self.open_anew()
        self.browser.type("PLAN")
        self.browser.new_tab()
        self.before_each_load("{ const { setTimeout: wait } = globalThis; globalThis.setTimeout = (work, time) => time === 10_000 ? 0 : wait(work, time); }")
        self.leave()
        self.browser.run("sessionStorage.setItem('cubist.place', arguments[0])", PLACE)
        self.open()
        self.assertEqual(self.word(), "")
        self.browser.close_tab()
        self.assertEqual(self.word(), "PLAN")

    def test_broken_content_is_dropped_with_a_sentence(self):
        self.open_anew()
        self.browser.type("PLAN")
        kept = self.kept()
        for content in [kept[:-1], kept + "x", ":", ":\u0000\ud83d\ude00", ":" + " " * 100_000]:
            with self.subTest(content=content[:40]):
                self.put(content)
                self.open()
                self.assertIn("could not be read", self.shown("note"))
                self.assertIsNone(self.kept())
                self.browser.run("document.getElementById('note-close').click()")
                self.assertEqual(self.shown("note"), "")
                self.browser.type("P")
                self.assertEqual(self.word(), "P")

    def test_content_of_another_build_is_dropped_with_a_sentence(self):
        self.open_anew()
        self.browser.type("PLAN")
        kept = self.kept()
        for content in ["0" * 32 + kept, "null", "{}"]:
            with self.subTest(content=content[:40]):
                self.put(content)
                self.open()
                self.assertIn("updated", self.shown("note"))
                self.assertIsNone(self.kept())
        # Nothing more is lost.
        self.open()
        self.assertEqual(self.shown("note"), "")

    def test_a_game_that_ends_the_module_does_so_once(self):
        self.open_anew()
        self.browser.type("PLAN")
        self.before_each_load(
            "const load = WebAssembly.instantiateStreaming; WebAssembly.instantiateStreaming = async (...all) => {"
            " const { instance: { exports } } = await load(...all);"
            " return { instance: { exports: { ...exports, resume() { throw new WebAssembly.RuntimeError('unreachable') } } } }; }"
        )
        self.browser.visit(self.server.address)
        self.browser.wait("return document.getElementById('status').textContent.includes('could not be loaded')", "the page says so")
        self.assertIn("unreachable", " ".join(self.browser.errors()))
        self.open()
        self.assertEqual((self.word(), self.kept()), ("", None))

    def test_a_browser_that_keeps_nothing_plays(self):
        for source in [
            "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get() { throw new DOMException('no', 'SecurityError') } })",
            "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }",
            "navigator.locks.request = () => Promise.reject(new DOMException('no', 'SecurityError'))",
        ]:
            with self.subTest(source=source):
                self.open_anew()
                self.before_each_load(source)
                self.open()
                self.browser.type("PLANET")
                self.browser.key("Enter")
                self.assertEqual(self.points()[0], 216)
                self.open()
                self.assertEqual((self.points(), self.shown("note")), ([0, 0], ""))
                self.doCleanups()

    def test_without_locks_a_tab_keeps_its_game_for_itself(self):
        self.before_each_load("Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })")
        self.open_anew()
        self.browser.type("PLAN")
        self.open()
        self.assertEqual(self.word(), "PLAN")
        self.assertIsNone(self.kept())
