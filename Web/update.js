// Installs the service worker, and goes over to new builds. A new build begins only while no game is under way in any
// tab, or when the player asks for it.

import { build, forget, isAlone, isUnderWay } from "./keep.js";

/** The builds whose files are all here, the oldest first. */
async function builds() {
  const whole = [];
  for (const name of await caches.keys()) {
    if (await caches.match("/", { cacheName: name, ignoreVary: true })) whole.push(name);
  }
  return whole;
}

/** Goes over to a build, and deletes the files of all others. */
async function begin(next) {
  for (const name of await caches.keys()) if (name !== next) await caches.delete(name);
  location.reload();
}

/** `tell` shows a sentence, with a button that does something. */
export async function update(tell) {
  if (!build || !navigator.serviceWorker) return;
  const look = async () => {
    const all = await builds();
    const next = all.at(-1);
    if (!all.includes(build) || next === build) return;
    if (!isUnderWay() && (await isAlone())) return begin(next);
    tell("A new version of the game waits until no match is under way.", "Update now", () => ask(next));
  };
  const ask = async (next) => {
    if (!(await isAlone())) return tell("Close the other tabs of the game first.", "Update now", () => ask(next));
    if (!isUnderWay()) return begin(next);
    tell("Your matches under way will end.", "Update all the same", () => {
      forget();
      begin(next);
    });
  };
  navigator.serviceWorker.addEventListener("controllerchange", () => look().catch(() => {}));
  try {
    await look();
    const registration = await navigator.serviceWorker.register("/worker.js", { updateViaCache: "none" });
    // A page may stay open for weeks.
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) registration.update().catch(() => {});
    });
  } catch {
    // The page needs the network then.
  }
}
