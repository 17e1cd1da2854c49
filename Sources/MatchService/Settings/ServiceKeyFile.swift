import CubistBasics
import FoundationEssentials
package import MatchCore
package import MatchInterfaces
package import MatchWire

/// Why the service's keys cannot be used.
package enum ServiceKeyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file cannot be read or written.
  case file(path: String, reason: String)
  /// The file does not have the expected form.
  case malformed(String)
  /// A certificate is not the root key's.
  case badCertificate(PublicKey)
  /// No certificate covers the working key at this time.
  case noCertificate(PublicKey, at: Instant)
  /// The root key is not the one that clients know.
  case otherRootKey(PublicKey)

  /// A sentence for a person.
  package var description: String {
    switch self {
    case .file(let path, let reason): "The key file \(path) cannot be used: \(reason)."
    case .malformed(let what): "The key file is not a key file: \(what)."
    case .badCertificate(let key):
      "The certificate of the working key \(key) is not the root key's."
    case .noCertificate(let key, let time):
      """
      No certificate covers the working key \(key) at \(time), by the database's clock, so nothing \
      is signed with it. `cubistd setup --renew ROOT-KEY-FILE` makes a new one; running roles take \
      it up.
      """
    case .otherRootKey(let key): "The root key belongs to \(key), not to this service."
    }
  }
}

/// A service's keys, for signing and for making puzzles: one JSON file that only its owner may
/// read.
package struct ServiceKeyFile: Hashable, Sendable, Codable {
  /// Which deployment.
  package var service: ServiceID
  /// The key that certifies working keys; its seed is in a file of its own, off the service's
  /// machines.
  package var rootKey: PublicKey
  /// Working keys with their certificates; past ones stay, for the records that they signed.
  package var certificates: [KeyCertificate]
  var workingSeed: String
  var secret: String

  /// How long a working key is valid unless said otherwise, in seconds: two years.
  package static let standardValidity: Int64 = 2 * 365 * 86_400
  /// How much earlier than now a working key is valid, in seconds: clocks differ.
  static let leadSeconds: Int64 = 3_600

  /// Makes the keys of a new service. The root key's file belongs off the service's machines once
  /// this is done.
  /// - Throws: `ServiceKeyError` if no key can be made of the randomness.
  package static func create(
    now: Instant, validSeconds: Int64 = standardValidity, randomness: Randomness
  ) throws(ServiceKeyError) -> (keys: ServiceKeyFile, root: RootKeyFile) {
    let root = RootKeyFile(
      service: ServiceID(rawValue: randomness.next128()), seed: Hex.encode(randomness.bytes(32)))
    var keys = ServiceKeyFile(
      service: root.service, rootKey: try root.signer().publicKey, certificates: [],
      workingSeed: "", secret: Hex.encode(randomness.bytes(32)))
    try keys.renew(root: root, now: now, validSeconds: validSeconds, randomness: randomness)
    return (keys, root)
  }

  /// Takes a new working key, certified by the root key; the certificates of past ones stay.
  /// - Throws: `ServiceKeyError`, if the root key is not this service's.
  package mutating func renew(
    root: RootKeyFile, now: Instant, validSeconds: Int64 = standardValidity, randomness: Randomness
  ) throws(ServiceKeyError) {
    let rootSigner = try root.signer()
    guard root.service == service, rootSigner.publicKey == rootKey else {
      throw .otherRootKey(rootSigner.publicKey)
    }
    let seed = randomness.bytes(32)
    guard let worker = Signer.ed25519(seed: seed) else { throw .malformed("no key of that seed") }
    certificates.append(
      KeyCertificate(
        workingKey: worker.publicKey, validFrom: now.adding(seconds: -ServiceKeyFile.leadSeconds),
        validUntil: now.adding(seconds: validSeconds), service: service, root: rootSigner))
    workingSeed = Hex.encode(seed)
  }

  /// The identity that the keys make. Everything is checked but the time: the signer asks whether
  /// the working key may still sign, by the database's clock.
  /// - Throws: `ServiceKeyError`.
  package func identity() throws(ServiceKeyError) -> ServiceIdentity {
    guard let seed = Hex.decode(workingSeed), let signer = Signer.ed25519(seed: seed) else {
      throw .malformed("workingSeed is not 64 hexadecimal digits")
    }
    guard let bytes = Hex.decode(secret), let secret = ServiceSecret(bytes: bytes) else {
      throw .malformed("secret is not 32 hexadecimal digits or more")
    }
    for certificate in certificates
    where !certificate.isValid(
      service: service, rootKey: rootKey, verify: SignatureVerifier.live.isValid)
    {
      throw .badCertificate(certificate.workingKey)
    }
    return ServiceIdentity(
      service: service, rootKey: rootKey, certificates: certificates, signer: signer,
      secret: secret)
  }

  /// Reads a file that only its owner may read.
  /// - Throws: `ServiceKeyError`.
  package static func load(_ path: String) throws(ServiceKeyError) -> ServiceKeyFile {
    try KeyFiles.load(path)
  }

  /// Writes a new file that only its owner may read; never over one that is there.
  /// - Throws: `ServiceKeyError`.
  package func create(at path: String) throws(ServiceKeyError) {
    try KeyFiles.create(self, at: path)
  }
}

