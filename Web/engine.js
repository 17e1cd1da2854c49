// The game itself, compiled from the Swift sources to WebAssembly. Text goes in, a state comes out.

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

/** Loads the module. Each engine has a memory of its own. */
export async function load(address) {
  const { instance } = await WebAssembly.instantiateStreaming(fetch(address));
  return new Engine(instance.exports);
}

class Engine {
  #exports;

  constructor(exports) {
    this.#exports = exports;
  }

  /** Opens the game. `kept` says how far the first steps have come. */
  start(seed, kept) {
    return this.#read(this.#exports.start(seed, this.#write(kept)));
  }

  /** Goes on with a game that was kept; null: the module cannot have written it. */
  resume(text) {
    return this.#read(this.#exports.resume(this.#write(text)));
  }

  /** The text that `resume` goes on with; empty: nothing is under way. */
  kept() {
    return this.#text(this.#exports.kept());
  }

  /** Carries an action out and gives the state; null: it is no action. */
  act(action) {
    return this.#read(this.#exports.act(this.#write(action)));
  }

  /** The words, for another module. They are there once the game has been opened. */
  words() {
    return new Uint8Array(this.#exports.memory.buffer, this.#exports.words(), this.#exports.wordBytes());
  }

  #write(text) {
    const bytes = encoder.encode(text);
    const place = this.#exports.input(bytes.length);
    new Uint8Array(this.#exports.memory.buffer, place, bytes.length).set(bytes);
    return bytes.length;
  }

  #read(count) {
    return count === 0 ? null : JSON.parse(this.#text(count));
  }

  #text(count) {
    return decoder.decode(new Uint8Array(this.#exports.memory.buffer, this.#exports.output(), count));
  }
}
