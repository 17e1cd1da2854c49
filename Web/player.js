// The player at the service. The module makes every message and reads every answer; this signs, sends, and keeps.

import { keep, make, read, sign } from "./keys.js";

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
const kinds = { register: "events", service: "queries", whoami: "queries" };
/** The first pause before another try, and the longest, in milliseconds. */
const pauses = [500, 8000];
const tries = 5;
/** How long an answer is waited for: longer than the gateway waits. */
const patience = 40_000;

export class Player {
  #module;
  #secret;
  #seed = null;
  #pending = null;
  #isKept = false;
  /** The state as the module tells it: `name`, `needsCode`, `trouble` and more. */
  state;

  constructor(module, secret) {
    [this.#module, this.#secret] = [module, secret];
  }

  /** The player of this browser; null where none was kept. */
  static async load() {
    const kept = await read();
    if (!kept) return null;
    const player = new Player(await Module.load(), kept.secret);
    player.state = player.#module.start(kept.text);
    if (!player.state) return null;
    player.#isKept = true;
    if (kept.pending && player.#module.resume(kept.pending)) player.#pending = kept.pending;
    return player;
  }

  /** A new player, who is kept when a name is asked for. */
  static async create() {
    const { secret, seed, open } = await make();
    const player = new Player(await Module.load(), secret);
    player.#seed = seed;
    player.state = player.#module.start([...open].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
    return player;
  }

  /** The text of the file that `cubist key import` reads; null once the key is kept. */
  keyText() {
    return this.#seed && this.#module.keyText(this.#seed);
  }

  /** Whether an event waits for its reply. */
  get isPending() {
    return this.#pending !== null;
  }

  /** Carries a wish out, such as `service` or `register ada`. Gives the state afterwards. */
  async ask(wish) {
    if (!this.state.service && wish !== "service" && (await this.ask("service")).trouble) return this.state;
    const isEvent = kinds[wish.split(" ")[0]] === "events";
    // An earlier event could undo a later one.
    if (isEvent && this.#pending && (await this.resume()).trouble) return this.state;
    await (isEvent ? this.#tell(wish) : this.#query(wish));
    if (!this.state.trouble?.isAboutClock) return this.state;
    if ((await this.#query("service")).trouble) return this.state;
    return isEvent ? this.#tell(wish) : this.#query(wish);
  }

  /** Sends an event again that waits for its reply. Gives the state afterwards. */
  async resume() {
    for (let attempt = 1; this.#pending; attempt++) {
      const { bytes, roundTrip, after } = await this.#post("events", this.#pending);
      if (bytes) this.state = this.#module.hear(bytes, roundTrip);
      if (bytes && !this.state.isWaiting) {
        await this.#keep(null);
      } else if (attempt === tries) {
        this.state = { ...this.state, trouble: { name: "pending", message: "The service has not answered yet. This is sent again, and counts once." } };
        return this.state;
      } else {
        await this.#pause(attempt, bytes ? this.state.trouble?.retryAfter : after);
      }
    }
    return this.state;
  }

  async #tell(wish) {
    const body = await this.#signed(wish);
    if (!body) return this.#misspelt();
    await this.#keep(body);
    this.#seed?.fill(0);
    this.#seed = null;
    return this.resume();
  }

  /** A query is good for a minute: each try has an id and a signature of its own. */
  async #query(wish) {
    for (let attempt = 1; ; attempt++) {
      const body = await this.#signed(wish);
      if (!body) return this.#misspelt();
      const { bytes, roundTrip, after } = await this.#post("queries", body);
      if (bytes) this.state = this.#module.hear(bytes, roundTrip);
      const again = bytes ? this.state.trouble?.retryAfter : after;
      if (bytes && again === undefined) break;
      if (attempt === tries) {
        if (!bytes) this.state = { ...this.state, trouble: { name: "unreachable", message: "The service cannot be reached. Try again later." } };
        break;
      }
      await this.#pause(attempt, again);
    }
    if (this.#isKept) await this.#keep(this.#pending);
    return this.state;
  }

  #misspelt() {
    this.state = { ...this.state, trouble: { name: "misspelt", message: "A name has 3 to 16 of A-Z a-z 0-9 _ -, a code 4 to 16 of A-Z and 0-9." } };
    return this.state;
  }

  async #signed(wish) {
    const message = this.#module.message(wish);
    return message && this.#module.envelope(message, await sign(this.#secret, message));
  }

  /** The service's own words, or the seconds after which they may come. */
  async #post(kind, body) {
    const begun = performance.now();
    try {
      const answer = await fetch(`/v1/${kind}`, {
        method: "POST", body, headers: { "Content-Type": "application/octet-stream" }, cache: "no-store", signal: AbortSignal.timeout(patience),
      });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const roundTrip = performance.now() - begun;
      const isWord = answer.headers.get("Content-Type")?.split(";")[0] === "application/json" && answer.status !== 202;
      return isWord ? { bytes, roundTrip } : { after: Number(answer.headers.get("Retry-After") ?? 0) };
    } catch {
      // Nobody knows whether it arrived.
      return { after: 0 };
    }
  }

  #pause(attempt, seconds) {
    const pause = Math.min(pauses[0] * 2 ** (attempt - 1), pauses[1]) * (1 + Math.random() / 2);
    return new Promise((resolve) => setTimeout(resolve, Math.max(pause, 1000 * (seconds ?? 0))));
  }

  async #keep(pending) {
    await keep({ secret: this.#secret, text: this.state.kept, pending });
    [this.#pending, this.#isKept] = [pending, true];
  }
}

/** The module's functions, with bytes for its one buffer. */
class Module {
  #exports;

  constructor(exports) {
    this.#exports = exports;
  }

  static async load() {
    const { instance } = await WebAssembly.instantiateStreaming(fetch(new URL("player.wasm", import.meta.url)));
    return new Module(instance.exports);
  }

  start(kept) {
    const [seed] = crypto.getRandomValues(new BigUint64Array(1));
    return this.#state(this.#exports.start(seed, this.#write(encoder.encode(kept))));
  }

  message(wish) {
    return this.#read(this.#exports.message(now(), this.#write(encoder.encode(wish))));
  }

  envelope(message, signature) {
    return this.#read(this.#exports.envelope(this.#write(signature, message)));
  }

  resume(body) {
    return this.#exports.resume(this.#write(body)) === 1;
  }

  hear(bytes, roundTrip) {
    return this.#state(this.#exports.hear(now(), BigInt(Math.round(roundTrip * 1000)), this.#write(bytes)));
  }

  keyText(seed) {
    return decoder.decode(this.#read(this.#exports.keyText(this.#write(seed))));
  }

  /** What does not fit is nothing that the service says. */
  #write(...parts) {
    // The memory may grow at the first call, and has another buffer then.
    const place = this.#exports.input();
    const room = new Uint8Array(this.#exports.memory.buffer, place, 1 << 18);
    let count = 0;
    for (const part of parts) {
      const bytes = part.subarray(0, room.length - count);
      room.set(bytes, count);
      count += bytes.length;
    }
    return count;
  }

  #read(count) {
    if (count === 0) return null;
    const place = this.#exports.output();
    return new Uint8Array(this.#exports.memory.buffer, place, count).slice();
  }

  #state(count) {
    const bytes = this.#read(count);
    return bytes && JSON.parse(decoder.decode(bytes));
  }
}

const now = () => BigInt(Date.now()) * 1000n;
