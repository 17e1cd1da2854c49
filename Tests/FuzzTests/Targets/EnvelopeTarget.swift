import MatchCore

@testable import MatchWire

extension FuzzTarget {
  static let envelopeTargets = [FuzzTarget(name: "envelope", run: envelope)]

  /// A body has one form, and a valid envelope has one signature and one purpose.
  @Sendable private static func envelope(_ bytes: [UInt8]) throws {
    guard let signed = try attempt({ try Envelope.decode(bytes) }) else { return }
    try hold(Envelope.encode(signed) == bytes, "the envelope has a second form")
    let tags = SignatureTag.allCases.filter { Ed25519.verify(signed, $0) }
    try hold(tags.count <= 1, "one signature is good for \(tags)")
    guard let tag = tags.first else { return }
    var other = signed
    other.signature[63] ^= 0x10
    try hold(!Ed25519.verify(other, tag), "a second signature is good for the same payload")
    _ = try attempt { try PayloadCodec.decodeEvent(signed.payload) }
  }
}
