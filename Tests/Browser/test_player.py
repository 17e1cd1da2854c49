"""The page's player at a real service: a key of the browser's own, a name, and what is kept of both."""

import json
import os
import pathlib
import subprocess
import tempfile

from test_gateway import ServedTest

#: Runs a script with the page's modules, as the page would; gives what it returns.
SCRIPT = """
const done = arguments[0];
(async () => {
  const [{ Player }, keys] = await Promise.all(["player.js", "keys.js"].map((name) => import(document.baseURI + name)));
  %s
})().then((value) => done([value]), (error) => done([null, String(error)]));
"""


class Player(ServedTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser.driver.set_script_timeout(60)
        cls.browser.command("Network.enable")
        cls.folder = tempfile.TemporaryDirectory(prefix="cubist-player-")
        cls.addClassCleanup(cls.folder.cleanup)

    def setUp(self):
        self.browser.open(self.gateway.address)
        self.browser.errors()

    def run_script(self, script):
        found = self.browser.driver.execute_async_script(SCRIPT % script)
        self.assertEqual(found[1:], [], script)
        return found[0]

    def forget(self):
        """As a player who was never here."""
        self.run_script("await new Promise((resolve) => { indexedDB.deleteDatabase('cubist').onsuccess = resolve; })")

    def cubist(self, profile, *arguments):
        home = pathlib.Path(self.folder.name) / profile
        done = subprocess.run(
            [pathlib.Path(os.environ["CUBIST_BIN"]) / "cubist", *arguments],
            env={**os.environ, "XDG_STATE_HOME": str(home)}, capture_output=True, text=True, timeout=60,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_name_is_taken_and_the_key_moves_by_its_file(self):
        self.forget()
        text, during, state, after = self.run_script(
            "const player = await Player.create(); const text = player.keyText();"
            " const asked = player.ask('register Ada_1'); const state = await asked;"
            " return [text, player.isPending, state, player.keyText()];"
        )
        self.assertEqual((state["name"], state.get("trouble"), during), ("Ada_1", None, False))
        # The file is offered until the key is kept.
        self.assertIsNone(after)

        # The player is here again later, and nobody can read the key.
        self.browser.open(self.gateway.address)
        state, error = self.run_script(
            "const player = await Player.load(); const state = await player.ask('whoami'); const { secret } = await keys.read();"
            " return [state, await crypto.subtle.exportKey('pkcs8', secret).catch((error) => error.name)];"
        )
        self.assertEqual((state["name"], state.get("trouble"), error), ("Ada_1", None, "InvalidAccessError"))

        # The terminal's program is the same player by the file.
        file = pathlib.Path(self.folder.name) / "key.txt"
        file.write_text(text)
        self.cubist("moved", "connect", self.gateway.address)
        self.cubist("moved", "key", "import", str(file))
        found = json.loads(self.cubist("moved", "whoami", "--json"))
        self.assertEqual((found["name"], found["player"]), ("Ada_1", state["player"]))
        self.quiet()

    def test_a_name_that_is_taken_or_misspelt_is_refused_in_words(self):
        self.forget()
        taken, misspelt, mine, again = self.run_script(
            "const [one, two] = [await Player.create(), await Player.create()]; await one.ask('register Taken');"
            " return [await two.ask('register taken'), await two.ask('register é'), await two.ask('register Other'), await two.ask('register Third')];"
        )
        self.assertEqual(taken["trouble"]["name"], "nameTaken")
        self.assertIn("taken", taken["trouble"]["message"])
        self.assertNotIn("name", taken)
        self.assertEqual(misspelt["trouble"]["name"], "misspelt")
        self.assertEqual((mine["name"], mine.get("trouble")), ("Other", None))
        self.assertEqual((again["name"], again["trouble"]["name"]), ("Other", "alreadyRegistered"))
        self.assertEqual([text for text in self.browser.errors() if "status of 409" not in text], [])

    def test_a_wrong_clock_hinders_nothing(self):
        self.forget()
        state = self.run_script(
            "const { now } = Date; Date.now = () => now() + 7_200_000;"
            " try { return await (await Player.create()).ask('register Early'); } finally { Date.now = now; }"
        )
        self.assertEqual((state["name"], state.get("trouble")), ("Early", None))
        self.quiet()

    def test_a_registration_that_was_sent_without_a_network_waits_and_is_sent_once(self):
        self.forget()
        self.run_script("globalThis.player = await Player.create(); await globalThis.player.ask('service');")
        self.offline(True)
        try:
            state, is_pending = self.run_script("const { player } = globalThis; return [await player.ask('register Late'), player.isPending];")
        finally:
            self.offline(False)
        self.assertEqual((state["trouble"]["name"], is_pending), ("pending", True))

        # The page was closed meanwhile. An earlier wish is answered before a later one.
        self.browser.open(self.gateway.address)
        before, state, is_pending = self.run_script(
            "const player = await Player.load(); const before = player.isPending;"
            " const state = await player.ask('register Later'); return [before, state, player.isPending];"
        )
        self.assertTrue(before)
        self.assertEqual((state["name"], state["trouble"]["name"], is_pending), ("Late", "alreadyRegistered", False))
        self.browser.errors()

    def test_another_service_is_not_taken_for_the_one_that_was_met(self):
        self.forget()
        state = self.run_script(
            "const player = await Player.create(); await player.ask('register Moved');"
            " const kept = await keys.read(); const parts = kept.text.split(' '); parts[2] = parts[0];"
            " await keys.keep({ ...kept, text: parts.join(' ') });"
            " return (await Player.load()).ask('service');"
        )
        self.assertEqual(state["trouble"]["name"], "otherService")
        self.quiet()

    def offline(self, is_offline):
        self.browser.command("Network.emulateNetworkConditions", offline=is_offline, latency=0, downloadThroughput=-1, uploadThroughput=-1)

    def quiet(self):
        self.assertEqual(self.browser.errors(), [])
        self.assertEqual(self.browser.run("return window.violations ?? []"), [])
