// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry

import CubistBasics
import MatchCore
import Testing

@testable import MatchWire

@Suite("Signatures")
struct SigningTests {
  static let seed = Hex.decode("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")!

  @Test(
    "RFC 8032's vectors verify, and with any change do not",
    arguments: [
      (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
        """
        e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e\
        39701cf9b46bd25bf5f0595bbe24655141438e7a100b
        """
      ),
      (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
        """
        92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f\
        3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
        """
      ),
      (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
        """
        6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67\
        f760984dc6594a7c15e9716ed28dc027beceea1ec40a
        """
      ),
    ])
  func rfc8032(key: String, message: String, signature: String) throws {
    let key = try #require(PublicKey(bytes: Hex.decode(key)!))
    let message = try #require(Hex.decode(message))
    let signature = try #require(Hex.decode(signature))
    #expect(Ed25519.verify(signature, of: message, by: key))
    #expect(!Ed25519.verify(signature, of: message + [0], by: key))
    for index in signature.indices {
      var changed = signature
      changed[index] ^= 1
      #expect(!Ed25519.verify(changed, of: message, by: key))
    }
  }

  /// Made with an independent implementation of RFC 8032 over `tag ‖ 0 ‖ {}`.
  @Test(
    "A signature covers tag and payload",
    arguments: [
      (
        SignatureTag.event,
        """
        c81f0d381805089fca37c24f91abf73f28e29a256010fe63cddef21542ad60e4a3c6d70b290872005837\
        8b3bf4ab536bafb681f9e787329ecca00a605d80650a
        """
      ),
      (
        .query,
        """
        4cc696fe121c59c73d2cbdacea72b5d60636416d226cc585467021a2d8a92360c454a3c8a7752abc0f16\
        2f0521d664d3ba4aa524adb73df59399c10e2bf9790f
        """
      ),
      (
        .service,
        """
        28b6fd244c3a9845312c942b276eae139143ec5defe0c4b8426de145f46cf0be7fb5fb980be463236303\
        674885aa41ea5929a8bcaefdcbf255b7097f8bf5cb08
        """
      ),
      (
        .workingKey,
        """
        bf64c534623732e974d6d17eb9e36761e1d4894111bb9518e201b7d70cb4b0468c10f6db903e4671f6fb\
        6c2d38545d99003164be00ed328a62ba4299be66ce00
        """
      ),
      (
        .newKey,
        """
        91106a7e5b89b4b2b7a4531d64d2db4e3d8c70d5cc535166184cd0503fd19c024926e335c86a22bbb10e\
        64b61c333dd6338ed3b1dc24b474fe2414fe8a8b6c00
        """
      ),
    ])
  func tags(tag: SignatureTag, signature: String) throws {
    let signer = try #require(Signer.ed25519(seed: SigningTests.seed))
    let signed = signer.signed(bytes("{}"), as: tag)
    #expect(Hex.encode(signed.signature) == signature)
    for other in SignatureTag.allCases {
      #expect(Ed25519.verify(signed, other) == (other == tag))
    }
  }

