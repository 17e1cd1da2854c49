// The functions that deploy/wasm calls in the module that it built.

import CRecord
import CWords

/// The number of the games of `Walk`.
@_cdecl("walk")
public func walk() -> UInt64 {
  cubist_unpack_words()
  return cubist_words_are_whole() ? Walk.hash() : 0
}

/// The number that every build comes to.
@_cdecl("walkGolden")
public func walkGolden() -> UInt64 { Walk.golden }

/// The number of the reports on the tests' record.
@_cdecl("verified")
public func verified() -> UInt64 {
  cubist_unpack_words()
  return Verified.hash(of: Array(UnsafeBufferPointer(start: record_start(), count: record_bytes())))
}

/// The number that every build comes to.
@_cdecl("verifiedGolden")
public func verifiedGolden() -> UInt64 { Verified.golden }

/// The number of the messages and answers of `Spoken`.
@_cdecl("spoken")
public func spoken() -> UInt64 { Spoken.hash() }

/// The number that every build comes to.
@_cdecl("spokenGolden")
public func spokenGolden() -> UInt64 { Spoken.golden }
