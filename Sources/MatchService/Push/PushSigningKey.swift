import LibCrypto
import MatchCore
package import MatchInterfaces

/// A key of P-256 with which the service signs tokens for push services: its own for Web Push, or
/// the one that Apple gave it. It is kept as PEM in a file that only its owner may read.
package struct PushSigningKey: Sendable, CustomStringConvertible, CustomReflectable {
  /// Why a key file cannot be used.
  package struct Failure: Error, Hashable, Sendable {
    /// The text for a person.
    package var reason: String
  }

  private let key: P256Key

  /// A new key; nil if the randomness makes none.
  package init?(randomness: Randomness) {
    guard let key = P256Key.made(by: randomness) else { return nil }
    self.key = key
  }

  /// The key of a PEM document, of the form PKCS#8 or SEC 1; nil for any other text.
  package init?(pem: String) {
    guard let key = P256Key(pem: pem) else { return nil }
    self.key = key
  }

  /// Reads a file that only its owner may read.
  package static func load(_ path: String) throws(Failure) -> PushSigningKey {
    let text: String
    do throws(LiveFiles.Failure) { text = try LiveFiles.read(path, isPrivate: true) } catch {
      throw Failure(reason: error.reason)
    }
    guard let key = PushSigningKey(pem: text) else {
      throw Failure(reason: "it is no private key of P-256 in PEM")
    }
    return key
  }

  /// The key that a way of notifications signs with.
  static func ofWay(_ path: String) throws(PushWayFailure) -> PushSigningKey {
    do throws(Failure) { return try load(path) } catch {
      throw PushWayFailure(path: path, reason: error.reason)
    }
  }

  /// Writes a new file that only its owner may read; never over one that is there.
  package func create(at path: String) throws(Failure) {
    let pem: String
    do throws(LibCryptoError) { pem = try key.pem() } catch {
      throw Failure(reason: error.reason)
    }
    do throws(LiveFiles.Failure) { try LiveFiles.create(path, pem) } catch {
      throw Failure(reason: error.reason)
    }
  }

  /// The public half: an uncompressed point, 65 bytes.
  package var publicKey: [UInt8] { key.publicKey }

  /// A JSON Web Token signed with ES256: header and claims as they are. Nil: the library cannot
  /// sign.
  func token(header: JSONLine, claims: JSONLine) -> String? {
    let signed = "\(Base64.encodeForURL(header.object)).\(Base64.encodeForURL(claims.object))"
    guard let signature = try? key.signature(of: Array(signed.utf8)) else { return nil }
    return "\(signed).\(Base64.encodeForURL(signature))"
  }

  /// Nothing of the private half.
  package var description: String { "the key of \(Base64.encodeForURL(publicKey))" }

  /// `dump` shows nothing of the private half.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
