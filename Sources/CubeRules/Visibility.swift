// The visible faces of a heap of cubes, by shifting its mask along the lattice: one step by (dx,
// dy, dz) is 9dx + 3dy + dz bits, and a mask says which cubes have such a neighbor at all.

extension CubeSet {
  /// The faces that can be played while exactly these cubes are in play.
  ///
  /// With r = (1,1,1), a face of cube c that looks along n is playable iff c is in play and for
  /// every k ≥ 0 neither c + n + k·r nor c + r + k·r is in play, and of the two cells
  /// c + a + k·r and c + b + k·r not both are, where (a, b) is (0,1,1), (1,1,0) for the top,
  /// (0,1,1), (1,0,1) for the left and (1,1,0), (1,0,1) for the right. Cells outside the lattice
  /// are empty.
  ///
  /// - Complexity: Some eighty integer operations, for any set.
  public var playableFaces: FaceSet {
    let cubes = rawValue
    let diagonals = Self.withDiagonal(cubes)
    let open = cubes & ~Step.r.from(diagonals)
    let yz = Step.yz.from(cubes)
    let xy = Step.xy.from(cubes)
    let xz = Step.xz.from(cubes)
    let top = open & ~Step.y.from(diagonals) & ~Self.withDiagonal(yz & xy)
    let left = open & ~Step.z.from(diagonals) & ~Self.withDiagonal(yz & xz)
    let right = open & ~Step.x.from(diagonals) & ~Self.withDiagonal(xy & xz)
    return FaceSet(
      rawValue: Self.spread(top) | Self.spread(left) &<< 1 | Self.spread(right) &<< 2)
  }

  /// A way from a cube to one of its neighbors nearer the viewer.
  private enum Step {
    case x, y, z, xy, yz, xz, r

    /// The cubes with a neighbor along the step in the mask.
    @inline(__always)
    func from(_ mask: UInt32) -> UInt32 {
      switch self {
      case .x: mask &>> 9 & 0x003_ffff
      case .y: mask &>> 3 & 0x0fc_7e3f
      case .z: mask &>> 1 & 0x36d_b6db
      case .xy: mask &>> 12 & 0x000_7e3f
      case .yz: mask &>> 4 & 0x06c_361b
      case .xz: mask &>> 10 & 0x001_b6db
      case .r: mask &>> 13 & 0x000_361b
      }
    }
  }

  /// The cubes from which zero, one or two steps along r lead to a cube of the mask.
  @inline(__always)
  private static func withDiagonal(_ mask: UInt32) -> UInt32 {
    let once = mask | Step.r.from(mask)
    return once | Step.r.from(Step.r.from(mask))
  }

  /// Moves bit i to bit 3i.
  @inline(__always)
  private static func spread(_ mask: UInt32) -> UInt128 {
    let low = UInt128(spreadHalf(UInt64(mask & 0x1f_ffff)))
    let high = UInt128(spreadHalf(UInt64(mask &>> 21)))
    return low | high &<< 63
  }

  /// Moves bit i to bit 3i for the lowest 21 bits, as Morton codes of three dimensions do.
  @inline(__always)
  private static func spreadHalf(_ bits: UInt64) -> UInt64 {
    var bits = bits
    bits = (bits | bits &<< 32) & 0x001f_0000_0000_ffff
    bits = (bits | bits &<< 16) & 0x001f_0000_ff00_00ff
    bits = (bits | bits &<< 8) & 0x100f_00f0_0f00_f00f
    bits = (bits | bits &<< 4) & 0x10c3_0c30_c30c_30c3
    bits = (bits | bits &<< 2) & 0x1249_2492_4924_9249
    return bits
  }
}
