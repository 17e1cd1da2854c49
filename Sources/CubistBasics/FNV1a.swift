/// The FNV-1a hash in 64 bits: the same for the same bytes, in any build and for ever.
///
/// Source: draft-eastlake-fnv.
@usableFromInline package struct FNV1a: Hashable, Sendable {
  @usableFromInline var hash: UInt64

  @inlinable
  package init() { hash = 0xcbf2_9ce4_8422_2325 }

  @inlinable package var value: UInt64 { hash }

  @inlinable
  package mutating func add(_ byte: UInt8) { add(word: UInt64(byte)) }

  /// Adds a word in one step. Its bytes one by one would come to another hash.
  @inlinable
  package mutating func add(word: UInt64) { hash = (hash ^ word) &* 0x100_0000_01b3 }
}
