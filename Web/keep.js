// Keeps the game of each tab in the browser, under the name of the build that wrote it.
//
// There are some places. A tab holds the lock of its place as long as it lives, so no tab writes over the game of
// another. Without locks, at a plain http address, a tab keeps its game for itself.

/** The folder of this build; nothing where the files stand in none. */
export const build = /\/([0-9a-f]{32})\/[^/]*$/.exec(import.meta.url)?.[1] ?? "";

const places = Array.from({ length: 8 }, (_, number) => `cubist.game.${number}`);
const lastPlace = "cubist.place";
const playerName = "player";
const stepsName = "cubist.firstSteps";
/**
 * The milliseconds that a tab waits for its own place. A page that is reloaded lets go of it a moment later; a tab that
 * this one was copied from answers that it has it.
 */
const patience = 10_000;

/** A browser may forbid to keep anything, or have no room. The game is played all the same. */
function attempt(work) {
  try {
    return work();
  } catch {
    return null;
  }
}

const storage = attempt(() => (navigator.locks ? localStorage : sessionStorage));
const read = (name) => attempt(() => storage.getItem(name));
const writer = (record) => record.slice(0, record.indexOf(":"));
const isOurs = (name) => read(name)?.startsWith(`${build}:`) ?? false;

let place = null;
let last = null;

/** Where tabs ask who has a place. */
const channel = attempt(() => new BroadcastChannel("cubist.places"));

/** Tells the tabs that ask for the place of this one that it has it. */
function tell() {
  let isLeaving = false;
  addEventListener("pagehide", () => (isLeaving = true));
  addEventListener("pageshow", () => (isLeaving = false));
  channel?.addEventListener("message", ({ data }) => {
    if (data.asked === place && !isLeaving) channel.postMessage({ had: place });
  });
  // One may have asked before.
  channel?.postMessage({ had: place });
}

/** A signal that comes once a tab tells that it has the place, or after the patience. */
function lost(name) {
  const loss = new AbortController();
  setTimeout(() => loss.abort(), patience);
  channel?.addEventListener("message", ({ data }) => data.had === name && loss.abort());
  channel?.postMessage({ asked: name });
  return loss.signal;
}

/** Holds a place; whether no other tab has it. It waits for a place of its own. */
function hold(name, isOwn) {
  const options = isOwn ? { signal: lost(name) } : { ifAvailable: true };
  return new Promise((resolve) => {
    const keepHolding = (lock) => {
      resolve(Boolean(lock));
      return lock && new Promise(() => {});
    };
    navigator.locks.request(name, options, keepHolding).catch(() => resolve(false));
  });
}

/** The places that this tab may take: its own, then those with a game of this build, of a lost build, with none. */
async function choices(own) {
  const ranked = [];
  for (const name of places) {
    const record = read(name);
    const isLost = record !== null && !isOurs(name);
    // The other build is still here: a tab of that build will go on with its game.
    if (isLost && (await globalThis.caches?.has(writer(record)).catch(() => false))) continue;
    const rank = [name === own, isOurs(name), isLost, true].indexOf(true);
    ranked.push({ name, rank });
  }
  return ranked.sort((one, other) => one.rank - other.rank).map(({ name }) => name);
}

/** Finds a place for this tab. Gives the text that is kept there, and the build that wrote it. */
export async function open() {
  if (navigator.locks) {
    const own = attempt(() => sessionStorage.getItem(lastPlace));
    const names = await choices(own);
    for (const name of names) {
      if (!(await hold(name, name === own))) continue;
      place = name;
      break;
    }
    if (place) tell();
    // The place of a game that waits for its own build stays that of this tab.
    if (!places.includes(own) || names.includes(own)) attempt(() => sessionStorage.setItem(lastPlace, place));
  } else {
    place = places[0];
  }
  const record = place && read(place);
  return record ? { from: writer(record), text: record.slice(record.indexOf(":") + 1) } : null;
}

/** Keeps the game, or that there is none. */
export function keep(text) {
  if (!place || text === last) return;
  last = text;
  attempt(() => (text ? storage.setItem(place, `${build}:${text}`) : storage.removeItem(place)));
}

/** Whether a game of this build is kept, in any place. */
export const isUnderWay = () => places.some(isOurs);

/** Whether no other tab has the game open. */
export async function isAlone() {
  const { held } = await navigator.locks.query();
  return held.filter(({ name }) => places.includes(name)).length < 2;
}

/** Forgets all games of this build, and keeps none any more. */
export function forget() {
  place = null;
  for (const name of places.filter(isOurs)) attempt(() => storage.removeItem(name));
}

/**
 * The name of this browser's player, or of the one for whom it waits, as far as it can be said at once; null: there is
 * none. It outlives the key where a browser that lacks room deletes IndexedDB alone.
 */
export const knownPlayer = () => attempt(() => localStorage.getItem(playerName));

export const hasPlayer = () => knownPlayer() !== null;

export const rememberPlayer = (name) => attempt(() => localStorage.setItem(playerName, name));

export const forgetPlayer = () => attempt(() => localStorage.removeItem(playerName));

const missedName = "cubist.keyMissed";

/** Whether the player was told beside a match that the key has no file. */
export const isMissedTold = () => attempt(() => localStorage.getItem(missedName)) !== null;

export const rememberMissedTold = () => attempt(() => localStorage.setItem(missedName, "told"));

/** How far the first steps have come, for all tabs and builds. */
export const keptSteps = () => attempt(() => localStorage.getItem(stepsName)) ?? "unseen";

export const keepSteps = (text) => attempt(() => localStorage.setItem(stepsName, text));
