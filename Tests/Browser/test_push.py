"""Notifications that come without an open page: at a real service, in whole Chromium.

A real subscription needs the push service of the browser's vendor. So `pushManager.subscribe` is replaced, and with it `getSubscription`, which knows only what
the real one has made. The keys are real. A message reaches the service worker through DevTools, as a push service would bring it after decryption."""

import base64
import http.server
import json
import pathlib
import queue
import ssl
import subprocess
import tempfile
import threading

from devtools import Target
from gateway import Shared
from guest import OneGuestTest, PairTest

#: The browser keeps a subscription, so this one outlives the page, too. `fake.failure` is the name of the error that subscribing meets.
SUBSCRIBE = """
(() => {
  if (!window.PushManager) return;
  const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const read = () => {
    const kept = JSON.parse(localStorage.getItem("fake.subscription"));
    if (!kept) return null;
    return {
      endpoint: kept.endpoint, key: kept.key,
      toJSON: () => ({ endpoint: kept.endpoint, expirationTime: null, keys: kept.keys }),
      unsubscribe: async () => { localStorage.removeItem("fake.subscription"); return true; },
    };
  };
  PushManager.prototype.getSubscription = async () => read();
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    const failure = localStorage.getItem("fake.failure");
    if (failure) throw new DOMException("a failure of the test", failure);
    if (!userVisibleOnly || Notification.permission !== "granted") throw new DOMException("not allowed", "NotAllowedError");
    const point = atob(applicationServerKey.replaceAll("-", "+").replaceAll("_", "/"));
    if (point.length !== 65 || point.charCodeAt(0) !== 4) throw new DOMException("no point of P-256", "InvalidAccessError");
    const kept = read();
    if (kept && kept.key !== applicationServerKey) throw new DOMException("another key", "InvalidStateError");
    if (kept) return kept;
    const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
    localStorage.setItem("fake.subscription", JSON.stringify({
      endpoint: `https://push.example/send/${text(crypto.getRandomValues(new Uint8Array(24)))}`, key: applicationServerKey,
      keys: { p256dh: text(await crypto.subtle.exportKey("raw", pair.publicKey)), auth: text(crypto.getRandomValues(new Uint8Array(16))) },
      secret: await crypto.subtle.exportKey("jwk", pair.privateKey),
    }));
    return read();
  };
})();
"""

#: Keeps the payloads of events that the page sends: they follow 97 bytes of the envelope.
LISTEN = """
(() => {
  const { fetch } = window;
  window.fetch = (path, options) => {
    if (path === "/v1/events") {
      const payload = JSON.parse(new TextDecoder().decode(options.body.slice(97)));
      const before = JSON.parse(sessionStorage.getItem("events") ?? "[]");
      if (!before.some(({ id }) => id === payload.id)) sessionStorage.setItem("events", JSON.stringify([...before, payload]));
    }
    return fetch(path, options);
  };
})();
"""

#: The service of these tests has a key of Web Push. This takes it out of its answers, as if it had none.
NO_KEY = """
(() => {
  const { fetch } = window;
  window.fetch = async (path, options) => {
    const answer = await fetch(path, options);
    if (path !== "/v1/queries") return answer;
    const content = JSON.parse(await answer.text());
    delete content.ok?.pushKey;
    return new Response(JSON.stringify(content), { status: answer.status, headers: answer.headers });
  };
})();
"""

#: What the worker has shown, and how many messages it is done with.
WATCH = """
(() => {
  const isWatched = "told" in self;
  self.told = []; self.doneWith = 0; self.opened = [];
  if (isWatched) return;
  const show = registration.showNotification.bind(registration);
  registration.showNotification = async (title, options) => { await show(title, options); self.told.push({ title, ...options }); };
  const before = take;
  self.take = async (message) => { await before(message); self.doneWith++; };
  Object.defineProperty(clients, "openWindow", { configurable: true, value: async (address) => { self.opened.push(address); return null; } });
  // A browser lets only clicks of its own wait for something.
  NotificationEvent.prototype.waitUntil = function (work) { self.followed = work; };
  self.tap = async () => {
    const [notification] = await registration.getNotifications();
    dispatchEvent(new NotificationEvent("notificationclick", { notification }));
    await self.followed;
  };
})()
"""

MATCH = "01234567-89ab-cdef-0123-456789abcdef"
PLAIN = ("Cubist", "Something waits in Cubist.")


