import LibCrypto
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
  private static let tagCount = AES128GCM.tagCount
  /// The room for a text, the byte that ends it, and its padding.
  private static let room = bodyLimit - headerCount - tagCount
  /// The longest text in bytes.
  static let limit = room - 1
  /// Lengths of padded texts are multiples of it, so that they tell little.
  private static let step = 256

  /// The values on the way from two keys to the key of a message, by the names of RFC 8291.
  struct Derivation {
    var sharedSecret: SecretBytes
    var combiningKey: SecretBytes
    var keyInfo: [UInt8]
    var inputKey: SecretBytes
    var pseudorandomKey: SecretBytes
    var contentKey: SecretBytes
    var nonce: SecretBytes

    init(
      for subscription: WebPushSubscription, sender: P256Key, salt: [UInt8]
    ) throws(Failure) {
      guard let receiver = P256PublicKey(subscription.key) else { throw .notOnCurve }
      keyInfo = Array("WebPush: info\0".utf8) + subscription.key + sender.publicKey
      do throws(LibCryptoError) {
        sharedSecret = try sender.sharedSecret(with: receiver)
        combiningKey = try HKDF.extract(sharedSecret, salt: subscription.secret)
        inputKey = try HKDF.expand(combiningKey, info: keyInfo, count: 32)
        pseudorandomKey = try HKDF.extract(inputKey, salt: salt)
        contentKey = try HKDF.expand(
          pseudorandomKey, info: Array("Content-Encoding: aes128gcm\0".utf8), count: 16)
        nonce = try HKDF.expand(
          pseudorandomKey, info: Array("Content-Encoding: nonce\0".utf8), count: 12)
      } catch {
        throw .unusable
      }
    }
  }

  /// The body of a request: header, and the encrypted record.
  /// - Parameters:
  ///   - sender: A key for this message alone.
  ///   - salt: 16 random bytes for this message alone.
  ///   - isPadded: Whether the length is hidden.
  static func body(
    _ text: [UInt8], for subscription: WebPushSubscription, sender: P256Key, salt: [UInt8],
    isPadded: Bool = true
  ) throws(Failure) -> [UInt8] {
    guard text.count <= limit else { throw .tooLong }
    let keys = try Derivation(for: subscription, sender: sender, salt: salt)
    // The byte 2 ends the text of the last record; zeros follow.
    var record = text + [2]
    if isPadded {
      let padded = (record.count + step - 1) / step * step
      record += [UInt8](repeating: 0, count: min(padded, room) - record.count)
    }
    do throws(LibCryptoError) {
      return header(of: sender, salt)
        + (try AES128GCM.seal(record, key: keys.contentKey, nonce: keys.nonce))
    } catch {
      throw .unusable
    }
  }

  static func header(of sender: P256Key, _ salt: [UInt8]) -> [UInt8] {
    let key = sender.publicKey
    let size = withUnsafeBytes(of: UInt32(bodyLimit).bigEndian) { Array($0) }
    return salt + size + [UInt8(truncatingIfNeeded: key.count)] + key
  }
}
