"""The page's player at a real service: a name, a key of the browser's own, and what is kept of both."""

import datetime
import json

from guest import OFFLINE, OneGuestTest

#: Counts the streams of changes that a page asks for, and the events that it sends and that are answered. As a test wants, the answers to events
#: are `held`, or the changes that another tab hands on.
COUNT = """
{
  const { fetch } = window;
  window.counted = { changes: 0, sent: 0, events: 0 };
  window.fetch = async (address, options) => {
    if (address === '/v1/changes') window.counted.changes++;
    if (address === '/v1/events') window.counted.sent++;
    const answer = await fetch(address, options);
    if (address === '/v1/events') {
      while (window.held === 'answers') await new Promise((resolve) => setTimeout(resolve, 20));
      window.counted.events++;
    }
    return answer;
  };
  Object.defineProperty(BroadcastChannel.prototype, 'onmessage', {
    get() { return this.hear; },
    set(hear) {
      if (!this.hear) this.addEventListener('message', (event) => (this.name === 'cubist' && window.held === 'changes' ? null : this.hear(event)));
      this.hear = hear;
    },
  });
  // A tab that comes into sight would ask what is new.
  document.addEventListener('visibilitychange', (event) => window.held === 'changes' && event.stopImmediatePropagation());
}
"""


class Player(OneGuestTest):
    def setUp(self):
        self.before_each_load(COUNT)
        super().setUp()

    def test_a_name_is_taken_by_keyboard_and_is_there_after_a_reload(self):
        ada = self.ada
        # A match against a robot is under way.
        word = ada.choose_word()
        ada.key("Enter")
        ada.until(lambda: ada.is_mine() and ada.lines() == 2, "the robot plays")
        match = [ada.points(), ada.letters()]
        ada.to_list()
        ada.until_seen("#account-form")
        for _ in range(30):
            if ada.focused() == "account-name":
                break
            ada.key("Tab")
        self.assertEqual(ada.focused(), "account-name")
        ada.type("Ada_1")
        ada.key("Enter")
        ada.until_text("#account-name-line", "You are Ada_1.")
        ada.until_loaded()
        self.assertFalse(ada.is_seen("#account-form"))

        # The list is there at once, and the robots with it.
        ada.come()
        self.assertEqual(ada.run("return document.body.dataset.place"), "list")
        ada.until_text("#account-is", "Ada_1")
        self.assertIn("Robot, hard", ada.seen("#rows"))
        ada.until_loaded()
        ada.entry("daily")
        # It is kept.
        robot = ada.run("return [...document.querySelectorAll('#rows button')].findIndex((row) => row.textContent.includes(':')) + 1")
        ada.click(f"#rows li:nth-child({robot}) button")
        self.assertEqual([ada.points(), ada.letters()], match)
        self.assertIn(word, ada.seen("#lines"))

    def test_a_wrong_name_is_told_beside_the_field_while_it_is_typed(self):
        self.expect("status of 409")
        ada = self.ada
        self.register("taken")
        ada.to_list()
        ada.key("Tab")
        ada.fill("#account-name", "é")
        ada.until(lambda: ada.fault("account-name"), "the fault is told")
        ada.fill("#account-name", "no spaces")
        self.assertNotEqual(ada.fault("account-name"), "")
        ada.key("Enter")
        # Nothing is sent, and the focus is where something is wrong.
        self.assertEqual(ada.focused(), "account-name")
        self.assertEqual(ada.run("return window.counted.events"), 0)
        ada.fill("#account-name", "Taken")
        ada.until(lambda: ada.fault("account-name") == "", "the name is right")
        ada.key("Enter")
        ada.until(lambda: "Taken is not free" in ada.fault("account-name"), "the name is taken")
        self.assertTrue(ada.is_seen("#account-form"))
        ada.fill("#account-name", "Other")
        ada.key("Enter")
        ada.until_text("#account-is", "Other")

    def test_a_clock_that_is_hours_wrong_hinders_nothing(self):
        ada = self.ada
        for hours in (3, -3):
            with self.subTest(hours=hours):
                self.setUp()
                self.before_each_load(f"{{ const {{ now }} = Date; Date.now = () => now() + {hours} * 3_600_000; }}")
                ada.come()
                name = f"Early{hours + 3}"
                ada.take_name(name)
                ada.come()
                ada.until_loaded()
                # An event of the wrong time would be refused.
                ada.new_match()
                ada.click("#pick-alone")
                ada.until_match()

    def test_a_registration_without_a_network_waits_and_is_sent_once_after_a_reload(self):
        self.expect(OFFLINE)
        ada = self.ada
        ada.to_list()
        ada.fill("#account-name", "Late")
        ada.until_met()
        ada.until_worker()
        ada.offline(True)
        try:
            ada.key("Enter")
            ada.until_text("#account-told", "waits for the network")
            self.assertTrue(ada.kept("Boolean(kept.pending)"))
            ada.come()
            ada.to_list()
            self.assertFalse(ada.is_seen("#account-is"))
            ada.until_text("#account-told", "waits for the network")
            self.assertEqual(ada.run("return document.getElementById('account-name').value"), "Late")
        finally:
            ada.offline(False)
        ada.until_text("#account-is", "Late")
        ada.until(lambda: ada.kept("kept.pending === null"), "nothing waits any more")
        self.assertEqual(ada.run("return window.counted.events"), 1)

    def test_another_service_is_not_taken_for_the_one_that_was_met(self):
        ada = self.ada
        ada.take_name("Moved")
        ada.until(lambda: ada.kept("kept.pending === null"), "nothing waits any more")
        ada.run(
            "const opening = indexedDB.open('cubist', 1); opening.onsuccess = () => { const store = opening.result.transaction('players', 'readwrite').objectStore('players');"
            " store.get('player').onsuccess = ({ target: { result } }) => { const parts = result.text.split(' '); parts[2] = parts[0];"
            " store.put({ ...result, text: parts.join(' ') }, 'player').onsuccess = () => { window.isChanged = true; opening.result.close(); }; }; }"
        )
        ada.wait("return window.isChanged", "the service is changed")
        ada.come()
        ada.until_text("#note", "This is another service than the one that your key was made for")
        self.assertEqual(ada.run("return window.counted"), {"changes": 0, "sent": 0, "events": 0})

    def test_two_tabs_share_one_stream_and_both_see_a_change(self):
        ada = self.ada
        self.register("inviter")
        ada.take_name("Tabs")
        first, second = ada.tab, ada.new_tab()
        try:
            self.before_each_load(COUNT)
            ada.come()
            ada.until_loaded()
            self.cubist("inviter", "start", "Tabs")
            opened = 0
            for tab in (second, first):
                ada.tab = tab
                ada.entry("invitation", "inviter")
                opened += ada.run("return window.counted.changes")
            self.assertEqual(opened, 1)
            self.play_in_both(first, second)
            # The tab that is left reads the stream.
            ada.close_tab()
            ada.to_list()
            self.cubist("inviter", "withdraw", "Tabs")
            ada.until(lambda: "invitation" not in ada.run("return document.getElementById('entries').innerHTML"), "the invitation is gone")
            self.assertEqual(ada.run("return window.counted.changes"), 1)
        finally:
            ada.one_tab()

    def play_in_both(self, first, second):
        """One event is on its way at a time, over both tabs. The turn of the other tab comes too late, and is taken back."""
        ada = self.ada
        self.expect("status of 409")
        counted = lambda: ada.run("return window.counted")
        ada.new_match()
        ada.click("#pick-alone")
        ada.until_match()
        ada.tab = second
        ada.click(ada.entry("yourTurn") + " .head")
        ada.until_match()
        before = ada.letters()
        ada.run("window.held = 'changes'")
        word = ada.choose_word()
        sent = counted()["sent"]

        ada.tab = first
        ada.run("window.held = 'answers'")
        answered = counted()
        ada.take_cubes()
        ada.until(lambda: counted()["sent"] == answered["sent"] + 1, "the turn is sent")
        ada.tab = second
        self.assertEqual(ada.letters(), before)
        ada.key("Enter")
        self.assertEqual(ada.seen("#status"), "Your turn is on its way.")
        waiting = "return (await navigator.locks.query()).pending.some(({ name }) => name === 'cubist-events')"
        ada.until(lambda: ada.run(waiting), "it waits for the turn of the other tab")
        self.assertEqual(counted()["sent"], sent)
        ada.tab = first
        self.assertEqual(counted()["events"], answered["events"])
        ada.run("window.held = ''")
        ada.until_lines(1)
        after = ada.letters()
        ada.tab = second
        ada.until(lambda: counted()["events"] == sent + 1, "the other turn is sent")
        # The service has refused it.
        ada.run("window.held = ''")
        ada.until_text("#status", "The match had gone on. Your turn was not played.")
        ada.until_lines(1)
        self.assertEqual(ada.letters(), after)
        self.assertNotIn(word, ada.seen("#lines"))
        ada.tab = first

    def test_a_tab_without_a_player_becomes_that_of_the_other_tab(self):
        ada = self.ada
        # It has a key of its own already, which is not kept.
        ada.to_list()
        ada.fill("#account-name", "Second")
        first, second = ada.tab, ada.new_tab()
        try:
            ada.come()
            ada.take_name("First")
            text = ada.kept("kept.text")
            ada.tab = first
            ada.until_text("#account-is", "First")
            ada.until_loaded()
            self.assertEqual(ada.kept("kept.text"), text)
            ada.tab = second
            self.assertEqual(ada.seen("#account-is"), "First")
        finally:
            ada.one_tab()

    def test_a_tab_that_failed_to_find_the_player_finds_it_the_next_time(self):
        ada = self.ada
        ada.to_list()
        ada.until_seen("#account-form")
        ada.run(
            "const { open } = IDBFactory.prototype;"
            " IDBFactory.prototype.open = () => { IDBFactory.prototype.open = open; window.hasFailed = true; throw new DOMException('', 'UnknownError'); };"
        )
        first, second = ada.tab, ada.new_tab()
        try:
            ada.come()
            ada.take_name("Found")
            ada.tab = first
            ada.until(lambda: ada.run("return window.hasFailed"), "the first tab fails")
            # The other tab tells the tabs something once more.
            ada.tab = second
            ada.run("new BroadcastChannel('cubist-player').postMessage('named')")
            ada.tab = first
            ada.until_text("#account-is", "Found")
        finally:
            ada.one_tab()

    def test_settings_are_saved_and_faults_are_beside_their_fields(self):
        self.expect("status of 404")
        ada = self.ada
        self.register("rude")
        ada.take_name("Setter")
        ada.click("#settings-button")
        ada.fill("#set-displayName", "Countess Lovelace")
        ada.until(lambda: "1 to 16 visible characters" in ada.fault("set-displayName"), "17 characters are too many")
        ada.fill("#set-displayName", "Countess Ada 🙂🙂")
        ada.until(lambda: ada.fault("set-displayName") == "", "15 characters are no fault")
        ada.fill("#set-newBlocked", "nobodyofthatname")
        ada.key("Enter")
        ada.click("#save")
        ada.until(lambda: "nobody has that name" in ada.fault("set-newBlocked"), "the fault is beside the field")
        self.assertIn("Nothing was saved.", ada.seen("#menu-told"))
        self.assertEqual(ada.focused(), "set-newBlocked")
        ada.fill("#set-newBlocked", "rude")
        ada.key("Enter")
        ada.until_text("#set-blocked", "rude")
        ada.click("#save")
        ada.until_text("#menu-told", "Saved.")
        ada.key("Escape")
        ada.until_seen("#list")

        ada.come()
        ada.click("#settings-button")
        ada.until_text("#set-blocked", "rude")
        self.assertEqual(ada.run("return document.getElementById('set-displayName').value"), "Countess Ada 🙂🙂")
        self.assertFalse(ada.is_seen("#settings-doubt"))
        ada.click("#set-blocked button")
        ada.until(lambda: ada.seen("#set-blocked") == "", "the player is not blocked any more")
        # What is not saved is asked about.
        ada.key("Escape")
        ada.until_seen("#settings-doubt")
        ada.click("#settings-doubt button:nth-of-type(1)")
        ada.until_seen("#list")
        ada.click("#settings-button")
        ada.until_seen("#save")
        self.assertEqual(ada.seen("#set-blocked"), "")

    def test_an_account_is_exported_ended_and_kept(self):
        ada = self.ada
        downloads = self.folder / "exported"
        ada.save_to(downloads)
        ada.take_name("Parter")
        ada.click("#settings-button")
        ada.until_seen("#export-account")
        ada.click("#export-account")
        ada.until_text("#export-told", "cubist-account.json")
        file = downloads / "cubist-account.json"
        ada.until_saved()
        kept = json.loads(file.read_text())
        self.assertEqual((kept["schema"], kept["player"]["name"]), ("cubist.account.2", "Parter"))
        self.assertEqual(len(kept["keys"]["keys"]), 1)
        self.assertEqual(kept["pastGames"], [])
        self.assertEqual(kept["lacking"], [])
        self.assertEqual([row["name"] for row in kept["kept"]["player"]], ["Parter"])
        self.assertEqual(len(kept["kept"]["keys"]), 1)

        ada.click("#end-account")
        ada.until_text("#end-consequences", "for 90 days")
        # Nothing was sent before the answer.
        ada.click("#end-doubt button:nth-of-type(2)")
        ada.until(lambda: ada.seen("#end-consequences") == "", "the question is gone")
        self.assertEqual(ada.focused(), "end-account")
        ada.click("#end-account")
        ada.click("#end-doubt button:nth-of-type(1)")
        ada.until_text("#account-ends", "Your account ends on ")
        # It is known after a reload, until the player keeps the account.
        ada.come()
        ada.click("#settings-button")
        ada.until_seen("#keep-account")
        self.assertFalse(ada.is_seen("#end-account"))
        ada.click("#keep-account")
        ada.until_seen("#end-account")
        self.assertEqual(ada.seen("#account-ends"), "")

    def test_boards_show_the_ladder_and_the_games_of_today(self):
        ada = self.ada
        ada.take_name("Boarder")
        today = lambda: datetime.datetime.now(datetime.UTC).date()
        while True:
            day = today()
            ada.click("#boards-button")
            ada.until_text("#begin", "Begin")
            ada.click("#begin")
            ada.until_match()
            ada.play_word()
            ada.until_lines(1)
            points = ada.points()[0]
            ada.click("#give-up")
            ada.click("#giving button:nth-of-type(1)")
            ada.until(ada.is_over, "the game is ended")
            ada.click("#other")
            ada.click("#boards-button")
            # After midnight the game is one of yesterday, and another one is played.
            ada.until(lambda: "Boarder" in ada.seen("#board-rows .own") or today() != day, "the game is on the board")
            if today() == day:
                break
            ada.key("Escape")
        self.assertIn(str(points), ada.seen("#board-rows .own"))
        self.assertEqual(ada.seen("#begin"), "Go to your game")
        ada.click("#board-history")
        ada.until_text("#board-rows", str(points))
        ada.click("#board-ladder")
        ada.until(lambda: ada.run("return document.getElementById('board-ladder').ariaPressed") == "true" and ada.seen("#menu-told") != "Loading.", "the ladder comes")
        self.assertNotIn("Boarder", ada.seen("#board-rows"))
        self.assertEqual(ada.seen("#board-head"), "0 players are ranked. You get a rank by playing more rated matches.")