def message(**changes):
    """A message of the service, after decryption."""
    whole = {
        "id": "fedcba98-7654-3210-fedc-ba9876543210", "kind": "yourTurn", "title": "Your turn", "body": "Ben has played PLANET.", "tag": "turn-1",
        "match": MATCH, "waiting": 2, "silent": False, "lang": "en",
    }
    return json.dumps({**whole, **changes})


class Worker:
    """The service worker of a guest's browser, to which messages are delivered."""

    def __init__(self, guest):
        guest.until_worker()
        self.guest, self.address = guest, guest.address
        guest.command("ServiceWorker.enable")
        found = guest.devtools.event(lambda event: event["method"] == "ServiceWorker.workerRegistrationUpdated" and self.registrations(event["params"]))
        self.id = self.registrations(found["params"])[0]["registrationId"]
        guest.until(lambda: self.attach(), "the worker is there")
        self.value(WATCH)

    def registrations(self, update):
        return [one for one in update["registrations"] if one["scopeURL"] == self.address and not one["isDeleted"]]

    def attach(self):
        if found := self.guest.devtools.targets("service_worker", self.address):
            self.worker = Target(self.guest.devtools, found[0])
            return True
        # One that has nothing to do ends after a while, and begins at the next message.
        self.guest.command("ServiceWorker.startWorker", scopeURL=self.address)
        return False

    def value(self, script):
        return self.worker.value(script)

    def deliver(self, text):
        """Brings a message, and waits until the worker is done with it. Gives what it has shown for it."""
        before, count = self.value("doneWith"), self.value("told.length")
        self.guest.command("ServiceWorker.deliverPushMessage", origin=self.address.rstrip("/"), registrationId=self.id, data=text)
        self.guest.until(lambda: self.value("doneWith") == before + 1, "the worker is done with the message")
        return self.value(f"told.slice({count})")

    def shown(self):
        """The notifications as the browser has them."""
        return self.value("registration.getNotifications().then((all) => all.map(({ title, body, tag, lang, silent, data }) => ({ title, body, tag, lang, silent, data })))")

    def clear(self):
        self.value("registration.getNotifications().then((all) => all.forEach((one) => one.close()))")

    def close(self):
        self.worker.detach()
        self.guest.command("ServiceWorker.disable")


def permit(guest, setting):
    guest.command("Browser.setPermission", origin=guest.address.rstrip("/"), permission={"name": "notifications"}, setting=setting)