extension ServiceKeyFile: CustomStringConvertible, CustomReflectable {
  /// The keys without their secrets.
  package var description: String {
    "service=\(service) rootKey=\(rootKey) certificates=\(certificates.count)"
  }

  /// `dump` shows the description only.
  package var customMirror: Mirror { Mirror(self, children: [("keys", description)]) }
}

/// The root key of a service: one JSON file, to be kept out of everyone else's reach.
package struct RootKeyFile: Hashable, Sendable, Codable {
  /// Which deployment.
  package var service: ServiceID
  var seed: String

  /// Reads a file that only its owner may read.
  /// - Throws: `ServiceKeyError`.
  package static func load(_ path: String) throws(ServiceKeyError) -> RootKeyFile {
    try KeyFiles.load(path)
  }

  /// Writes a new file that only its owner may read; never over one that is there.
  /// - Throws: `ServiceKeyError`.
  package func create(at path: String) throws(ServiceKeyError) {
    try KeyFiles.create(self, at: path)
  }

  func signer() throws(ServiceKeyError) -> Signer {
    guard let bytes = Hex.decode(seed), let signer = Signer.ed25519(seed: bytes) else {
      throw .malformed("seed is not 64 hexadecimal digits")
    }
    return signer
  }
}

extension RootKeyFile: CustomStringConvertible, CustomReflectable {
  /// The key without its secret.
  package var description: String { "service=\(service)" }

  /// `dump` shows the description only.
  package var customMirror: Mirror { Mirror(self, children: [("key", description)]) }
}

private enum KeyFiles {
  static func load<File: Decodable>(_ path: String) throws(ServiceKeyError) -> File {
    let text: String
    do throws(LiveFiles.Failure) {
      text = try LiveFiles.read(path, isPrivate: true)
    } catch {
      throw .file(path: path, reason: error.reason)
    }
    do {
      return try JSONDecoder().decode(File.self, from: Data(text.utf8))
    } catch let error as DecodingError {
      // The path of the field, never its value.
      throw .malformed(error.place)
    } catch {
      throw .malformed("it is not JSON")
    }
  }

  static func create(_ file: some Encodable, at path: String) throws(ServiceKeyError) {
    guard let line = try? SortedJSON.line(file, isPretty: true) else {
      throw .malformed("it cannot be written as JSON")
    }
    do throws(LiveFiles.Failure) {
      try LiveFiles.create(path, String(decoding: line, as: UTF8.self))
    } catch {
      throw .file(path: path, reason: error.reason)
    }
  }
}

extension DecodingError {
  /// The place where the document does not have the expected form.
  fileprivate var place: String {
    let (path, what): ([any CodingKey], String) =
      switch self {
      case .keyNotFound(let key, let context): (context.codingPath + [key], "is missing")
      case .typeMismatch(_, let context): (context.codingPath, "is of another type")
      case .valueNotFound(_, let context): (context.codingPath, "is null")
      case .dataCorrupted(let context): (context.codingPath, "cannot be read")
      @unknown default: ([], "cannot be read")
      }
    let name = path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    return "\(name.isEmpty ? "the document" : name) \(what)"
  }
}
