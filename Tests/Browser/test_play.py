"""The demo is played to its end, by keys and by fingers."""

from page import PHONE, PageTest

#: Clicks at an element, and gives how often the faces, and how often those that will vanish, were drawn otherwise within a moment, and how opaque these were.
FRAMES = """
const [selector, after, moves] = arguments;
const [all, leaving, opacities] = [new Set(), new Set(), []];
const begun = performance.now();
const passed = () => performance.now() - begun;
document.querySelector(selector).click();
do {
  const open = [...document.querySelectorAll('.face')].filter((face) => !face.hidden);
  const going = open.filter((face) => face.matches('.leaving'));
  all.add(open.map((face) => face.style.transform).join());
  leaving.add(going.map((face) => face.style.transform).join());
  opacities.push(...going.map((face) => Number(face.style.opacity || 1)));
  await new Promise(requestAnimationFrame);
} while (passed() < after || (moves && all.size < 4 && passed() < 30000));
return [all.size, leaving.size, Math.min(...opacities), document.getAnimations().length];
"""
#: Of each open face what is told about it, and its marks beside the colour: dots, frame, and what lies over the tile.
MARKS = """
return [...document.querySelectorAll('.face:not(.covered)')].filter((face) => !face.hidden).map((face) => {
  const [tile, uses] = [face.firstChild, Number(face.dataset.uses)];
  const told = ['leaving', 'theirs', 'lit'].find((name) => face.classList.contains(name)) ?? ['', 'once', 'twice'][uses];
  const over = getComputedStyle(tile, '::before');
  const marks = [over.content === 'none' ? '' : over.backgroundImage.split('(')[0]];
  const { boxShadow, borderStyle } = getComputedStyle(tile);
  if (told !== 'leaving') marks.push(borderStyle, boxShadow === 'none' ? '' : 'frame');
  if (['', 'once', 'twice'].includes(told)) marks.push(getComputedStyle(tile.lastChild, '::after').content);
  return [told, marks.join(' ')];
});
"""
#: A robot pretends to think for more than a second.
HURRY = "const { setTimeout: real } = window; window.setTimeout = (act, after) => real(act, after > 1000 ? 50 : after)"


