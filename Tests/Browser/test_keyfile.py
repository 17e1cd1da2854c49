"""The file of the player's key at a real service: it is offered, asked about, and missed."""

import json

from guest import OneGuestTest


class KeyFile(OneGuestTest):
    # Two tabs save files.
    whole = True

    def alone(self):
        """Begins a game alone, or goes on with it."""
        self.ada.new_match()
        self.ada.click("#pick-alone")
        self.ada.until_match()

    def test_the_key_moves_by_its_file_which_is_offered_until_the_key_is_kept(self):
        ada = self.ada
        downloads = self.folder / "downloads"
        ada.save_to(downloads)
        ada.to_list()
        self.assertFalse(ada.is_seen("#account-save"))
        ada.fill("#account-name", "Mover")
        self.assertIsNone(ada.kept("1"))
        ada.click("#account-save")
        file = downloads / "cubist-key.txt"
        ada.until_saved()
        # A browser may not have saved it: it can be had again, until the player says to have it.
        ada.until_text("#account-key", "Do you have the file of your key?")
        text = file.read_text()
        file.unlink()
        ada.click("#account-save")
        ada.until_saved()
        self.assertEqual(file.read_text(), text)
        ada.click("#account-has")
        ada.until(lambda: not ada.is_seen("#account-key"), "nothing is asked any more")
        ada.click("#account-take")
        ada.until_text("#account-is", "Mover")
        self.assertFalse(ada.is_seen("#account-save"))

        # No script can read the key that is kept.
        for form in ["pkcs8", "jwk", "raw"]:
            self.assertEqual(ada.kept(f"crypto.subtle.exportKey('{form}', kept.secret).then(() => 'read', ({{ name }}) => name)"), "InvalidAccessError")
        self.assertEqual(ada.kept("Object.keys(kept).sort().join()"), "hasFile,pending,secret,text")

        # The terminal's program is the same player by the file.
        self.cubist("moved", "connect", self.gateway.address)
        self.cubist("moved", "key", "import", str(file))
        self.assertEqual(json.loads(self.cubist("moved", "whoami", "--json"))["name"], "Mover")

    def test_what_can_be_lost_is_said_beside_the_form_and_the_browser_is_asked_to_keep_the_key(self):
        ada = self.ada
        self.before_each_load("window.asked = 0; navigator.storage.persisted = async () => false; navigator.storage.persist = async () => ++window.asked > 0;")
        ada.come()
        ada.to_list()
        ada.until_text("#account-warning", "kept in this browser only. If the browser’s data is deleted and you have no file of the key, name and matches are lost for good.")
        self.assertIn("These matches never leave this browser.", ada.seen("#list"))
        ada.fill("#account-name", "Asked")
        ada.until_text("#account-key", "cannot be saved any more once this page is closed or loaded again")
        self.assertEqual(ada.run("return window.asked"), 0)
        ada.key("Enter")
        ada.until_text("#account-is", "Asked")
        ada.until(lambda: ada.run("return window.asked") == 1, "the browser is asked")
        # A page that is loaded anew before would ask once more.
        ada.until(lambda: ada.kept("kept.pending === null"), "the name is kept")
        ada.come()
        ada.until_loaded()
        self.assertEqual(ada.run("return window.asked"), 0)

    def test_the_file_is_asked_for_once_more_beside_the_first_match(self):
        ada = self.ada
        downloads = self.folder / "asked"
        ada.save_to(downloads)
        ada.take_name("Saver")
        self.assertFalse(ada.kept("kept.hasFile"))
        self.alone()
        ada.until_text("#note-text", "Save the key of your name as a file now.")
        # Recovery words are offered beside it, once it is known that there are none.
        ada.until_text("#note-text", "Twelve recovery words bring your name back")
        ada.click("#note-act")
        ada.until_saved()
        self.assertTrue((downloads / "cubist-key.txt").exists())
        ada.until_text("#note-text", "Do you have the file of your key?")
        self.assertFalse(ada.kept("kept.hasFile"))
        ada.click("#note-other")
        self.assertTrue(ada.seen("#note-text").startswith("Twelve recovery words"), ada.seen("#note-text"))
        ada.click("#note-close")
        ada.until(lambda: ada.kept("kept.hasFile"), "it is remembered")
        # There is nothing more to say about it.
        ada.come()
        ada.until_loaded()
        self.assertFalse(ada.is_seen("#account-key"))
        self.alone()
        self.assertFalse(ada.is_seen("#note"))

    def test_a_key_that_cannot_be_saved_any_more_is_told_of_after_a_reload(self):
        ada = self.ada
        ada.take_name("Hasty")
        ada.come()
        ada.until_loaded()
        missed = "You have not said that you have the key of your name as a file. Only the page that made it can save it"
        ada.until_text("#account-key", missed)
        self.assertIn("your name and matches would be lost for good", ada.seen("#account-key"))
        self.assertFalse(ada.is_seen("#account-save"))
        self.assertFalse(ada.is_seen("#note"))
        self.alone()
        ada.until_text("#note-text", missed)
        ada.until_text("#note-text", "Twelve recovery words bring your name back")
        self.assertEqual(ada.seen("#note-act"), "Recovery words")
        self.assertFalse(ada.is_seen("#note-other"))
        # Beside a match it is said once, in the list always.
        ada.come()
        ada.until_text("#account-key", missed)
        self.alone()
        self.assertFalse(ada.is_seen("#note"))
        # A player who has it says so.
        ada.to_list()
        ada.click("#account-has")
        ada.until(lambda: not ada.is_seen("#account-key"), "nothing is asked any more")
        ada.until(lambda: ada.kept("kept.hasFile"), "it is remembered")

    def test_the_file_can_be_saved_in_the_tab_that_made_the_key_and_the_other_tab_hears_of_it(self):
        ada = self.ada
        downloads = self.folder / "tabs"
        ada.save_to(downloads)
        ada.take_name("Maker")
        first, second = ada.tab, ada.new_tab()
        try:
            ada.come()
            ada.until_text("#account-key", "Only the page that made it can save it")
            ada.tab = first
            ada.click("#account-save")
            ada.until_saved()
            self.assertTrue((downloads / "cubist-key.txt").exists())
            ada.click("#account-has")
            ada.tab = second
            ada.until(lambda: not ada.is_seen("#account-key"), "the other tab hears of it")
        finally:
            ada.one_tab()

    def test_an_update_tells_first_that_no_later_version_can_save_the_key(self):
        ada = self.ada
        ada.until_worker()
        ada.take_name("Updater")
        self.addCleanup(ada.run, "await caches.delete('f'.repeat(32))")
        # A cache of a whole build, as the next version's worker makes it.
        ada.run(
            "const next = await caches.open('f'.repeat(32)); await next.put('/', await fetch('/'));"
            " navigator.serviceWorker.dispatchEvent(new Event('controllerchange'))"
        )
        ada.until_text("#note-text", "A new version of the game waits")
        ada.click("#note-act")
        ada.until_text("#note-text", "no later version can save it.")
        self.assertEqual(ada.seen("#note-act"), "Update all the same")
        self.assertEqual(ada.run("return (await caches.keys()).length"), 2)
