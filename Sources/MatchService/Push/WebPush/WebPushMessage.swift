import Crypto
import FoundationEssentials
import MatchCore

/// The encryption of one message for one browser. Source: RFC 8291, on the content coding
/// `aes128gcm` of RFC 8188, as one record.
struct WebPushMessage {
  enum Failure: Error, Hashable {
    /// The browser's key is no point of the curve.
    case notOnCurve
    /// The text has more than ``WebPushMessage/limit`` bytes.
    case tooLong
    /// The library refuses.
    case unusable
  }

  /// The longest body that every push service takes, and the size of a record.
  static let bodyLimit = 4_096
  /// Salt, size of a record, length of the key, and the key.
  private static let headerCount = 16 + 4 + 1 + 65
  private static let tagCount = 16
  /// The room for a text, the byte that ends it, and its padding.
  private static let room = bodyLimit - headerCount - tagCount
  /// The longest text in bytes.
  static let limit = room - 1
  /// Lengths of padded texts are multiples of it, so that they tell little.
  private static let step = 256

  /// The values on the way from two keys to the key of a message, by the names of RFC 8291.
  struct Derivation {
    var sharedSecret: SharedSecret
    var combiningKey: HashedAuthenticationCode<SHA256>
    var keyInfo: [UInt8]
    var inputKey: SymmetricKey
    var pseudorandomKey: HashedAuthenticationCode<SHA256>
    var contentKey: SymmetricKey
    var nonce: SymmetricKey

    init(
      for subscription: WebPushSubscription, sender: P256.KeyAgreement.PrivateKey, salt: [UInt8]
    ) throws(Failure) {
      guard
        let receiver = try? P256.KeyAgreement.PublicKey(x963Representation: subscription.key)
      else { throw .notOnCurve }
      guard let secret = try? sender.sharedSecretFromKeyAgreement(with: receiver) else {
        throw .unusable
      }
      sharedSecret = secret
      combiningKey = HKDF<SHA256>.extract(
        inputKeyMaterial: SymmetricKey(data: secret), salt: subscription.secret)
      keyInfo =
        Array("WebPush: info\0".utf8) + subscription.key + sender.publicKey.x963Representation
      inputKey = HKDF<SHA256>.expand(
        pseudoRandomKey: combiningKey, info: keyInfo, outputByteCount: 32)
      pseudorandomKey = HKDF<SHA256>.extract(inputKeyMaterial: inputKey, salt: salt)
      contentKey = HKDF<SHA256>.expand(
        pseudoRandomKey: pseudorandomKey, info: Array("Content-Encoding: aes128gcm\0".utf8),
        outputByteCount: 16)
      nonce = HKDF<SHA256>.expand(
        pseudoRandomKey: pseudorandomKey, info: Array("Content-Encoding: nonce\0".utf8),
        outputByteCount: 12)
    }
  }

  /// The body of a request: header, and the encrypted record.
  /// - Parameters:
  ///   - sender: A key for this message alone.
  ///   - salt: 16 random bytes for this message alone.
  ///   - isPadded: Whether the length is hidden.
  static func body(
    _ text: [UInt8], for subscription: WebPushSubscription,
    sender: P256.KeyAgreement.PrivateKey, salt: [UInt8], isPadded: Bool = true
  ) throws(Failure) -> [UInt8] {
    guard text.count <= limit else { throw .tooLong }
    let keys = try Derivation(for: subscription, sender: sender, salt: salt)
    // The byte 2 ends the text of the last record; zeros follow.
    var record = text + [2]
    if isPadded {
      let padded = (record.count + step - 1) / step * step
      record += [UInt8](repeating: 0, count: min(padded, room) - record.count)
    }
    guard let nonce = try? AES.GCM.Nonce(data: keys.nonce.withUnsafeBytes { Array($0) }),
      let sealed = try? AES.GCM.seal(record, using: keys.contentKey, nonce: nonce)
    else { throw .unusable }
    return header(of: sender, salt) + sealed.ciphertext + sealed.tag
  }

  static func header(of sender: P256.KeyAgreement.PrivateKey, _ salt: [UInt8]) -> [UInt8] {
    let key = sender.publicKey.x963Representation
    let size = withUnsafeBytes(of: UInt32(bodyLimit).bigEndian) { Array($0) }
    return salt + size + [UInt8(truncatingIfNeeded: key.count)] + key
  }
}