class Devices(OneGuestTest):
    whole = True

    def setUp(self):
        super().setUp()
        self.before_each_load(SUBSCRIBE + LISTEN)
        permit(self.ada, "granted")
        self.addCleanup(permit, self.ada, "prompt")
        self.ada.come()

    def to_settings(self):
        self.ada.to_list()
        self.ada.click("#settings-button")
        self.ada.until_seen("#set-here")

    def turn_on(self, name):
        self.ada.take_name(name)
        self.to_settings()
        self.ada.click("#set-here button")
        self.ada.until_text("#notices", "also when the page is closed")

    def again(self):
        self.ada.come()
        self.to_settings()

    def events(self, kind):
        return [event for event in json.loads(self.ada.run("return sessionStorage.getItem('events') ?? '[]'")) if event["type"] == kind]

    def kept(self):
        """The subscription that the browser has; none: null."""
        return self.ada.run("return JSON.parse(localStorage.getItem('fake.subscription'))")

    def test_a_browser_that_subscribes_becomes_a_device_of_the_player_once(self):
        ada = self.ada
        ada.take_name("Pushed")
        self.to_settings()
        # Nothing is subscribed before the player wants it.
        self.assertIsNone(self.kept())
        ada.click("#set-here button")
        ada.until_text("#notices", "also when the page is closed")
        [event] = self.events("deviceRegistered")
        kept, device = self.kept(), event["device"]
        self.assertRegex(device, "^browser-[0-9a-f]{4}$")
        self.assertEqual(
            {name: event.get(name) for name in ("route", "endpoint", "key", "secret", "permission", "token")},
            {"route": "webPush", "endpoint": kept["endpoint"], "key": kept["keys"]["p256dh"], "secret": kept["keys"]["auth"], "permission": "authorized", "token": None},
        )
        ada.until_text("#set-devices", device)
        ada.until_seen("#test-push")
        self.again()
        ada.until_text("#notices", device)
        self.assertEqual(len(self.events("deviceRegistered")), 1)
        # The service's list is asked for in order, so the browser is known by then.
        self.assertEqual(self.kept()["endpoint"], kept["endpoint"])
        ada.click("#set-here button")
        ada.until(lambda: self.kept() is None, "the subscription is ended")
        ada.until(lambda: [event["device"] for event in self.events("deviceRemoved")] == [device], "the service is told")
        self.assertEqual(ada.seen("#notices"), "")
        self.again()
        ada.until(lambda: device not in ada.seen("#set-devices"), "the device is away")

    def test_a_changed_subscription_and_another_key_of_the_service_are_told_under_the_same_name(self):
        self.turn_on("Changed")
        [first] = self.events("deviceRegistered")
        self.ada.run("localStorage.removeItem('fake.subscription')")
        self.again()
        self.ada.until(lambda: len(self.events("deviceRegistered")) == 2, "the new subscription is told")
        self.ada.run(
            "const kept = JSON.parse(localStorage.getItem('fake.subscription'));"
            " localStorage.setItem('fake.subscription', JSON.stringify({ ...kept, key: 'B' + 'A'.repeat(86) }))"
        )
        self.again()
        self.ada.until(lambda: len(self.events("deviceRegistered")) == 3, "the subscription of the service's key is told")
        third = self.events("deviceRegistered")[2]
        self.assertEqual((third["device"], third["endpoint"]), (first["device"], self.kept()["endpoint"]))
        self.assertNotEqual(third["endpoint"], first["endpoint"])
        self.ada.until_text("#notices", "also when the page is closed")

    def test_a_browser_that_the_player_removes_from_the_devices_stays_removed(self):
        self.turn_on("Unwanted")
        [event] = self.events("deviceRegistered")
        self.ada.until_text("#set-devices", event["device"])
        self.ada.click("#set-devices li > :last-child")
        self.ada.click("#save")
        self.ada.until_text("#notices", "none of your devices any more")
        self.again()
        self.ada.until_text("#notices", "none of your devices any more")
        self.assertEqual(len(self.events("deviceRegistered")), 1)
        # Off and on is a new subscription.
        self.ada.click("#set-here button")
        self.ada.until(lambda: self.kept() is None, "the subscription is ended")
        self.ada.click("#set-here button")
        self.ada.until_text("#notices", "also when the page is closed")
        self.assertNotEqual(self.events("deviceRegistered")[1]["endpoint"], event["endpoint"])

    def test_a_permission_that_is_taken_away_is_told_to_the_service(self):
        self.turn_on("Denied")
        [event] = self.events("deviceRegistered")
        permit(self.ada, "denied")
        self.again()
        self.ada.until_text("#notices", "The browser was told not to show any.")
        self.ada.until(lambda: [removed["device"] for removed in self.events("deviceRemoved")] == [event["device"]], "the service is told")

    def test_what_another_player_has_subscribed_in_this_browser_is_ended(self):
        self.turn_on("Later")
        [first] = self.events("deviceRegistered")
        # As if that one had the browser before, and had left it without a word.
        self.ada.run(
            "localStorage.setItem('cubist.push', JSON.stringify({ ...JSON.parse(localStorage.getItem('cubist.push')), player: '00000000-0000-0000-0000-000000000000' }))"
        )
        self.again()
        self.ada.until(lambda: len(self.events("deviceRegistered")) == 2, "the browser is the player's")
        second = self.events("deviceRegistered")[1]
        self.assertNotEqual((second["device"], second["endpoint"]), (first["device"], first["endpoint"]))
        self.assertEqual(second["endpoint"], self.kept()["endpoint"])
        # The device of the other player is nothing that this one can remove.
        self.assertEqual(self.events("deviceRemoved"), [])

    def test_a_browser_that_cannot_subscribe_says_why(self):
        self.ada.take_name("Failing")
        for failure, sentence in [
            ("AbortError", "the browser’s push service could not be reached."), ("NotAllowedError", "as in a private window."),
            ("NotSupportedError", "does not know the kind of key."), ("UnknownError", "the browser says “a failure of the test”."),
        ]:
            with self.subTest(failure=failure):
                self.ada.run("localStorage.setItem('cubist.notices', 'on'); localStorage.setItem('fake.failure', arguments[0])", failure)
                self.again()
                self.ada.until_text("#notices", sentence)
        self.assertEqual(self.events("deviceRegistered"), [])

    def test_a_test_is_asked_for_and_told(self):
        self.turn_on("Tester")
        self.ada.until_seen("#test-push")
        self.ada.click("#test-push")
        self.ada.until_text("#test-told", "A test is on its way to all of these.")
        self.assertEqual(len(self.events("notificationTested")), 1)


