import CubistBasics
import LibCrypto
import Testing

@Suite("Keys of P-256 in files")
struct PEMTests {
  /// The key of RFC 7515, appendix A.3, in the forms in which programs write keys.
  private enum Example {
    static let point =
      "047fcdce2770f6c45d4183cbee6fdb4b7b580733357be9ef13bacf6e3c7bd15445"
      + "c7f144cd1bbd9b7e872cdfedb9eeb9f4b3695d6ea90b24ad8a4623288588e5ad"
    static let scalar = "8e9b109e719098bf980487df1f5d77e9cb29606ebed2263b5f57c213df84f4b2"
    /// As Apple's files and swift-crypto have it.
    static let pkcs8 = """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
      H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
      7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
      -----END PRIVATE KEY-----
      """

    static let others = [
      // Without the public half.
      """
      -----BEGIN PRIVATE KEY-----
      MEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCCOmxCecZCYv5gEh98f
      XXfpyylgbr7SJjtfV8IT34T0sg==
      -----END PRIVATE KEY-----
      """,
      // SEC 1, as `openssl ecparam -genkey` writes it.
      """
      -----BEGIN EC PRIVATE KEY-----
      MHcCAQEEII6bEJ5xkJi/mASH3x9dd+nLKWBuvtImO19XwhPfhPSyoAoGCCqGSM49
      AwEHoUQDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEXH8UTNG72b
      focs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
      -----END EC PRIVATE KEY-----
      """,
      """
      -----BEGIN EC PRIVATE KEY-----
      MDECAQEEII6bEJ5xkJi/mASH3x9dd+nLKWBuvtImO19XwhPfhPSyoAoGCCqGSM49
      AwEH
      -----END EC PRIVATE KEY-----
      """,
    ]
  }

  /// Keys that sign nothing here: encrypted, of Ed25519, and of P-384.
  private static let foreign = [
    """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjG2U5kLsWF/wICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEMkSTKM7a/fElahbc2IylgoEgZCf
    2JW1L0R2RuZb9J7c2Tcd68SDQvUikbcmCr65SoTM0fP6Y/eGKJX8TNj+t3cqd+M5
    vYi7Q1EFR/aCazrI0vz9nbe/5jHQuI+Pup5zmetTZclrGcU6G31fqLbOecDcQqvc
    ySEC6ZeRFSLr15+tI/HXEsx8TccCX0jzZSiE6kUMdnfXZHyp4xt+jfn54yj+9mE=
    -----END ENCRYPTED PRIVATE KEY-----
    """,
    """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIDeIC7pgQlqmm5gs5oYAlhFsAZkc21n4IlCn3QcPLkFA
    -----END PRIVATE KEY-----
    """,
    """
    -----BEGIN EC PRIVATE KEY-----
    MIGkAgEBBDAav702qzj0KNg3upgfgZ1Mxg2qvTkw7xtwIP15B0wgvTgmKVawQUNA
    dLpRiclNqO6gBwYFK4EEACKhZANiAAS5q2z8zJax2eI1l+uRG0qk89nmUirKMRdH
    2A5kWgZ9Q+h6u5eBbB3ztqEuVINJS2NgKs1Ucd/4zAmNWxdJkj+FrJuJ3gd+GSM2
    dcaAhITTb7Krd0JpKwfdJZgQ2Ogh2u4=
    -----END EC PRIVATE KEY-----
    """,
  ]

  @Test(
    "A key is read in every form in which programs write it",
    arguments: Example.others + [Example.pkcs8])
  func reading(text: String) {
    let point = Hex.decode(Example.point)
    for text in [text, text + "\n", text.replacing("\n", with: "\r\n")] {
      #expect(P256Key(pem: text)?.publicKey == point)
    }
  }

  @Test("A key is written as PKCS#8, and read again")
  func writing() throws {
    let scalar = try #require(Hex.decode(Example.scalar))
    let key = try #require(P256Key(scalar: scalar))
    #expect(try key.pem() == Example.pkcs8 + "\n")
    #expect(try P256Key(pem: key.pem())?.publicKey == key.publicKey)
  }

  @Test(
    "A key of another kind, and an encrypted one, are none, and nobody is asked for a password",
    arguments: foreign)
  func otherKinds(text: String) { #expect(P256Key(pem: text) == nil) }

  @Test("No other text is a key, and none does harm")
  func damaged() {
    #expect(P256Key(pem: "") == nil)
    #expect(P256Key(pem: "-----BEGIN PRIVATE KEY-----") == nil)
    for length in 0..<Example.pkcs8.utf8.count - 1 {
      #expect(P256Key(pem: String(Example.pkcs8.prefix(length))) == nil)
    }
    let bytes = Array(Example.pkcs8.utf8)
    for index in bytes.indices {
      var changed = bytes
      changed[index] = changed[index] == 0x41 ? 0x42 : 0x41
      // A change in the public half, or outside of the key, may leave it as it was.
      _ = P256Key(pem: String(decoding: changed, as: UTF8.self))
    }
  }
}