  /// The eight points whose order divides 8, computed by other code, and their forms with y ≥ p or
  /// a sign on x = 0.
  static let smallOrder = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  ]

  @Test("Keys of small order are refused in every form", arguments: smallOrder)
  func keysOfSmallOrder(key: String) throws {
    let key = try #require(PublicKey(bytes: Hex.decode(key)!))
    #expect(!Ed25519.isAcceptable(key))
    // Under the identity key some libraries accept the neutral element as R with S = 0.
    let zero: [UInt8] = [1] + Array(repeating: 0, count: 63)
    for signature in [zero, Array(repeating: 0, count: 64)] {
      #expect(!Ed25519.verify(signature, of: bytes("anything"), by: key))
    }
  }

  @Test("A signature with an R of small order is refused", arguments: smallOrder)
  func smallOrderR(point: String) throws {
    let signer = try #require(Signer.ed25519(seed: SigningTests.seed))
    let signature = Hex.decode(point)! + Array(repeating: 0, count: 32)
    #expect(!Ed25519.verify(signature, of: [], by: signer.publicKey))
  }

  @Test("Coordinates beyond the field are no keys", arguments: 0..<19)
  func nonCanonicalKeys(offset: UInt8) throws {
    // p + offset for offsets below 19 still fits into 255 bits.
    let bytes: [UInt8] = [0xed + offset] + Array(repeating: 0xff, count: 30) + [0x7f]
    let key = try #require(PublicKey(bytes: bytes))
    #expect(!Ed25519.isAcceptable(key))
  }

  @Test("S + L is not another form of the signature")
  func malleability() throws {
    let signer = try #require(Signer.ed25519(seed: SigningTests.seed))
    let order = Hex.decode(
      "edd3f55c1a631258d69cf7a2def9de14" + String(repeating: "0", count: 30) + "10")!
    var signed = signer.signed(bytes("{}"), as: .event)
    var carry = 0
    for index in 0..<32 {
      carry += Int(signed.signature[32 + index]) + Int(order[index])
      signed.signature[32 + index] = UInt8(carry & 0xff)
      carry >>= 8
    }
    #expect(!Ed25519.verify(signed, .event))
  }

  @Test("What is signed verifies, and with a change of one bit does not", arguments: 0..<200)
  func oneBit(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let signer = try #require(Signer.ed25519(seed: Signer.seed(using: &random)))
    var message = (0..<Int.random(in: 0...300, using: &random)).map { _ in
      UInt8.random(in: .min ... .max, using: &random)
    }
    var signature = signer.sign(message, as: .event)
    message = SignatureTag.event.message(message)
    #expect(Ed25519.verify(signature, of: message, by: signer.publicKey))

    // One bit anywhere; in the key it may make one that is no point.
    var key = signer.publicKey.bytes
    let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
    switch seed % 3 {
    case 0: signature[Int.random(in: 0..<64, using: &random)] ^= bit
    case 1: message[Int.random(in: message.indices, using: &random)] ^= bit
    default: key[Int.random(in: 0..<32, using: &random)] ^= bit
    }
    #expect(!Ed25519.verify(signature, of: message, by: try #require(PublicKey(bytes: key))))
  }

  @Test("Only seeds of 32 bytes make a key, and passed-in randomness decides it")
  func seeds() {
    #expect(Signer.ed25519(seed: []) == nil)
    #expect(Signer.ed25519(seed: Array(repeating: 1, count: 31)) == nil)
    var (first, second) = (SplitMix64(state: 7), SplitMix64(state: 7))
    #expect(Signer.seed(using: &first) == Signer.seed(using: &second))
    #expect(Signer.seed(using: &first).count == 32)
  }

  @Test("A working key's certificate holds for its service, root, key and times only")
  func certificates() throws {
    let table = Table()
    let certificate = table.certificate
    let rootKey = table.root.publicKey
    #expect(certificate.isValid(service: table.service, rootKey: rootKey))
    #expect(!certificate.isValid(service: ServiceID(rawValue: 1), rootKey: rootKey))
    #expect(!certificate.isValid(service: table.service, rootKey: table.working.publicKey))
    var changed = certificate
    changed.validUntil = changed.validUntil.adding(microseconds: 1)
    #expect(!changed.isValid(service: table.service, rootKey: rootKey))
    #expect(certificate.covers(certificate.validFrom))
    #expect(!certificate.covers(certificate.validUntil))
    let backwards = KeyCertificate(
      workingKey: certificate.workingKey, validFrom: certificate.validUntil,
      validUntil: certificate.validFrom, service: table.service, root: table.root)
    #expect(!backwards.isValid(service: table.service, rootKey: rootKey))
  }
}

@Suite("Envelope")
struct EnvelopeTests {
  @Test("Version, key, signature and payload follow one another")
  func layout() throws {
    let signed = Table.signer(9).signed(bytes("{}"), as: .event)
    let body = Envelope.encode(signed)
    #expect(body == [1] + signed.key.bytes + signed.signature + bytes("{}"))
    #expect(try Envelope.decode(body) == signed)
  }

  @Test("Every body that is too short is refused", arguments: 1...97)
  func short(count: Int) {
    #expect(throws: Refusal.self) {
      try Envelope.decode([1] + Array(repeating: 0, count: count - 1))
    }
  }

  @Test("An empty body, another version and too large a payload are refused by name")
  func refused() {
    let header = [1] + Array(repeating: UInt8(0), count: 96)
    #expect(throws: Refusal.malformed("the message is empty")) { try Envelope.decode([]) }
    #expect(throws: Refusal.unsupportedVersion(2)) { try Envelope.decode([2]) }
    #expect(
      throws: Refusal.malformed("the payload has 4097 bytes where at most 4096 may be")
    ) { try Envelope.decode(header + Array(repeating: 0x20, count: 4_097)) }
    #expect(throws: Never.self) {
      try Envelope.decode(header + Array(repeating: 0x20, count: 4_096))
    }
  }
}
