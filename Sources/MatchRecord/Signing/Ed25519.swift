public import MatchCore

/// The form that an Ed25519 signature (RFC 8032) must have before its equation is checked. It is as
/// strict as possible, for any library that verifies.
///
/// Libraries differ in the signatures that they accept. Some take the identity as a key, with a
/// zero signature for any message. So keys and signatures are refused before verification if their
/// points have a small order or are not in canonical form. Two encodings never stand for the same
/// key or signature. Libraries agree on the remaining ones. Source: Chalkias, Garillot, Nikolaenko,
/// "Taming the many EdDSAs", 2020.
public enum Ed25519 {
  /// Whether a signature and its key are in canonical form, and neither is of small order.
  public static func isAcceptable(_ signature: [UInt8], by key: PublicKey) -> Bool {
    signature.count == 64 && isAcceptable(key) && isAcceptable(point: signature[..<32])
      && isBelow(signature[32...], groupOrder)
  }

  /// Whether a key is in canonical form and not of small order, so that it may be somebody's.
  public static func isAcceptable(_ key: PublicKey) -> Bool { isAcceptable(point: key.bytes[...]) }

  /// A point is its y coordinate, 255 bits with the lowest byte first, and the sign of x.
  private static func isAcceptable(point: ArraySlice<UInt8>) -> Bool {
    var y = Array(point)
    y[31] &= 0x7f
    return isBelow(y[...], fieldPrime) && !smallOrder.contains(y)
  }

  /// Compares two numbers of 32 bytes, lowest byte first.
  private static func isBelow(_ number: ArraySlice<UInt8>, _ limit: [UInt8]) -> Bool {
    number.reversed().lexicographicallyPrecedes(limit.reversed())
  }

  /// 2^255 - 19.
  private static let fieldPrime: [UInt8] = [0xed] + Array(repeating: 0xff, count: 30) + [0x7f]

  /// L = 2^252 + 27742317777372353535851937790883648493.
  private static let groupOrder: [UInt8] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
  ]

  /// The y coordinates of the eight points whose order divides 8: 1 (order 1), -1 (2), 0 (4, twice)
  /// and two of order 8 (each twice).
  private static let smallOrder: Set<[UInt8]> = [
    [1] + Array(repeating: 0, count: 31),
    [0xec] + Array(repeating: 0xff, count: 30) + [0x7f],
    Array(repeating: 0, count: 32),
    [
      0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98,
      0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53,
      0xfc, 0x05,
    ],
    [
      0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67,
      0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac,
      0x03, 0x7a,
    ],
  ]
}
