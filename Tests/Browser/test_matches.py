"""Players meet at a real service, each in a browser of their own, and play by clicks and keys."""

import re
import urllib.request

from gateway import Shared
from guest import OFFLINE, GuestTest, PairTest

#: What a console says about a request that was on its way when the network or the service went away.
AWAY = [OFFLINE, "net::ERR_CONNECTION_REFUSED", "net::ERR_CONNECTION_RESET", "net::ERR_EMPTY_RESPONSE", "net::ERR_INCOMPLETE_CHUNKED_ENCODING",
        "net::ERR_NETWORK_CHANGED", "status of 502", "status of 503", "status of 504"]

#: Keeps what is sent, and loses the answer to the first event: it is on its way when the network goes.
LOSE = """
const { fetch } = window;
window.sent = [];
window.fetch = async (address, options) => {
  if (address !== '/v1/events') return fetch(address, options);
  const isFirst = window.sent.push(new Uint8Array(options.body).join()) === 1;
  const answer = await fetch(address, options);
  if (!isFirst) return answer;
  while (navigator.onLine) await new Promise((resolve) => setTimeout(resolve, 20));
  throw new TypeError('Failed to fetch');
};
"""


class Matches(PairTest):
    def test_a_match_of_strangers_is_played_to_its_end_and_both_want_another_one(self):
        ada, ben = self.ada, self.ben
        for guest in (ada, ben):
            guest.new_match()
            guest.click("#pick-anyone")
        for guest, name in ((ada, ben.name), (ben, ada.name)):
            guest.until_match()
            # Two who ask at the same moment wait for each other. One of both requests is given up then.
            guest.until(lambda: guest.is_over() or guest.seen("#theirs .name") == name, "the strangers meet")
            if guest.is_over():
                guest.click("#other")
                guest.click(guest.entry("head", name) + " .head")
                guest.until_match()
        for turn in range(1, 30):
            mover, other = self.on_turn()
            if turn <= 2:
                word = mover.play_word()
                mover.until_lines(turn)
                other.until_lines(turn)
                self.assertRegex(other.seen("#lines li:first-child"), rf"{word}\d+")
            else:
                mover.take_cubes()
                mover.until_lines(turn)
                other.until_lines(turn)
            self.assertEqual(ada.points(), ben.points()[::-1])
            if mover.run("return document.querySelectorAll('.face:not([hidden])').length === 0"):
                break
        for guest in (ada, ben):
            guest.until(guest.is_over, "the match is over")
        self.assertGreater(min(ada.points()), 0)
        mine, theirs = ada.points()
        self.assertIn({True: "won", False: "lost"}[mine > theirs] if mine != theirs else "tied", ada.seen("#end-title"))

        # Both at the same moment.
        before = ada.letters()
        for guest in (ada, ben):
            guest.until_seen("#rematch")
        for guest in (ada, ben):
            guest.click("#rematch")
        for guest in (ada, ben):
            guest.until(lambda: not guest.is_over() and guest.letters() != before, "the rematch begins")
        self.assertEqual(ada.letters(), ben.letters())
        self.assertEqual([ada.points(), ben.points()], [[0, 0], [0, 0]])
        mover, other = self.on_turn()
        mover.take_cubes()
        other.until_lines(1)
        self.end(mover)
        self.look_around(ada)

    def look_around(self, ada):
        """Each board and the inbox, after rated matches and games alone."""
        ada.new_match()
        ada.click("#pick-timedAlone")
        ada.until_match()
        ada.until(lambda: re.fullmatch(r"[23]:\d\d", ada.seen("#clock")), "the clock runs", lambda: ada.seen("#clock"))
        begun = ada.seen("#clock")
        ada.play_word()
        ada.until_lines(1)
        ada.until(lambda: ada.seen("#clock") < begun, "the clock goes on")
        points = str(ada.points()[0])
        ada.click("#give-up")
        ada.click("#giving button:nth-of-type(1)")
        ada.until(ada.is_over, "the game is ended")

        ada.to_list()
        ada.click("#boards-button")
        board = lambda name: (ada.click(f"#board-{name}"), ada.until(
            lambda: ada.run("return document.getElementById(arguments[0]).ariaPressed", f"board-{name}") == "true" and ada.seen("#board-head"), f"{name} comes"))
        board("ladder")

        self.assertIn("You get a rank by playing more rated matches.", ada.seen("#board-head"))
        board("solo")
        ada.click("#board-clock")

        def is_listed():
            # A board is asked for when one comes to it.
            board("ladder")
            board("solo")
            return points in ada.seen("#board-rows .own")

        ada.until(is_listed, "the game is on the board", lambda: points)
        board("dailies")
        board("review")
        ada.until_text("#board-rows", "random")
        ada.key("Escape")
        ada.click("#inbox-button")

        def is_told():
            if ada.run("return document.querySelector('#inbox .entry') !== null"):
                return True
            # The list stands as it was when it was opened.
            if ada.run("return document.body.innerText.includes('Nothing that you have not seen')"):
                ada.key("Escape")
                ada.click("#inbox-button")
            return False

        ada.until(is_told, "a notification is there")
        count = lambda: ada.run("return document.getElementById('inbox').childElementCount")
        before = count()
        ada.click("#inbox .entry:first-child button:nth-of-type(2)")
        ada.until(lambda: count() == before - 1, "the notification is taken away", count)
        ada.key("Escape")

    def test_a_code_brings_somebody_without_a_name_into_the_match(self):
        ada, eve = self.ada, self.guest(390, 844)
        ada.new_match()
        ada.click("#pick-open")
        ada.until_match()
        ada.until_seen("#link")
        link = ada.run("return document.getElementById('link-text').value")
        self.assertTrue(link.startswith(f"{self.gateway.address}g/"), link)
        eve.come(link.removeprefix(self.gateway.address))
        # The form is there at once.
        self.assertTrue(eve.is_seen("#account-form"))
        eve.fill("#account-name", "eve")
        eve.key("Enter")
        eve.until_seen("#new-join")
        self.assertEqual(eve.run("return [document.getElementById('new-join').value, location.pathname]"), [link.rsplit("/", 1)[1], "/"])
        eve.click("#pick-join")
        eve.until_match()
        ada.until_text("#theirs .name", "eve")
        self.assertFalse(ada.is_seen("#link"))
        ada.until(lambda: ada.is_mine() != eve.is_mine(), "one of both is on turn")
        mover, other = (ada, eve) if ada.is_mine() else (eve, ada)
        mover.play_word()
        other.until_lines(1)
        mover.click("#give-up")
        mover.click("#giving button:nth-of-type(1)")
        other.until(other.is_over, "the match is over")

    def test_a_shared_game_is_looked_at_turn_by_turn_by_somebody_without_a_name(self):
        self.expect("status of 404")
        mover, other = self.begin()
        word = mover.play_word()
        other.until_lines(1)
        points = max(mover.points())
        self.end(other)
        mover.click("#share")
        mover.until_text("#link", "Link of the shared game:")
        link = mover.run("return document.getElementById('link-text').value")
        self.assertTrue(link.startswith(f"{self.gateway.address}s/"), link)

        eve = self.guest(390, 844)
        eve.come(link.removeprefix(self.gateway.address))
        eve.until_match()
        eve.until_text("#lines", word)
        eve.key("End")
        eve.until(eve.is_over, "the end is shown")
        self.assertFalse(eve.is_seen("#give-up"))
        self.assertFalse(eve.is_seen("#rematch"))
        # No key was kept, and no name taken. The list has the form.
        self.assertIsNone(eve.kept("true"))
        eve.to_list()
        eve.until_seen("#account-form")
        eve.come("s/ABCDEFGHIJKLMNOP")
        eve.until_text("#menu", "No shared game has that code.")
        # A chat names the players.
        with urllib.request.urlopen(link) as answer:
            card = answer.read().decode()
        name = f"({self.ada.name}|{self.ben.name})"
        self.assertRegex(card, f'og:title" content="{name} ({points}|0) : {name} ({points}|0)"')

    def test_a_turn_is_kept_where_a_browser_is_killed_and_counts_once(self):
        mover, other = self.begin()
        if mover is not self.ben:
            mover.take_cubes()
            self.ben.until_lines(1)
        ben = self.ben
        before = ben.lines()
        # The turn arrives. Its answer is held.
        ben.command("Fetch.enable", patterns=[{"urlPattern": "*/v1/events", "requestStage": "Response"}])
        ben.take_cubes()
        self.ada.until_lines(before + 1)
        self.assertTrue(ben.kept("Boolean(kept.pending)"))
        Shared.pair.kill_ben()
        ben = self.ben
        ben.come()
        ben.to_list()
        ben.until(lambda: ben.kept("kept.pending === null"), "the turn is answered")
        ben.click(ben.entry("theirTurn", self.ada.name) + " .head")
        ben.until_match()
        self.ada.take_cubes()
        for guest in (self.ada, ben):
            guest.until_lines(before + 2)
        self.assertEqual(self.ada.letters(), ben.letters())
        self.end(ben)

    def test_a_turn_waits_for_the_network_and_counts_once(self):
        self.expect(OFFLINE)
        mover, other = self.begin()
        word = mover.choose_word()
        mover.offline(True)
        try:
            mover.key("Enter")
            mover.until_text("#status", "Your turn waits for the network. It is sent once.")
            mover.until_seen("#connection")
            self.assertEqual(other.lines(), 0)
        finally:
            mover.offline(False)
        mover.until_lines(1)
        other.until_lines(1)
        self.assertIn(word, other.seen("#lines"))
        mover.until(lambda: not mover.is_seen("#connection"), "the service is there again")

        # The next turn arrives, and the network goes before its answer is there.
        other.run(LOSE)
        other.take_cubes()
        mover.until_lines(2)
        other.offline(True)
        try:
            other.until_seen("#connection")
            other.until(lambda: other.run("return window.sent.length > 1"), "the turn is sent again")
            self.assertTrue(other.kept("Boolean(kept.pending)"))
            other.to_list()
            other.until_text("#home-told", "Your earlier turn has no answer yet.")
        finally:
            other.offline(False)
        other.until(lambda: other.kept("kept.pending === null"), "the turn is answered")
        other.until(lambda: "no answer yet" not in other.seen("#home-told"), "nothing waits any more")
        other.click(other.entry("theirTurn", mover.name) + " .head")
        other.until_match()
        self.assertEqual(other.run("return new Set(window.sent).size"), 1)
        mover.take_cubes()
        for guest in (mover, other):
            guest.until_lines(3)
        self.assertEqual(mover.letters(), other.letters())
        self.end(mover)

    def test_an_invitation_is_declined_and_a_wrong_name_is_told_beside_the_field(self):
        self.expect("status of 404")
        ada, ben = self.ada, self.ben
        ada.new_match()
        ada.fill("#new-named", "nobodyofthatname")
        ada.click("#pick-named")
        ada.until(lambda: "nobody has that name" in ada.fault("new-named"), "the fault is beside the field")
        self.assertEqual(ada.focused(), "new-named")
        ada.fill("#new-join", "AAAABBBB")
        ada.key("Enter")
        ada.until_text("#menu-told", "No invitation and no shared game has that code. Check it with its sender.")
        ada.fill("#new-named", ben.name)
        ada.key("Enter")
        ada.until_match()
        ada.until_text("#extra-text", f"{ben.name} has not accepted yet.")
        ben.to_list()
        row = ben.entry("invitation", ada.name)
        ben.click(row + " .decline")
        ben.until_text("#home-doubt", f"Decline the invitation of {ada.name}?")
        ben.click("#home-doubt button:nth-of-type(1)")
        ben.until(lambda: not ben.run("return document.querySelector('#entries .invitation')"), "the invitation is gone")
        ada.until(ada.is_over, "the match is over")
        self.assertIn("declined", ada.seen("#end-title"))

    def test_a_turn_is_answered_with_a_word_and_its_player_is_reported_and_blocked(self):
        self.expect("status of 40")
        mover, other = self.begin()
        name = mover.name
        word = mover.play_word()
        other.until_lines(1)
        other.click("#answer")
        other.until_text("#answer", f"Answer with {word}")
        other.click("#answer")
        for guest in (mover, other):
            guest.until(lambda: word in guest.seen("#lines li:first-child small"), "the answer stands beside the turn", lambda: guest.seen("#lines"))
        self.assertFalse(other.is_seen("#answer"))

        other.click("#about")
        other.until_text("#player-name", name)
        other.click("#player-report")
        other.click("#reason-conduct")
        other.fill("#report-text", "slow")
        other.key("Enter")
        other.until_text("#player-doubt", f"Send this report about {name} to the operators?")
        other.click("#player-doubt button:nth-of-type(1)")
        other.until_text("#menu-told", "The operators have your report.")
        report = self.gateway.cubistd("players", "--reported")
        for part in (mover.name, other.name, "conduct", "slow"):
            self.assertIn(part, report)
        self.assertIn("slow", self.gateway.cubistd("players", name))

        other.click("#player-block")
        other.click("#player-doubt button:nth-of-type(1)")
        other.until_text("#menu-told", f"You do not meet {name} any more.")
        mover.to_list()
        mover.new_match()
        mover.fill("#new-named", other.name)
        mover.key("Enter")
        mover.until(lambda: mover.seen("#menu-told") not in ("", "Asking for a match."), "a blocked player is told something")
        other.click("#player-block")
        other.until_text("#menu-told", f"You may meet {name} again.")
        other.click("#list-button")
        # Whoever came from the match is back in it.
        other.until_match()
        mover.click("#list-button")
        mover.click(mover.entry("head", other.name) + " .head")
        mover.until_match()
        self.end(other)

    def test_a_screen_reader_is_told_the_turn_of_the_other_one(self):
        mover, other = self.begin()
        word = mover.play_word()
        mover.until_lines(1)
        points = mover.points()[0]
        name = mover.name
        other.until(lambda: other.text("say").startswith(f"{name} played {word} for {points}."), "it is said", lambda: other.text("say"))
        self.assertRegex(other.text("say"), rf"Your turn\. You 0, {name} {points}\.$")
        self.assertEqual(other.run("const { ariaLive, role } = document.getElementById('say'); return [ariaLive, role]"), ["polite", "status"])
        self.end(other)

    def test_the_service_comes_back_and_all_go_on_without_a_reload(self):
        self.expect(*AWAY)
        eve = self.guest(390, 844)
        eve.come()
        eve.take_name("Daily")
        eve.click(eve.entry("daily") + " .main")
        eve.until_match()
        eve.play_word()
        eve.until_lines(1)
        mover, other = self.begin()
        for guest in (mover, other, eve):
            guest.run("window.isSame = true")

        self.gateway.end()
        for guest in (mover, other, eve):
            guest.until_seen("#connection")
        mover.take_cubes()
        mover.until_text("#status", "Your turn waits for the network. It is sent once.")
        self.gateway.begin()
        mover.until_lines(1)
        other.until_lines(1)
        other.take_cubes()
        mover.until_lines(2)
        self.end(mover)
        eve.until(lambda: not eve.is_seen("#connection"), "the service is there again")
        eve.take_cubes()
        eve.until_lines(2)
        for guest in (mover, other, eve):
            self.assertTrue(guest.run("return window.isSame"))


