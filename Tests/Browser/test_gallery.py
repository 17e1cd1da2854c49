"""Every state of the page: for the checker of accessibility, in numbers, and as a picture."""

import base64
import io
import json
import os
import pathlib
import re

from PIL import Image, ImageChops, ImageStat

from page import DESK, PHONE, PageTest
from server import WEB

FOLDER = pathlib.Path(__file__).resolve().parent / "pictures"
OUTPUT = WEB.parent / ".cubist/web/pictures"
DOCS = WEB.parent / "docs"
AXE = WEB.parent / ".cubist/web/axe.min.js"
#: A picture may differ from the kept one by so much of 255 on average, and in its worst ninth part.
TOLERANCE, WORST = 2.0, 8.0
#: The states that are pictured at a desk, too.
AT_A_DESK = ["welcome", "leaving", "middle", "two", "back", "over", "list", "step16"]
#: The states that the README shows, by the names of their pictures.
IN_README = {"middle-light-360.png": "page-phone.png", "two-dark-1280.png": "page-desk.png"}
NAMES = re.findall(r"^  (\w+): \{ title", (WEB / "gallery.js").read_text(), re.MULTILINE)


def differences(image, kept):
    """By how much of 255 a picture differs from the kept one on average: the whole, and its worst ninth part."""
    difference = ImageChops.difference(image, kept)
    width, height = image.size
    parts = [(x * width // 3, y * height // 3, (x + 1) * width // 3, (y + 1) * height // 3) for x in range(3) for y in range(3)]
    mean = lambda image: sum(ImageStat.Stat(image).mean) / 3
    return mean(difference), max(mean(difference.crop(part)) for part in parts)


class Gallery(PageTest):
    def each(self, size, dark):
        self.browser.resize(*size)
        self.browser.media(dark=dark, still=True)
        for name in NAMES:
            with self.subTest(state=name, size=size, dark=dark):
                self.open(f"?state={name}")
                yield name

    def test_the_checker_of_accessibility_finds_nothing_serious(self):
        script = AXE.read_text()
        for size, dark in [(PHONE, False), (DESK, True)]:
            for name in self.each(size, dark):
                self.browser.run(script)
                found = self.browser.driver.execute_async_script(
                    "const [done] = arguments; axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>"
                    " done(violations.map(({ id, impact, nodes }) => [impact, id, nodes.slice(0, 3).map(node => node.html + ' ' + node.failureSummary)])))"
                )
                self.assertEqual([entry for entry in found if entry[0] in ("serious", "critical", "moderate")], [])

    def test_nothing_is_wider_than_a_telephone_and_everything_is_large_enough_for_a_finger(self):
        for size in [PHONE, DESK]:
            for name in self.each(size, False):
                self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), size[0])
                small = self.browser.run(
                    "return [...document.querySelectorAll('button:not(.face), input')].filter(button => button.checkVisibility())"
                    ".map(button => [button.id || button.className, button.getBoundingClientRect()])"
                    ".filter(([, box]) => box.width < 43.9 || box.height < 43.9).map(([name, box]) => `${name} ${box.width}x${box.height}`)"
                )
                self.assertEqual(small, [])
        # The circle within a face, as the cube is seen at first on a telephone.
        self.browser.resize(*PHONE)
        self.open("?state=first")
        edge = self.browser.run("return parseFloat(document.getElementById('cube').style.getPropertyValue('--edge'))")
        self.assertGreater(edge * 0.8165 * 0.866, 44)

    def test_the_states_look_as_they_did(self):
        OUTPUT.mkdir(parents=True, exist_ok=True)
        for size, dark in [(PHONE, False), (DESK, True)]:
            for name in self.each(size, dark):
                if size == DESK and name not in AT_A_DESK:
                    continue
                self.pause(0.1)
                file = f"{name}-{'dark' if dark else 'light'}-{size[0]}.png"
                self.compare(size, 0.2, FOLDER / file)
                if file in IN_README:
                    self.compare(size, 1, DOCS / IN_README[file])

    def compare(self, size, scale, kept):
        """The page looks as in the kept picture."""
        data = self.capture(size, scale)
        (OUTPUT / kept.name).write_bytes(data)
        if os.environ.get("CUBIST_KEEP_PICTURES"):
            kept.write_bytes(data)
        now, before = [Image.open(source).convert("RGB") for source in (io.BytesIO(data), kept)]
        self.assertEqual(now.size, before.size)
        whole, worst = differences(now, before)
        self.assertLessEqual(whole, TOLERANCE, kept.name)
        self.assertLessEqual(worst, WORST, kept.name)

    def capture(self, size, scale):
        clip = {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": scale}
        return base64.b64decode(self.browser.command("Page.captureScreenshot", format="png", clip=clip)["data"])

    def test_the_gallery_shows_every_state(self):
        self.browser.resize(*DESK)
        self.browser.driver.get(self.server.address + "gallery.html")
        self.browser.wait(f"return document.querySelectorAll('iframe').length === {len(NAMES)}", "every state has its frame")
        self.assertGreater(len(NAMES), 25)
