import CubistBasics
import LibCrypto
import Testing

@Suite("Derived keys and encryption")
struct DerivationTests {
  private static func bytes(_ text: String) throws -> [UInt8] { try #require(Hex.decode(text)) }

  /// Source: RFC 5869, appendices A.1, A.2 and A.3.
  @Test(
    "RFC 5869's keys come out",
    arguments: [
      (
        String(repeating: "0b", count: 22), "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
        "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
      ),
      (
        Self.row(0x00, 80), Self.row(0x60, 80), Self.row(0xb0, 80),
        "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
        "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c6"
          + "5e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
      ),
      (
        String(repeating: "0b", count: 22), "", "",
        "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
      ),
    ])
  func rfc5869(secret: String, salt: String, info: String, key: String, result: String) throws {
    let found = try HKDF.extract(SecretBytes(Self.bytes(secret)), salt: Self.bytes(salt))
    #expect(try found.bytes == Self.bytes(key))
    let wanted = try Self.bytes(result)
    #expect(
      try HKDF.expand(found, info: Self.bytes(info), count: wanted.count).bytes == wanted)
  }

  /// So many bytes, each one more than the one before.
  private static func row(_ first: UInt8, _ count: UInt8) -> String {
    Hex.encode((0..<count).map { first + $0 })
  }

  @Test(
    "No key is derived with no bytes, or with more than the standard has",
    arguments: [-1, 0, 8_161])
  func lengths(count: Int) {
    #expect(throws: LibCryptoError.self) {
      try HKDF.expand(SecretBytes([1]), info: [], count: count)
    }
  }

  /// Source: McGrew and Viega, “The Galois/Counter Mode of Operation”, test cases 1 to 3.
  @Test(
    "The ciphertexts and tags of the mode's specification come out",
    arguments: [
      (
        String(repeating: "00", count: 16), String(repeating: "00", count: 12), "",
        "58e2fccefa7e3061367f1d57a4e7455a"
      ),
      (
        String(repeating: "00", count: 16), String(repeating: "00", count: 12),
        String(repeating: "00", count: 16),
        "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"
      ),
      (
        "feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
          + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
          + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985"
          + "4d5c2af327cd64a62cf35abd2ba6fab4"
      ),
    ])
  func gcm(key: String, nonce: String, text: String, sealed: String) throws {
    let found = try AES128GCM.seal(
      Self.bytes(text), key: SecretBytes(Self.bytes(key)), nonce: SecretBytes(Self.bytes(nonce)))
    #expect(try found == Self.bytes(sealed))
  }

  // Failure: LibCryptoError: OpenSSL refuses a value, or has no memory. The error has its words. A
  //   notification is tried again, a key file is not written.
  @Test(
    "A key or a nonce of another length is refused",
    arguments: [(15, 12), (17, 12), (32, 12), (0, 12), (16, 0), (16, 11), (16, 13)])
  func wrongLengths(key: Int, nonce: Int) {
    #expect(throws: LibCryptoError.self) {
      try AES128GCM.seal(
        [1], key: SecretBytes([UInt8](repeating: 1, count: key)),
        nonce: SecretBytes([UInt8](repeating: 1, count: nonce)))
    }
  }
}
