"""Every state of the page: what it says, for the checker of accessibility, in numbers, and as a picture."""

import base64
import io
import itertools
import os
import pathlib
import re
import unittest

from PIL import Image, ImageChops, ImageStat

from page import DESK, PHONE, PageTest
from server import WEB

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "pictures"
#: What each state says, under its name.
TEXTS = HERE / "states.txt"
SPOKEN = (HERE / "spoken.js").read_text()
OUTPUT = WEB.parent / ".cubist/web"
DOCS = WEB.parent / "docs"
AXE = WEB.parent / ".cubist/web/axe.min.js"
#: A picture may differ from the kept one by so much of 255 on average, and in its worst square of 12 pixels.
TOLERANCE, WORST = 0.25, 3.0
PART = 12
#: The states that are pictured at a desk, too, and whose contrast is checked in both colours at both sizes.
AT_A_DESK = ["welcome", "leaving", "middle", "two", "back", "over", "list", "step16", "people_list", "people_settings", "people_mine", "people_won"]
#: The size that sites want of the picture of a link.
CARD = (1200, 630)
#: The least telephone.
SMALL = (360, 640)
#: The states that the README shows, by the names of their pictures.
IN_README = {"middle-light-360.png": "page-phone.png", "two-dark-1280.png": "page-desk.png"}
KEEPS = bool(os.environ.get("CUBIST_KEEP_PICTURES"))
#: A run that compares no pictures compares all the same what each state says.
COMPARES = KEEPS or bool(os.environ.get("CUBIST_COMPARE_PICTURES"))

CHECK = """
const [isWhole, colors] = arguments;
// axe-core looks at nothing that is hidden, and takes most of its time to find that out for each element. So it is told.
const hidden = [];
// Contrast takes most of the rest. A part that was checked inside the same elements, at this size and in these colours, has it a second time.
const checked = [];
const known = (window.checkedParts ??= new Set());
const isOver = [...document.querySelectorAll('dialog[open], #note')].some((part) => part.checkVisibility());
const look = (part, around) => {
  if (part.matches('script') || !part.checkVisibility()) return part.firstElementChild && hidden.push(part);
  const key = around + part.outerHTML;
  if (known.has(key)) return checked.push(part);
  // A part that lies under something else is not checked.
  if (!isOver) known.add(key);
  for (const child of part.children) look(child, around + part.cloneNode().outerHTML);
};
look(document.body, colors);
// The cube has most elements, and no other meaning the next time.
const cube = document.getElementById('cube');
const isKnown = checked.some((part) => part.contains(cube));
const check = async (exclude, options) => (await axe.run({ include: [['html']], exclude }, { resultTypes: ['violations'], preload: false, ...options })).violations;
const contrast = 'color-contrast';
return [
  ...(isWhole ? await check(isKnown ? [...hidden, cube] : hidden, { rules: { [contrast]: { enabled: false } } }) : []),
  ...await check([...hidden, ...checked], { runOnly: [contrast] }),
].map(({ id, impact, nodes }) => [impact, id, nodes.slice(0, 3).map((node) => node.html + ' ' + node.failureSummary)]);
"""


def picture(name, size, dark):
    return f"{name}-{'dark' if dark else 'light'}-{size[0]}.png"


def differences(image, kept):
    """By how much of 255 a picture differs from the kept one on average: the whole, and its worst part."""
    difference = ImageChops.difference(image, kept)
    width, height = image.size
    parts = [(x, y, min(x + PART, width), min(y + PART, height)) for x in range(0, width, PART) for y in range(0, height, PART)]
    mean = lambda image: sum(ImageStat.Stat(image).mean) / 3
    return mean(difference), max(mean(difference.crop(part)) for part in parts)


def texts():
    """The kept lines of each state."""
    return {part.split("\n", 1)[0]: part.rstrip("\n").split("\n")[1:] for part in TEXTS.read_text().split("== ")[1:]}


