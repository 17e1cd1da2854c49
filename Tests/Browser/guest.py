"""A browser in which a player at a service plays, by clicks and keys."""

import collections
import contextlib
import os
import pathlib
import subprocess
import tempfile
import unittest

from browser import Browser, patiently
from devtools import PATIENCE
from gateway import Shared

#: A failure shows the line of the test, and not these of its tools.
__unittest = True

#: Words that are short enough to be on most cubes.
WORDS = """
TEN TIN TAN TON NET NIT NOT NUT EAT TEA ATE ETA SEA SET SIT SAT TIE TOE OAT SON SUN SIN INS ITS ARE EAR ERA RAT TAR ART TIP TOP POT PIT PET TAP PAT APT
LET LIT LOT TIL ALE LEA AIL OIL LIE LED DEN END DIN AND RED ROD RID AID DIE DOE ODE ADO ICE ACE CAT CAR ARC ROE ORE OUR RUE RUN RAN ION ONE EON NOR INN
HEN HAT HIT HOT THE HER HIS SHE WIN WON WET WAR RAW ROW OWE WOE BAT BET BIT BUT TAB BAN NAB BIN NIB GET GOT GUT TUG NAG GIN GUN EGO AGE MAN MEN AIM MAT
""".split()

#: The first of some words that can be played, as the page says while they are put into its field: a key for each letter would take much longer.
FIND = """
const [words] = arguments;
const field = document.getElementById('type');
const put = (text) => new Promise((drawn) => {
  field.value = text;
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  // A match of people is drawn a little later. A timer would be slow in a tab that is not in sight.
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => { port1.close(); drawn(); };
  port2.postMessage(null);
});
let found = null;
for (const word of words) {
  await put(word);
  if (document.getElementById('verdict').textContent.startsWith('✓')) {
    found = word;
    break;
  }
}
await put('');
return found;
"""

#: Where to click at an element, once it is in sight.
CLICKABLE = """
const [selector] = arguments;
const part = document.querySelector(selector);
if (!part?.checkVisibility()) return null;
const close = document.getElementById('note-close');
if (!selector.startsWith('#note') && close?.checkVisibility()) {
  close.click();
  return null;
}
part.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
const middle = () => {
  const box = part.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
};
const [x, y] = middle();
// It has come to rest: what follows from a change of sizes comes a frame later. A tab that is not in sight has no frames.
for (const _ of [1, 2]) await Promise.race([new Promise(requestAnimationFrame), new Promise((resolve) => setTimeout(resolve, 100))]);
if (middle().join() !== [x, y].join()) return null;
if (part.contains(document.elementFromPoint(x, y))) {
  window.isClicked = false;
  // Another element may stand in its place by then. It does not hear of the click.
  const note = (event) => {
    window.isClicked = Boolean(event.target.closest?.(selector));
    if (window.isClicked) return;
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  window.addEventListener('click', note, { capture: true, once: true });
  return [x, y];
}
// It lies below a line at the edge: a person would scroll.
part.scrollIntoView({ block: 'center', behavior: 'instant' });
"""

LEXICON = pathlib.Path(__file__).parents[2] / "deploy/lexicon/english.txt"


def short_words():
    """The words of three letters."""
    return (word.upper() for word in LEXICON.read_text(encoding="utf-8").split() if len(word) == 3 and "q" not in word)


#: What a browser's console says about a network that was taken away.
OFFLINE = "net::ERR_INTERNET_DISCONNECTED"

#: What it says about a service that has not answered in time, as on a busy machine: the page asks again.
LATE = ("the server responded with a status of 503", "the server responded with a status of 504")


