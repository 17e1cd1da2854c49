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

const answer = async (request, path) => (await find(path)) ?? fetch(request);

addEventListener("install", (event) => event.waitUntil(install()));

addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  const isOurs = mode === "navigate" ? pathname === address : /^\/[0-9a-f]{32}\//.test(pathname);
  if (isOurs) event.respondWith(answer(event.request, pathname));
});
