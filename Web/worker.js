// The service worker: after one visit the page needs no network. The server writes two lines before these: `build`,
// the folder of the build, and `files`, the names of the files in it.
//
// Each build has a cache that is named like its folder. The oldest one is served. The page deletes it when the next
// build may begin, so that a match ends in the build in which it began.

/* global build, files */

/** A cache is whole once it has the index at its address. */
const address = "/";
/** The fields that answers vary by make no difference here. */
const find = (path, cacheName) => caches.match(path, { cacheName, ignoreVary: true });

async function install() {
  const cache = await caches.open(build);
  await cache.addAll(files.map((name) => `/${build}/${name}`));
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
  // Without a network the page is told the same as without a worker.
  const answer = await fetch(event.request).catch(() => Response.error());
  // A full disk keeps no file back that has arrived.
  if (answer.ok) event.waitUntil(keep(path, answer.clone()).catch(() => {}));
  return answer;
}

async function keep(path, answer) {
  const [, folder] = path.split("/");
  if (await caches.has(folder)) await (await caches.open(folder)).put(path, answer);
}

/** The address of the page, or of an invitation or a shared game, which are the same page. */
const isPage = (path) => path === address || /^\/[gs]\/[A-Za-z0-9]{4,16}$/.test(path);

/** A notification leads to the page that showed it. */
async function comeBack() {
  const [page] = await clients.matchAll({ type: "window" });
  await (page ? page.focus() : clients.openWindow(address));
}

addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(comeBack());
});

addEventListener("install", (event) => event.waitUntil(install()));

addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  if (mode === "navigate" && isPage(pathname)) event.respondWith(answer(event, address));
  if (mode !== "navigate" && /^\/[0-9a-f]{32}\//.test(pathname)) event.respondWith(answer(event, pathname));
});