class WithoutKey(OneGuestTest):
    whole = True

    def test_a_service_without_web_push_leaves_it_to_the_open_page(self):
        self.before_each_load(SUBSCRIBE + NO_KEY)
        permit(self.ada, "granted")
        self.addCleanup(permit, self.ada, "prompt")
        self.ada.come()
        self.ada.take_name("Keyless")
        self.ada.click("#settings-button")
        self.ada.click("#set-here button")
        self.ada.until_text("#notices", "This service sends none to browsers in which the page is closed.")
        self.assertIsNone(self.ada.run("return localStorage.getItem('fake.subscription')"))


class Messages(OneGuestTest):
    """Messages at the worker, whatever they say."""

    whole = True

    def setUp(self):
        super().setUp()
        permit(self.ada, "granted")
        self.addCleanup(permit, self.ada, "prompt")
        self.worker = Worker(self.ada)
        self.addCleanup(self.worker.close)

    def told(self, text):
        self.worker.clear()
        [found] = self.worker.deliver(text)
        return found

    def test_a_message_is_shown_with_all_that_it_says(self):
        self.told(message(lang="de", silent=True))
        [found] = self.worker.shown()
        job = json.loads(message())["id"]
        self.assertEqual(found, {
            "title": "Your turn", "body": "Ben has played PLANET.", "tag": "turn-1", "lang": "de", "silent": True,
            "data": {"job": job, "kind": "yourTurn", "match": MATCH},
        })

    def test_a_newer_message_of_a_tag_takes_the_place_of_the_older_one_and_the_same_once_more_is_silent(self):
        self.assertTrue(self.told(message())["renotify"])
        [again] = self.worker.deliver(message())
        self.assertFalse(again["renotify"])
        [newer] = self.worker.deliver(message(id="00000000-7654-3210-fedc-ba9876543210", body="Ben has played TEN."))
        self.assertTrue(newer["renotify"])
        self.assertEqual([one["body"] for one in self.worker.shown()], ["Ben has played TEN."])

    def test_a_message_that_is_none_of_the_service_is_told_in_plain_words(self):
        for text in ["", "x", "null", "7", "[]", '"title"', "{}", "{", json.dumps({"title": 7}), json.dumps({"title": " \u202e\u200b\n"}), json.dumps({"body": "x"}), "[" * 900]:
            with self.subTest(text=text[:40]):
                found = self.told(text)
                self.assertEqual((found["title"], found["body"]), PLAIN)

    def test_texts_are_cleaned_and_cut_and_ids_have_the_form_of_ids(self):
        found = self.told(message(title="Your\u202e turn\u0007\n", body="\u2066x" * 1000))
        self.assertEqual((found["title"], found["body"]), ("Your turn", "x" * 300))
        for field, values in {
            "match": ["https://evil.example/", MATCH.upper(), MATCH + "&x=1", "../x", 7, {}, ["x"], None],
            "id": ["x", 7, None], "kind": ["<b>", "a" * 33, 7, None],
        }.items():
            name = "job" if field == "id" else field
            for value in values:
                with self.subTest(field=field, value=value):
                    self.assertNotIn(name, {key for key, one in self.told(message(**{field: value}))["data"].items() if one is not None})
        for field, value, instead in [
            ("tag", "", "cubist"), ("tag", "a b", "cubist"), ("tag", "x" * 129, "cubist"), ("tag", 7, "cubist"), ("lang", "../de", None), ("lang", 7, None),
            ("silent", "yes", False), ("silent", 1, False),
        ]:
            with self.subTest(field=field, value=value):
                self.assertEqual(self.told(message(**{field: value})).get(field), instead)

    def test_the_badge_is_a_number_of_matches_and_nothing_else(self):
        self.worker.value("Object.defineProperty(navigator, 'setAppBadge', { configurable: true, value: async (number) => { self.badge = number; } })")
        for value, badge in [(2, 2), (0, 0), (10**6, 999), (-1, None), (1.5, None), ("3", None), (None, None), ([1], None)]:
            with self.subTest(value=value):
                self.worker.value("self.badge = null")
                self.told(message(waiting=value))
                self.assertEqual(self.worker.value("badge"), badge)

    def test_no_address_of_a_message_is_opened(self):
        self.ada.visit("about:blank")
        for target, address in [({"match": MATCH, "kind": "yourTurn"}, f"/#match={MATCH}"), ({"kind": "account"}, "/#keys"), ({}, "/")]:
            self.worker.value("self.opened.length = 0")
            self.worker.value(f"follow({json.dumps(target)})")
            self.assertEqual(self.worker.value("opened"), [address])

    def test_a_new_subscription_is_told_to_the_open_pages(self):
        self.ada.run("navigator.serviceWorker.addEventListener('message', ({ data }) => (window.heard = data))")
        self.worker.value("renew({ newSubscription: {} })")
        self.ada.until(lambda: self.ada.run("return window.heard?.cubist") == "renewed", "the page hears of it")