class Keys(PageTest):
    still = False

    def test_a_match_is_played_to_its_end_by_keyboard_alone(self):
        self.addCleanup(self.browser.before_each_load(HURRY))
        self.open_anew()
        browser = self.browser
        for word in ["HOUSEPLANT", "PLANET"]:
            browser.type(word)
            self.assertEqual(self.word(), word)
            browser.key("Enter")
            self.assertTrue(self.until_my_turn())
        self.assertEqual(self.points()[0], 1400 + 216)
        # The first stop in the cube, then cube after cube.
        self.assertTrue(self.to_cube())
        turns = 0
        while True:
            for _ in range(2):
                if not self.faces():
                    break
                # The focus stays in the cube when its face is gone.
                self.assertTrue(self.is_in_cube())
                browser.key("Delete")
            self.assertIn("Away", self.shown("taken"))
            browser.key("Enter")
            turns += 1
            self.assertLess(turns, 20)
            if not self.until_my_turn():
                break
            self.to_cube()
        browser.wait("return !document.getElementById('end').hidden", "the end is shown")
        self.assertIn(self.shown("end-title"), ["You won!", "Robot, easy won.", "It is a tie."])
        self.assertEqual(self.faces(), [])
        self.assertIn("No cube is left.", self.browser.text("say"))
        # Looking back, a replay, and a rematch, which the other one begins.
        browser.key("Home")
        self.assertIn("Turn 1 of", self.shown("status"))
        browser.key("PageDown")
        self.assertIn("Turn 2 of", self.shown("status"))
        browser.key("End")
        self.to("rematch")
        browser.key("Enter")
        self.assertEqual(self.points(), [0, 0])
        self.assertTrue(self.until_my_turn())
        self.assertEqual(self.points()[0], 0)

    def to(self, name):
        """Goes by Tab to an element."""
        for _ in range(60):
            if self.browser.run("return document.activeElement?.id") == name:
                return
            self.browser.key("Tab")
        self.fail(f"Tab does not come to {name}")

    def is_in_cube(self):
        return self.browser.run("return document.activeElement?.matches('.face:not(.covered)') ?? false")

    def to_cube(self):
        for _ in range(40):
            if self.is_in_cube():
                return True
            self.browser.key("Tab")
        return False

    def test_arrows_turn_the_cube_or_go_over_its_faces(self):
        self.open_anew()
        browser = self.browser
        place = lambda: self.middle(78)
        before = place()
        browser.key("ArrowLeft")
        self.until_moved(78, before)
        browser.key("0")
        self.until_rest()
        self.assertAlmostEqual(place()[0], before[0], delta=1)
        self.to_cube()
        seen = set()
        for key in ["ArrowUp", "ArrowUp", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft"]:
            browser.key(key)
            seen.add(browser.run("return document.activeElement.ariaLabel"))
        self.assertGreater(len(seen), 4)
        self.assertAlmostEqual(place()[0], before[0], delta=1)
        browser.key(" ")
        letter = browser.run("return document.activeElement.ariaLabel")[0]
        self.assertEqual(self.word()[0], letter)

    def test_every_key_of_the_rules_does_what_they_say(self):
        self.open_anew()
        browser = self.browser
        browser.type("PLANE")
        browser.key("Backspace")
        self.assertEqual(self.word(), "PLAN")
        browser.type("X")
        self.assertEqual(self.word(), "PLANX")
        self.assertEqual(self.shown("verdict"), "✗ no path")
        self.assertIn("No path goes on with X", self.browser.text("say"))
        browser.key("Escape")
        self.assertEqual(self.word(), "")
        browser.key("#")
        self.assertTrue(browser.run("return document.querySelector('[data-face=\"78\"] .value').textContent !== ''"))
        browser.key("#")
        browser.key("?")
        self.assertTrue(browser.run("return document.getElementById('help').open"))
        browser.type("A")
        self.assertEqual(self.word(), "")
        browser.key("Escape")
        browser.wait("return !document.getElementById('help').open", "the rules are put away")
        browser.type("A")
        self.assertEqual(self.word(), "A")

    def test_the_first_steps_are_taken_by_keyboard_alone(self):
        self.open_anew()
        browser = self.browser
        self.assertIn("Show me how", self.shown("welcome"))
        self.to("welcome-button")
        browser.key("Enter")
        number = lambda: int(self.shown("step-title").split()[2])
        self.assertEqual(number(), 1)
        # A key of another step is answered, and changes nothing.
        browser.type("C")
        self.assertEqual(self.shown("step-advice"), "No letters yet.")
        for keys, after in [
            (["Enter"], 2), ("G", 3), ("A", 4), ("ME", 5), (["Enter"], 6), (["Enter"], 7), (["PageUp"], 8), (["End"], 9),
            ([*"CUBES", "Enter"], 10), ("BAC", 11), (["Backspace"], 12), (["Escape"], 13), ("GAME", 14), (["Escape"], 15), ("TIN", 16), ("2", 17), (["Enter"], 18),
            ("GAMES", 19), (["Enter"], 20),
        ]:
            for key in keys:
                browser.key(key)
            self.assertEqual(number(), after)
        # Left and taken up again, even by a later visit.
        self.open()
        self.to("steps-button")
        browser.key("Enter")
        self.assertEqual(number(), 20)
        self.to_cube()
        browser.key("Delete")
        self.assertEqual(number(), 22)
        browser.key("Delete")
        self.assertEqual(number(), 23)
        browser.key("Enter")
        self.assertEqual(number(), 24)
        self.assertEqual(self.shown("step-next"), "Done")
        browser.key("Enter")
        self.assertIn("Robot, hard", self.shown("rows"))
        self.open()
        self.assertEqual(self.shown("welcome"), "")

    def test_nothing_moves_where_a_player_wants_no_motion(self):
        for still in (False, True):
            # A busy machine draws few frames. Where something moves, four different ones are waited for.
            frames = lambda selector, after: self.browser.run(FRAMES, selector, after, not still)
            with self.subTest(still=still):
                self.browser.media(still=still)
                self.open("?state=leaving")
                turned = frames('[data-turn="left"]', 250)
                vanished = frames("#play", 600)
                self.browser.run("document.getElementById('list-button').click()")
                begun = frames("#rows li:last-child button", 250)
                if still:
                    # As before, and as after.
                    self.assertEqual([turned[0], vanished[0], vanished[1], vanished[2]], [2, 2, 1, 1])
                    self.assertLessEqual(begun[0], 2)
                    self.assertEqual([seen[3] for seen in (turned, vanished, begun)], [0, 0, 0])
                else:
                    self.assertGreater(min(turned[0], vanished[0], begun[0]), 3)
                    self.assertGreater(vanished[1], 2)
                    self.assertLess(vanished[2], 0.9)
        self.browser.media()

    def test_no_face_is_told_from_another_one_by_colour_alone(self):
        marks = {}
        for state in ["leaving", "spelling"]:
            self.open(f"?state={state}")
            self.assertEqual(self.browser.run("return getComputedStyle(document.querySelector('#paths .link')).strokeDasharray !== 'none'"), state == "spelling")
            for told, mark in self.browser.run(MARKS):
                marks.setdefault(told, set()).add(mark)
        self.assertEqual(set(marks), {"", "once", "twice", "lit", "theirs", "leaving"})
        self.assertEqual(len(set.union(*marks.values())), len(marks), marks)
        self.open("?state=two")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#paths .ghost').length"), 2)

    def test_a_screen_reader_is_told_word_score_and_turn(self):
        self.open_anew()
        browser = self.browser
        say = lambda: browser.text("say")
        self.assertEqual(say(), "Your turn. You 0, Robot, easy 0.")
        browser.type("PLANET")
        self.assertEqual(say(), "PLANET: 216 points.")
        browser.key("Escape")
        browser.type("NAL")
        self.assertEqual(say(), "NAL: not a word, way 1 of 2.")
        browser.key("Escape")
        browser.type("PLANET")
        browser.key("Enter")
        self.assertEqual(say(), "You played PLANET for 216. Robot, easy is thinking. You may try words. You 216, Robot, easy 0.")
        self.until_my_turn()
        self.assertRegex(say(), r"^Robot, easy played [A-Z]+ for \d+\. (\d cubes? vanished\. )?Your turn\. You 216, Robot, easy \d+\.$")
        tree = browser.command("Accessibility.getFullAXTree")["nodes"]
        roles = {(node.get("role", {}).get("value"), node.get("name", {}).get("value", "")) for node in tree if not node.get("ignored")}
        self.assertTrue(any(role == "status" for role, _ in roles))
        self.assertTrue(any(role == "textbox" and name == "Your word" for role, name in roles))
        pressed = [name for role, name in roles if role in ("button", "ToggleButton") and "row" in name]
        self.assertEqual(len(pressed), len(self.faces()))
        self.assertTrue(any("in their word" in name for name in pressed))


class Fingers(PageTest):
    size = PHONE
    touch = True
    still = False

    def tap(self, number):
        self.browser.tap(*self.middle(number))

    def tap_button(self, name):
        self.browser.tap(*self.browser.middle(f"#{name}"))

    def until_word(self, word):
        self.browser.wait(f"return document.getElementById('type').value === '{word}'", f"the word is '{word}'")

    def touch_points(self, kind, *points):
        self.browser.command("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": index} for index, (x, y) in enumerate(points)])

    def test_a_match_is_played_to_its_end_by_taps(self):
        self.addCleanup(self.browser.before_each_load(HURRY))
        self.open_anew()
        self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), PHONE[0])
        for face in self.path("PLANET"):
            self.tap(face)
        self.assertEqual(self.word(), "PLANET")
        self.tap_button("play")
        self.assertTrue(self.until_my_turn())
        self.assertEqual(self.points()[0], 216)
        turns = 0
        while True:
            for index in range(2):
                self.until_rest()
                faces = self.free_faces()
                if not faces:
                    break
                # Twice on the same face; now and then a cube is held instead.
                point = self.middle(faces[-1])
                if index == 0 and turns % 3 == 0:
                    self.touch_points("touchStart", point)
                    self.browser.wait(f"return document.querySelector('[data-face=\"{faces[-1]}\"]').matches('.marked, [hidden]')", "the cube is taken away")
                    self.touch_points("touchEnd")
                else:
                    self.browser.double_tap(*point)
            self.tap_button("play")
            turns += 1
            self.assertLess(turns, 20)
            if not self.until_my_turn():
                break
        self.browser.wait("return !document.getElementById('end').hidden", "the end is shown")
        self.tap_button("other")
        self.assertIn("Robot, medium", self.shown("rows"))
        self.browser.tap(*self.browser.middle("#rows li:nth-last-child(2) button"))
        self.assertEqual(self.points(), [0, 0])
        self.assertEqual(self.browser.run("return document.querySelector('#theirs .name').textContent"), "Robot, hard")

    def test_a_finger_that_goes_over_faces_spells(self):
        self.open_anew()
        path = self.path("PLANE")
        points = [self.middle(face) for face in path]
        self.touch_points("touchStart", points[0])
        for (x, y), (to_x, to_y) in zip(points, points[1:]):
            for part in range(1, 9):
                self.touch_points("touchMove", (x + (to_x - x) * part / 8, y + (to_y - y) * part / 8))
        # Back over the last face but one takes the last one back.
        x, y = points[-2]
        self.touch_points("touchMove", (x, y))
        self.touch_points("touchMove", (x + 1, y))
        self.assertEqual(self.word(), "PLAN")
        self.touch_points("touchEnd")
        self.assertEqual(self.word(), "PLAN")
        # Right after a quick movement, which is no scroll that a tap would end.
        self.tap_button("back")
        self.until_word("PLA")
        self.tap_button("clear")
        self.until_word("")

    def test_the_cube_is_turned_beside_it_and_with_two_fingers(self):
        self.open_anew()
        here = self.middle(78)
        x, y, width, height = self.browser.run("const box = document.getElementById('stage').getBoundingClientRect(); return [box.x, box.y, box.width, box.height]")
        self.touch_points("touchStart", (x + 60, y + 20))
        self.touch_points("touchMove", (x + 90, y + 30))
        self.touch_points("touchEnd")
        self.until_moved(78, here)
        there = self.middle(78)
        self.assertEqual(self.word(), "")
        first, second = (x + width / 2 - 40, y + height / 2), (x + width / 2 + 40, y + height / 2)
        self.touch_points("touchStart", first)
        self.touch_points("touchStart", first, second)
        self.touch_points("touchMove", (first[0] - 30, first[1]), (second[0] - 30, second[1]))
        self.touch_points("touchEnd")
        self.until_moved(78, there)
        self.assertEqual(self.word(), "")
        for name in ["left", "right", "up", "down"]:
            before = self.middle(78)
            self.browser.tap(*self.browser.middle(f'[data-turn="{name}"]'))
            self.until_moved(78, before)

    def test_the_choices_of_a_word_are_buttons(self):
        self.open("?state=ways")
        self.assertEqual(self.shown("ways"), "Ways12")
        lit = self.faces(".lit")
        self.browser.tap(*self.browser.middle("#ways button:last-child"))
        self.assertNotEqual(self.faces(".lit"), lit)
        self.browser.tap(*self.browser.middle("#ways button:nth-of-type(1)"))
        self.assertEqual(self.faces(".lit"), lit)

    def test_the_keyboard_of_a_telephone_types_into_the_field(self):
        self.open_anew()
        self.browser.run("document.getElementById('type').focus()")
        self.browser.command("Input.insertText", text="plan")
        self.assertEqual(self.word(), "PLAN")
        self.browser.command("Input.insertText", text="e")
        self.assertEqual(self.word(), "PLANE")
        self.assertEqual(self.shown("verdict"), "✓ 100")
        # Some letters of the field are replaced at once, as a suggestion of the keyboard does it.
        self.browser.run("const field = document.getElementById('type'); field.value = 'pla'; field.dispatchEvent(new Event('input'))")
        self.assertEqual(self.word(), "PLA")
        self.browser.run("document.getElementById('type').select()")
        self.browser.command("Input.insertText", text="nal")
        self.assertEqual(self.word(), "NAL")
        self.browser.run("document.getElementById('type').select()")
        self.browser.command("Input.insertText", text="plane")
        self.browser.key("Enter")
        self.assertEqual(self.points()[0], 100)


