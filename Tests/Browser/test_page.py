"""What the page is made of: sizes, the first cube, the module, the policy."""

import gzip
import re

from browser import patiently
from page import PageTest
from server import WEB

#: The parts that a player's page loads before the module.
SHELL = ["index.html", "style.css", "icon.svg", "main.js", "cube.js", "engine.js", "first.js", "hands.js", "keep.js", "panel.js", "update.js", "words.js"]
#: The files that a player with a name loads besides.
PLAYER = [
    "player.js", "service.js", "service-module.js", "keys.js", "people.css", "people.js", "menus.js", "notices.js", "push.js", "parts.js", "records.js", "devices.js", "player.wasm"
]
KB = 1000


def packed(name):
    return len(gzip.compress((WEB / name).read_bytes(), 6, mtime=0))


class Parts(PageTest):
    def test_the_first_cube_and_the_first_move_come_in_few_bytes(self):
        self.server.requests.clear()
        self.open_anew()
        asked = {path.lstrip("/") or "index.html" for path in self.server.requests}
        # Nothing else is loaded, and nothing of the gallery.
        self.assertEqual(asked - {"icon.svg", "favicon.ico", "manifest.webmanifest"}, set(SHELL) - {"icon.svg"} | {"cubist.wasm"})
        shell = sum(packed(name) for name in SHELL)
        whole = shell + packed("cubist.wasm")
        print(f"page: {shell} bytes before the first cube, {whole} before the first move")
        self.assertLessEqual(shell, 60 * KB)
        self.assertLessEqual(whole, 400 * KB)

    def test_what_a_player_with_a_name_loads_besides_has_few_bytes(self):
        besides = sum(packed(name) for name in PLAYER)
        print(f"page: {besides} bytes besides for a player with a name")
        self.assertLessEqual(besides, 740 * KB)

    def test_the_cube_that_is_drawn_at_once_is_the_one_that_the_game_deals(self):
        self.open_anew()
        first, dealt = self.browser.run(
            "const { first } = await import('/first.js'); const { load } = await import('/engine.js');"
            " return [first, (await load('/cubist.wasm')).start(5n, 'unseen')]"
        )
        self.assertEqual(first, dealt)

    def test_the_module_refuses_what_is_no_action(self):
        self.open_anew()
        found = self.browser.run(
            "const [texts] = arguments; const { load } = await import('/engine.js');"
            " const engine = await load('/cubist.wasm'); engine.start(5n, 'unseen');"
            " return texts.map(text => engine.act(text) === null)",
            ["", "face", "face 81", "face -1", "mark 27", "letter", "letter é", "letter AB", "way x", "new best", "open", "face 99999999999999999999", "x" * 300],
        )
        self.assertEqual(found, [True] * 13)

    def test_an_answer_that_is_longer_than_any_of_the_service_is_left(self):
        self.open_anew()
        found = self.browser.run(
            "const [{ Service }, { load }] = await Promise.all([import('/service.js'), import('/engine.js')]);"
            " const engine = await load('/cubist.wasm'); engine.start(5n, 'unseen');"
            " const [{ fetch }, part] = [window, new Uint8Array(1 << 20)]; let [count, isLeft, service] = [0, false];"
            " const endless = () => new ReadableStream({"
            "  pull: (control) => (++count > 40 ? control.close() : control.enqueue(part)), cancel: () => (isLeft = true) }, { highWaterMark: 0 });"
            " window.fetch = async (address, options) => String(address).startsWith('/v1/')"
            "  ? new Response(endless(), { headers: { 'Content-Type': 'application/json' } }) : fetch(address, options);"
            " await new Promise(async (resolve) => {"
            "  const show = ({ connection }) => { if (connection === 'lost') { service?.leave(); resolve(); } };"
            "  service = await Service.create(() => engine.words(), show); });"
            " return [isLeft, count]"
        )
        self.leave()
        # 16 MB, and the part that is too much.
        self.assertEqual(found, [True, 17])

    def test_what_is_done_before_the_game_arrives_is_done_when_it_has(self):
        browser = self.browser
        self.forget()
        browser.command("Network.enable")
        browser.command("Network.setCacheDisabled", cacheDisabled=True)
        browser.command("Network.emulateNetworkConditions", offline=False, latency=150, downloadThroughput=200_000, uploadThroughput=90_000)
        browser.visit(self.server.address)
        browser.wait("return document.querySelectorAll('.face:not([hidden])').length === 27", "the first cube")
        self.assertNotEqual(browser.run("return document.body.dataset.ready"), "yes")
        browser.type("PLANET")
        before = self.middle(78)
        browser.key("ArrowLeft")
        browser.wait("return document.body.dataset.ready === 'yes'", "the game arrives")
        self.assertEqual(self.word(), "PLANET")
        self.assertNotEqual(self.middle(78), before)
        self.forget()
        browser.visit(self.server.address)
        browser.wait("return document.querySelectorAll('.face:not([hidden])').length === 27", "the first cube")
        browser.run("document.getElementById('type').focus()")
        browser.type("PLANE")
        self.assertEqual(browser.run("return [document.body.dataset.ready, document.getElementById('type').value]"), [None, "PLANE"])
        browser.wait("return document.body.dataset.ready === 'yes'", "the game arrives")
        self.assertEqual(self.word(), "PLANE")
        browser.command("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)

    def test_a_violation_of_the_policy_would_be_found(self):
        self.open_anew()
        self.browser.run("const style = document.createElement('style'); style.textContent = 'p { color: red }'; document.head.append(style)")
        self.assertTrue(patiently(lambda: any("style-src" in report for report in self.server.violations)))
        self.server.violations.clear()
        self.assertNotEqual(self.browser.errors(), [])

    def test_the_sources_have_no_style_and_no_script_within(self):
        for name in ["index.html", "gallery.html"]:
            text = (WEB / name).read_text()
            self.assertIsNone(re.search(r"\sstyle=|\son\w+=|<style|javascript:", text), name)
            self.assertEqual(re.findall(r"<script(?![^>]*\ssrc=)", text), [], name)
        for file in WEB.glob("*.js"):
            self.assertIsNone(re.search(r"\beval\(|new Function|https?://(?!www\.w3\.org|cubist\.example)", file.read_text()), file.name)

    def test_text_of_twice_the_size_needs_no_scrolling_to_the_side_on_a_narrow_screen(self):
        self.browser.resize(320, 640)
        try:
            self.open_anew()
            self.browser.run("const sheet = new CSSStyleSheet(); sheet.replaceSync('html { font-size: 200% }'); document.adoptedStyleSheets = [sheet]")
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 320)
            self.browser.run("document.getElementById('list-button').click()")
            self.browser.wait("return document.getElementById('list').checkVisibility()", "the list is there")
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 320)
        finally:
            self.browser.resize(*self.size)

    def test_a_browser_without_webassembly_is_told_so(self):
        self.forget()
        remove = self.browser.before_each_load("delete globalThis.WebAssembly")
        try:
            self.browser.visit(self.server.address)
            self.browser.wait("return document.getElementById('status').textContent.includes('This browser has no WebAssembly')", "the page says so")
        finally:
            remove()
        self.browser.errors()

    def test_without_the_game_the_page_says_so(self):
        browser = self.browser
        self.forget()
        browser.command("Network.enable")
        browser.command("Network.setBlockedURLs", urls=["*.wasm"])
        browser.visit(self.server.address)
        browser.wait("return document.getElementById('status').textContent.includes('could not be loaded')", "the page says so")
        self.assertEqual(len(self.faces()), 27)
        browser.command("Network.setBlockedURLs", urls=[])
        browser.errors()
        self.server.violations.clear()