class Tomorrow(GuestTest):
    """A service whose clocks are set on. Its class comes last of these, because nobody goes on at that service."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        Shared.end_pair()

    def test_the_next_day_has_a_daily_of_its_own(self):
        # Questions that are signed by the clock of the day before have expired, and are asked once more.
        expired = [f"/v1/{path} - Failed to load resource: the server responded with a status of 409" for path in ("queries", "changes")]
        self.expect(*AWAY, *expired)
        eve = self.guest(390, 844)
        eve.come()
        eve.take_name("Tomorrow")
        day = lambda: re.search(r"\d{4}-\d\d-\d\d", eve.seen(eve.entry("daily")))[0]
        today = day()
        eve.click(eve.entry("daily") + " .main")
        eve.until_match()
        letters = eve.letters()
        eve.play_word()
        eve.until_lines(1)
        eve.click("#give-up")
        eve.click("#giving button:nth-of-type(1)")
        eve.until(eve.is_over, "the game is ended")
        eve.to_list()

        # The browser's clock stays behind, and its page open.
        self.gateway.end()
        self.gateway.begin(days=1)
        # Two days later, if it is midnight meanwhile.
        eve.until(lambda: day() > today, "the next day is there", day)
        row = eve.entry("daily")
        self.assertIn("can be begun", eve.seen(row))
        eve.click(row + " .main")
        eve.until_match()
        self.assertNotEqual(eve.letters(), letters)
        self.assertFalse(eve.is_over())
        eve.play_word()
        eve.until_lines(1)
