// The service worker: after one visit the page needs no network. The server writes three lines before these: `build`,
// the folder of the build, `files`, the names of those files of it that are kept at once, and `digests` of all of them.
//
// Each build has a cache that is named like its folder. The oldest one is served. The page deletes it when the next
// build may begin, so that a match ends in the build in which it began.

/* global build, files, digests */

/** A cache is whole once it has the index at its address. */
const address = "/";
/** The fields that answers vary by make no difference here. */
const find = (path, cacheName) => caches.match(path, { cacheName, ignoreVary: true });

/** Asks for a file of the build, and takes nothing else: a proxy may answer with a page of its own. */
const request = (name) => new Request(`/${build}/${name}`, { integrity: digests[name] });

async function install() {
  const cache = await caches.open(build);
  await cache.addAll(files.map(request));
  await cache.put(address, await cache.match(`/${build}/index.html`, { ignoreVary: true }));
  const names = await caches.keys();
  let served = null;
  for (const name of names) if (!served && (await find(address, name))) served = name;
  for (const name of names) if (name !== served && name !== build) await caches.delete(name);
  await skipWaiting();
}

/** The files of a player at a service are kept once they were wanted. */
async function answer(event, path) {
  const found = await find(path);
  if (found) return found;
  const [, folder, name] = path.split("/");
  const isKept = folder === build && name in digests;
  // Without a network the page is told the same as without a worker.
  const answer = await fetch(isKept ? request(name) : event.request).catch(() => Response.error());
  // A full disk keeps no file back that has arrived.
  if (isKept && answer.ok) event.waitUntil(keep(path, answer.clone()).catch(() => {}));
  return answer;
}

async function keep(path, answer) {
  if (await caches.has(build)) await (await caches.open(build)).put(path, answer);
}

/** The address of the page, or of an invitation or a shared game, which are the same page. */
const isPage = (path) => path === address || /^\/[gs]\/[A-Za-z0-9-]{4,40}$/.test(path);

// MARK: Notifications

/** How long the pages in front may take to show what a notification tells, in milliseconds. */
const patience = 1500;
const plain = { title: "Cubist", body: "Something waits in Cubist.", tag: "cubist", isSilent: false };
const idForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The service's text, without characters that nobody sees or that turn the others around. Isolates keep a name from turning them. */
function line(text, limit) {
  const shown = typeof text === "string" ? text.replace(/(?![\u2068\u2069])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, "").trim() : "";
  return [...shown].slice(0, limit).join("");
}

const formed = (text, form) => (typeof text === "string" && form.test(text) ? text : undefined);

/**
 * What a message of the push service says. Anybody who has the subscription can send one, so nothing in it is trusted:
 * texts are shown as texts, ids have the form of ids, and no address is taken from it. A message that is none of the
 * service's is told all the same: a browser takes the permission away from a page that is woken and shows nothing.
 */
function readMessage(data) {
  let found;
  try {
    found = data.json();
  } catch {
    return plain;
  }
  if (typeof found !== "object" || !found || Array.isArray(found)) return plain;
  const [title, body] = [line(found.title, 100), line(found.body, 300)];
  if (!title) return plain;
  return {
    title, body, tag: formed(found.tag, /^[!-~]{1,128}$/) ?? plain.tag, isSilent: found.silent === true,
    lang: formed(found.lang, /^[a-z]{2,3}$/), job: formed(found.id, idForm), kind: formed(found.kind, /^[A-Za-z]{1,32}$/), match: formed(found.match, idForm), isOfMany: found.many === true,
    waiting: Number.isSafeInteger(found.waiting) && found.waiting >= 0 ? Math.min(found.waiting, 999) : undefined,
  };
}

/** All open pages, also one that is older than the worker. */
const pages = () => clients.matchAll({ type: "window", includeUncontrolled: true });

/** Whether a page in front shows what a notification tells, at once or within a moment. */
async function isShown({ kind, match, isOfMany }) {
  if (!match || isOfMany) return false;
  const inFront = (await pages()).filter(({ focused, visibilityState }) => focused && visibilityState === "visible");
  const answers = inFront.map(
    (page) =>
      new Promise((resolve, reject) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => (data === true ? resolve(true) : reject());
        setTimeout(reject, patience);
        page.postMessage({ cubist: "shows", kind, match }, [port2]);
      }),
  );
  return Promise.any(answers).catch(() => false);
}

/** A browser forgives that nothing is shown while a page of the service is in front. */
async function take(message) {
  const { title, body, tag, isSilent, lang, job, kind, match, isOfMany, waiting } = message;
  // Not each browser has badges, and none of these is worth a notification.
  if (waiting !== undefined) await navigator.setAppBadge?.(waiting).catch(() => {});
  if (await isShown(message)) return;
  const before = await registration.getNotifications({ tag }).catch(() => []);
  // The same message once more makes no second sound.
  const isNew = !job || before.every(({ data }) => data?.job !== job);
  const icon = `/${build}/icon.svg`;
  await registration.showNotification(title, { body, tag, icon, lang, silent: isSilent, renotify: isNew && !isSilent, data: { job, kind, match, ...(isOfMany && { isOfMany }) } });
}

addEventListener("push", (event) => event.waitUntil(take(readMessage(event.data))));

/** Leads to the match of a notification, in an open page where there is one. */
async function follow({ kind, match }) {
  const all = await pages();
  const page = all.find(({ focused }) => focused) ?? all.find(({ visibilityState }) => visibilityState === "visible") ?? all[0];
  if (!page) return clients.openWindow(match ? `${address}#match=${match}` : kind === "account" ? `${address}#keys` : address);
  page.postMessage({ cubist: "follow", kind, match });
  // A browser may leave it to its own notification to come to the front.
  return page.focus().catch(() => {});
}

addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { kind, match } = event.notification.data ?? {};
  event.waitUntil(follow({ kind, match: formed(match, idForm) }));
});

/** The open pages register the new subscription; without one the next page finds it. */
async function renew({ oldSubscription, newSubscription }) {
  if (!newSubscription && oldSubscription) await registration.pushManager.subscribe(oldSubscription.options).catch(() => {});
  for (const page of await pages()) page.postMessage({ cubist: "renewed" });
}

addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));

addEventListener("install", (event) => event.waitUntil(install()));

addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  if (mode === "navigate" && isPage(pathname)) event.respondWith(answer(event, address));
  if (mode !== "navigate" && /^\/[0-9a-f]{32}\//.test(pathname)) event.respondWith(answer(event, pathname));
});
