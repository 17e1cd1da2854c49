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

  /** Carries an action out and gives the state; null: it is no action. */
  act(action) {
    return this.#read(this.#exports.act(this.#write(action)));
  }

  #write(text) {
    const room = new Uint8Array(this.#exports.memory.buffer, this.#exports.input(), 64);
    return encoder.encodeInto(text, room).written;
  }

  #read(count) {
    if (count === 0) return null;
    const bytes = new Uint8Array(this.#exports.memory.buffer, this.#exports.output(), count);
    return JSON.parse(decoder.decode(bytes));
  }
}
