"""The page at a real service, where a part of it or of the browser is missing: it says so, and the rest is there."""

from guest import OneGuestTest

#: The sentence about a file of the page that is missing.
LACKS = "The page could not load all that it needs."


class Trouble(OneGuestTest):
    def setUp(self):
        super().setUp()
        # Neither the worker nor the browser has kept a file.
        self.ada.command("Network.setBypassServiceWorker", bypass=True)
        self.ada.command("Network.setCacheDisabled", cacheDisabled=True)
        self.addCleanup(self.ada.command, "Network.setCacheDisabled", cacheDisabled=False)
        self.addCleanup(self.ada.command, "Network.setBypassServiceWorker", bypass=False)
        self.addCleanup(self.lack)

    def lack(self, *files):
        """From now on these files of the page are missing, and no others."""
        self.expect("net::ERR_BLOCKED_BY_CLIENT")
        self.ada.command("Network.setBlockedURLs", urls=[f"*/{file}" for file in files])

    def test_an_invitation_is_told_of_where_the_page_is_not_whole_and_followed_once_it_is(self):
        ada = self.ada
        for file in ["people.js", "player.js", "service.js"]:
            with self.subTest(file=file):
                self.lack(file)
                ada.come("g/ABCDEFGHJKMN")
                ada.until_text("#note-text", f"You are invited to a match. {LACKS}")
                # A robot is there all the same.
                ada.choose_word()
                self.lack()
                ada.click("#note-act")
                ada.until_text("#note-text", "You are invited to a match. Take a name in the list of games")
                ada.to_list()
                ada.until_seen("#account-form")

    def test_a_shared_game_says_that_the_page_is_not_whole(self):
        self.expect("status of 404")
        ada = self.ada
        self.lack("people.js")
        ada.come("s/ABCDEFGHIJKLMNOP")
        ada.until_text("#note-text", LACKS)
        # Without the second module it has a place of its own.
        self.lack("player.wasm")
        ada.click("#note-act")
        ada.until_text("#menu", LACKS)
        self.lack()
        ada.click("#again")
        ada.until_text("#menu", "No shared game has that code.")

    def test_a_player_whose_module_is_missing_is_told_so_and_is_there_once_it_has_come(self):
        ada = self.ada
        ada.take_name("Whole")
        self.lack("player.wasm")
        ada.come()
        ada.until_text("#note-text", LACKS)
        self.assertFalse(ada.is_seen("#people"))
        self.lack()
        ada.click("#note-act")
        ada.until_text("#account-is", "Whole")

    def test_a_name_that_is_typed_before_the_module_has_come_is_kept(self):
        ada = self.ada
        ada.to_list()
        ada.until_seen("#account-form")
        self.lack("player.wasm")
        ada.fill("#account-name", "Typed")
        ada.until_text("#account-told", f"{LACKS} Try again.")
        self.assertEqual(ada.run("return document.getElementById('account-name').value"), "Typed")
        self.lack()
        ada.key("Enter")
        ada.until_text("#account-is", "Typed")

    def test_an_event_that_the_browser_cannot_keep_waits_until_it_can(self):
        ada = self.ada
        self.before_each_load(
            "const { put } = IDBObjectStore.prototype;"
            " IDBObjectStore.prototype.put = function (...all) { if (window.isFull) throw new DOMException('', 'QuotaExceededError'); return put.apply(this, all); };"
        )
        ada.come()
        ada.take_name("Full")
        ada.until(lambda: ada.kept("kept.pending === null"), "nothing waits")
        ada.run("window.isFull = true")
        ada.new_match()
        ada.click("#pick-alone")
        ada.until_text("#menu-told", "Your start has no answer yet. It is sent again until then, and counts once.")
        self.assertTrue(ada.kept("kept.pending === null"))
        ada.run("window.isFull = false")
        ada.until_match()

    def test_a_player_whose_service_fails_has_the_number_that_its_logs_have(self):
        self.expect("status of 502", "net::ERR_BLOCKED_BY_CLIENT")
        ada = self.ada
        self.before_each_load(
            "{ const { fetch } = window; window.asked = [];"
            " window.fetch = async (address, options) => {"
            "  if (!String(address).startsWith('/v1/')) return fetch(address, options);"
            "  window.asked.push(options.headers['X-Request-Id']);"
            "  return window.isFailing ? new Response('', { status: 502 }) : fetch(address, options); }; }"
        )
        ada.come()
        ada.take_name("Helped")
        ada.until(lambda: ada.kept("kept.pending === null"), "nothing waits")
        ada.run("window.isFailing = true; window.asked.length = 0")
        ada.click("#inbox-button")
        ada.until_text("#number", "If you ask for help, give this number: ")

        def times_asked():
            """The number goes while the page asks again."""
            words = ada.seen("#number").split()
            return ada.run("return window.asked").count(words[-1]) if words else 0

        ada.until(lambda: times_asked() > 0, "the number is that of a request")
        ada.new_match()
        ada.run("window.asked.length = 0")
        ada.click("#pick-alone")
        ada.until_text("#menu-told", "Your start has no answer yet.")
        # An event is sent again with the same number.
        ada.until(lambda: times_asked() > 1, "the number is that of the event")
        ada.run("window.isFailing = false")
        ada.until_match()
        self.assertEqual(ada.seen("#number"), "")

    def test_the_recorded_match_says_that_it_could_not_be_loaded(self):
        self.lack("trailer.js")
        self.ada.to_list()
        self.ada.click("#trailer-button")
        self.ada.until_text("#note-text", "The match could not be loaded. Try again.")