class Trailer(PageTest):
    size = PHONE

    def setUp(self):
        super().setUp()
        self.open_anew()
        # A match of the player's own, which the trailer leaves alone.
        self.browser.type("PLANET")
        self.browser.key("Enter")
        self.assertTrue(self.until_my_turn())
        self.own = self.points()
        self.browser.run("document.getElementById('list-button').click()")

    def watch(self, enough="false"):
        """Has the trailer hurry until something is so."""
        self.browser.run(
            "const { setTimeout: real } = window; let pace = 20;"
            f" window.setTimeout = (act, after) => {{ if ({enough}) pace = 1; return real(act, after / pace); }};"
            " document.getElementById('trailer-button').click()"
        )

    def until_own(self):
        self.browser.wait("return document.body.dataset.ready === 'yes' && !('trailer' in window)", "the page is loaded again")
        self.browser.run("document.querySelector('#rows button').click()")
        self.assertEqual(self.points(), self.own)

    def test_the_recorded_match_plays_itself_to_its_end(self):
        self.watch()
        self.browser.run("window.trailer = true")
        self.browser.wait(
            "return document.getElementById('note').checkVisibility() && document.getElementById('note-text').textContent === 'That was a whole match. Now it is your turn.'",
            "the recorded match ends", 60
        )
        self.assertFalse(self.browser.run("return document.getElementById('end').hidden"))
        self.assertEqual(self.faces(), [])
        self.browser.run("document.getElementById('note-act').click()")
        self.until_own()

    def test_any_key_ends_it(self):
        chosen = "document.getElementById('type').value.length > 2"
        self.watch(chosen)
        self.browser.run("window.trailer = true")
        self.browser.wait(f"return {chosen}", "letters are chosen")
        self.browser.key("Escape")
        self.until_own()
