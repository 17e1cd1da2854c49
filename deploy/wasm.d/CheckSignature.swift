// The form of keys and signatures in a browser's engine, for Tests/Browser/test_checks.py.

import MatchCore
import MatchRecord

// SAFETY: a module of WebAssembly has one thread.
nonisolated(unsafe) private let form = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 96)

/// Where a key of 32 bytes and a signature of 64 are written, for `isAcceptable`.
@_cdecl("signed")
public func signed() -> UnsafeMutablePointer<UInt8>? { form.baseAddress }

/// Whether the form of a key and a signature is one that the equation is checked for.
@_cdecl("isAcceptable")
public func isAcceptable() -> Bool {
  guard let key = PublicKey(bytes: Array(form[..<32])) else { return false }
  return Ed25519.isAcceptable(Array(form[32...]), by: key)
}
