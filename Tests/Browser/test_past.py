"""Past games at a real service: they are listed, looked at turn by turn, checked and saved; a changed record is found."""

import base64
import json

from guest import GuestTest

VERIFIED = "VERIFIED: rules, scores, turn order, deadlines, hash chain, signatures and outcome hold."
#: Has this browser make no keys of the kind that the check needs.
NO_ED25519 = """
const { importKey } = SubtleCrypto.prototype;
SubtleCrypto.prototype.importKey = function (format, key, algorithm, ...rest) {
  return rest[1].includes('verify') ? Promise.reject(new DOMException('', 'NotSupportedError')) : importKey.call(this, format, key, algorithm, ...rest);
};
"""


class Past(GuestTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ada = cls.guest(390, 844)
        cls.downloads = cls.folder / "downloads"
        cls.downloads.mkdir()
        cls.ada.save_to(cls.downloads)
        cls.ada.come()
        cls.ada.take_name("Past")

    def play(self, turns):
        """A game alone, given up after some turns."""
        ada = self.ada
        ada.new_match()
        ada.click("#pick-alone")
        ada.until_match()
        words = []
        for turn in range(1, turns + 1):
            words.append(ada.play_word())
            ada.until_lines(turn)
        ada.click("#give-up")
        ada.click("#giving button:nth-of-type(1)")
        ada.until(ada.is_over, "the game is over")
        return words

    def to_past(self):
        self.ada.to_list()
        self.ada.click("#games-button")
        self.ada.until_seen("#past .entry")

    def check_file(self, name, content):
        """Chooses a file, and gives what the page says about it."""
        path = self.folder / name
        path.write_bytes(content)
        self.ada.choose_file("#record-file", str(path))
        self.ada.until_text("#file-record .told", name)
        return self.ada.seen("#file-record .told")

    def saved(self):
        """The record of the match on the page, as the browser saves it."""
        for file in self.downloads.iterdir():
            file.unlink()
        self.ada.click("#save-record")
        self.ada.until_saved()
        [file] = self.downloads.glob("cubist-*.json")
        return file

    def test_a_game_is_opened_looked_at_checked_and_saved(self):
        ada = self.ada
        words = self.play(3)
        points = ada.points()
        self.to_past()
        self.assertIn("solo game", ada.seen("#past .entry:first-child"))
        self.assertIn(str(points[0]), ada.seen("#past .entry:first-child .points"))
        ada.click("#past .entry:first-child .head")
        ada.until_match()
        ada.until(ada.is_over, "the game is there")

        # Each turn by keys, as a screen reader tells it.
        at = lambda: ada.run("const { ariaValueText, value } = document.getElementById('scrubber'); return [ariaValueText, value]")
        self.assertEqual(at(), ["end", "4"])
        ada.run("document.getElementById('scrubber').focus()")
        seen = []
        for turn in (3, 2, 1):
            ada.key("ArrowLeft")
            self.assertEqual(at(), [f"turn {turn} of 3: {words[turn - 1]}", str(turn)])
            seen.append(ada.letters())
            self.assertFalse(ada.is_seen("#end"))
        self.assertEqual(ada.focused(), "scrubber")
        ada.click("#later")
        self.assertEqual(at()[1], "2")
        ada.click("#earlier")
        self.assertEqual(at()[1], "1")
        ada.click("#now")
        self.assertEqual(at(), ["end", "4"])
        # By itself, from the first turn to the last one.
        ada.click("#replay")
        ada.until(lambda: at()[1] == "1", "the replay begins")
        ada.until(lambda: at()[1] == "3", "the replay goes on")
        ada.until(lambda: at()[1] == "4", "the replay ends")

        ada.click("#check")
        ada.until_text("#match-record .told", VERIFIED)
        facts = ada.seen("#match-record ul")
        self.assertIn("The root key is the one that this browser knows.", facts)
        self.assertIn("its player ended it", facts)

        file = self.saved()
        said = self.cubist("nobody", "verify", str(file))
        self.assertIn(VERIFIED, said)
        record = json.loads(file.read_text())
        self.assertIn(f"Match {record['match']} ", said)

        # The saved file, as it is and after changes.
        self.to_past()
        self.assertIn(VERIFIED, self.check_file("good.json", file.read_bytes()))
        turn = next(entry for entry in record["entries"] if b'"turnPlayed"' in base64.b64decode(entry["payload"]))

        def changed(change):
            other = json.loads(file.read_text())
            change(other, other["entries"][turn["position"]])
            return json.dumps(other).encode()

        def word(_, entry):
            payload = base64.b64decode(entry["payload"])
            entry["payload"] = base64.b64encode(payload.replace(b'"turn":1', b'"turn":2')).decode()

        def signature(_, entry):
            entry["signature"] = ("0" if entry["signature"][0] != "0" else "1") + entry["signature"][1:]

        for name, change, fault in [
            ("word.json", word, f"NOT VERIFIED. Entry {turn['position']} does not hold: its hash is"),
            ("signature.json", signature, f"NOT VERIFIED. Entry {turn['position']} does not hold: its hash is"),
            ("cut.json", lambda other, entry: other["entries"].remove(entry), f"NOT VERIFIED. Entry {turn['position'] + 1} does not hold: it stands where"),
            ("score.json", lambda other, _: other.update(points=[points[0] + 1]), f"NOT VERIFIED. The record does not hold: the points are [{points[0]}]."),
        ]:
            self.assertIn(fault, self.check_file(name, changed(change)), name)

        # The page's browser checks each signature: hashes made anew do not help.
        certificate = lambda other, _: other["certificates"][0].update(signature="7" * 128)
        self.assertIn("NOT VERIFIED. The record does not hold: the root key did not sign", self.check_file("root.json", changed(certificate)))
        valid_form = lambda other, _: other["certificates"][0].update(signature=other["entries"][0]["signature"])
        self.assertIn("NOT VERIFIED. The record does not hold: the root key did not sign", self.check_file("other.json", changed(valid_form)))

    def test_a_file_of_any_bytes_is_refused_and_the_page_goes_on(self):
        ada = self.ada
        self.play(0)
        self.to_past()
        for name, content, fault in [
            ("empty.json", b"", "is not a Cubist record: not JSON."),
            ("bytes.json", bytes(range(256)) * 64, "is not a Cubist record: not JSON."),
            ("deep.json", b"[" * 1_000_000, "is not a Cubist record: not JSON from byte 16 on."),
            ("many.json", b"[" + b"0," * 3_000_000 + b"0]", "is not a Cubist record: not JSON from byte"),
            ("keys.json", b"{" + b",".join(b'"%d":0' % number for number in range(400_000)) + b"}", "is not a Cubist record: not JSON from byte 920 on."),
            # Comparing such texts takes the square of their length.
            ("marks.json", b'{"a' + "\u0301\u0316".encode() * 1_900_000 + b'":0}', "is not a Cubist record: not JSON from byte"),
            ("large.json", b" " * (8 * 1024 * 1024 + 1), "more than the 8388608 that are read."),
            ("number.json", b'{"format":"cubist-record","formatVersion":99999999999999999999}', "is not a Cubist record: not JSON from byte"),
            ("version.json", b'{"format":"cubist-record","formatVersion":4294967297}', "which this program does not know."),
        ]:
            self.assertIn(f"✗ {name}", self.check_file(name, content))
            self.assertIn(fault, ada.seen("#file-record .told"), name)
        # The page is as it was.
        ada.click("#past .entry:first-child .head")
        ada.until_match()
        ada.click("#check")
        ada.until_text("#match-record .told", VERIFIED)

    def test_a_file_is_checked_by_somebody_without_a_name(self):
        eve = self.guest(390, 844)
        self.play(1)
        file = self.saved()
        eve.come()
        eve.to_list()
        eve.until_seen("#check-list")

        def check(name, content):
            path = self.folder / name
            path.write_bytes(content)
            eve.choose_file("#record-list", str(path))
            eve.until_text("#list-record .told", name)
            return eve.seen("#list-record .told")

        # The root key is that of the service which sent the page.
        self.assertIn(VERIFIED, check("good.json", file.read_bytes()))
        self.assertIn("The root key is the one that this browser knows.", eve.seen("#list-record ul"))
        self.assertIn("is not a Cubist record: not JSON.", check("empty.json", b""))
        record = json.loads(file.read_text())
        record["points"][0] += 1
        self.assertIn("NOT VERIFIED. The record does not hold: the points are", check("score.json", json.dumps(record).encode()))
        # Of two files the one that was chosen last counts, although it is read first.
        eve.run(
            "File.prototype.arrayBuffer = async function () { if (this.name === 'slow.json') await new Promise((resolve) => (window.goOn = resolve));"
            " const bytes = await Blob.prototype.arrayBuffer.call(this); setTimeout(() => (window.isRead = this.name)); return bytes; };"
        )
        slow = self.folder / "slow.json"
        slow.write_bytes(file.read_bytes())
        eve.choose_file("#record-list", str(slow))
        eve.until(lambda: eve.run("return Boolean(window.goOn)"), "the first file is read")
        self.assertIn("is not a Cubist record: not JSON.", check("late.json", b""))
        eve.run("window.goOn()")
        eve.until(lambda: eve.run("return window.isRead === 'slow.json'"), "the first file is read, and what follows is done")
        self.assertIn("late.json", eve.seen("#list-record .told"))
        # Nobody was made for it. A player with a name has it in the list of past games.
        self.assertIsNone(eve.kept("true"))
        self.assertFalse(eve.is_seen("#account-key"))
        eve.take_name("Nameless")
        self.assertFalse(eve.is_seen("#files"))

    def test_a_browser_that_checks_no_signatures_says_so(self):
        ada = self.ada
        self.play(0)
        # The next page is without it.
        self.addCleanup(ada.come)
        self.addCleanup(ada.before_each_load(NO_ED25519))
        ada.come()
        ada.until_loaded()
        self.to_past()
        ada.click("#past .entry:first-child .head")
        ada.until_match()
        ada.click("#check")
        ada.until_text("#match-record .told", "The signatures are not checked")
        self.assertNotIn("VERIFIED", ada.seen("#match-record .told"))

    def test_older_games_come_below_a_page_at_a_time(self):
        ada = self.ada
        # Another device of the player is quicker than a page.
        ada.to_list()
        ada.click("#settings-button")
        ada.click("#keys-button")
        ada.click("#let-in")
        ada.until(lambda: ada.seen("#let-in-text"), "a code is shown")
        code = ada.seen("#let-in-text")
        ada.visit("about:blank")
        self.cubist("older", "connect", self.gateway.address)
        self.cubist("older", "key", "add", code)
        for _ in range(21):
            self.cubist("older", "start", "--solo")
            self.cubist("older", "forfeit", "--yes")
        ada.come()
        ada.until_loaded()
        self.to_past()
        count = lambda: ada.run("return document.getElementById('past').childElementCount")
        self.assertEqual(count(), 20)
        ada.run("document.getElementById('past-more').focus()")
        ada.key("Enter")
        ada.until(lambda: count() > 20, "older games come")
        # None is older than those, and the focus goes to the last one.
        self.assertFalse(ada.is_seen("#past-more"))
        self.assertTrue(ada.run("return document.activeElement === document.querySelector('#past > :last-child > .head')"))
