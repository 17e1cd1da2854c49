// The player's secret key: made by the browser, kept in it, and never to be read again.

const algorithm = { name: "Ed25519" };
/** Bytes of a PKCS #8 file before the seed of an Ed25519 key (RFC 8410). */
const head = 16;

/** Whether a key can be made and kept here: pages of plain http addresses of a network have no cryptography. */
export const isPossible = () => Boolean(globalThis.isSecureContext && globalThis.crypto?.subtle && globalThis.indexedDB);

/**
 * Makes a key. `secret` signs and shows its bytes to nobody. `seed` has them once more, for a file of the player's;
 * whoever calls this fills it with zeros afterwards.
 */
export async function make() {
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const file = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  const secret = await crypto.subtle.importKey("pkcs8", file, algorithm, false, ["sign"]);
  const seed = file.slice(head);
  file.fill(0);
  return { secret, seed, open: new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)) };
}

/** The 64 bytes of a signature. */
export const sign = async (secret, message) => new Uint8Array(await crypto.subtle.sign(algorithm, secret, message));

/** What is kept of the player: `secret`, the `text` of the module, and the `pending` body of an event; or nothing. */
export const read = () => within("readonly", (store) => store.get("player"));

export const keep = (player) => within("readwrite", (store) => store.put(player, "player"));

async function within(mode, act) {
  const base = await done(Object.assign(indexedDB.open("cubist", 1), { onupgradeneeded: ({ target }) => target.result.createObjectStore("players") }));
  try {
    const transaction = base.transaction("players", mode, { durability: "strict" });
    const request = act(transaction.objectStore("players"));
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    return request.result;
  } finally {
    base.close();
  }
}

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
