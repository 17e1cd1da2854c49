"""The module of the checks in a browser's engine: it finds what the toolchain's wasmkit finds, and the browser's cryptography with its rules of form gives the verdict of the service's libraries. deploy/wasm whole makes the module."""

import json

from page import PageTest
from server import WEB

ROOT = WEB.parent
CHECKS = ROOT / ".cubist/wasm/cubist.wasm"
#: Tests/MatchServiceTests/VerdictTests.swift has libsodium and OpenSSL judge the same ones.
VECTORS = json.loads((ROOT / "Tests/Vectors/signatures.json").read_text())
#: deploy/wasm.d/Check.swift has their contents.
CHECKED = ["words", "list", "lexicon", "hashes", "recovery", "digests", "games", "turns", "plays", "walk", "verified", "spoken"]
#: The report of the checks, and the one after a change in the module's memory.
CHECKING = """
const [before, after] = arguments;
const wasi_snapshot_preview1 = { fd_write: () => 8 };
const { instance: { exports } } = await WebAssembly.instantiateStreaming(fetch('/check.wasm'), { wasi_snapshot_preview1 });
const check = () => {
  const count = exports.check();
  return new TextDecoder().decode(new Uint8Array(exports.memory.buffer, exports.report(), count)).trim().split('\\n');
};
const first = check();
const memory = new Uint8Array(exports.memory.buffer);
const [old, other] = [before, after].map((text) => new TextEncoder().encode(text));
memory.set(other, memory.findIndex((_, at) => old.every((byte, index) => memory[at + index] === byte)));
return [first, check()];
"""
#: The verdicts of the browser.
VERDICTS = """
const [vectors] = arguments;
const wasi_snapshot_preview1 = { fd_write: () => 8 };
const { instance: { exports } } = await WebAssembly.instantiateStreaming(fetch('/check.wasm'), { wasi_snapshot_preview1 });
const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const text = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const algorithm = { name: 'Ed25519' };
const verdict = async ({ key, signature, message }) => {
  const place = exports.signed();
  new Uint8Array(exports.memory.buffer, place, 96).set([...bytes(key), ...bytes(signature)]);
  if (!exports.isAcceptable()) return 'form';
  try {
    const known = await crypto.subtle.importKey('raw', bytes(key), algorithm, false, ['verify']);
    return await crypto.subtle.verify(algorithm, known, bytes(signature), bytes(message)) ? 'good' : 'equation';
  } catch (error) {
    return error.name;
  }
};
const pair = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
const key = text(await crypto.subtle.exportKey('raw', pair.publicKey));
const message = '0123';
const signature = text(await crypto.subtle.sign(algorithm, pair.privateKey, bytes(message)));
const zero = '0'.repeat(64);
const [found, odd] = [[], []];
for (const edge of vectors.edges) found.push(await verdict(edge));
for (const point of vectors.oddPoints) {
  for (const [of, by] of [[signature, point], [point + zero, point], [point + signature.slice(64), key], [point + zero, key]]) {
    odd.push(await verdict({ key: by, signature: of, message }));
  }
}
const flipped = message.replace('1', '0');
return [found, odd, await verdict({ key, signature, message }), await verdict({ key, signature, message: flipped })];
"""


class Checks(PageTest):
    def test_vectors_and_plays_come_out_the_same_in_this_engine(self):
        self.assertTrue(CHECKS.is_file(), "run deploy/wasm first")
        self.server.server.extra = {"/check.wasm": CHECKS}
        self.open_anew()
        move = '"score":32,"spells":"CANE"'
        found, changed = self.browser.run(CHECKING, move, move.replace("2", "3"))
        self.assertEqual(found, [f"ok {name}" for name in CHECKED])
        # A recorded score that is another one is told.
        self.assertEqual([line for line in changed if not line.startswith("ok ")], ["wrong games: game 0: move 0 scores 32"])

    def test_odd_keys_and_signatures_get_the_verdict_of_the_other_libraries(self):
        self.assertTrue(CHECKS.is_file(), "run deploy/wasm first")
        self.server.server.extra = {"/check.wasm": CHECKS}
        self.open_anew()
        edges, odd, good, changed = self.browser.run(VERDICTS, VECTORS)
        self.assertEqual([verdict == "good" for verdict in edges], [edge["isValid"] for edge in VECTORS["edges"]], edges)
        self.assertNotIn("good", odd)
        self.assertEqual((good, changed), ("good", "equation"))
