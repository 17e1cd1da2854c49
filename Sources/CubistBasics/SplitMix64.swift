/// Random numbers that follow from a seed, the same in any build.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
@usableFromInline package struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  /// The growth of the state from number to number: 2^64 over the golden ratio.
  @inlinable package static var increment: UInt64 { 0x9e37_79b9_7f4a_7c15 }

  @usableFromInline package var state: UInt64

  @inlinable
  package init(state: UInt64) { self.state = state }

  @inlinable
  package mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mix(state)
  }

  /// The finalizer, which makes unlike numbers of like ones.
  @inlinable
  package static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
