"""Notifications of a browser whose page is open, in whole Chromium."""

from guest import PairTest


class Notices(PairTest):
    whole = True

    def test_a_player_who_looks_elsewhere_is_told_of_the_turn_once(self):
        mover, other = self.begin()
        origin = self.gateway.address.rstrip("/")
        other.command("Browser.setPermission", origin=origin, permission={"name": "notifications"}, setting="granted")
        other.until_worker()
        other.run(
            "const { prototype } = ServiceWorkerRegistration, { showNotification } = prototype; window.shown = 0;"
            " prototype.showNotification = async function (...all) { await showNotification.apply(this, all); window.shown++; };"
        )
        told = (
            "const [done] = arguments; navigator.serviceWorker.ready.then((ready) => ready.getNotifications())"
            ".then((all) => done(all.map(({ title, body }) => [title, body])))"
        )
        hidden = "Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' })"
        # They were not turned on, or the player is here.
        other.run(hidden)
        mover.play_word()
        other.until_lines(1)
        self.assertEqual(other.driver.execute_async_script(told), [])
        other.run("localStorage.setItem('cubist.notices', 'on'); delete document.visibilityState")
        other.take_cubes()
        mover.until_lines(2)
        mover.take_cubes()
        other.until_lines(3)
        self.assertEqual(other.driver.execute_async_script(told), [])
        other.take_cubes()
        mover.until_lines(4)
        other.run(hidden)
        name = "ada" if mover is self.ada else "ben"
        mover.take_cubes()
        # A list that is asked for while a notification is about to be shown takes that one for a lost one, and forgets it.
        other.until(lambda: other.run("return window.shown === 1"), "it is shown")
        self.assertEqual(other.driver.execute_async_script(told), [["Cubist", f"It is your turn against {name}."]])
        other.run("localStorage.removeItem('cubist.notices'); delete document.visibilityState")
        self.end(other)