class Guest(Browser):
    """A player's browser."""

    #: That of the player, once it is taken.
    name = None

    def __init__(self, address, *size, **options):
        super().__init__(*size, still=True, **options)
        self.address = address
        self.command("Network.enable")

    def come(self, path=""):
        self.open(self.address + path)

    def come_anew(self):
        """Comes as a player who was never here. The service worker stays, with the files of the page: to fetch them again would take long."""
        self.visit("about:blank")
        self.command("Storage.clearDataForOrigin", origin=self.address.rstrip("/"), storageTypes="local_storage,indexeddb")
        self.come()

    def leave(self):
        self.close()
        # Those that came after the last test.
        assert (told := self.errors()) == [], told

    # MARK: Hands

    def click(self, selector):
        """Clicks at an element as soon as it is in sight and at rest. A note that may lie over it is closed first."""

        def is_clicked():
            place = self.run(CLICKABLE, selector)
            if place:
                self.click_at(*place)
            # News of the service may have moved it meanwhile: a person would click once more. The next page knows of no click.
            return place and self.run("return window.isClicked !== false")

        self.until(is_clicked, f"{selector} is clicked")

    def fill(self, selector, text):
        """Types over the text of a field."""
        self.click(selector)
        self.run("document.querySelector(arguments[0]).select()", selector)
        self.key("Backspace")
        self.type(text)

    def is_seen(self, selector):
        return self.run("return document.querySelector(arguments[0])?.checkVisibility() ?? false", selector)

    def until_seen(self, selector):
        self.until(lambda: self.is_seen(selector), f"{selector} is there")

    def until_text(self, selector, text):
        """Waits until an element in sight has a text among its own."""
        self.until(lambda: text in self.seen(selector), f"{selector} says {text}", lambda: self.seen(selector))

    def until(self, condition, what, tell=lambda: None, seconds=PATIENCE):
        if not patiently(condition, seconds):
            raise AssertionError(f"{what}: not within {seconds} s. {tell()} The page says: {self.page_says()}")

    def seen(self, selector):
        """The text of an element, nothing where it is hidden."""
        return self.run("const found = document.querySelector(arguments[0]); return found?.checkVisibility() ? found.textContent : ''", selector)

    def page_says(self):
        return self.run("return document.body.innerText.replace(/\\s+/g, ' ')")[:600]

    def focused(self):
        return self.run("return document.activeElement.id")

    def fault(self, name):
        """The fault beside a field, as a screen reader finds it; nothing where it is right."""
        return self.run(
            "const field = document.getElementById(arguments[0]);"
            " return field.ariaInvalid === 'true' ? document.getElementById(field.getAttribute('aria-describedby')).textContent : ''", name
        )

    def offline(self, is_offline):
        self.command("Network.emulateNetworkConditions", offline=is_offline, latency=0, downloadThroughput=-1, uploadThroughput=-1)

    def until_met(self):
        """Until the page has met the service, without which it has nothing to send."""
        self.until(lambda: self.run("return performance.getEntriesByName(location.origin + '/v1/queries').length > 0"), "the service was asked")

    def until_worker(self):
        """Until the page needs no network any more."""
        self.run(
            "await navigator.serviceWorker.ready;"
            " while (!(await caches.match('/', { ignoreVary: true }))) await new Promise((resolve) => setTimeout(resolve, 50))"
        )

    # MARK: Files

    def save_to(self, folder):
        """Has the browser save files into a folder."""
        self.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder), eventsEnabled=True)

    def until_saved(self):
        """Waits until one more file is saved, and whole: its name is there before."""
        self.devtools.event(lambda event: event["method"] == "Browser.downloadProgress" and event["params"]["state"] == "completed")

    # MARK: What is kept

    def kept(self, part):
        """Some of what the browser keeps of its player, by a script about `kept`; None where it keeps nobody."""
        return self.run(
            "const opening = indexedDB.open('cubist', 1);"
            " opening.onupgradeneeded = ({ target }) => target.result.createObjectStore('players');"
            " const finished = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));"
            " const base = await finished(opening); const kept = await finished(base.transaction('players').objectStore('players').get('player')); base.close();"
            f" return kept ? await ({part}) : null"
        )

    # MARK: Tabs

    def one_tab(self):
        """Closes all tabs but the first one."""
        while len(self.tabs) > 1:
            self.tab = self.tabs[-1]
            self.close_tab()

    # MARK: A player

    def to_list(self):
        if not self.is_seen("#list"):
            self.click("#list-button")
        self.until_seen("#list")

    def take_name(self, name):
        self.to_list()
        self.fill("#account-name", name)
        self.key("Enter")
        self.until_text("#account-is", name)
        self.until_loaded()
        # A page that is loaded anew before asks once more.
        self.until(lambda: self.kept("kept.pending === null"), "the name is kept")
        self.name = name

    def until_loaded(self):
        """Until the list is there."""
        self.until(lambda: self.is_seen("#home") and self.seen("#home-empty") != "Loading.", "the list comes")

    def new_match(self):
        self.to_list()
        self.click("#new-button")
        self.until_seen("#pick-anyone")

    def invite(self, name):
        self.new_match()
        self.fill("#new-named", name)
        self.key("Enter")
        self.until_match()

    def entry(self, kind, name=""):
        """The selector of a row of the list, once it is there."""
        place = []

        def find():
            place[:] = self.run(
                "const [kind, name] = arguments; return [...document.querySelectorAll('#entries .entry')].flatMap((entry, index) =>"
                " (entry.classList.contains(kind) || entry.querySelector(`.${kind}`)) && entry.querySelector('.name').textContent.includes(name) ? [index + 1] : [])", kind, name
            )
            return place

        self.until(find, f"a row of the list is {kind} {name}")
        return f"#entries .entry:nth-child({place[0]})"

    # MARK: A match

    def until_match(self):
        self.until(lambda: self.run("return document.body.dataset.place") == "match" and self.is_seen("#extra"), "a match of people is there")

    def points(self):
        return [int(text or 0) for text in self.run("return [...document.querySelectorAll('.player:not([hidden]) .points')].map((points) => points.textContent)")]

    def letters(self):
        """The letters of all faces that are left, in order."""
        return self.run("return [...document.querySelectorAll('.face')].filter((face) => !face.hidden).map((face) => face.dataset.face + face.textContent).sort().join(' ')")

    def lines(self):
        return self.run("return document.getElementById('turns').hidden ? 0 : document.getElementById('lines').childElementCount")

    def is_mine(self):
        return self.run("return document.getElementById('stage').ariaBusy === 'false' && document.getElementById('mine').classList.contains('on-turn')")

    def is_over(self):
        return self.run("return !document.getElementById('end').hidden")

    def until_lines(self, count):
        """Until so many turns were played and shown."""
        self.until(lambda: self.lines() == count and self.run("return document.getElementById('stage').ariaBusy === 'false'"), f"{count} turns are there", self.lines)

    def choose_cubes(self):
        """Takes two cubes away, or the last one, by keys."""
        for _ in range(2):
            if not self.run("const face = [...document.querySelectorAll('.face:not(.covered)')].find((face) => !face.hidden); face?.focus(); return Boolean(face)"):
                break
            self.key("Delete")

    def take_cubes(self):
        self.choose_cubes()
        self.key("Enter")

    def choose_word(self):
        """Types a word that can be played."""
        self.run("document.activeElement.blur()")
        there = collections.Counter(face[-1] for face in self.letters().split())
        # A cube's letters are chance. A few have none of the first words.
        word = self.run(FIND, [word for word in [*WORDS, *short_words()] if not collections.Counter(word) - there])
        if not word:
            raise AssertionError(f"no word is on this cube: {self.letters()}")
        self.type(word)
        return word

    def play_word(self):
        word = self.choose_word()
        self.key("Enter")
        return word


