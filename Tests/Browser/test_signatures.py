"""Signatures: the browser's cryptography and the rules of their form give the verdict of the service's libraries."""

import json

from page import PageTest
from server import WEB

ROOT = WEB.parent
CHECKS = ROOT / ".cubist/wasm/cubist.wasm"
#: Tests/MatchServiceTests/VerdictTests.swift has libsodium and OpenSSL judge the same ones.
VECTORS = json.loads((ROOT / "Tests/Vectors/signatures.json").read_text())

SCRIPT = """
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


class Signatures(PageTest):
    def test_odd_keys_and_signatures_get_the_verdict_of_the_other_libraries(self):
        self.assertTrue(CHECKS.is_file(), "run deploy/wasm first")
        self.server.server.extra = {"/check.wasm": CHECKS}
        self.open_anew()
        edges, odd, good, changed = self.browser.run(SCRIPT, VECTORS)
        self.assertEqual([verdict == "good" for verdict in edges], [edge["isValid"] for edge in VECTORS["edges"]], edges)
        self.assertNotIn("good", odd)
        self.assertEqual((good, changed), ("good", "equation"))
