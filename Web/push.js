// Notifications that come while no page is open: the browser's subscription at its push service, and the device by which
// the service of the matches knows it. Nothing of this begins before the player has turned notifications on.

const kept = "cubist.push";

/** What the service was told last: the `player`, the `name` of the device, and the `print` of the subscription. */
function told() {
  try {
    const found = JSON.parse(localStorage.getItem(kept));
    return typeof found?.name === "string" ? found : null;
  } catch {
    return null;
  }
}

function remember(record) {
  try {
    if (record) localStorage.setItem(kept, JSON.stringify(record));
    else localStorage.removeItem(kept);
  } catch {
    // A browser that keeps nothing is registered anew by each page.
  }
}

/**
 * How far it has come: `unknown`; `noManager`: the browser has no push; `noKey`: the service has none; `registering`;
 * `on`; `gone`: the service has forgotten this browser; `failed`: the browser could not subscribe; `refused`.
 */
let [stage, reason] = ["unknown", ""];
/** The state that came last, and the function that takes actions. */
let [latest, act] = [null, null];
/** What is being registered, whether the module has it, and the function that is called once it is answered. */
let pending = null;
/** The subscription of this page. */
let present = null;
let isBusy = false;
/** The number of answers before the one that is awaited, and the time of asking. */
let [heardBefore, askedAt] = [0, 0];
let isDoubted = false;
/** The service's key for which all is done. */
let doneFor = null;
let show = () => {};

/** Calls a function after each change of what is said. */
export const onChange = (draw) => (show = draw);

function turnTo(next, text = "") {
  if (stage === next && reason === text) return;
  [stage, reason] = [next, text];
  show();
}

/** Whether the service tells this browser, with the page or without. */
export const isOn = () => stage === "on";

const here = "This browser shows them while the page is open, also behind others.";

/** What comes of it where the browser allows notifications, in words. */
export const says = () =>
  ({
    noManager: `${here} It has nothing by which they could come when the page is closed.`,
    noKey: `${here} This service sends none to browsers in which the page is closed.`,
    registering: `${here} The service is being told how to reach it when the page is closed.`,
    on: `This browser shows them, also when the page is closed. Among your devices it is ${told()?.name}.`,
    gone:
      `${here} When it is closed, none come: this browser is none of your devices any more. It was removed there, or its push service has ended the subscription. ` +
      "Turn this off and on again to register it anew.",
    failed: `${here} When it is closed, none come: ${reason} It is tried again when the page is loaded.`,
    refused: `${here} When it is closed, none come: the service has refused this browser. ${reason}`,
  })[stage] ?? here;

const failures = {
  AbortError: "the browser’s push service could not be reached.",
  NotAllowedError: "the browser does not allow it, as in a private window.",
  NotSupportedError: "the browser does not know the kind of key.",
};

/** The browser gives the subscription that it has, or makes one. */
async function subscribe(manager, key) {
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await manager.subscribe(options);
  } catch (error) {
    if (error.name !== "InvalidStateError") throw error;
    // It has one for another key of the service.
    await (await manager.getSubscription())?.unsubscribe();
    return manager.subscribe(options);
  }
}

async function unsubscribe() {
  const found = present ?? (await (await navigator.serviceWorker?.getRegistration())?.pushManager?.getSubscription());
  present = null;
  await found?.unsubscribe();
}

