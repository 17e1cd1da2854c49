/// SHA-256 by the standard library alone, for places without another one.
///
/// Source: FIPS 180-4.
package struct PortableSHA256 {
  private var state = State()
  /// The beginning of a block that is not full.
  private var block = Block()
  private var byteCount: UInt64 = 0

  private static let blockBytes = 64

  /// Begins with nothing.
  package init() {}

  /// Adds bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    let filled = Int(byteCount % UInt64(Self.blockBytes))
    byteCount &+= UInt64(bytes.count)
    var index = 0
    if filled > 0 {
      index = min(Self.blockBytes - filled, bytes.count)
      block.put(UnsafeRawBufferPointer(rebasing: bytes[..<index]), at: filled)
      guard filled + index == Self.blockBytes else { return }
      state.take(block)
    }
    while bytes.count - index >= Self.blockBytes {
      state.take(UnsafeRawBufferPointer(rebasing: bytes[index..<(index + Self.blockBytes)]))
      index += Self.blockBytes
    }
    block.put(UnsafeRawBufferPointer(rebasing: bytes[index...]), at: 0)
  }

  /// Lends the 32 bytes of the digest.
  package func finalize<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var (last, lengths) = (self, (byteCount &* 8).bigEndian)
    withUnsafeBytes(of: UInt8(0x80)) { last.update($0) }
    while last.byteCount % UInt64(Self.blockBytes) != 56 {
      withUnsafeBytes(of: UInt8(0)) { last.update($0) }
    }
    withUnsafeBytes(of: &lengths) { last.update($0) }
    return last.state.lendBigEndian(body)
  }
}

/// Sixty-four bytes that lie in the value itself.
private struct Block {
  private var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
    (0, 0, 0, 0, 0, 0, 0, 0)

  mutating func put(_ bytes: UnsafeRawBufferPointer, at index: Int) {
    withUnsafeMutableBytes(of: &words) { words in
      UnsafeMutableRawBufferPointer(rebasing: words[index...]).copyMemory(from: bytes)
    }
  }

  func lend(_ body: (UnsafeRawBufferPointer) -> Void) { withUnsafeBytes(of: words, body) }
}

/// The eight words of section 5.3.3, and their change by a block.
private struct State {
  private var (a, b, c, d): (UInt32, UInt32, UInt32, UInt32) =
    (0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a)
  private var (e, f, g, h): (UInt32, UInt32, UInt32, UInt32) =
    (0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)

  mutating func take(_ block: Block) { block.lend { take($0) } }

  /// Section 6.2.2: one block of 64 bytes.
  mutating func take(_ block: UnsafeRawBufferPointer) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
      for index in 0..<16 {
        let word = block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
        schedule.initializeElement(at: index, to: UInt32(bigEndian: word))
      }
      for index in 16..<64 {
        let (early, late) = (schedule[index - 15], schedule[index - 2])
        let small0 = early.rotated(7) ^ early.rotated(18) ^ early &>> 3
        let small1 = late.rotated(17) ^ late.rotated(19) ^ late &>> 10
        schedule.initializeElement(
          at: index, to: schedule[index - 16] &+ small0 &+ schedule[index - 7] &+ small1)
      }
      var next = self
      for index in 0..<64 { next.turn(roundConstants[index] &+ schedule[index]) }
      add(next)
    }
  }

  private mutating func turn(_ word: UInt32) {
    let large1 = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
    let first = h &+ large1 &+ ((e & f) ^ (~e & g)) &+ word
    let large0 = a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)
    let second = large0 &+ ((a & b) ^ (a & c) ^ (b & c))
    (h, g, f, e) = (g, f, e, d &+ first)
    (d, c, b, a) = (c, b, a, first &+ second)
  }

  private mutating func add(_ other: State) {
    (a, b, c, d) = (a &+ other.a, b &+ other.b, c &+ other.c, d &+ other.d)
    (e, f, g, h) = (e &+ other.e, f &+ other.f, g &+ other.g, h &+ other.h)
  }

  func lendBigEndian<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let words = (
      a.bigEndian, b.bigEndian, c.bigEndian, d.bigEndian,
      e.bigEndian, f.bigEndian, g.bigEndian, h.bigEndian
    )
    return withUnsafeBytes(of: words, body)
  }
}

extension UInt32 {
  fileprivate func rotated(_ count: UInt32) -> UInt32 { self &>> count | self &<< (32 &- count) }
}

/// Section 4.2.2.
private let roundConstants: [UInt32] = [
  0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
  0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
  0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
  0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
  0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
  0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
  0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
  0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
  0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
  0xc671_78f2,
]