class GuestTest(unittest.TestCase):
    """A service with as many browsers as are asked for. Other classes share the service: no two tests take the same name."""

    #: As Browser has it.
    whole = False

    @classmethod
    def environment(cls):
        """What the service has in its environment besides. A class that wants something is the first one of its run, or costs another service."""
        return {}

    @classmethod
    def setUpClass(cls):
        cls.gateway = Shared.service(cls.environment())
        folder = tempfile.TemporaryDirectory(prefix="cubist-guests-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.guests = []

    @classmethod
    def guest(cls, *size, **options):
        guest = Guest(cls.gateway.address, *size, whole=cls.whole, **options)
        cls.guests.append(guest)
        cls.addClassCleanup(guest.leave)
        return guest

    def all_guests(self):
        return self.guests

    def setUp(self):
        self.expected = [*LATE]

    def expect(self, *texts):
        """Errors with these texts come of what this test does."""
        self.expected += texts

    def tearDown(self):
        """No console has another error, in any tab, and so no policy was violated."""
        told = [text for guest in self.all_guests() for text in guest.errors()]
        self.assertEqual([text for text in told if not any(part in text for part in self.expected)], [])

    def cubist(self, profile, *arguments, typed=None):
        """The terminal's program. `typed` is its standard input."""
        while True:
            done = subprocess.run(
                [pathlib.Path(os.environ["CUBIST_BIN"]) / "cubist", *arguments],
                env={**os.environ, "XDG_STATE_HOME": str(self.folder / profile)}, input=typed, capture_output=True, text=True,
            )
            # The answer is pending: the same command again has the same effect, once.
            if done.returncode != 75:
                break
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def register(self, name):
        """A player at the terminal."""
        self.cubist(name, "connect", self.gateway.address)
        self.cubist(name, "register", name)


class OneGuestTest(GuestTest):
    """A service with one browser, which begins each test as that of a player who was never here. Other classes share it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if cls.whole not in Shared.guests:
            Shared.guests[cls.whole] = Guest(cls.gateway.address, 360, 740, whole=cls.whole)
        cls.ada = Shared.guests[cls.whole]
        cls.guests.append(cls.ada)

    def setUp(self):
        self.ada.come_anew()
        super().setUp()

    def before_each_load(self, source):
        """A script that the pages of this test run first."""
        self.addCleanup(self.ada.before_each_load(source))


class Pair:
    """Two players at a service, each in a browser."""

    count = 0

    def __init__(self, gateway, whole):
        Pair.count += 1
        self.gateway, self.whole = gateway, whole
        self.folder = tempfile.TemporaryDirectory(prefix="cubist-pair-")
        self.guests = []

    def come(self):
        self.ada = self.guest(1280, 800)
        self.ben = self.guest(360, 740, profile=pathlib.Path(self.folder.name, "ben"))
        for guest, name in ((self.ada, "ada"), (self.ben, "ben")):
            guest.come()
            guest.take_name(name if Pair.count == 1 else f"{name}{Pair.count}")

    def guest(self, *size, **options):
        guest = Guest(self.gateway.address, *size, whole=self.whole, **options)
        self.guests.append(guest)
        return guest

    def kill_ben(self):
        """Ends ben's browser at once, and begins it again with what it has kept."""
        killed = self.ben
        killed.kill()
        self.ben = self.guest(360, 740, profile=killed.profile)
        self.ben.name = killed.name

    def leave(self):
        with self.folder, contextlib.ExitStack() as stack:
            for guest in self.guests:
                stack.callback(guest.leave)


class PairTest(GuestTest):
    """A service with two players, whom other classes share. No match of theirs outlives its test."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if Shared.pair and Shared.pair.whole != cls.whole:
            Shared.end_pair()
        if not Shared.pair:
            Shared.pair = Pair(cls.gateway, cls.whole)
            try:
                Shared.pair.come()
            except BaseException:
                # The next class tries anew.
                Shared.end_pair()
                raise

    @property
    def ada(self):
        return Shared.pair.ada

    @property
    def ben(self):
        return Shared.pair.ben

    def all_guests(self):
        return [*Shared.pair.guests, *self.guests]

    def begin(self):
        """A new match of both. Gives who is on turn, and the other one."""
        self.ada.invite(self.ben.name)
        self.ben.to_list()
        self.ben.click(self.ben.entry("invitation", self.ada.name) + " .main")
        self.ben.until_match()
        return self.on_turn()

    def on_turn(self):
        found = []

        def find():
            found[:] = [guest for guest in (self.ada, self.ben) if guest.is_mine() and not guest.run("return document.getElementById('extra-text').textContent.includes('accepted yet')")]
            return len(found) == 1

        self.ada.until(find, "one of both is on turn", lambda: [self.ada.page_says(), self.ben.page_says()])
        mover = found[0]
        return mover, self.ben if mover is self.ada else self.ada

    def end(self, loser):
        loser.click("#give-up")
        loser.click("#giving button:nth-of-type(1)")
        for guest in (self.ada, self.ben):
            guest.until(guest.is_over, "the match is over")
