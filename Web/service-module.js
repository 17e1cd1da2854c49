// The functions of player.wasm. Input goes through one buffer, output through another.

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
/** The bytes of an id in text. */
const idBytes = 36;
/** More bytes than any honest answer has, or a record with its name. */
const limit = (1 << 23) + 1024;

export class Module {
  #exports;

  constructor(exports) {
    this.#exports = exports;
  }

  /** Loads the module. `lend` gives it the words, which another module has. */
  static async load(lend) {
    const { instance } = await WebAssembly.instantiateStreaming(fetch(new URL("player.wasm", import.meta.url)));
    const { memory, words, wordBytes } = instance.exports;
    const list = lend();
    if (list.length !== wordBytes()) throw new Error("the modules are of two builds");
    new Uint8Array(memory.buffer, words(), list.length).set(list);
    return new Module(instance.exports);
  }

  start(kept) {
    const [seed] = crypto.getRandomValues(new BigUint64Array(1));
    return this.#state(this.#exports.start(seed, this.#write(encoder.encode(kept))));
  }

  act(action) {
    return this.#state(this.#exports.act(this.#write(encoder.encode(action))));
  }

  /** The next message: its `kind`, its `id` and the bytes to be signed; null: there is none. */
  next() {
    const bytes = this.#read(this.#exports.next(now()));
    return bytes && { kind: bytes[0], id: bytes.slice(1, 1 + idBytes), message: bytes.slice(1 + idBytes) };
  }

  /** `isByWords`: the key of recovery words has signed it. */
  envelope(message, signature, isByWords) {
    return this.#read(this.#exports.envelope(isByWords, this.#write(signature, message)));
  }

  resume(body) {
    return this.#read(this.#exports.resume(this.#write(body)));
  }

  /** The seconds after which an event is sent again; -1: it is answered. */
  waits(id) {
    return this.#exports.waits(this.#write(id));
  }

  hear(bytes, roundTrip) {
    return this.#state(this.#exports.hear(now(), BigInt(Math.round(roundTrip * 1000)), this.#write(bytes)));
  }

  /** `content` is empty where there is nothing. */
  published(id, content, roundTrip) {
    return this.#state(this.#exports.published(now(), BigInt(Math.round(roundTrip * 1000)), this.#write(id, content)));
  }

  /** `isFailure`: the service was reached, and failed. */
  lost(id, isFailure) {
    return this.#state(this.#exports.lost(Boolean(isFailure), this.#write(id)));
  }

  delayed(id) {
    return this.#state(this.#exports.delayed(this.#write(id)));
  }

  /** Null: the stream cannot be read any more. */
  stream(bytes) {
    return this.#state(this.#exports.stream(this.#write(bytes)));
  }

  ended() {
    return this.#state(this.#exports.ended());
  }

  /** The most bytes of a file that are read. */
  get recordLimit() {
    return this.#exports.recordLimit();
  }

  /** Checks a file. `size` is -1 where it cannot be read. */
  file(size, name, bytes) {
    // Nobody reads more of a name.
    const title = encoder.encode(name.slice(0, 100));
    this.#write(title, bytes);
    return this.#state(this.#exports.file(BigInt(size), title.length, bytes.length));
  }

  /** The `signatures` that the browser is to check, and the `number` of the check; null: there are none. */
  signatures() {
    const bytes = this.#read(this.#exports.signatures());
    return bytes && { number: new DataView(bytes.buffer).getUint32(0, true), signatures: bytes.subarray(4) };
  }

  verdicts(number, verdicts) {
    return this.#state(this.#exports.verdicts(number, this.#write(verdicts)));
  }

  /** The `name` and the `bytes` of the record that the player saves; null: there is none. */
  record() {
    const bytes = this.#read(this.#exports.record());
    return bytes && { name: decoder.decode(bytes.subarray(1, 1 + bytes[0])), bytes: bytes.subarray(1 + bytes[0]) };
  }

  keyText(seed) {
    return decoder.decode(this.#read(this.#exports.keyText(this.#write(seed))));
  }

  #write(...parts) {
    const count = parts.reduce((sum, { length }) => sum + length, 0);
    // Too much is nothing that the service says.
    if (count > limit) return 0;
    const place = this.#exports.input(count);
    // The memory may have grown, and has another buffer then.
    const room = new Uint8Array(this.#exports.memory.buffer, place, count);
    let start = 0;
    for (const part of parts) {
      room.set(part, start);
      start += part.length;
    }
    return count;
  }

  #read(count) {
    if (count === 0) return null;
    return new Uint8Array(this.#exports.memory.buffer, this.#exports.output(), count).slice();
  }

  #state(count) {
    const bytes = this.#read(count);
    return bytes && JSON.parse(decoder.decode(bytes));
  }
}

const now = () => BigInt(Date.now()) * 1000n;
