"""The page where a browser makes or keeps no keys: at a plain http: address of a network, without Ed25519, without storage. A real service."""

from urllib.parse import urlsplit

from guest import Guest, GuestTest

#: An address that is no loopback address to a browser, kept for documents. It leads to this machine.
HOST = "192.0.2.1"
#: Has this browser make no keys of the kind that is needed.
NO_ED25519 = """
for (const name of ['generateKey', 'importKey']) {
  const real = SubtleCrypto.prototype[name];
  SubtleCrypto.prototype[name] = function (...rest) {
    return rest.some((part) => part?.name === 'Ed25519') ? Promise.reject(new DOMException('', 'NotSupportedError')) : real.apply(this, rest);
  };
}
"""
#: Has this browser keep nothing of the page.
NO_STORAGE = "IDBFactory.prototype.open = () => { throw new DOMException('', 'SecurityError'); };"

#: Has this browser's storage never answer.
SILENT_STORAGE = "IDBFactory.prototype.open = () => new EventTarget();"
#: Has this browser know no channels between its tabs.
NO_CHANNELS = "delete globalThis.BroadcastChannel;"


class Keyless(GuestTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        address = urlsplit(cls.gateway.address)
        cls.plain = Guest(f"http://{HOST}:{address.port}/", 390, 844, host=HOST)
        cls.guests.append(cls.plain)
        cls.addClassCleanup(cls.plain.leave)
        cls.old = cls.guest(390, 844)
        cls.old.before_each_load(NO_ED25519)
        cls.bare = cls.guest(390, 844)
        cls.bare.before_each_load(NO_STORAGE)
        local = f"http://localhost:{address.port}/"
        cls.at_plain_address = f"Browsers make none for a page of a plain http: address. Open its https: address, or on the computer that serves it {local}"
        cls.without_storage = "This browser is set to keep nothing of this page. Allow that, and load the page again."
        cls.without_kind = "This browser makes none of the kind that is needed (Ed25519). A newer one does."

    def setUp(self):
        super().setUp()
        # Of a plain address, where browsers leave that field aside.
        self.expect("Cross-Origin-Opener-Policy header has been ignored")

    def test_a_storage_that_never_answers_and_a_browser_without_channels_are_named(self):
        for script, reason in [(SILENT_STORAGE, "The browser's storage (IndexedDB) does not answer."), (NO_CHANNELS, "This browser cannot keep its tabs in step")]:
            with self.subTest(script=script):
                remove = self.bare.before_each_load(script)
                try:
                    self.bare.come()
                    self.bare.to_list()
                    self.bare.until_text("#account-no", f"Play with people needs a key. {reason}")
                finally:
                    remove()

    def each(self):
        for guest, reason in [(self.plain, self.at_plain_address), (self.old, self.without_kind), (self.bare, self.without_storage)]:
            with self.subTest(address=guest.address):
                yield guest, reason

    def share(self):
        """The code of a game that somebody has shared, and the record of it as the page saves it."""
        ada = self.guest(390, 844)
        downloads = self.folder / "records"
        ada.save_to(downloads)
        ada.come()
        ada.take_name("Sharer")
        ada.new_match()
        ada.click("#pick-alone")
        ada.until_match()
        word = ada.play_word()
        ada.until_lines(1)
        ada.click("#give-up")
        ada.click("#giving button:nth-of-type(1)")
        ada.until(ada.is_over, "the game is over")
        ada.click("#save-record")
        ada.until_saved()
        [record] = downloads.glob("cubist-*.json")
        ada.click("#share")
        ada.until_text("#link", "Link of the shared game:")
        return word, urlsplit(ada.run("return document.getElementById('link-text').value")).path.removeprefix("/s/"), record

    def test_the_list_says_why_there_is_no_form_and_robots_are_played_all_the_same(self):
        self.plain.come()
        self.assertFalse(self.plain.run("return isSecureContext"))
        for guest, reason in self.each():
            guest.come()
            guest.to_list()
            guest.until_text("#account-no", f"Play with people needs a key. {reason}")
            self.assertFalse(guest.is_seen("#account-form"))
            self.assertFalse(guest.is_seen("#home"))
            guest.click("#rows button")
            guest.play_word()
            guest.until(lambda: guest.points()[1] > 0, "the robot plays")

    def test_an_invitation_says_why_it_cannot_be_taken_here(self):
        for guest, reason in self.each():
            guest.come("g/ABCDEFGHJKMN")
            # The localhost address is that of the invitation.
            said = reason + ("g/ABCDEFGHJKMN" if guest is self.plain else "")
            guest.until_text("#note-text", f"You are invited to a match. Play with people needs a key. {said}")
            self.assertNotIn("Take a name", guest.seen("#note"))

    def test_a_shared_game_and_a_record_file_are_looked_at_without_a_key(self):
        self.expect("status of 404")
        word, code, file = self.share()
        for guest, _ in self.each():
            checked = "hold" if guest is self.bare else "The signatures are not checked"
            guest.come(f"s/{code}")
            guest.until_match()
            guest.until_text("#lines", word)
            guest.key("End")
            guest.until(guest.is_over, "the end is shown")
            guest.click("#check")
            guest.until_text("#match-record .told", checked)
            guest.come("s/ABCDEFGHIJKLMNOP")
            guest.until_text("#menu", "No shared game has that code.")

            guest.come()
            guest.to_list()
            guest.until_seen("#check-list")
            guest.choose_file("#record-list", str(file))
            guest.until_text("#list-record .told", checked)
            self.assertIn(file.name, guest.seen("#list-record .told"))
            self.assertFalse(guest.is_seen("#account-form"))
