"""The devices of a player at a real service: added by a code or a link, removed by each other."""

import re

import qr
from guest import OFFLINE, GuestTest

#: A refused code, and questions of a device that was removed.
REFUSED = ("status of 401", "status of 409", "status of 404", "status of 403", "status of 429")

#: A tab sends nothing to the service while it is `held`, and hears nothing of other tabs while it is `deaf`.
HOLD = """
{
  const { fetch } = window;
  window.fetch = async (address, options) => {
    while (window.held && String(address).includes('/v1/')) await new Promise((resolve) => setTimeout(resolve, 20));
    return fetch(address, options);
  };
  Object.defineProperty(BroadcastChannel.prototype, 'onmessage', {
    get() { return this.hear; },
    set(hear) {
      if (!this.hear) this.addEventListener('message', (event) => (window.deaf ? null : this.hear(event)));
      this.hear = hear;
    },
  });
}
"""


class Devices(GuestTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.desk = cls.guest(1000, 800)
        cls.phone = cls.guest(360, 740)

    def setUp(self):
        super().setUp()
        for guest in (self.desk, self.phone):
            guest.come_anew()

    def take_name(self, name):
        self.desk.take_name(name)
        self.desk.until(lambda: self.desk.kept("kept.pending === null"), "nothing waits any more")

    def open_devices(self, guest):
        guest.to_list()
        guest.click("#settings-button")
        guest.click("#keys-button")
        guest.until_seen("#let-in")

    def code(self):
        """A code that the desk shows."""
        if not self.desk.is_seen("#let-in"):
            self.open_devices(self.desk)
        before = self.desk.seen("#let-in-text")
        self.desk.click("#let-in")
        self.desk.until(lambda: self.desk.seen("#let-in-text") not in ("", before), "a code is shown")
        return self.desk.seen("#let-in-text")

    def rows(self, guest):
        return guest.run("return [...document.querySelectorAll('#keys li b')].map(({ textContent }) => textContent)")

    def add(self, code):
        self.phone.to_list()
        self.phone.fill("#add-code", code)
        self.phone.until_met()
        self.phone.key("Enter")

    def is_key_kept(self):
        return self.phone.kept("Boolean(kept.secret)")

    def test_a_device_is_added_by_a_code_and_plays_on_where_the_first_one_stopped(self):
        self.take_name("Adder")
        self.desk.new_match()
        self.desk.click("#pick-alone")
        self.desk.until_match()
        self.desk.play_word()
        self.desk.until_lines(1)
        code = self.code()
        self.assertRegex(self.desk.seen("#let-in-left"), r"for (10:00|9:\d\d)")
        # As somebody types it.
        self.add(code.lower().replace("-", " "))
        self.phone.until_text("#account-is", "Adder")
        self.phone.until_loaded()
        # The file of this key is needed by nobody: the other device has the name, too.
        self.assertFalse(self.phone.is_seen("#account-key"))
        self.phone.click(self.phone.entry("yourTurn") + " .head")
        self.phone.until_match()
        self.phone.until_lines(1)
        # The desk learns that the code is used.
        self.desk.until_text("#menu-told", "A device was added.")
        self.assertFalse(self.desk.is_seen("#let-in-code"))
        self.assertEqual(len(self.rows(self.desk)), 2)
        self.assertEqual(self.rows(self.desk)[0], "This device")
        # It is the same player after a reload, by a key of its own.
        self.phone.come()
        self.phone.until_text("#account-is", "Adder")
        self.phone.until_loaded()
        self.open_devices(self.phone)
        self.assertEqual(self.rows(self.phone)[1], "This device")
        keys = [guest.kept("kept.text.split(/[ :]/)[0]") for guest in (self.desk, self.phone)]
        self.assertNotEqual(*keys)
        self.assertEqual(self.phone.kept("kept.secret.extractable"), False)

    def test_a_device_is_added_by_the_link_of_the_qr_code(self):
        self.take_name("Linker")
        self.code()
        link = self.desk.run("return document.getElementById('let-in-address').value")
        self.desk.until_seen(".qr")
        drawn = self.desk.run("const part = document.querySelector('.qr'); return [Number(part.getAttribute('viewBox').split(' ')[2]), part.firstChild.getAttribute('d')]")
        self.assertEqual(qr.read(*drawn), link)
        self.phone.visit("about:blank")
        self.phone.open(link)
        self.phone.until_seen("#add-take")
        code = link.split("=")[1]
        self.assertEqual(self.phone.run("return document.getElementById('add-code').value"), code)
        # A link adds nobody by itself, and the address does not keep its code.
        self.assertEqual((self.phone.run("return location.hash"), self.phone.focused()), ("", "add-take"))
        self.assertFalse(self.phone.is_seen("#account-is"))
        self.phone.until_met()
        self.phone.key("Enter")
        self.phone.until_text("#account-is", "Linker")
        # In a browser that has a player it changes nothing.
        self.phone.run(f"location.hash = 'add={code}'")
        self.phone.until_text("#note", "You are Linker in this browser already.")

    def test_a_code_is_good_once_and_a_wrong_one_is_told_beside_the_field(self):
        self.expect(*REFUSED)
        self.take_name("Onetime")
        code = self.code()
        self.cubist("other", "connect", self.gateway.address)
        self.cubist("other", "key", "add", code)
        for wrong in (code, "0000-0000-0000"):
            self.add(wrong)
            self.phone.until(lambda: "unknown, used up or over" in self.phone.fault("add-code"), "the refusal is told")
            self.assertEqual(self.phone.run("return document.getElementById('add-code').value"), wrong)
        self.add("0000")
        self.phone.until(lambda: "12 letters and digits" in self.phone.fault("add-code"), "the fault is told")
        self.assertFalse(self.phone.is_seen("#account-is"))
        # The key that was refused can take a name.
        self.phone.take_name("Someone")

    def test_without_a_network_the_code_stays_and_a_reload_goes_on(self):
        self.expect(OFFLINE)
        self.take_name("Offline")
        code = self.code()
        phone = self.phone
        phone.to_list()
        phone.fill("#add-code", code)
        phone.until_met()
        phone.until_worker()
        phone.offline(True)
        try:
            phone.key("Enter")
            phone.until(lambda: "cannot be reached" in phone.fault("add-code"), "the network is missed")
            self.assertEqual(phone.run("return document.getElementById('add-code').value"), code)
        finally:
            phone.offline(False)
        # The question is answered, but the event that follows gets lost.
        phone.run(
            "const { fetch } = window; window.fetch = (address, options) => address === '/v1/events' ? Promise.reject(new TypeError('lost')) : fetch(address, options);"
        )
        phone.fill("#add-code", code)
        phone.key("Enter")
        phone.until_text("#add-told", "waits for the network")
        self.assertTrue(self.is_key_kept())
        key = phone.kept("kept.text")
        phone.come()
        phone.to_list()
        phone.until_text("#account-is", "Offline")
        self.assertEqual(phone.kept("kept.text").split(":")[0], key.split(" ")[0])
        phone.until(lambda: phone.kept("kept.pending === null"), "nothing waits any more")

    def test_a_removed_device_says_so_and_begins_anew(self):
        self.expect(*REFUSED)
        self.take_name("Remover")
        self.add(self.code())
        self.phone.until_text("#account-is", "Remover")
        self.phone.until_loaded()
        self.desk.until_text("#menu-told", "A device was added.")
        self.desk.click("#keys li:nth-child(2) button")
        self.desk.until_text("#keys-doubt", "It plays as you no more.")
        self.desk.click("#keys-doubt button:nth-of-type(2)")
        self.assertEqual(len(self.rows(self.desk)), 2)
        self.desk.click("#keys li:nth-child(2) button")
        self.desk.click("#keys-doubt button:nth-of-type(1)")
        self.desk.until_text("#menu-told", "The device was removed.")
        self.desk.until(lambda: self.rows(self.desk) == ["This device"], "the list is anew", lambda: self.rows(self.desk))
        # The other one finds out, and once more after a reload.
        for _ in range(2):
            self.phone.come()
            self.phone.until_text("#account-removed", "it plays as Remover no more")
            self.assertFalse(self.phone.is_seen("#account-form"))
        removed = self.phone.kept("kept.text")
        # Anybody can make a link: it has the browser forget nothing until the player says so.
        self.phone.run("location.hash = 'add=K3F7-9QMN-2XVB'")
        self.phone.until_text("#note-text", "This device was that of Remover and was removed.")
        self.assertEqual(self.phone.kept("kept.text"), removed)
        self.phone.click("#note-close")
        self.assertEqual(self.phone.kept("kept.text"), removed)
        self.phone.run("performance.clearResourceTimings()")
        self.phone.click("#account-removed button")
        self.phone.until_seen("#add-form")
        self.assertIsNone(self.phone.kept("kept.text"))
        self.add(self.code())
        self.phone.until_text("#account-is", "Remover")
        self.phone.until_loaded()
        self.assertNotEqual(self.phone.kept("kept.text")[:64], removed[:64])

    def test_a_tab_with_a_removed_player_becomes_that_of_the_next_one(self):
        phone = self.phone
        for number, is_deaf in enumerate((False, True)):
            with self.subTest(is_deaf=is_deaf):
                self.setUp()
                self.expect(*REFUSED)
                former, latter = f"Former{number}", f"Latter{number}"
                self.take_name(former)
                self.add(self.code())
                phone.until_text("#account-is", former)
                phone.until_loaded()
                self.desk.until_text("#menu-told", "A device was added.")
                first, second = phone.tab, phone.new_tab()
                try:
                    phone.before_each_load(HOLD)
                    phone.come()
                    phone.until_text("#account-is", former)
                    phone.until_loaded()
                    # This tab does not find out that its device is removed.
                    phone.run("[window.held, window.deaf] = [true, arguments[0]]", is_deaf)
                    self.desk.click("#keys li:nth-child(2) button")
                    self.desk.click("#keys-doubt button:nth-of-type(1)")
                    self.desk.until_text("#menu-told", "The device was removed.")
                    phone.tab = first
                    phone.come()
                    phone.click("#account-removed button")
                    phone.take_name(latter)
                    phone.tab = second
                    if is_deaf:
                        # It finds the next player at its own next event, which is told nobody.
                        self.assertEqual(phone.seen("#account-is"), former)
                        phone.new_match()
                        phone.click("#pick-alone")
                    phone.until_text("#account-is", latter)
                    phone.run("window.held = window.deaf = false")
                    # Both tabs play on.
                    phone.until_loaded()
                    phone.new_match()
                    phone.click("#pick-alone")
                    phone.until_match()
                    phone.tab = first
                    phone.click(phone.entry("yourTurn") + " .head")
                    phone.until_match()
                    phone.play_word()
                    phone.until_lines(1)
                    phone.until(lambda: phone.kept("kept.pending === null"), "nothing waits any more")
                finally:
                    phone.one_tab()

    def test_recovery_words_made_in_the_page_recover_on_a_terminal_and_the_page_objects(self):
        self.take_name("Worder")
        self.desk.new_match()
        self.desk.click("#pick-alone")
        self.desk.until_match()
        # There is a match to lose: the words are offered beside the file of the key.
        self.desk.until_text("#note-text", "They count at once if you make them within an hour")
        self.desk.click("#note-other")
        self.desk.until_text("#words-are", "You have no recovery words.")
        # `click` would close the note first, which stays here.
        self.desk.run("document.getElementById('words-make').click()")
        self.desk.until_seen("#words-shown")
        words = self.desk.run("return [...document.querySelectorAll('#words-list li')].map(({ textContent }) => textContent)")
        self.assertEqual(len(words), 12)
        self.desk.run("document.getElementById('words-written').click()")
        self.desk.until_seen("#words-asked")
        self.assertNotIn("".join(words), self.desk.run("return document.body.textContent"))
        places = [int(number) for number in re.findall(r"\d+", self.desk.seen("#words-asked label"))]
        self.assertEqual(self.desk.focused(), "words-typed")
        self.desk.type("zoo zoo zoo")
        self.desk.key("Enter")
        self.desk.until(lambda: "That is not word" in self.desk.fault("words-typed"), "wrong words are told")
        self.desk.run("document.getElementById('words-typed').select()")
        self.desk.type(" ".join(words[place - 1] for place in places))
        self.desk.key("Enter")
        self.desk.until_text("#menu-told", "The words count now.")
        self.assertEqual(self.desk.focused(), "menu-title")
        self.desk.until_text("#words-are", "You have recovery words.")
        # The offer is gone, and the question after the file stays.
        self.desk.until(lambda: not self.desk.is_seen("#note-other"), "the offer is gone")
        self.assertEqual(self.desk.seen("#note-act"), "Save the key file")
        # They are the words of the key that the page has named.
        self.cubist("found", "connect", self.gateway.address)
        self.cubist("found", "key", "recover", "Worder", typed=" ".join(words))
        self.open_devices(self.desk)
        self.desk.until_text("#words-are", "A recovery is under way")
        self.desk.click("#words-object")
        self.desk.until_text("#keys-doubt", "Delay this recovery")
        self.desk.click("#keys-doubt button:nth-of-type(1)")
        self.desk.until_text("#menu-told", "The recovery is delayed")
        self.desk.until_text("#words-are", "One of your devices has objected.")
        self.assertFalse(self.desk.is_seen("#words-object"))

    def make_words(self):
        """Recovery words that the desk makes and names."""
        self.open_devices(self.desk)
        self.desk.until_text("#words-are", "You have no recovery words.")
        self.desk.click("#words-make")
        self.desk.until_seen("#words-shown")
        words = self.desk.run("return [...document.querySelectorAll('#words-list li')].map(({ textContent }) => textContent)")
        self.desk.click("#words-written")
        self.desk.until_seen("#words-asked")
        places = [int(number) for number in re.findall(r"\d+", self.desk.seen("#words-asked label"))]
        self.desk.type(" ".join(words[place - 1] for place in places))
        self.desk.key("Enter")
        self.desk.until_text("#menu-told", "The words count now.")
        return words

    def lose_key(self):
        """The desk's browser deletes what IndexedDB has, and the desk comes back."""
        self.desk.visit("about:blank")
        self.desk.command("Storage.clearDataForOrigin", origin=self.desk.address.rstrip("/"), storageTypes="indexeddb")
        self.desk.come()

    def recover(self, guest, name, words):
        guest.to_list()
        guest.until(lambda: guest.is_seen("#recover-want") or guest.is_seen("#recover-form"), "the words are asked for")
        if guest.is_seen("#recover-want"):
            guest.click("#recover-want")
        guest.fill("#recover-name", name)
        guest.fill("#recover-words", words)
        guest.key("Enter")

    def test_a_lost_key_is_told_and_recovery_words_bring_the_name_back(self):
        self.expect(*REFUSED)
        desk = self.desk
        self.take_name("Returner")
        words = self.make_words()
        self.lose_key()
        desk.until_text("#account-lost", "The key of Returner was in this browser, and is gone")
        self.assertTrue(desk.is_seen("#list"))
        self.recover(desk, "Returner", "zoo zoo")
        desk.until(lambda: "has 12 words, and these are 2" in desk.fault("recover-words"), "the fault is told")
        field = "const field = document.getElementById('recover-words'); "
        self.assertEqual(desk.run(field + "return [field.type, document.activeElement === field]"), ["password", True])
        desk.click("#recover-show")
        self.assertEqual(desk.run(field + "return field.type"), "text")
        # They are pasted as somebody has written them down.
        desk.run(
            field + "const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', arguments[0]); field.focus(); field.select();"
            " field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true }))", "\n".join(words)
        )
        self.assertEqual(desk.run(field + "return field.value"), " ".join(words))
        desk.key("Enter")
        desk.until_text("#recover-is", "This browser plays as Returner in ")
        self.assertEqual(desk.run(field + "return [field.value, field.type]"), ["", "password"])
        self.assertFalse(desk.is_seen("#account-form") or desk.is_seen("#add-form") or desk.is_seen("#account-lost"))
        desk.come()
        desk.until_text("#recover-is", "This browser plays as Returner in ")
        self.assertEqual(desk.kept("kept.secret.extractable"), False)
        # 72 hours pass. The service does it soon after.
        time = "interval '72 hours 10 minutes'"
        self.gateway.sql(f"UPDATE recoveries SET due_at = due_at - {time}, begun_at = begun_at - {time} WHERE recovery IS NOT NULL")
        desk.come()
        desk.until_text("#home-told", "You are Returner in this browser, and on no other device any more.")
        self.assertFalse(desk.is_seen("#recover-form") or desk.is_seen("#account-key"))
        desk.come()
        desk.until_text("#account-is", "Returner")
        desk.until_loaded()
        self.open_devices(desk)
        self.assertEqual(self.rows(desk), ["This device"])
        desk.come()
        desk.until_loaded()
        desk.new_match()
        desk.click("#pick-alone")
        desk.until_match()
        desk.play_word()
        desk.until_lines(1)

    def test_a_recovery_is_stopped_by_the_words_in_a_browser_without_a_key(self):
        self.expect(*REFUSED)
        self.take_name("Stopper")
        words = " ".join(self.make_words())
        phone = self.phone
        self.recover(phone, "Stopper", "legal winner thank year wave sausage worth useful legal winner thank yellow")
        phone.until(lambda: "These are not the words of Stopper" in phone.fault("recover-words"), "other words are told")
        self.cubist("thief", "connect", self.gateway.address)
        self.cubist("thief", "key", "recover", "Stopper", typed=words)
        self.recover(phone, "Stopper", words)
        phone.until_text("#recover-doubt", "Another device is to play as Stopper in ")
        phone.click("#recover-doubt button:nth-of-type(2)")
        phone.until(lambda: not phone.is_seen("#recover-doubt"), "it is left")
        phone.key("Enter")
        phone.until_text("#recover-doubt", "Another device is to play as Stopper in ")
        phone.click("#recover-doubt button:nth-of-type(1)")
        phone.until_text("#recover-told", "The recovery of Stopper is stopped.")
        self.assertEqual(phone.run("return document.getElementById('recover-words').value"), "")
        self.desk.come()
        self.open_devices(self.desk)
        self.desk.until_text("#words-are", "You have recovery words.")
        self.assertNotIn("under way", self.desk.seen("#words-are"))
        # There is one in an hour at most.
        self.recover(phone, "Stopper", words)
        phone.until(lambda: "A recovery was begun" in phone.fault("recover-words"), "the pause is told", lambda: phone.fault("recover-words"))
        # The key that waited for nothing can take a name.
        phone.take_name("Nonstop")

    def test_the_browser_that_waits_stops_its_recovery(self):
        self.expect(*REFUSED)
        self.take_name("Waiter")
        words = " ".join(self.make_words())
        phone = self.phone
        self.recover(phone, "Waiter", words)
        phone.until_text("#recover-is", "This browser plays as Waiter in ")
        # A device can only delay it.
        self.desk.come()
        self.open_devices(self.desk)
        self.desk.until_text("#words-are", "A recovery is under way")
        self.desk.click("#words-object")
        self.desk.click("#keys-doubt button:nth-of-type(1)")
        self.desk.until_text("#menu-told", "The recovery is delayed")
        phone.come()
        phone.until_text("#recover-is", "A device of Waiter has objected.")
        phone.fill("#recover-words", words)
        phone.key("Enter")
        phone.until_text("#recover-told", "The recovery of Waiter is stopped.")
        self.assertTrue(phone.is_seen("#account-form"))
        # A page that is closed before sends the same once more, and says the same.
        phone.until(lambda: phone.kept("kept.pending === null && !kept.text.includes(' recovers ')"), "nothing waits any more")
        phone.come()
        phone.to_list()
        phone.until_seen("#account-form")
        self.assertFalse(phone.is_seen("#recover-form"))

    def test_who_has_lost_a_key_may_begin_anew(self):
        self.take_name("Loser")
        # A match against a robot goes on, with a note.
        self.desk.click("#rows button")
        self.desk.until(lambda: not self.desk.is_seen("#list"), "the robot's match is there")
        self.desk.choose_word()
        self.lose_key()
        self.assertFalse(self.desk.is_seen("#list"))
        self.desk.until_text("#note-text", "The key of your name is gone from this browser")
        self.desk.click("#note-act")
        self.desk.until_text("#account-lost", "The key of Loser was in this browser, and is gone")
        self.desk.click("#account-lost button")
        self.desk.until(lambda: not self.desk.is_seen("#account-lost"), "it is told no more")
        self.assertEqual(self.desk.focused(), "account-name")
        self.desk.come()
        self.desk.to_list()
        self.desk.take_name("Beginner")
        self.assertFalse(self.desk.is_seen("#account-lost"))
        self.desk.until(lambda: self.desk.run("return localStorage.getItem('player')") == "Beginner", "the next name is remembered")

    def test_recovery_words_that_are_left_are_told_to_be_of_no_use_and_go_from_the_page(self):
        desk = self.desk
        self.take_name("Leaver")
        self.open_devices(desk)
        desk.until_text("#words-are", "You have no recovery words.")
        desk.click("#words-make")
        desk.until_seen("#words-shown")
        words = desk.run("return [...document.querySelectorAll('#words-list li')].map(({ textContent }) => textContent)")
        self.assertEqual((len(words), desk.focused()), (12, "words-say"))
        # The focus goes on from what goes away.
        desk.click("#words-shown button:not(.main)")
        desk.until_text("#menu-told", "No words were made.")
        self.assertEqual(desk.focused(), "menu-title")
        desk.click("#words-make")
        desk.until_seen("#words-shown")
        words = desk.run("return [...document.querySelectorAll('#words-list li')].map(({ textContent }) => textContent)")
        desk.key("Escape")
        desk.until_text("#menu-told", "No words were made. Those that you saw are of no use.")
        desk.key("Escape")
        desk.until(lambda: not desk.is_seen("#menu"), "the menu is left")
        self.assertNotIn("".join(words), desk.run("return document.body.textContent"))
        self.assertEqual(desk.run("return document.getElementById('menu').childElementCount"), 0)

    def test_a_device_removes_itself(self):
        self.expect(*REFUSED)
        self.take_name("Itself")
        self.add(self.code())
        self.phone.until_text("#account-is", "Itself")
        self.phone.until_loaded()
        self.open_devices(self.phone)
        self.phone.click("#keys li:nth-child(2) button")
        self.phone.until_text("#keys-doubt", "Remove this device?")
        self.phone.click("#keys-doubt button:nth-of-type(1)")
        self.phone.until_text("#account-removed", "it plays as Itself no more")
        self.assertFalse(self.phone.is_seen("#menu"))
        self.assertIn("Robot, hard", self.phone.seen("#rows"))
