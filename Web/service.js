// A player at the service. The module decides what is said, and reads what comes; this signs, sends, waits and keeps.

import { digits, forget, fromDigits, isOf, keep, keepText, keyOfWords, make, noKey, publicHalf, read, sign, verdicts } from "./keys.js";
import { Module } from "./service-module.js";

/** The first pause before an event is sent again, and the longest, in milliseconds. */
const pauses = [500, 8000];
/** The longest time that a server's word is waited for, in seconds. */
const longestWait = 60;
/** How long an answer is waited for: longer than the gateway waits. */
const patience = 40_000;
/** How long a file waits for the service's root key, in milliseconds. */
const rootKeyPatience = 5000;
/** How long a stream may say nothing. The gateway sends a line every 15 seconds. */
const silence = 45_000;

const kinds = { query: 1, event: 2, stream: 3, published: 4, wordsQuery: 5, wordsEvent: 6 };

/** A browser without channels makes no keys here (`obstacle`), so it has nothing to tell its other tabs. */
const channel = (name) => (globalThis.BroadcastChannel ? new BroadcastChannel(name) : { postMessage() {}, close() {} });

/** Tells the other tabs that the player of this browser has a name, or has said to have the file of the key. */
export const players = channel("cubist-player");

export class Service {
  #module;
  #secret;
  /** The key of typed recovery words, until they have done their work. It is kept nowhere. */
  #recoverySecret = null;
  /** The bytes of a new key, until the player has its file or the page is closed. */
  #seed;
  #isKept;
  /** Whether the file was given to the browser, which may have kept it or not. */
  #isGiven = false;
  /** Whether the player has said to have that file; null: nobody knows. */
  #hasFile;
  #timers = new Map();
  #show;
  #isLeft = false;
  /** Whether this tab reads the stream, or will once the tab that reads it is closed. */
  #isInLine = false;
  /** Whether the event of an earlier page was looked for. */
  #hasDelivered = false;
  /** Whether the last stream that was answered was open before it ended. */
  #wasOpen = false;
  /** The stream's bytes go to the other tabs, so that one is enough. */
  #tabs = channel("cubist");
  #endWaiting;
  /** Lets another tab read the stream. */
  #leaveLine = () => {};
  /** The file that was chosen last. */
  #file;
  /** Ends once the service has said who it is, or was found to be away. */
  #answered = new Promise((resolve) => (this.#endWaiting = resolve));
  /** The state as the module tells it. */
  state;

  constructor(module, { secret, seed = null, isKept = false, hasFile = false }, show) {
    [this.#module, this.#secret, this.#seed, this.#isKept, this.#hasFile, this.#show] = [module, secret, seed, isKept, hasFile, show];
    this.#tabs.onmessage = ({ data }) => {
      // A player without a name has no changes: these are those of another player.
      if (!this.state?.account.name) return;
      this.#take(data ? this.#module.stream(data) : this.#module.ended());
    };
  }

  /** Another player takes the place of this one. */
  leave() {
    this.#isLeft = true;
    this.#tabs.close();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#forgetSeed();
    this.#recoverySecret = null;
    this.#leaveLine();
  }

  /** The key speaks for nobody any more, and the browser forgets it. */
  async forget() {
    const { kept } = this.state.account;
    this.leave();
    await forget(kept).catch(() => {});
  }

  /** The player of this browser; null where none was kept. `lend` has the words; `show` takes each new state, and null where another tab has made a player meanwhile. */
  static async load(lend, show, shared) {
    const kept = await read();
    if (!kept) return null;
    const service = new Service(await Module.load(lend), { secret: kept.secret, isKept: true, hasFile: kept.hasFile ?? null }, show);
    return service.#open(kept.text, shared) ? service : null;
  }

  /** A new player, who is kept when a name is asked for. Without a key there is only what is public. */
  static async create(lend, show, shared, hasKey) {
    const { secret, seed, open } = hasKey ? await make() : noKey;
    const service = new Service(await Module.load(lend), { secret, seed }, show);
    service.#open([...open].map((byte) => byte.toString(16).padStart(2, "0")).join(""), shared);
    return service;
  }

  /** `shared` is the code of a game to be shown. */
  #open(text, shared) {
    const state = this.#module.start(shared ? `${text}\n${shared}` : text);
    if (!state) return false;
    this.#take(state);
    if (this.#isKept) this.#showPending();
    addEventListener("online", () => this.act("search"));
    return true;
  }