class Matches(PairTest):
    whole = True

    def test_a_notification_leads_to_its_match_and_none_comes_where_the_turn_is_in_sight(self):
        mover, other = self.begin()
        permit(other, "granted")
        self.addCleanup(permit, other, "prompt")
        other.to_list()
        other.until_seen("#entries .entry.theirTurn")
        match = other.run("return document.querySelector('#entries .entry.theirTurn').dataset.key.split(' ')[1]")
        worker = Worker(other)
        self.addCleanup(worker.close)
        # The list does not show a turn.
        self.assertEqual(len(worker.deliver(message(match=match))), 1)
        target = json.dumps({"kind": "yourTurn", "match": match})
        worker.value("tap()")
        other.until_match()
        # Who looks at the match needs no notification of it.
        other.until(lambda: worker.shown() == [], "the notification is taken away")
        other.command("Page.bringToFront")
        self.assertTrue(worker.value("pages().then((all) => all.some(({ focused }) => focused))"), "this Chromium says that no page has the focus")
        # The turn is not there yet: the worker waits a moment for it, in vain.
        self.assertEqual(len(worker.deliver(message(match=match))), 1)
        worker.clear()
        mover.play_word()
        other.until_lines(1)
        self.assertEqual(worker.deliver(message(match=match)), [])
        self.assertEqual(worker.deliver(message(match=match, kind="nudged")), [])
        # It tells of others, too.
        self.assertEqual(len(worker.deliver(message(match=match, many=True))), 1)
        worker.clear()
        # Another match, and a kind that no page shows.
        self.assertEqual(len(worker.deliver(message(match=MATCH))), 1)
        self.assertEqual(len(worker.deliver(message(match=match, kind="reacted"))), 1)
        worker.clear()
        # Without a page the same address opens the match.
        other.visit("about:blank")
        worker.value(f"self.opened.length = 0; follow({target})")
        [address] = worker.value("opened")
        other.open(other.address.rstrip("/") + address)
        other.until_match()
        self.assertNotIn("match", other.run("return location.hash"))
        # A link can name any match, and anything else. The page shows those of the player alone.
        self.expect("/v1/queries - Failed to load resource: the server responded with a status of 404")
        for end in [MATCH, "x%0Agiveup", "https://evil.example/"]:
            other.visit("about:blank")
            other.open(f"{other.address}#match={end}")
            other.until(lambda: other.run("return document.body.dataset.place") != "match", "no match is shown")
        other.visit("about:blank")
        other.open(other.address.rstrip("/") + address)
        other.until_match()
        self.end(other)


PEERS = pathlib.Path(__file__).parents[1] / "PushPeers"


