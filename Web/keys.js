// The player's secret key: made by the browser, kept in it, and never to be read again. And the signatures of others.

const algorithm = { name: "Ed25519" };
/** Bytes of a PKCS #8 file before the seed of an Ed25519 key (RFC 8410). */
const head = 16;
const [keyBytes, signatureBytes] = [32, 64];

const need = "Play with people needs a key.";

/** The reason at a plain http address, in words. `place` is that of the page after its host's name. */
export const atPlainAddress = (place) =>
  `${need} Browsers make none for a page of a plain http: address. Open its https: address, or on the computer that serves it ` +
  `${location.protocol}//localhost${place}.`;

const keepsNothing = `${need} This browser is set to keep nothing of this page. Allow that, and load the page again.`;

const oldBrowser = `${need} This browser makes none of the kind that is needed (Ed25519). A newer one does.`;

const silentStorage = `${need} The browser's storage (IndexedDB) does not answer. Close the other tabs of this page and restart the browser. In a private window, open the page in a usual one.`;

const noTabs = `${need} This browser cannot keep its tabs in step (BroadcastChannel, Web Locks). A newer one can.`;

/** How long the storage may take to answer at all, in milliseconds. */
const storagePatience = 8000;

/** The reason for which no key can be made and kept here, in words; nothing where there is none. */
export async function obstacle() {
  if (!globalThis.isSecureContext) return atPlainAddress((location.port && `:${location.port}`) + location.pathname);
  try {
    await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  } catch {
    return oldBrowser;
  }
  if (!globalThis.BroadcastChannel || !navigator.locks) return noTabs;
  let timer;
  const silence = new Promise((resolve) => (timer = setTimeout(resolve, storagePatience, silentStorage)));
  try {
    return await Promise.race([read().then(() => ""), silence]);
  } catch {
    return keepsNothing;
  } finally {
    clearTimeout(timer);
  }
}

/** Stands in the place of a public key where none can be made. Nothing is signed then. */
export const noKey = { secret: null, seed: null, open: new Uint8Array(keyBytes) };

/**
 * Makes a key. `secret` signs and shows its bytes to nobody. `seed` has them once more, for a file of the player's;
 * the caller fills it with zeros afterwards.
 */
export async function make() {
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const file = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  const secret = await crypto.subtle.importKey("pkcs8", file, algorithm, false, ["sign"]);
  const seed = file.slice(head);
  file.fill(0);
  return { secret, seed, open: new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)) };
}

export const digits = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The bytes of hexadecimal digits. */
export const fromDigits = (text) => Uint8Array.from(text.match(/../g), (pair) => Number.parseInt(pair, 16));

/** The public half of the key with these 32 secret bytes; both as hexadecimal digits. */
export const publicHalf = async (seed) => (await keyOfWords(seed)).open;

/** That key, whose `secret` signs and shows its bytes to nobody, with its `open` half. */
export async function keyOfWords(seed) {
  const file = fromDigits(`302e020100300506032b657004220420${seed}`);
  const [readable, secret] = await Promise.all([true, false].map((isReadable) => crypto.subtle.importKey("pkcs8", file, algorithm, isReadable, ["sign"])));
  file.fill(0);
  const { x } = await crypto.subtle.exportKey("jwk", readable);
  return { secret, open: digits(Uint8Array.from(atob(x.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0))) };
}

/** Sixteen random bytes for recovery words, as hexadecimal digits. */
export const randomWords = () => digits(crypto.getRandomValues(new Uint8Array(16)));

/** The 64 bytes of a signature. */
export const sign = async (secret, message) => new Uint8Array(await crypto.subtle.sign(algorithm, secret, message));

/**
 * The verdicts on signatures, a byte for each: 1, it is valid, or 0. They come as the module lists them: a key, a
 * signature, the length of the message and the message. No bytes: this browser checks none of their kind.
 */
export async function verdicts(list) {
  const view = new DataView(list.buffer, list.byteOffset, list.byteLength);
  const found = [];
  for (let place = 0; place < list.length; ) {
    const start = place + keyBytes + signatureBytes + 4;
    const end = start + view.getUint32(start - 4, true);
    found.push(verdict(list.subarray(place, place + keyBytes), list.subarray(place + keyBytes, start - 4), list.subarray(start, end)));
    place = end;
  }
  return Uint8Array.from(await Promise.all(found).catch(() => []));
}

async function verdict(key, signature, message) {
  if (!globalThis.crypto?.subtle) throw new Error("this page has no cryptography");
  try {
    const known = await crypto.subtle.importKey("raw", key, algorithm, false, ["verify"]);
    return Number(await crypto.subtle.verify(algorithm, known, signature, message));
  } catch (error) {
    if (error.name === "NotSupportedError") throw error;
    // The key is none.
    return 0;
  }
}

/**
 * All that is kept of the player: `secret`, the `text` of the module, the `pending` body of an event, and whether the
 * player has said to have the key's file, `hasFile`; or nothing.
 */
export const read = () => within("readonly", (store) => done(store.get(name)));

/** Keeps some of that anew, and leaves the rest. Tabs do it one after another. */
export const keep = (some) =>
  within("readwrite", async (store) => {
    const kept = await done(store.get(name));
    // Neither the key of another player nor an event on its way is ever written over.
    if (kept && some.secret && keyOf(kept) !== keyOf(some)) throw new Error("another player is kept");
    if (kept?.pending && some.pending) throw new Error("another event is kept");
    if (kept || some.secret) await done(store.put({ ...kept, ...some }, name));
  });

/** Forgets the player of a text, whose key speaks for nobody any more. */
export const forget = (text) =>
  within("readwrite", async (store) => {
    const kept = await done(store.get(name));
    if (kept && isOf(kept, text)) await done(store.delete(name));
  });

/** Keeps the next text of the module where the one before is kept. */
export const keepText = (before, text) =>
  within("readwrite", async (store) => {
    const kept = await done(store.get(name));
    if (kept?.text === before) await done(store.put({ ...kept, text }, name));
  });

const name = "player";
/** Whether that is kept of the player of a text. */
export const isOf = (kept, text) => keyOf(kept) === keyOf({ text });
const keyOf = ({ text }) => text.split(/[ :]/)[0];

async function within(mode, act) {
  const base = await done(Object.assign(indexedDB.open("cubist", 1), { onupgradeneeded: ({ target }) => target.result.createObjectStore("players") }));
  try {
    const transaction = base.transaction("players", mode, { durability: "strict" });
    const ended = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    const answer = await act(transaction.objectStore("players"));
    await ended;
    return answer;
  } finally {
    base.close();
  }
}

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
