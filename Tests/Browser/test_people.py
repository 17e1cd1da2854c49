"""What a player with a name touches: each control sends its action. The states are those of the gallery."""

import qr
from page import PHONE, PageTest


class People(PageTest):
    size = PHONE

    def show(self, name):
        """Shows another state in the place of the present one, as the gallery's tests do. A load takes the processor ten times as long."""
        self.browser.run(f"await (await import('/gallery.js')).show('{name}')")

    def sent(self):
        """The actions since they were asked for last."""
        return self.browser.run("return (await import('/gallery.js')).sent.splice(0)")

    def click(self, *selectors):
        for selector in selectors:
            self.browser.run("document.querySelector(arguments[0]).click()", selector)

    def fill(self, name, text):
        self.browser.run("document.getElementById(arguments[0]).select()", name)
        self.browser.command("Input.insertText", text=text)

    def focused(self):
        return self.browser.run("return document.activeElement.id || document.activeElement.textContent")

    def draw(self, change, name="list"):
        """Draws a state of people-states.json, after a change of it in JavaScript."""
        self.browser.run(
            "const [{ drawService }, { sent }] = await Promise.all([import('/people.js'), import('/gallery.js')]);"
            f" const {{ {name} }} = await (await fetch('/people-states.json')).json(); const state = {{ ...{name}, account: {{ noKeys: '', keyFile: '', name: 'ada' }} }};"
            f" const {{ rows }} = state.people ?? {{}}; const {{ menu }} = state; {change};"
            " drawService(state, (action) => sent.push(action));"
        )

    def test_the_list_opens_accepts_declines_and_withdraws(self):
        self.open("?state=people_list")
        self.click(".yourTurn .head", ".invitation .main", ".invitation .decline", ".rematchOffer .main", ".timedDaily .main", ".waiting .withdraw", ".waiting .head")
        self.assertEqual(self.sent(), ["row 0", "row 2", "decline 2", "row 3", "row 5", "withdraw 7", "row 7"])
        self.click("#new-button", "#boards-button", "#games-button", "#inbox-button", "#settings-button")
        self.assertEqual(self.sent(), ["menu new", "menu boards", "menu games", "menu inbox", "menu settings"])
        self.assertEqual(self.browser.run("return document.querySelector('.invitation .main').ariaLabel"), "Accept the invitation of dan")
        link = self.browser.run("return document.querySelector('.waiting .link input').value")
        self.assertEqual(link, self.server.address + "g/K7QM2XPA")
        # A link is copied or sent by the browser. A player who cancels that is no fault.
        self.browser.run(
            "window.passed = []; navigator.share = async ({ url }) => { window.passed.push(url); throw new DOMException('', 'AbortError'); };"
            " Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: async (text) => window.passed.push(text) } });"
        )
        self.draw("")
        self.click(".waiting .link button:nth-of-type(1)", ".waiting .link button:nth-of-type(2)")
        self.assertEqual(self.browser.run("return window.passed"), [link, link])
        self.assertEqual(self.browser.text("say"), "Copied.")
        self.browser.run("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        self.click(".waiting .link button:nth-of-type(1)")
        self.assertEqual(self.browser.run("return getSelection().toString()"), link)
        # The robots are there, too.
        self.assertIn("Robot, hard", self.shown("rows"))
        self.open("?state=people_decline")
        self.click("#home-doubt button:nth-of-type(1)", "#home-doubt button:nth-of-type(2)")
        self.assertEqual(self.sent(), ["yes", "no"])

    def test_all_invitations_are_declined_by_one_button_after_a_question(self):
        self.open("?state=people_list")
        self.assertEqual(self.shown("many"), "")
        self.draw("", "decliningAll")
        self.assertEqual(self.shown("home-told"), "Declining the invitations.")
        self.assertEqual(self.browser.run("return document.getElementById('decline-all').ariaDisabled"), "true")
        self.draw("state.people.doubt = ''", "declineAll")
        self.browser.run("document.getElementById('decline-all').focus()")
        self.click("#decline-all")
        self.draw("", "declineAll")
        self.assertEqual((self.focused(), self.shown("home-doubt")), ("Yes", "Decline all 3 invitations? Yes No"))
        self.click("#home-doubt button:nth-of-type(1)")
        self.draw("", "decliningAll")
        self.assertEqual((self.focused(), self.sent()), ("decline-all", ["declineall", "yes"]))
        # The button is gone with the invitations.
        self.draw("")
        self.assertEqual((self.focused(), self.shown("many")), ("new-button", ""))

    def test_a_row_that_stays_keeps_its_focus_while_others_come_and_go(self):
        self.open("?state=people_list")
        self.browser.run("document.querySelector('.invitation .decline').focus()")
        self.draw("rows.splice(0, 1); rows.splice(3, 1)")
        self.click(".invitation .decline")
        self.assertEqual((self.focused(), self.sent()), ("Decline", ["decline 1"]))
        # The focus of a row that goes is taken up by the next one.
        self.draw("rows.splice(0, 1); rows.splice(1, 1)")
        self.assertEqual(self.browser.run("return document.activeElement.closest('.entry').className"), "entry rematchOffer")
        self.draw("rows.length = 0")
        self.assertEqual(self.focused(), "new-button")

    def test_an_event_of_an_earlier_page_is_said_to_wait_beside_whatever_else_is_told(self):
        self.open("?state=people_list")
        waits = "Your earlier turn has no answer yet. It is sent again until then, and counts once."
        wait = f"state.account.unanswered = '{waits}'"
        self.draw(wait)
        self.assertEqual(self.shown("home-told"), waits)
        self.assertIn(waits, self.browser.text("say"))
        self.draw(f"state.people.trouble = 'The service cannot be reached. It is tried again.'; {wait}")
        self.assertEqual(self.shown("home-told"), f"The service cannot be reached. It is tried again. {waits}")
        self.draw("")
        self.assertEqual(self.shown("home-told"), "")

    def test_the_number_for_operators_stands_beside_whatever_is_shown(self):
        number = "If you ask for help, give this number: 019de368-f600-7def-8123-456789abcdef"
        for state, place in {"list": "people", "newMatch": "menu", "mine": "extra"}.items():
            with self.subTest(state=state):
                self.open(f"?state=people_{state}")
                self.assertEqual(self.shown("number"), "")
                self.draw(f"state.account.help = '{number}'", state)
                self.assertEqual(self.shown("number"), number)
                self.assertEqual(self.browser.run("return document.getElementById('number').parentElement.id"), place)
                # It can be selected.
                self.assertNotEqual(self.browser.run("return getComputedStyle(document.getElementById('number')).userSelect"), "none")
                self.draw("", state)
                self.assertEqual(self.shown("number"), "")

    def test_a_question_takes_the_focus_and_gives_it_back(self):
        self.open("?state=people_list")
        self.browser.run("document.querySelector('.invitation .decline').focus()")
        self.draw("state.people.doubt = 'decline'; state.people.doubtName = 'dan'")
        self.assertEqual((self.focused(), self.shown("home-doubt")), ("Yes", "Decline the invitation of dan? Yes No"))
        self.draw("")
        self.assertEqual((self.focused(), self.shown("home-doubt")), ("Decline", ""))

    def test_a_name_cannot_turn_the_page_around(self):
        self.open("?state=people_list")
        self.draw("rows[0].name = 'b\\u202Ee\\u200Bn\\u0007<b>'; rows[2].name = '\\u05D0\\u05D1'; state.people.notice = 'no\\u2067pe'")
        first = self.browser.run("const name = document.querySelector('.entry .name'); return [name.textContent, name.dir, getComputedStyle(name).unicodeBidi]")
        self.assertEqual(first, ["ben<b>", "auto", "isolate"])
        self.assertEqual(self.shown("home-told"), "nope")
        self.assertEqual(self.browser.run("return document.querySelector('.invitation .main').ariaLabel"), "Accept the invitation of \u2068\u05d0\u05d1\u2069")

    def test_the_form_for_a_name_sends_what_is_typed(self):
        self.open("?state=people_fault")
        field = "return [arguments[0]].map((id) => document.getElementById(id)).map((field) => [field.ariaInvalid, document.getElementById(field.getAttribute('aria-describedby')).textContent])[0]"
        self.assertEqual(self.browser.run(field, "account-name"), ["true", '✗ The name "ben" is taken.'])
        self.fill("account-name", "eve")
        self.fill("account-code", "ABCD")
        self.browser.key("Enter")
        self.click("#account-take")
        self.assertEqual(self.sent(), ["name eve", "code ABCD", "register", "register"])
        # It goes on where something is wrong.
        self.assertEqual(self.focused(), "account-name")
        self.show("people_key")
        self.click("#account-save")
        self.assertEqual(self.sent(), ["keyfile"])
        self.assertEqual(self.shown("account-has"), "")
        # A page does not see whether the browser has kept the file. A screen reader hears the question.
        self.show("people_keyGiven")
        self.assertIn("Do you have the file of your key?", self.shown("account-key-text"))
        self.assertEqual(self.browser.run("return document.getElementById('account-key-text').role"), "status")
        self.assertEqual((self.shown("account-save"), self.shown("account-has")), ("Save it again", "Yes, I have it"))
        self.click("#account-save", "#account-has")
        self.assertEqual(self.sent(), ["keyfile", "hasfile"])
        self.assertEqual(self.focused(), "new-button")
        self.show("people_keyMissed")
        self.assertIn("You have not said that you have the key of your name as a file.", self.shown("account-key"))
        self.assertEqual((self.shown("account-save"), self.shown("account-has")), ("", "Yes, I have it"))
        self.show("people_keyDoubted")
        self.assertIn("Do you have the file of your key?", self.shown("note-text"))
        self.click("#note-act")
        self.assertIn("Do you have the file of your key?", self.shown("note-text"))
        self.click("#note-other")
        self.assertEqual(self.shown("note"), "")
        self.assertEqual(self.sent(), ["keyfile", "hasfile"])

    def test_the_focus_goes_on_from_a_note_that_is_answered_or_closed(self):
        for gone, how in [("#note-close", "Enter"), ("#note-other", "Enter"), ("#note-close", None)]:
            with self.subTest(gone=gone, how=how):
                self.open("?state=people_keyDoubted")
                # The other buttons of the note come with the question.
                self.browser.wait(f"return document.querySelector('{gone}').checkVisibility()", f"{gone} is there")
                self.browser.run("document.querySelector(arguments[0]).focus()", gone)
                if how:
                    self.browser.key(how)
                    self.assertEqual(self.focused(), "type")
                else:
                    # A finger brings no keyboard up.
                    self.browser.run("document.dispatchEvent(new Event('pointerdown', { bubbles: true }))")
                    self.click(gone)
                    self.assertEqual(self.focused(), "panel")
                self.assertEqual(self.shown("note"), "")
        # A button that stays keeps it.
        self.show("people_keyDoubted")
        self.browser.run("document.getElementById('note-act').focus()")
        self.browser.key("Enter")
        self.assertEqual(self.focused(), "note-act")

    def test_a_note_covers_nothing_that_cannot_be_scrolled_above_it(self):
        covered = (
            "const note = document.getElementById('note');"
            " const parts = [...document.querySelectorAll('#panel button, #panel input, .foot button')].filter((part) => part.checkVisibility());"
            " for (const _ of [1, 2]) await new Promise(requestAnimationFrame);"
            " const found = parts.filter((part) => { part.scrollIntoView({ block: 'nearest', behavior: 'instant' });"
            "  return part.getBoundingClientRect().bottom > note.getBoundingClientRect().top; });"
            " return [parts.length, found.map((part) => part.id || part.textContent)]"
        )
        for size in [PHONE, (1280, 800)]:
            with self.subTest(size=size):
                self.browser.resize(*size)
                self.addCleanup(self.browser.resize, *PHONE)
                self.open("?state=people_keyDoubted")
                self.assertNotEqual(self.shown("note"), "")
                count, found = self.browser.run(covered)
                self.assertGreater(count, 5)
                self.assertEqual(found, [])
                # Without it there is room for the game alone.
                self.click("#note-close")
                self.browser.wait("return getComputedStyle(document.body).paddingBottom === '0px'", "the room is given back")

    def test_a_turn_that_was_not_played_is_told_of_at_the_end_of_the_match(self):
        self.open("?state=people_won")
        self.assertEqual(self.shown("status"), "")
        self.browser.run(
            "const [{ draw }, { won }] = await Promise.all([import('/panel.js'), (await fetch('/people-states.json')).json()]);"
            " draw({ ...won, match: { ...won.match, notice: 'outdated', noticeValue: '' } }, () => {});"
        )
        told = "The match had gone on. Your turn was not played."
        self.assertEqual(self.shown("status"), told)
        # A screen reader hears how the match ended, too.
        self.assertIn(f"{told} {self.shown('end-title')}", self.browser.text("say"))

    def test_a_file_is_chosen_by_somebody_without_a_name(self):
        self.open("?state=people_name")
        self.assertEqual(self.shown("check-list"), "Check a file…")
        self.browser.choose_file("#record-list", __file__)
        self.assertEqual(self.sent(), ["file"])
        self.show("people_list")
        self.assertEqual(self.shown("files"), "")

    def test_a_new_match_is_chosen_and_filled_in(self):
        self.open("?state=people_newMatch")
        self.click("#pick-anyone", "#pick-open", "#pick-named", "#pick-join", "#pick-daily", "#pick-timedDaily", "#pick-alone", "#pick-timedAlone", "#pick-casual")
        self.assertEqual(
            self.sent(),
            ["pick anyone", "pick open", "pick named", "pick join", "pick daily", "pick timedDaily", "pick alone", "pick timedAlone", "pick casual"],
        )
        self.fill("new-named", "ben ?")
        self.browser.key("Enter")
        self.fill("new-turnLimit", "2h")
        self.browser.key("Escape")
        self.assertEqual(self.sent(), ["fill named ben ?", "pick named", "fill turnLimit 2h", "leave"])
        self.show("people_newDoubted")
        self.click("#new-doubt button:nth-of-type(1)", "#new-doubt button:nth-of-type(2)")
        self.assertEqual(self.sent(), ["yes", "no"])

    def test_boards_are_turned_and_changed(self):
        self.open("?state=people_games")
        lists = ["today", "solo", "dailies", "ladder", "history", "review"]
        self.click(*[f"#board-{name}" for name in lists], "#board-clock", "#board-measure", "#board-span")
        self.assertEqual(self.sent(), [*[f"board {name}" for name in lists], "clock", "measure", "span"])
        own = self.browser.run("return document.querySelector('.own').textContent")
        self.assertEqual(own, "17ada1512?3 (you)")
        self.show("people_today")
        self.click("#begin")
        self.assertEqual(self.sent(), ["begin"])

    def test_another_player_is_invited_blocked_or_reported_from_wherever_the_name_stands(self):
        self.open("?state=people_list")
        for state, selector, action in [("list", ".yourTurn .about", "player 0"), ("ladder", "#board-rows button", "player 0"), ("past", "#past li:nth-child(2) .plain", "player 1"), ("inbox", "#inbox li:nth-child(1) .plain", "player 0"), ("mine", "#about", "player")]:
            self.show(f"people_{state}")
            self.click(selector)
            self.assertEqual(self.sent(), [action])
        self.assertEqual(self.shown("about"), "About ben")
        # Nobody stands in a game alone, nor in a word about a cube.
        self.show("people_past")
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('#past .plain')].map((part) => part.ariaLabel)"), ["About ben", "About Cleopatra_the_7"])
        self.show("people_inbox")
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('#inbox .plain:not([hidden])')].map((part) => part.ariaLabel)"), ["About ben"])
        self.show("people_player")
        self.click("#player-invite", "#player-games", "#player-block", "#player-report")
        self.assertEqual(self.sent(), ["invite", "games", "block", "report"])
        self.show("people_playerDoubted")
        self.assertEqual(self.shown("player-doubt"), "Block ben? You two do not meet any more.YesNo")
        self.click("#player-doubt button:nth-of-type(1)", "#player-doubt button:nth-of-type(2)")
        self.assertEqual(self.sent(), ["yes", "no"])
        self.show("people_playerBlocked")
        self.assertEqual(self.shown("player-block"), "Unblock")
        self.show("people_playerFailed")
        self.click("#player-again")
        self.assertEqual((self.sent(), self.shown("player-invite")), (["reload"], ""))

    def test_a_report_has_a_reason_and_words(self):
        self.open("?state=people_report")
        self.assertEqual(self.browser.run("return document.querySelector('[aria-pressed=true][id^=reason]').id"), "reason-conduct")
        self.click("#reason-cheating")
        self.fill("report-text", "see turn 3")
        self.browser.key("Enter")
        self.assertEqual(self.sent(), ["reason cheating", "fill reportText see turn 3", "written"])
        self.click(*[f"#report-form .row:last-child button:nth-of-type({place})" for place in (1, 2)])
        self.assertEqual(self.sent(), ["written", "no"])
        # The state that was drawn has a text that turns around.
        self.assertEqual(self.browser.run("return document.getElementById('report-text').ariaInvalid"), "true")
        self.show("people_reportDoubted")
        self.assertEqual(self.shown("player-doubt"), "Send this report about ben to the operators?YesNo")

    def test_a_turn_is_answered_with_the_word_that_is_looked_at(self):
        self.open("?state=people_mine")
        self.assertEqual(self.shown("answer"), "Answer with a word")
        self.click("#answer")
        self.assertEqual(self.sent(), ["look 1"])
        self.show("people_reacting")
        self.assertEqual(self.shown("answer"), "Answer with INAPTLY")
        self.click("#answer")
        self.assertEqual(self.sent(), ["react"])
        self.show("people_reactionRefused")
        self.assertIn("Your answer was not taken. The turn has an answer already.", self.shown("extra-text"))

    def test_a_notification_opens_its_match_or_is_taken_away(self):
        self.open("?state=people_inbox")
        self.click("#inbox li:nth-child(1) .main", "#inbox li:nth-child(2) button:nth-child(2)", "#inbox-all")
        self.assertEqual(self.sent(), ["notice 0", "seen 1", "allseen"])
        self.assertTrue(self.browser.run("return document.querySelector('#inbox li:nth-child(2) .main').hidden"))
        self.show("people_inboxEmpty")
        self.assertEqual(self.shown("menu-told"), "Nothing that you have not seen.")
        self.assertEqual(self.shown("inbox-all"), "")
        self.draw("delete menu.rows; menu.content = 'failed'; menu.failure = 'The service cannot be reached.'", "inbox")
        self.assertEqual(self.shown("menu-told"), "The service cannot be reached.")
        self.click("#inbox-again")
        self.assertEqual(self.sent(), ["reload"])

    def test_past_games_are_opened_and_a_file_is_checked(self):
        self.open("?state=people_past")
        self.click("#past li:nth-child(2) .head", "#past-more")
        self.browser.choose_file("#record-file", __file__)
        self.assertEqual(self.sent(), ["past 1", "more", "file"])
        self.assertEqual(self.browser.run("return document.querySelector('#past .head').innerText.replace(/\\s+/g, ' ')"), "ben 812 : 790 won, no cube is left 3 min ago by invitation, casual")
        # The button opens the browser's own dialog.
        self.browser.run("document.getElementById('record-file').click = () => (window.isAsked = true)")
        self.click("#check-file")
        self.assertTrue(self.browser.run("return window.isAsked"))
        self.browser.key("Escape")
        self.assertEqual(self.sent(), ["leave"])
        self.open("?state=people_pastMore")
        self.assertEqual((self.shown("menu-told"), self.browser.run("return document.getElementById('past-more').ariaDisabled")), ("Loading older games.", "true"))
        self.show("people_pastFailed")
        self.click("#past-again")
        self.assertEqual(self.sent(), ["reload"])
        self.show("people_pastEmpty")
        self.assertIn("No match is over yet.", self.browser.text("say"))

    def test_past_games_are_filtered_by_kind_and_result(self):
        chosen = "return ['past-kind', 'past-result'].map((id) => document.getElementById(id).selectedOptions[0].text)"
        self.open("?state=people_past")
        self.assertEqual((self.browser.run(chosen), self.shown("past-all")), (["All", "All"], ""))
        values = "return [...document.getElementById(arguments[0]).options].map(({ value }) => value)"
        kinds, results = [self.browser.run(values, name) for name in ("past-kind", "past-result")]
        for name, options in [("past-kind", kinds), ("past-result", results)]:
            for option in options[1:] + options[:1]:
                self.browser.choose(f"#{name}", option)
        self.assertEqual(self.sent(), [*[f"kind {kind}" for kind in kinds[1:] + kinds[:1]], *[f"result {result}" for result in results[1:] + results[:1]]])
        self.assertEqual(kinds, ["all", "random", "invitation", "open", "rematch", "solo", "daily"])
        self.assertEqual(results, ["all", "won", "lost", "tied", "completed", "none"])
        # By keyboard, too; the list keeps the focus where it is.
        self.browser.run("document.getElementById('past-kind').focus()")
        self.browser.key("ArrowDown")
        self.assertEqual((self.sent(), self.focused()), (["kind random"], "past-kind"))
        self.show("people_pastFiltered")
        self.assertEqual((self.browser.run(chosen), self.shown("past-filter")), (["Rematches", "Lost"], "Only rematches that you lost."))
        self.assertEqual(self.browser.text("say"), "Past games. Only rematches that you lost. 1 game.")
        self.browser.run("document.getElementById('past-all').focus()")
        self.click("#past-all")
        self.assertEqual(self.sent(), ["allgames"])
        # The button is gone with the filter, and the focus is beside its place.
        self.draw("", "past")
        self.assertEqual((self.browser.run(chosen), self.shown("past-filter"), self.focused()), (["All", "All"], "", "past-kind"))
        self.show("people_pastNoneSuch")
        self.assertEqual((self.shown("past-filter"), self.shown("past-empty")), ("Only games by chance against ben.", "You have no past games by chance against ben."))
        self.assertEqual(self.browser.text("say"), "Past games. You have no past games by chance against ben.")

    def test_a_record_has_its_verdict_in_words_and_says_it(self):
        told = "const part = document.querySelector(arguments[0] + ' .told'); return [part.textContent, part.getAttribute('role')]"
        self.open("?state=people_pastTampered")
        self.assertEqual(
            self.browser.run(told, "#file-record"), ["✗ tampered.json: NOT VERIFIED. Entry 9 does not hold: its signature is not its key's.", "status"]
        )
        self.show("people_pastRefused")
        self.assertEqual(self.browser.run(told, "#file-record")[0], "✗ holiday.png is not a Cubist record: not JSON.")
        self.show("people_verified")
        self.assertTrue(self.browser.run(told, "#match-record")[0].startswith("✓ VERIFIED: "))
        self.assertIn("The root key is the one that this browser knows.", self.shown("match-record"))
        self.click("#check", "#save-record")
        self.assertEqual(self.sent(), ["check", "record"])
        self.show("people_unchecked")
        self.assertIn("? Rules, scores, turn order", self.shown("match-record"))
        self.show("people_mine")
        self.assertEqual(self.shown("match-record"), "")

    def test_the_slider_tells_each_turn(self):
        self.open("?state=people_verified")
        self.browser.run("document.getElementById('scrubber').focus()")
        at = "const { ariaValueText, value, max, ariaLabel } = document.getElementById('scrubber'); return [ariaValueText, value, max, ariaLabel]"
        self.assertEqual(self.browser.run(at), ["end", "5", "5", "Look at a turn"])
        self.browser.key("ArrowLeft")
        self.click("#earlier", "#later", "#replay", "#now")
        self.assertEqual(self.sent(), ["turn 4", "look 1", "look -1", "replay", "turn 0"])

    def test_settings_are_changed_saved_and_thrown_away(self):
        self.open("?state=people_settings")
        self.click("#set-kinds li:nth-child(2) .switch", "#set-devices .switch", "#set-devices li:nth-child(2) > :last-child", "#set-blocked button", "#save")
        self.assertEqual(self.sent(), ["toggle notification 1", "toggle device 0", "remove device 1", "remove blocked 0", "save"])
        self.fill("set-newBlocked", "eve")
        self.browser.key("Enter")
        self.fill("set-displayName", "")
        self.fill("set-newDevice", "tablet")
        self.browser.key("Enter")
        self.click("[aria-label='Add this device']", "[aria-label='Add this player']")
        self.assertEqual(
            self.sent(), ["fill newBlocked eve", "add blocked", "fill displayName ", "fill newDevice tablet", "add device", "add device", "add blocked"]
        )
        # When and how notifications come.
        for name, text in [("quietFrom", "22:00"), ("quietUntil", "07:30"), ("digest", "08:00"), ("timeZone", "Asia/Tokyo")]:
            self.fill(f"set-{name}", text)
            self.assertEqual(self.sent(), [f"fill {name} {text}"])
        for name, option in [("late", "dropped"), ("review", "sunday"), ("language", "de")]:
            self.browser.choose(f"#set-{name}", option)
            self.assertEqual(self.sent(), [f"choose {name} {option}"])
        self.click("#set-bundle", "#set-nudges", "#set-own", "#test-push")
        self.assertEqual(self.sent(), ["choose bundle off", "choose nudges off", "fill timeZone Europe/Berlin", "testpush"])
        self.assertEqual(self.shown("set-own"), "Take those of this browser: Europe/Berlin")
        # The player leaves before the browser's question is answered.
        self.browser.run(
            "window.Notification = { permission: 'default', requestPermission: () => new Promise((resolve) => (window.answer = resolve)) };"
            " document.querySelector('#set-here button').click()"
        )
        self.assertEqual(self.shown("notices"), "The browser has not been allowed to show them. Turn this off and on again to be asked.")
        self.draw("", "inbox")
        self.browser.run("window.answer('granted'); await new Promise((resolve) => setTimeout(resolve))")
        self.browser.run("localStorage.clear()")
        self.draw("delete menu.form; menu.content = 'failed'; menu.failure = 'The service cannot be reached.'", "settings")
        self.assertEqual((self.shown("menu-told"), self.shown("settings")), ("The service cannot be reached.", ""))
        self.click("#settings-again")
        self.assertEqual(self.sent(), ["reload"])
        self.open("?state=people_endDoubted")
        self.click("#export-account", "#end-account", "#end-doubt button:nth-of-type(1)", "#end-doubt button:nth-of-type(2)")
        self.assertEqual(self.sent(), ["exportaccount", "endaccount", "endaccount yes", "endaccount no"])
        self.show("people_ending")
        self.click("#keep-account")
        self.assertEqual(self.sent(), ["keepaccount"])
        self.show("people_settingsDoubted")
        self.click(*[f"#settings-doubt button:nth-of-type({place})" for place in (1, 2, 3)])
        # Nobody throws changes away by pressing a key twice.
        self.browser.key("Escape")
        self.assertEqual(self.sent(), ["doubt save", "doubt throwAway", "doubt stay", "doubt stay"])

    def test_a_warning_about_the_account_leads_to_the_way_to_stop_it(self):
        button = "#home-warning button"
        text = lambda: self.browser.run("return document.querySelector(arguments[0]).textContent", button)
        self.open("?state=people_warned")
        self.assertEqual(text(), "Your devices")
        self.click(button)
        self.draw("Object.assign(state.people, { warning: 'Your account ends soon. Not you?', warningAct: 'menu settings' })")
        self.assertEqual(text(), "Settings")
        self.click(button)
        self.assertEqual(self.sent(), ["keys", "menu settings"])
        self.draw("")
        self.assertFalse(self.browser.run("return document.querySelector(arguments[0]).checkVisibility()", button))

    def test_giving_up_says_what_it_costs(self):
        self.open("?state=people_givingUp")
        for loss, told in {"no": "", "possible": " This may count as a loss.", "certain": " You lose."}.items():
            self.draw(f"state.extra.loss = '{loss}'", "givingUp")
            self.assertEqual(self.browser.run("return document.querySelector('#giving span').textContent"), "Give up against ben?" + told)

    def test_a_match_has_its_clock_its_neighbours_and_its_end(self):
        self.open("?state=people_mine")
        self.browser.type("CAT")
        self.click("#next", "#give-up", "#list-button")
        self.assertEqual(self.sent(), ["letter C", "letter A", "letter T", "next", "giveup", "leave"])
        self.assertEqual(self.browser.run("const { textContent, role } = document.getElementById('clock'); return [textContent, role]"), ["1 h 30 min", "timer"])
        self.assertNotIn("30", self.browser.text("say"))
        self.show("people_givingUp")
        self.click("#giving button:nth-of-type(1)", "#giving button:nth-of-type(2)")
        self.browser.key("Escape")
        self.assertEqual(self.sent(), ["yes", "no", "no"])
        self.show("people_shared")
        self.click("#rematch", "#other")
        self.assertEqual(self.sent(), ["rematch", "leave"])
        self.assertEqual(self.browser.run("return document.getElementById('link-text').value"), self.server.address + "s/M4QX7ZKP2RTA")
        self.show("people_absent")
        self.click("#again")
        self.assertEqual(self.sent(), ["reload"])

    def test_the_result_of_a_daily_is_there_to_be_passed_on(self):
        self.open("?state=people_alone")
        self.browser.run(
            "const { drawService } = await import('/people.js');"
            " const { alone } = await (await fetch('/people-states.json')).json();"
            " alone.extra.dailyResult = 'Cubist daily 2026-11-23\\n412 points, 2 words\\n🟩🟧';"
            " drawService(alone, () => {}); drawService(alone, () => {})"
        )
        self.assertEqual(self.browser.run("return document.getElementById('result-text').value"), "Cubist daily 2026-11-23\n412 points, 2 words\n🟩🟧")
        self.assertEqual(self.browser.run("return document.querySelector('#result label').control.id"), "result-text")
        self.browser.run("Object.defineProperty(navigator, 'clipboard', { value: { writeText: (text) => (window.copied = text) } })")
        self.click("#result button")
        self.assertIn("🟩🟧", self.browser.run("return window.copied"))
        self.open("?state=people_alone")
        self.assertIsNone(self.browser.run("return document.getElementById('result')"))

    def test_devices_are_added_and_removed_by_their_buttons(self):
        self.open("?state=people_settings")
        self.click("#keys-button")
        self.assertEqual(self.sent(), ["keys"])
        self.show("people_keys")
        texts = self.browser.run("return [...document.querySelectorAll('#keys li > span')].map(({ textContent }) => textContent)")
        self.assertEqual(texts, ["Device 3fa2b81c added 12 days ago, the first one", "This device added 2 h ago, let in by 3fa2b81c"])
        labels = self.browser.run("return [...document.querySelectorAll('#keys button')].map((button) => button.ariaLabel)")
        self.assertEqual(labels, ["Remove: Device 3fa2b81c", "Remove: This device"])
        self.click("#keys li:nth-child(2) button", "#let-in")
        removal, wish = self.sent()
        self.assertEqual(removal, "removekey 1")
        # The bits of a code are new each time.
        self.assertRegex(wish, r"^letin \d{1,20}$")
        self.click("#let-in")
        self.assertNotEqual(self.sent(), [wish])
        self.show("people_keysDoubted")
        self.assertIn("Remove the device 3fa2b81c? It plays as you no more.", self.shown("keys-doubt"))
        self.click("#keys-doubt button:nth-of-type(1)", "#keys-doubt button:nth-of-type(2)")
        self.assertEqual(self.sent(), ["yes", "no"])
        # The only device cannot be removed.
        self.show("people_keysOnly")
        self.assertFalse(self.browser.run("return document.querySelector('#keys button').checkVisibility()"))

    def test_recovery_words_are_made_and_a_recovery_is_objected_to_by_buttons(self):
        self.open("?state=people_keysRecovery")
        self.click("#words-make", "#words-object")
        made, objection = self.sent()
        self.assertRegex(made, r"^words [0-9a-f]{32}$")
        self.assertEqual(objection, "object")
        self.show("people_keysWords")
        words = self.browser.run("return [...document.querySelectorAll('#words-list li')].map(({ textContent }) => textContent)")
        self.assertEqual((len(words), words[1], words[11]), (12, "winner", "yellow"))
        self.click("#words-written", "#words-shown .row button:nth-of-type(2)")
        self.assertEqual(self.sent(), ["wordswritten", "wordsaway"])
        # They are not there any more while they are asked for.
        self.show("people_keysTyping")
        self.assertIn("words 3, 7 and 11,", self.browser.run("return document.querySelector('#words-asked label').textContent"))
        self.assertEqual(self.browser.run("return document.getElementById('words-list').textContent"), "")
        self.show("people_keyWords")
        self.assertIn("They count at once if you make them", self.shown("note-text"))
        self.click("#note-other")
        self.assertEqual(self.sent(), ["keys"])

    def test_a_code_is_shown_as_text_link_and_qr_code(self):
        self.open("?state=people_settings")
        self.draw("", "keysCode")
        link = self.server.address + "#add=K3F7-9QMN-2XVB"
        self.assertEqual(self.browser.run("return document.getElementById('let-in-address').value"), link)
        self.browser.wait("return document.querySelector('.qr')", "the picture is drawn")
        self.assertEqual(self.qr_text(), link)
        self.assertEqual(self.browser.run("const { ariaLabel, role } = document.querySelector('.qr'); return [role, ariaLabel]"), ["img", "QR code of the link"])
        self.assertEqual(self.shown("let-in-left"), "It is good once, for 9:34.")
        self.assertEqual(self.browser.text("say"), "Your devices. 2 devices. The code is K3F7-9QMN-2XVB.")
        # A second passes: nothing is read aloud again, and the picture stays.
        self.browser.run("document.querySelector('.qr').dataset.isFirst = 'yes'")
        self.draw("menu.seconds = 61", "keysCode")
        self.assertEqual(self.shown("let-in-left"), "It is good once, for 1:01.")
        self.assertEqual(self.browser.run("return document.querySelector('.qr').dataset.isFirst"), "yes")
        # Another code has another picture, whatever its length.
        for length in (0, 1, 60, 100, 140):
            self.draw(f"menu.code = 'K'.repeat({length} || 1)", "keysCode")
            wanted = self.server.address + "#add=" + "K" * (length or 1)
            self.browser.wait(f"return document.getElementById('let-in-picture').dataset.link === '{wanted}' && document.querySelector('.qr')", "the picture is drawn anew")
            self.assertEqual(self.qr_text(), wanted)
        self.draw("menu.code = 'K'.repeat(400)", "keysCode")
        self.browser.wait("return !document.querySelector('.qr')", "no code has so much room")
        # The focus of a button that goes with the code goes on.
        self.browser.run("document.querySelector('#let-in-link button').focus()")
        self.draw("menu.invitation = 'none'", "keysCode")
        self.assertEqual(self.focused(), "menu-title")

    def qr_text(self):
        size, path = self.browser.run("const part = document.querySelector('.qr'); return [Number(part.getAttribute('viewBox').split(' ')[2]), part.firstChild.getAttribute('d')]")
        return qr.read(size, path)

    def test_a_device_shows_a_code_and_begins_anew(self):
        self.open("?state=people_name")
        self.click("#add-code")
        self.fill("add-code", "K3F7")
        self.click("#add-take")
        self.assertEqual(self.sent(), ["devicecode K3F7", "adddevice"])
        self.show("people_added")
        self.assertEqual(self.browser.run("const field = document.getElementById('add-code'); return [field.value, document.getElementById(field.getAttribute('aria-describedby')).textContent]"), ["K3F7", "✗ 12 letters and digits"])
        self.show("people_adding")
        self.assertEqual(self.shown("add-told"), "Adding this device.")
        self.assertEqual(self.browser.run("return document.getElementById('add-take').ariaDisabled"), "true")
        self.show("people_removed")
        self.assertIn("This device was removed: it plays as ada no more.", self.shown("account-removed"))
        self.assertEqual((self.shown("account-form"), self.shown("add-form"), self.shown("home")), ("", "", ""))
        self.click("#account-removed button")
        self.assertEqual(self.sent(), ["anew"])

    def test_recovery_words_are_typed_and_a_lost_key_is_told(self):
        self.open("?state=people_name")
        self.assertEqual(self.shown("recover-form"), "")
        self.click("#recover-want")
        self.assertEqual(self.browser.run("return document.activeElement.id"), "recover-name")
        self.fill("recover-name", "ada")
        self.fill("recover-words", "legal winner")
        self.click("#recover-take")
        self.assertEqual(self.sent(), ["recovername ada", "recover legal winner"])
        self.show("people_recoverDoubted")
        self.assertIn("Another device is to play as ada in 2 days 3 h.", self.shown("recover-doubt"))
        self.click("#recover-doubt button:nth-of-type(1)", "#recover-doubt button:nth-of-type(2)")
        self.assertEqual(self.sent(), ["otherrecovery stop", "otherrecovery leave"])
        self.show("people_recovering")
        self.assertIn("This browser plays as ada in 5 days 23 h, and no other device does then. A device of ada has objected.", self.shown("recover-is"))
        self.assertEqual((self.shown("account-form"), self.shown("add-form"), self.shown("account-lost")), ("", "", ""))
        # The words of before are gone.
        self.assertEqual(self.browser.run("return document.getElementById('recover-words').value"), "")
        self.fill("recover-words", "legal")
        self.click("#recover-take")
        self.assertEqual(self.sent(), ["stoprecovery legal"])
        self.show("people_lost")
        self.assertIn("The key of ada was in this browser, and is gone", self.shown("account-lost"))
        self.assertNotEqual(self.shown("recover-form"), "")
        self.click("#account-lost button")
        self.assertEqual(self.sent(), ["anew"])

    def test_a_new_browser_leads_those_with_a_name_to_the_list(self):
        self.open_anew()
        self.click("#named-button")
        self.browser.wait("return document.getElementById('recover-want')?.checkVisibility() && document.getElementById('add-code').checkVisibility()", "the ways back are there")

    def test_nothing_of_it_is_loaded_by_who_plays_against_robots(self):
        self.server.requests.clear()
        self.open_anew()
        self.assertEqual([path for path in self.server.requests if path in ("/people.css", "/people.js", "/menus.js", "/parts.js", "/records.js", "/devices.js", "/qrcode.js", "/people-states.json")], [])
        self.assertEqual(self.shown("people"), "")
