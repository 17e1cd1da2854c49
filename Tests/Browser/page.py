"""What every test of the page has: a server, a browser, and what must never happen."""

import unittest

from browser import Browser, patiently
from server import Server

#: A failure shows the line of the test, and not these of its tools.
__unittest = True

PHONE = (360, 740)
DESK = (1280, 800)


class PageTest(unittest.TestCase):
    size = DESK
    touch = False
    still = True
    build = None
    #: As Browser has it.
    whole = False

    @classmethod
    def setUpClass(cls):
        cls.server = Server(build=cls.build)
        cls.browser = Browser(*cls.size, still=cls.still, touch=cls.touch, whole=cls.whole)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.server.stop()
        # Those that came after the last test.
        assert (told := cls.browser.errors()) == [], told

    def tearDown(self):
        errors, violations = self.browser.errors(), [*self.server.violations]
        self.server.violations.clear()
        self.assertEqual(errors, [], "the console has errors")
        self.assertEqual(violations, [], "the policy was violated")

    def open(self, query=""):
        self.browser.open(self.server.address + query)

    def open_anew(self, query=""):
        """As a player who was never here."""
        self.forget()
        self.open(query)

    def forget(self):
        """Has the browser forget what the page has kept."""
        self.leave()
        self.browser.run("localStorage.clear(); sessionStorage.clear()")

    def leave(self):
        """To an address of the same server that has no game."""
        self.browser.visit(self.server.address + "icon.svg")

    def shown(self, name):
        """The text of an element, nothing where it is hidden."""
        return self.browser.run(
            "const found = document.getElementById(arguments[0]); return found.checkVisibility() ? found.textContent : ''", name
        )

    def word(self):
        return self.browser.run("return document.getElementById('type').value")

    def points(self):
        """Those of each player; of one alone in a game of one seat."""
        return [int(text) for text in self.browser.run("return [...document.querySelectorAll('.points')].map(points => points.textContent)") if text]

    def until_my_turn(self):
        """Until the robot has played, and its turn was shown; whether the match goes on."""
        self.browser.wait(
            "return document.getElementById('stage').ariaBusy === 'false' && (document.getElementById('mine').classList.contains('on-turn') || !document.getElementById('rematch').hidden)", "the robot plays"
        )
        return self.browser.run("return document.getElementById('rematch').hidden")

    def faces(self, selector=":not(.covered)"):
        """The numbers of the open faces."""
        return self.browser.run(
            f"return [...document.querySelectorAll('.face{selector}')].filter(face => !face.hidden).map(face => Number(face.dataset.face))"
        )

    def free_faces(self):
        """The numbers of the faces of which no cube covers the middle."""
        return self.browser.run(
            "return [...document.querySelectorAll('.face:not(.covered)')].filter((face) => !face.hidden).filter((face) => {"
            " const box = face.getBoundingClientRect(); return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.closest('.face') === face; })"
            ".map((face) => Number(face.dataset.face))"
        )

    def middle(self, number):
        return self.browser.middle(f'[data-face="{number}"]')

    def until_moved(self, number, place):
        """Until the cube has turned: the middle of a face is at another place, and rests there."""
        self.assertTrue(patiently(lambda: self.middle(number) != place), "the cube turns")
        self.until_rest()

    def path(self, word):
        """Faces that spell a word, each touching the one before, as the page's own choice has them."""
        self.browser.type(word)
        path = self.browser.run(
            "return [...document.querySelectorAll('.face.lit')].filter(face => !face.hidden)"
            ".map(face => [Number(/letter (\\d+) of the word/.exec(face.ariaLabel)[1]), Number(face.dataset.face)]).sort((a, b) => a[0] - b[0]).map(pair => pair[1])"
        )
        self.browser.key("Escape")
        self.until_rest()
        return path

    def until_rest(self):
        """Until the cube turns no more."""
        self.browser.run(
            "const place = () => [...document.querySelectorAll('.face')].map((face) => face.style.transform).join();"
            " for (let before; before !== place(); ) { before = place(); for (const _ of [1, 2]) await new Promise(requestAnimationFrame); }"
        )
