package import MatchCore
package import MatchInterfaces
package import MatchWire

/// The service's identity: its keys for signing, the keys that it believes, and its secrets.
package struct ServiceIdentity: Sendable {
  /// The deployment; every payload names it.
  package var service: ServiceID
  /// The key that certifies working keys; clients pin it on first use.
  package var rootKey: PublicKey
  /// Working keys with their certificates, past ones included.
  package var certificates: [KeyCertificate]
  /// Signs with the working key.
  package var signer: Signer
  /// The secret that puzzles and codes are made from.
  package var secret: ServiceSecret

  package init(
    service: ServiceID, rootKey: PublicKey, certificates: [KeyCertificate], signer: Signer,
    secret: ServiceSecret
  ) {
    self.service = service
    self.rootKey = rootKey
    self.certificates = certificates
    self.signer = signer
    self.secret = secret
  }

  /// The service as the sender of its own events.
  package var player: PlayerID { PlayerID(rawValue: service.rawValue) }

  /// Whether a key is one of the service's working keys at a time.
  package func isWorkingKey(_ key: PublicKey, at time: Instant) -> Bool {
    certificates.contains { $0.workingKey == key && $0.covers(time) }
  }

  /// Whether a key is known to be, or to have been, a working key.
  package func isCertified(_ key: PublicKey) -> Bool {
    certificates.contains { $0.workingKey == key }
  }

  /// How long the working key may sign.
  package var term: KeyTerm {
    KeyTerm(of: certificates.filter { $0.workingKey == signer.publicKey }, key: signer.publicKey)
  }

  /// The only signer of the service at a time, by the database's clock.
  /// - Throws: `ServiceKeyError.noCertificate` if none covers the working key then.
  package func speaker(at time: Instant) throws(ServiceKeyError) -> ServiceSpeaker {
    guard let speaker = ServiceSpeaker(self, at: time) else {
      throw .noCertificate(signer.publicKey, at: time)
    }
    return speaker
  }

  /// Takes up new certificates of the service's working keys, if the root key signed them.
  package mutating func learn(_ found: [KeyCertificate], verifier: SignatureVerifier = .live) {
    for certificate in found where !certificates.contains(certificate) {
      let isValid = certificate.isValid(
        service: service, rootKey: rootKey, verify: verifier.isValid)
      if isValid { certificates.append(certificate) }
    }
  }
}

/// The service as it signs at one time. There is none if no certificate covers its working key at
/// that time.
package struct ServiceSpeaker: Sendable {
  private let service: ServiceID
  private let signer: Signer
  private let validFrom: Instant
  private let validUntil: Instant

  fileprivate init?(_ identity: ServiceIdentity, at time: Instant) {
    (service, signer) = (identity.service, identity.signer)
    let key = signer.publicKey
    let place = identity.certificates.lastIndex { $0.workingKey == key && $0.covers(time) }
    guard let place else { return nil }
    validFrom = identity.certificates[place].validFrom
    validUntil = identity.certificates[place].validUntil
  }

  /// Whether a payload signed by it is the service's word at another time, too.
  func covers(_ time: Instant) -> Bool { validFrom <= time && time < validUntil }

  /// A statement of the service in a match, signed.
  package func signed(_ statement: Statement, in match: MatchID) -> SignedPayload {
    signer.sign(statement, match: match, service: service)
  }

  /// A statement of the service about a recovery, signed.
  package func signed(_ statement: RecoveryStatement) -> SignedPayload {
    signer.sign(statement, service: service)
  }

  /// A query that anybody may ask, as the service's own.
  package func question(id: EventID) -> [UInt8] {
    let player = PlayerID(rawValue: service.rawValue)
    return Envelope.encode(
      signer.sign(Query(service: service, id: id, player: player, kind: .serviceInfo)))
  }

  /// A message of the service's own.
  package func message(_ action: Event.Action, id: EventID) -> [UInt8] {
    let event = Event(
      service: service, id: id, player: PlayerID(rawValue: service.rawValue), action: action)
    return Envelope.encode(signer.signed(PayloadCodec.encode(event), as: .service))
  }
}
