// Installs the service worker, and goes over to new builds. A new build begins only while no game is under way in any
// tab and nothing of a player at the service is open in this one, or when the player asks for it.

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

/**
 * `note` shows a sentence by its name, with a button that does something. `isBusy` tells whether something else is under
 * way, `isKeyUnsaved` whether the player's key has no file that only this page can make.
 */
export async function update(note, isBusy, isKeyUnsaved) {
  if (!build || !navigator.serviceWorker) return;
  const look = async () => {
    const all = await builds();
    const next = all.at(-1);
    if (!all.includes(build) || next === build) return;
    if (!isUnderWay() && !isBusy() && (await isAlone())) return begin(next);
    note("update", () => ask(next));
  };
  const ask = async (next) => {
    if (!(await isAlone())) return note("otherTabs", () => ask(next));
    if (isKeyUnsaved()) return note("unsaved", () => end(next));
    end(next);
  };
  const end = (next) => {
    if (!isUnderWay()) return begin(next);
    note("ends", () => {
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
