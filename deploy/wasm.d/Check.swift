// The functions that deploy/wasm calls in the module that it built.

import CRecord

/// The number of the games of `Walk`.
@_cdecl("walk")
public func walk() -> UInt64 { Walk.hash() }

/// The number that every build comes to.
@_cdecl("walkGolden")
public func walkGolden() -> UInt64 { Walk.golden }

/// The number of the reports on the tests' record.
@_cdecl("verified")
public func verified() -> UInt64 {
  Verified.hash(of: Array(UnsafeBufferPointer(start: record_start(), count: record_bytes())))
}

/// The number that every build comes to.
@_cdecl("verifiedGolden")
public func verifiedGolden() -> UInt64 { Verified.golden }