/** Twelve bytes of it tell a changed subscription from the one before, and are of no use to a thief. */
async function printOf(...parts) {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(parts.join("\n")));
  return [...new Uint8Array(hash, 0, 12)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A name that none of the player's devices has. */
function newName(devices) {
  for (;;) {
    const name = `browser-${crypto.getRandomValues(new Uint16Array(1))[0].toString(16).padStart(4, "0")}`;
    if (!devices.includes(name)) return name;
  }
}

function ask(push) {
  [heardBefore, askedAt] = [push?.heard ?? 0, Date.now()];
  act("push");
}

/** Subscribes, and tells the service where that is new. */
async function register({ player, push }) {
  const { key, devices, browsers } = push;
  const registration = await navigator.serviceWorker?.getRegistration();
  // Without a network the worker may still come.
  if (navigator.serviceWorker && !registration?.active) return;
  doneFor = key;
  if (!registration?.pushManager) return turnTo("noManager");
  present = await subscribe(registration.pushManager, key);
  const { endpoint, keys } = present.toJSON();
  const print = await printOf(player, endpoint, keys.p256dh, keys.auth);
  const record = told();
  if (record?.print !== print) {
    const isFree = record && (browsers.includes(record.name) || !devices.includes(record.name));
    const mine = { player, name: isFree ? record.name : newName(devices), print };
    const settled = new Promise((resolve) => (mine.settled = resolve));
    pending = mine;
    // A page that is closed before the answer would else take another name the next time.
    remember({ player, name: mine.name, print: "" });
    turnTo("registering");
    await act(`subscribe ${mine.name} ${endpoint} ${keys.p256dh} ${keys.auth}`);
    mine.isSent = true;
    settle(latest.account.push);
    // Another tab would register it under another name meanwhile.
    await settled;
  } else if (browsers.includes(record.name)) {
    isDoubted = false;
    turnTo("on");
  } else if (!isDoubted) {
    // That answer may be older than the registration.
    isDoubted = true;
    doneFor = null;
    ask(push);
  } else {
    turnTo("gone");
  }
}

/** The service has answered what it was told, or not yet. */
function settle(push) {
  if (!pending?.isSent || !push?.browser) return;
  const { stage, text } = push.browser;
  if (stage === "done") {
    const { player, name, print } = pending;
    remember({ player, name, print });
    turnTo("on");
  } else if (stage === "refused") {
    turnTo("refused", text);
  } else {
    return;
  }
  pending.settled();
  pending = null;
}

/** Ends the subscription; the service is told where it is still the same player's. */
async function end(player) {
  const record = told() ?? pending;
  remember(null);
  [pending, doneFor, isDoubted] = [null, null, false];
  turnTo("unknown");
  await unsubscribe().catch(() => {});
  await navigator.clearAppBadge?.().catch(() => {});
  if (record && record.player === player) await act(`unsubscribe ${record.name}`);
}

/** Takes each state. `isWanted` tells whether the player has turned notifications on, and the browser allows them. */
export async function follow({ account, match, extra, connection }, send, isWanted) {
  if (!account) return;
  [latest, act] = [{ account, match, extra, connection }, send];
  if (account.removed) {
    pending?.settled();
    pending = null;
  }
  answerWorker();
  closeSeen(latest).catch(() => {});
  settle(account.push);
  if (isBusy || pending || !navigator.locks) return;
  const { name, isMet, player, push, removed } = account;
  const record = told();
  const isOthers = record && (removed || (name && record.player !== player));
  // Turned on again, it is tried anew.
  if (!record && !isWanted) {
    [doneFor, isDoubted] = [null, false];
    turnTo("unknown");
  }
  if (!isOthers && (!name || !isMet || connection === "lost" || (!record && !isWanted))) return;
  if (isWanted && !isOthers && !needsWork(push, record)) return;
  isBusy = true;
  try {
    // Two tabs would register two devices.
    await navigator.locks.request(kept, { ifAvailable: true }, async (lock) => {
      if (!lock) return;
      if (isOthers || !isWanted) return end(name && !removed ? player : null);
      await register(account);
    });
  } catch (error) {
    doneFor = push?.key;
    turnTo("failed", failures[error.name] ?? `the browser says “${error.message}”.`);
  } finally {
    isBusy = false;
  }
}

/** Whether the browser has to subscribe. Asks the service first for its key and the devices. */
function needsWork(push, record) {
  const heard = push?.heard ?? 0;
  if (heard <= heardBefore) {
    // A question may be lost with the network.
    if (Date.now() - askedAt > 30_000) ask(push);
    return false;
  }
  if (!push.key) turnTo("noKey");
  if (!push.key || doneFor !== push.key) return Boolean(push.key);
  // The player may have removed this browser in the list of devices.
  return stage === "on" && !push.browsers.includes(record?.name);
}

// MARK: What was shown

let lastSeen = "";

/** Takes notifications away whose match the player looks at, unless they tell of others, too. */
async function closeSeen({ match, extra }) {
  const seen = match && extra && document.visibilityState === "visible" ? `${extra.key} ${match.stage}` : "";
  if (seen === lastSeen) return;
  lastSeen = seen;
  if (!seen) return;
  const shown = await (await navigator.serviceWorker?.getRegistration())?.getNotifications();
  for (const notification of shown ?? []) {
    const { match: told, isOfMany } = notification.data ?? {};
    if (told === extra.key && !isOfMany) notification.close();
  }
}

// MARK: The service worker

/** What the worker wants to know: whether this page shows what a notification tells. */
let questions = [];

/** How long a question is of use, in milliseconds: as long as the worker waits. */
const patience = 1500;

const turns = ["yourTurn", "turnRunningOut", "nudged"];

function isShown({ kind, match: id }, { match, extra, connection }) {
  if (!match || extra?.key !== id || connection === "lost") return false;
  return turns.includes(kind) ? match.stage === "mine" : kind === "matchEnded" && match.stage === "over";
}

/** A page may hear of a turn a moment after the worker. */
function answerWorker() {
  questions = questions.filter(({ until }) => Date.now() < until);
  if (document.visibilityState !== "visible") return;
  const shown = questions.filter((question) => isShown(question, latest));
  for (const { port } of shown) port.postMessage(true);
  questions = questions.filter((question) => !shown.includes(question));
}

navigator.serviceWorker?.addEventListener("message", ({ data, ports: [port] }) => {
  if (data?.cubist === "renewed") doneFor = null;
  if (data?.cubist !== "shows" || !port) return;
  questions.push({ kind: data.kind, match: data.match, port, until: Date.now() + patience });
  if (latest) answerWorker();
});
