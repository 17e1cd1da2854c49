public import MatchCore
public import MatchWire

/// Who the service is: what it signs with, whom it believes, and what only it knows.
public struct ServiceIdentity: Sendable {
  /// The deployment; every payload names it.
  public var service: ServiceID
  /// The key that certifies working keys; clients pin it on first use.
  public var rootKey: PublicKey
  /// Working keys with what certifies them, past ones included.
  public var certificates: [KeyCertificate]
  /// Signs with the working key.
  public var signer: Signer
  /// What puzzles and codes are made from.
  public var secret: ServiceSecret

  /// Puts an identity together.
  public init(
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
  public var player: PlayerID { PlayerID(rawValue: service.rawValue) }

  /// Whether a key is one of the service's working keys at a time.
  public func isWorkingKey(_ key: PublicKey, at time: Instant) -> Bool {
    certificates.contains { $0.workingKey == key && $0.covers(time) }
  }

  /// A statement of the service in a match, signed.
  public func signed(_ statement: Statement, in match: MatchID) -> SignedPayload {
    signer.sign(statement, match: match, service: service)
  }

  /// The message that says what only the service may say.
  public func message(_ action: Event.Action, id: EventID) -> [UInt8] {
    let event = Event(service: service, id: id, player: player, action: action)
    return Envelope.encode(signer.signed(PayloadCodec.encode(event), as: .service))
  }
}
