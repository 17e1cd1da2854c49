// What deploy/wasm asks of the module that it built.

/// The number of the games of `Walk`.
@_cdecl("walk")
public func walk() -> UInt64 { Walk.hash() }

/// The number that every build comes to.
@_cdecl("golden")
public func golden() -> UInt64 { Walk.golden }