class Gallery(PageTest):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser.visit(cls.server.address + "icon.svg")
        cls.names = cls.browser.run("return Object.keys((await import('/gallery.js')).states)")

    def show(self, name):
        self.browser.run("await (await import('/gallery.js')).show(arguments[0])", name)

    def each(self, size, dark, names, look):
        """Shows each state in the place of the one before it, and has it looked at."""
        self.browser.resize(*size)
        self.browser.media(dark=dark, still=True)
        self.open("?state=welcome")
        self.browser.run(AXE.read_text())
        for name in names:
            with self.subTest(state=name, size=size, dark=dark):
                self.show(name)
                look(name)

    def test_a_telephone_shows_and_says_every_state_as_before(self):
        found = {}

        def look(name):
            found[name] = self.spoken()
            if not KEEPS:
                self.assertEqual(found[name], kept.get(name))
            self.check_sizes(PHONE)
            self.compare_state(name, PHONE, False)
            self.check("light")
            if name in AT_A_DESK:
                self.in_other_colors(False)

        kept = {} if KEEPS else texts()
        self.each(PHONE, False, self.names, look)
        text = "".join(f"== {name}\n" + "".join(f"{line}\n" for line in lines) for name, lines in found.items())
        OUTPUT.mkdir(parents=True, exist_ok=True)
        (OUTPUT / TEXTS.name).write_text(text)
        if KEEPS:
            TEXTS.write_text(text)

    def test_afterwards_a_desk_shows_and_says_them_too_in_another_order(self):
        kept = texts()

        def look(name):
            # Nothing is left of the state before, whichever it was.
            self.assertEqual(self.spoken(), kept.get(name))
            self.check_sizes(DESK)
            self.check("dark")
            if name in AT_A_DESK:
                self.compare_state(name, DESK, True)
                self.in_other_colors(True)

        self.each(DESK, True, self.names[::-1], look)

    def in_other_colors(self, dark):
        """Each text can be read in the other colours, too."""
        self.browser.media(dark=not dark, still=True)
        self.check("light" if dark else "dark", is_whole=False)
        self.browser.media(dark=dark, still=True)

    def test_kept_states_differ_by_more_than_passes(self):
        kept = texts()
        self.assertEqual(list(kept), self.names)
        files = {picture(name, PHONE, False) for name in self.names} | {picture(name, DESK, True) for name in AT_A_DESK}
        self.assertEqual({file.name for file in FOLDER.iterdir()}, files)
        for one, other in itertools.combinations(self.names, 2):
            if kept[one] != kept[other]:
                continue
            with self.subTest(states=(one, other)):
                whole, worst = differences(*[Image.open(FOLDER / picture(name, PHONE, False)).convert("RGB") for name in (one, other)])
                self.assertTrue(whole > TOLERANCE or worst > WORST, (whole, worst))

    def test_each_of_some_states_is_the_same_without_another_one_before_it(self):
        kept = texts()
        self.browser.resize(*PHONE)
        self.browser.media(dark=False, still=True)
        for name in ["step19", "note_update", "people_keyAsked", "people_settings"]:
            self.open(f"?state={name}")
            self.assertEqual(self.spoken(), kept[name])

    def test_each_face_is_large_enough_for_a_finger(self):
        # The names of faces without a circle of 44 pixels around their middle that is theirs alone.
        script = (
            "return [...document.querySelectorAll('.face:not([hidden])')].filter((face) => { const box = face.getBoundingClientRect();"
            " return Array.from({ length: 16 }, (_, part) => document.elementFromPoint(box.x + box.width / 2 + 22 * Math.cos(part * Math.PI / 8),"
            " box.y + box.height / 2 + 22 * Math.sin(part * Math.PI / 8))?.closest('.face') === face).includes(false); }).map((face) => face.ariaLabel)"
        )
        look = lambda _: self.assertEqual((self.browser.run(script), len(self.faces())), ([], 27))
        for size in [SMALL, PHONE, DESK]:
            self.each(size, False, ["first", "step1", "step16"], look)

    @unittest.skipUnless(COMPARES, "no pictures are compared")
    def test_the_picture_of_a_link_is_the_page_in_the_middle_of_a_match(self):
        self.each(CARD, False, ["middle"], lambda _: self.compare(CARD, 1, WEB / "card.png", colors=128))

    def test_the_gallery_shows_every_state(self):
        self.browser.resize(*DESK)
        self.browser.visit(self.server.address + "gallery.html")
        self.browser.wait(f"return document.querySelectorAll('iframe').length === {len(self.names)}", "every state has its frame")
        self.assertGreater(len(self.names), 100)

    def spoken(self):
        """What the state shows and says; the server has another port each time."""
        return [line.replace(self.server.address, "https://cubist.example/") for line in self.browser.run(SPOKEN)]

    def check(self, colors, is_whole=True):
        """The checker of accessibility finds nothing, of whatever impact; of contrast alone, if it is not to be whole."""
        self.assertEqual(self.browser.run(CHECK, is_whole, colors), [])

    def check_sizes(self, size):
        width, small = self.browser.run(
            "return [document.documentElement.scrollWidth, [...document.querySelectorAll('button:not(.face), input, select')].filter(button => button.checkVisibility())"
            ".map(button => [button.id || button.className, button.getBoundingClientRect()])"
            ".filter(([, box]) => box.width < 43.9 || box.height < 43.9).map(([name, box]) => `${name} ${box.width}x${box.height}`)]"
        )
        self.assertLessEqual(width, size[0])
        self.assertEqual(small, [])

    def compare_state(self, name, size, dark):
        if not COMPARES:
            return
        file = picture(name, size, dark)
        self.browser.wait("const place = document.getElementById('let-in-picture'); return !place?.checkVisibility() || place.querySelector('.qr')", "the QR code is drawn")
        # The server's port is another one each time. A link is compared with zeros in its place, the place of a QR code without it.
        port = self.server.address.rsplit(":", 1)[1].rstrip("/")
        self.dress("hidden", port, "0" * len(port))
        try:
            self.compare(size, 0.2, FOLDER / file)
        finally:
            self.dress("visible", "0" * len(port), port)
        if file in IN_README:
            self.compare(size, 1, DOCS / IN_README[file])

    def dress(self, visibility, port, other):
        self.browser.run(
            "const [visibility, port, other] = arguments; for (const code of document.querySelectorAll('.qr')) code.style.visibility = visibility;"
            " for (const field of document.querySelectorAll('input')) if (field.value.includes(`:${port}/`)) field.value = field.value.replace(port, other);",
            visibility, port, other
        )

    def compare(self, size, scale, kept, colors=None):
        """The page looks as in the kept picture, which may have few colors and so few bytes."""
        data = self.capture(size, scale)
        if colors:
            small = io.BytesIO()
            Image.open(io.BytesIO(data)).convert("RGB").quantize(colors).save(small, "PNG", optimize=True)
            data = small.getvalue()
        (OUTPUT / "pictures").mkdir(parents=True, exist_ok=True)
        (OUTPUT / "pictures" / kept.name).write_bytes(data)
        if KEEPS:
            kept.write_bytes(data)
        if data == kept.read_bytes():
            return
        now, before = [Image.open(source).convert("RGB") for source in (io.BytesIO(data), kept)]
        self.assertEqual(now.size, before.size)
        whole, worst = differences(now, before)
        self.assertLessEqual(whole, TOLERANCE, kept.name)
        self.assertLessEqual(worst, WORST, kept.name)

    def capture(self, size, scale):
        clip = {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": scale}
        return base64.b64decode(self.browser.command("Page.captureScreenshot", format="png", clip=clip)["data"])