def decrypt(subscription, body):
    """What PyPI's http-ece makes of a body that was encrypted for a subscription of these tests."""
    def encoded(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    python = subprocess.run([PEERS / "environment"], check=True, capture_output=True, text=True).stdout.strip()
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"private": subscription["secret"]["d"], "secret": subscription["keys"]["auth"], "body": encoded(body)}, file)
        file.write("\n")
        file.flush()
        done = subprocess.run([python, PEERS / "decrypt.py", file.name], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    text = done.stdout.strip()
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()


class PushService(http.server.ThreadingHTTPServer):
    """A push service of this machine, with a certificate of its own. It takes every message, and keeps it for the test."""

    daemon_threads = True

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.server.messages.put((self.path, dict(self.headers), body))
            self.send_response(201)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.messages = queue.Queue()
        key, self.certificate, self.library = (pathlib.Path(folder, name) for name in ("key.pem", "certificate.pem", "trust.so"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
             "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", self.certificate], check=True, capture_output=True)
        subprocess.run(
            ["clang", "-shared", "-fPIC", f'-DAUTHORITY="{self.certificate}"', "-o", self.library, pathlib.Path(__file__).with_name("trust.c"), "-ldl"], check=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.address = f"https://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Arrival(PairTest):
    """The whole way of a notification, but for the vendor's push service: its place has one of this machine, and DevTools bring its message to the worker."""

    whole = True

    @classmethod
    def environment(cls):
        # The service preloads the library as long as it runs.
        folder = Shared.stack.enter_context(tempfile.TemporaryDirectory(prefix="cubist-push-"))
        # Processes that do not run as root preload it, too.
        pathlib.Path(folder).chmod(0o755)
        cls.pushes = PushService(folder)
        cls.addClassCleanup(cls.pushes.shutdown)
        return {"CUBIST_PUSH_ALLOW": "127.0.0.1", "LD_PRELOAD": str(cls.pushes.library)}

    def test_the_bytes_of_the_service_become_a_notification_whose_click_opens_the_match(self):
        mover, other = self.begin()
        permit(other, "granted")
        self.addCleanup(permit, other, "prompt")
        # The next page is without it.
        self.addCleanup(other.come)
        self.addCleanup(other.before_each_load(SUBSCRIBE.replace("https://push.example", self.pushes.address)))
        other.come()
        other.to_list()
        other.click("#settings-button")
        other.click("#set-here button")
        other.until_text("#notices", "also when the page is closed")
        subscription = json.loads(other.run("return localStorage.getItem('fake.subscription')"))
        worker = Worker(other)
        self.addCleanup(worker.close)
        mover.play_word()
        # What came of the beginning of the match may have been on its way.
        message = {"kind": None}
        while message["kind"] != "yourTurn":
            path, head, body = self.pushes.messages.get()
            text = decrypt(subscription, body)
            message = json.loads(text)
        head = {name.lower(): value for name, value in head.items()}
        self.assertEqual(self.pushes.address + path, subscription["endpoint"])
        self.assertEqual(head["content-encoding"], "aes128gcm")
        self.assertTrue(head["authorization"].startswith("vapid "), head)
        self.assertGreater(int(head["ttl"]), 0)
        self.assertEqual((message["silent"], message["lang"]), (False, "en"))
        self.assertIn(mover.name, message["title"] + message["body"])
        worker.deliver(text)
        [found] = worker.shown()
        self.assertEqual({name: found[name] for name in ("title", "body", "tag", "lang", "silent")}, {name: message[name] for name in ("title", "body", "tag", "lang", "silent")})
        self.assertEqual(found["data"], {"job": message["id"], "kind": "yourTurn", "match": message["match"]})
        worker.value("tap()")
        other.until_match()
        other.until_lines(1)
        self.assertEqual(other.is_mine(), True)
        other.until(lambda: worker.shown() == [], "who looks at the match needs its notification no more")
        # Off again, the service has nobody to tell.
        other.run("localStorage.setItem('cubist.notices', 'off')")
        other.until(lambda: other.run("return localStorage.getItem('fake.subscription')") is None, "the subscription is ended")
        self.end(other)


class Reminders(PairTest):
    # It shares the players of the classes above.
    whole = True

    def test_a_player_who_waits_reminds_the_other_one_once(self):
        for guest in (self.ada, self.ben):
            guest.to_list()
        self.ada.new_match()
        # Enough is left of the turn, on a busy machine too, when it may be reminded of.
        self.ada.fill("#new-turnLimit", "80s")
        self.ada.fill("#new-named", self.ben.name)
        self.ada.key("Enter")
        self.ada.until_match()
        self.ben.click(self.ben.entry("invitation", self.ada.name) + " .main")
        self.ben.until_match()
        mover, other = self.on_turn()
        name = mover.name
        # A quarter of the time has to pass.
        self.assertFalse(mover.is_seen("#nudge"))
        other.until(lambda: other.is_seen("#nudge"), "a quarter of the time has passed")
        self.assertEqual(other.seen("#nudge"), f"Remind {name}")
        # The service goes by the clock of the match's queue, which may be late. Then it refuses, and the button is back.
        self.expect("status of 4")

        def is_reminded():
            if other.is_seen("#nudge"):
                other.click("#nudge")
            return f"{name} is reminded of the turn." in other.seen("#extra-text")

        other.until(is_reminded, "the other one is reminded", lambda: other.seen("#extra-text"))
        other.until(lambda: not other.is_seen("#nudge"), "once a turn")
        self.end(mover)