  /** One tab reads the stream for all. A player without a name has none. */
  #getInLine() {
    this.#isInLine = true;
    navigator.locks.request("cubist-changes", () => {
      if (this.#isLeft) return;
      this.act("lead");
      // It is held as long as the page has this player.
      return new Promise((resolve) => (this.#leaveLine = resolve));
    });
  }

  /**
   * The file of the key: `offered`, as long as this page can save it; `given`, where it was saved, perhaps; `missed`, where
   * this page cannot save it, and the player has not said to have it; or nothing.
   */
  get keyFile() {
    // A name that another device has is not lost with this key.
    if (this.state?.account.isLater) return "";
    if (this.#seed) return this.#isGiven ? "given" : "offered";
    return this.#isKept && this.#hasFile === false ? "missed" : "";
  }

  /** The player may have said in another tab to have that file. */
  async lookForFile() {
    this.#hasFile = (await read())?.hasFile ?? null;
    if (this.#hasFile) this.#forgetSeed();
    this.#show(this.state);
  }

  /** Whether this browser keeps another player by now, whom another tab has made. */
  async isReplaced() {
    const kept = await read();
    return Boolean(kept) && !isOf(kept, this.state.account.kept);
  }

  /** The text of that file, which `cubist key import` reads; nothing where it is not there any more. */
  giveKeyText() {
    this.#isGiven = true;
    return this.#seed && this.#module.keyText(this.#seed);
  }

  /** The player has that file. */
  confirmFile() {
    this.#forgetSeed();
    this.#hasFile = true;
    // Where the key is not kept yet, this is kept with it.
    if (this.#isKept) keep({ hasFile: true }).then(() => players.postMessage("saved"), () => {});
  }

  #forgetSeed() {
    this.#seed?.fill(0);
    this.#seed = null;
  }

  /** Carries an action out, and gives the state; null: it is no action. */
  act(action) {
    const next = this.#module.act(action);
    if (next) this.#take(next);
    return next;
  }

  #wake(act) {
    this.#timers.delete(act);
    this.act(act);
  }

  #take(next) {
    if (!next || this.#isLeft) return;
    const before = this.state?.account;
    const isBack = this.state?.connection === "lost" && next.connection !== "lost";
    this.state = next;
    if (next.account.isMet || next.account.trouble?.isFinal || next.connection === "lost") this.#endWaiting();
    for (const { act, after } of next.timers) {
      clearTimeout(this.#timers.get(act));
      this.#timers.set(act, setTimeout(() => this.#wake(act), after));
    }
    // The player's other devices have the name, or words bring it back: nobody needs a file of this key.
    if (next.account.name && next.account.isLater) this.#forgetSeed();
    if (!next.account.hasRecoveryKey) this.#recoverySecret = null;
    if (this.#isKept && next.account.kept !== before?.kept) this.#keepText(before?.kept, next.account);
    if (next.account.name && !this.#isInLine) this.#getInLine();
    if (next.account.isMet && this.#isKept && !this.#hasDelivered) this.#deliverKept();
    for (let message = this.#module.next(); message; message = this.#module.next()) this.#send(message);
    this.#serveRecord();
    if (next.account.wordsSeed && next.account.wordsSeed !== before?.wordsSeed) this.#findWordsKey(next.account.wordsSeed);
    const { recoverySeed, recoveryProof } = next.account;
    if (recoverySeed && recoverySeed !== before?.recoverySeed) this.#findRecoveryKey(recoverySeed);
    if (recoveryProof && recoveryProof !== before?.recoveryProof) this.#proveKey(recoveryProof);
    this.#show(next);
    // A stream that was lost does not wait for its pause where the service is there again. One that was refused does.
    if (isBack && this.#wasOpen && this.#timers.has("stream")) {
      this.#wasOpen = false;
      clearTimeout(this.#timers.get("stream"));
      this.#wake("stream");
    }
  }

  /** New recovery words are shown once their key is known. */
  async #findWordsKey(seed) {
    this.act(`wordskey ${await publicHalf(seed).catch(() => "none")}`);
  }

  /** Typed recovery words sign by their key. */
  async #findRecoveryKey(seed) {
    const found = await keyOfWords(seed).catch(() => null);
    this.#recoverySecret = found?.secret;
    this.act(`recoverykey ${found?.open ?? "none"}`);
  }

  /** A recovery needs a proof that this browser has the new key. */
  async #proveKey(proved) {
    const proof = await sign(this.#secret, fromDigits(proved)).then(digits, () => "none");
    this.act(`recoveryproof ${proof}`);
  }

  /** Keeps a new text, unless another tab has written one meanwhile. The other tabs hear of a name. */
  async #keepText(before, { kept, name }) {
    await keepText(before, kept).catch(() => {});
    if (name) players.postMessage("named");
  }

  #send({ kind, id, message }) {
    // The module may have done with the words before it is their turn.
    const words = kind === kinds.wordsQuery || kind === kinds.wordsEvent ? this.#recoverySecret : null;
    if (kind === kinds.event || kind === kinds.wordsEvent) this.#tell(id, message, words);
    else if (kind === kinds.stream) this.#listen(id, message);
    else if (kind === kinds.published) this.#look(id, message);
    else this.#ask(id, message, words);
  }

  /** `words` is the key of recovery words, where that one signs. */
  async #body(message, words) {
    return this.#module.envelope(message, await sign(words ?? this.#secret, message), Boolean(words));
  }

  async #ask(id, message, words) {
    const { bytes, roundTrip, isFailure } = await this.#post("queries", id, await this.#body(message, words));
    if (bytes) this.#take(this.#module.hear(bytes, roundTrip));
    // The answer may have been of no use.
    if (this.#module.waits(id) >= 0) this.#take(this.#module.lost(id, isFailure));
  }

  /** Looks at what is public, for somebody without a name. */
  async #look(id, message) {
    const { bytes, status, roundTrip, isFailure } = await this.#fetch(new TextDecoder().decode(message), { headers: named(id) });
    // Anything but an answer and "not found" says nothing about the game.
    if (bytes && (status === 200 || status === 404)) this.#take(this.#module.published(id, status === 200 ? bytes : [], roundTrip));
    this.#take(this.#module.lost(id, isFailure));
  }

  // MARK: Records

  /** Checks the signatures that the module asks for, and gives the player the record that is to be saved. */
  async #serveRecord() {
    const record = this.#module.record();
    if (record) download(record.name, record.bytes, "application/json");
    const asked = this.#module.signatures();
    if (asked) this.#take(this.#module.verdicts(asked.number, await verdicts(asked.signatures)));
  }

  /** Checks a file that the player has chosen. A later file takes the place of one that is still read. */
  async check(file) {
    this.#file = file;
    let [size, bytes] = [file.size, new Uint8Array()];
    try {
      if (size <= this.#module.recordLimit) bytes = new Uint8Array(await file.arrayBuffer());
    } catch {
      size = -1;
    }
    await Promise.race([this.#answered, new Promise((resolve) => setTimeout(resolve, rootKeyPatience))]);
    if (this.#file === file) this.#take(this.#module.file(size, file.name, bytes));
  }

  // MARK: Events

  /** Sends an event, after those that other tabs or an earlier page have left. */
  #tell(id, message, words) {
    // Another tab's event may be on its way.
    const watch = setTimeout(() => this.#take(this.#module.delayed(id)), 5000);
    return navigator.locks.request("cubist-events", async () => {
      clearTimeout(watch);
      const body = await this.#body(message, words);
      for (let attempt = 1; ; attempt++) {
        try {
          // The key of another tab is never written over, and its event is that tab's.
          if (this.#isKept ? await this.isReplaced() : await read()) return this.#show(null);
          await this.#deliverPending();
          await this.#keepEvent(body);
          break;
        } catch {
          // The browser keeps nothing now, and nothing is sent that is not kept.
          this.#take(this.#module.delayed(id));
          await pause(attempt);
        }
      }
      await this.#deliver(id, body);
    });
  }

  /** Shows that an event of an earlier page waits. */
  async #showPending() {
    const kept = await read().catch(() => null);
    if (kept?.pending && this.#module.resume(kept.pending)) this.act("search");
  }

  /** The service has to be the one that was met first. */
  #deliverKept() {
    this.#hasDelivered = true;
    return navigator.locks.request("cubist-events", () => this.#deliverPending().catch(() => {}));
  }

  async #deliverPending() {
    const kept = await read();
    if (!kept?.pending || !isOf(kept, this.state.account.kept)) return;
    const id = this.#module.resume(kept.pending);
    if (id) await this.#deliver(id, kept.pending);
    else await keep({ pending: null });
  }

  /** Keeps an event and its key, before it is sent. */
  async #keepEvent(body) {
    const [secret, text, hasFile] = [this.#secret, this.state.account.kept, this.#hasFile];
    if (this.#isKept) return keep({ secret, text, pending: body });
    await keep({ secret, text, pending: body, hasFile });
    this.#isKept = true;
    // The player may have said so meanwhile.
    if (this.#hasFile !== hasFile) await keep({ hasFile: this.#hasFile });
    // A browser that is asked keeps the key where it would else make room. Some ask the player, who may take time.
    navigator.storage?.persisted?.().then((isSafe) => isSafe || navigator.storage.persist()).catch(() => {});
  }

  /** Sends the same bytes until they are answered. */
  async #deliver(id, body) {
    for (let attempt = 1; ; attempt++) {
      const { bytes, roundTrip, after } = await this.#post("events", id, body);
      if (bytes) this.#take(this.#module.hear(bytes, roundTrip));
      const seconds = this.#module.waits(id);
      if (seconds < 0) break;
      // Another service is told nothing more. The event stays for the right one.
      if (this.state.account.trouble?.isFinal) return;
      if (!bytes) this.#take(this.#module.delayed(id));
      await pause(attempt, Math.max(seconds, after ?? 0));
    }
    await keep({ pending: null }).catch(() => {});
  }

  /** The service's own words, or the seconds after which they may come. */
  #post(kind, id, body) {
    return this.#fetch(`/v1/${kind}`, request(id, body));
  }

  async #fetch(path, options) {
    const begun = performance.now();
    try {
      const answer = await fetch(path, { ...options, signal: AbortSignal.timeout(patience) });
      const bytes = await bytesOf(answer, 2 * this.#module.recordLimit);
      const roundTrip = performance.now() - begun;
      const isWord = answer.headers.get("Content-Type")?.split(";")[0] === "application/json" && answer.status !== 202;
      return isWord ? { bytes, status: answer.status, roundTrip } : { after: seconds(answer.headers.get("Retry-After")), isFailure: answer.status >= 500 };
    } catch {
      // Nobody knows whether it arrived.
      return { after: 0 };
    }
  }

  // MARK: Changes

  /** Reads the stream of changes to its end, for all tabs. */
  async #listen(id, message) {
    let [isOpen, isAnswered] = [false, false];
    // The other tabs may have the end of a stream that broke off.
    this.#tabs.postMessage(null);
    const control = new AbortController();
    let watch;
    const heard = () => {
      clearTimeout(watch);
      watch = setTimeout(() => control.abort(), silence);
    };
    try {
      heard();
      const answer = await fetch("/v1/changes", { ...request(id, await this.#body(message)), signal: control.signal });
      isAnswered = true;
      if (answer.headers.get("Content-Type")?.split(";")[0] === "text/event-stream") {
        isOpen = true;
        for (let reader = answer.body.getReader(), part = await reader.read(); !part.done; part = await reader.read()) {
          heard();
          const state = this.#module.stream(part.value);
          if (!state) break;
          this.#tabs.postMessage(part.value);
          this.#take(state);
        }
      } else if (answer.status === 401) {
        // The key may speak for the player no more.
        this.#take(this.#module.hear(await bytesOf(answer, 2 * this.#module.recordLimit), 0));
      }
    } catch {
      // It is opened again.
    }
    clearTimeout(watch);
    control.abort();
    if (isAnswered) this.#wasOpen = isOpen;
    // A stream that ends or is refused is opened again. One without an answer tells that the service is away.
    if (!isAnswered) this.#take(this.#module.lost(id));
    this.#take(this.#module.ended());
  }
}

/** Gives the player a file. */
export function download(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A proxy may name a date, or an hour. */
const seconds = (text) => Math.min(Math.max(Number(text) || 0, 0), longestWait);

/** The bytes of an answer. One that is longer than any of the service's is left. */
async function bytesOf(answer, limit) {
  if (!answer.body) return new Uint8Array();
  const reader = answer.body.getReader();
  const parts = [];
  for (let left = limit, part = await reader.read(); !part.done; part = await reader.read()) {
    left -= part.value.length;
    if (left < 0) {
      await reader.cancel();
      throw new RangeError(`an answer of more than ${limit} bytes`);
    }
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** The service's logs name a request by the id of its message, which the player reads where it fails. */
const named = (id) => ({ "X-Request-Id": new TextDecoder().decode(id) });

const request = (id, body) => ({ method: "POST", body, headers: { ...named(id), "Content-Type": "application/octet-stream" }, cache: "no-store" });

/** Waits, longer after each attempt, but no longer than until the network is back. */
function pause(attempt, seconds = 0) {
  const length = Math.max(Math.min(pauses[0] * 2 ** (attempt - 1), pauses[1]) * (1 + Math.random() / 2), 1000 * seconds);
  return new Promise((resolve) => {
    setTimeout(resolve, length);
    addEventListener("online", resolve, { once: true });
  });
}
