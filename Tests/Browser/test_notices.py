"""Notifications of a browser whose page is open, at a real service and in whole Chromium."""

from guest import OneGuestTest, PairTest


#: A test asks no push service of a browser's vendor.
ALONE = "if (window.PushManager) PushManager.prototype.subscribe = async () => { throw new DOMException('none in a test', 'AbortError'); };"


class Notices(PairTest):
    whole = True

    def test_a_player_who_looks_elsewhere_is_told_of_the_turn_once(self):
        mover, other = self.begin()
        origin = self.gateway.address.rstrip("/")
        other.command("Browser.setPermission", origin=origin, permission={"name": "notifications"}, setting="granted")
        self.addCleanup(other.command, "Browser.setPermission", origin=origin, permission={"name": "notifications"}, setting="prompt")
        other.until_worker()
        other.run(ALONE)
        other.run(
            "const { prototype } = ServiceWorkerRegistration, { showNotification } = prototype; window.shown = 0;"
            " prototype.showNotification = async function (...all) { await showNotification.apply(this, all); window.shown++; };"
        )
        told = "return (await (await navigator.serviceWorker.ready).getNotifications()).map(({ title, body }) => [title, body])"
        hidden = "Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' })"
        # They were not turned on, or the player is here.
        other.run(hidden)
        mover.play_word()
        other.until_lines(1)
        self.assertEqual(other.run(told), [])
        other.run("localStorage.setItem('cubist.notices', 'on'); delete document.visibilityState")
        other.take_cubes()
        mover.until_lines(2)
        mover.take_cubes()
        other.until_lines(3)
        self.assertEqual(other.run(told), [])
        other.take_cubes()
        mover.until_lines(4)
        other.run(hidden)
        name = mover.name
        mover.take_cubes()
        # A list that is asked for while a notification is about to be shown takes that one for a lost one, and forgets it.
        other.until(lambda: other.run("return window.shown === 1"), "it is shown")
        self.assertEqual(other.run(told), [["Cubist", f"It is your turn against {name}."]])
        other.run("localStorage.removeItem('cubist.notices'); delete document.visibilityState")
        self.end(other)


class Permission(OneGuestTest):
    whole = True

    def test_the_browser_is_asked_for_notifications_after_they_were_turned_on_and_not_before(self):
        ada = self.ada
        self.before_each_load(
            ALONE + " window.asked = 0; window.answer = 'default';"
            " if (window.Notification) Notification.requestPermission = async () => { window.asked++; return window.answer; };"
        )

        def permit(setting):
            ada.command("Browser.setPermission", origin=self.gateway.address.rstrip("/"), permission={"name": "notifications"}, setting=setting)

        def to_settings():
            ada.to_list()
            ada.click("#settings-button")
            ada.until_seen("#set-here")

        permit("prompt")
        ada.come()
        ada.take_name("Notified")
        to_settings()
        ada.click("#set-kinds button")
        ada.click("#set-kinds button")
        self.assertEqual(ada.run("return window.asked"), 0)
        self.assertEqual(ada.seen("#notices"), "")
        ada.click("#set-here button")
        ada.until_text("#notices", "The browser has not been allowed to show them.")
        self.assertEqual(ada.run("return [window.asked, document.querySelector('#set-here button').ariaChecked]"), [1, "true"])
        for setting, sentence in [("denied", "The browser was told not to show any."), ("granted", "This browser shows them while the page is open")]:
            permit(setting)
            # It is kept in this browser.
            ada.come()
            to_settings()
            ada.until_text("#notices", sentence)
            self.assertEqual(ada.run("return window.asked"), 0)
        self.before_each_load("delete window.Notification")
        ada.come()
        to_settings()
        ada.until_text("#notices", "This browser cannot show notifications.")
        ada.click("#set-here button")
        self.assertEqual(ada.seen("#notices"), "")
        permit("prompt")

    def test_settings_that_were_left_are_not_drawn_when_the_browser_has_its_answer(self):
        ada = self.ada
        ada.command("Browser.setPermission", origin=self.gateway.address.rstrip("/"), permission={"name": "notifications"}, setting="prompt")
        self.before_each_load("if (window.Notification) Notification.requestPermission = () => new Promise((resolve) => (window.decide = resolve));")
        ada.come()
        ada.take_name("Elsewhere")
        ada.click("#settings-button")
        ada.until_seen("#set-here")
        ada.click("#set-here button")
        ada.until(lambda: ada.run("return Boolean(window.decide)"), "the browser asks")
        # Another menu has taken the place of the settings by the time of the answer.
        ada.key("Escape")
        ada.until_seen("#list")
        ada.click("#boards-button")
        ada.until_seen("#board-today")
        ada.run("window.decide('default')")
        # An error would be in the console.
        ada.run("await new Promise((resolve) => setTimeout(resolve))")
        self.assertTrue(ada.is_seen("#board-today"))
