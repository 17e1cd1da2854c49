import CubistBasics
public import MatchCore

/// The signed messages that brought a later key of a player in.
public enum KeyOrigin: Hashable, Sendable {
  case invitation(Invitation)
  case recovery(Recovery)

  /// An earlier key of the player invites a device, and the new key shows the code.
  public struct Invitation: Hashable, Sendable {
    /// The event `deviceInvited`.
    public var invited: SignedPayload
    /// The event `keyAdded`.
    public var added: SignedPayload

    public init(invited: SignedPayload, added: SignedPayload) {
      self.invited = invited
      self.added = added
    }
  }

  /// An earlier key of the player names a recovery key, that one asks for the new key, and the
  /// service states that it took effect.
  public struct Recovery: Hashable, Sendable {
    /// The event `recoveryKeyNamed`.
    public let named: SignedPayload
    /// The event `playerRecovered`.
    public let recovered: SignedPayload
    /// The service's statement `recovered`.
    public let statement: SignedPayload
    /// The new key's signature in `recovered`.
    let proof: SignedPayload
    /// The key that was asked for.
    public var key: PublicKey { proof.key }

    /// Nil if `recovered` is no event of that kind.
    public init?(named: SignedPayload, recovered: SignedPayload, statement: SignedPayload) {
      guard let proof = recovered.event?.newKeyProof(sender: recovered.key) else { return nil }
      self.named = named
      self.recovered = recovered
      self.statement = statement
      self.proof = proof
    }
  }

  public init(invited: SignedPayload, added: SignedPayload) {
    self = .invitation(Invitation(invited: invited, added: added))
  }

  /// The messages in their order; nil if they are none of an origin.
  public init?(_ messages: [SignedPayload]) {
    switch messages.count {
    case 2: self.init(invited: messages[0], added: messages[1])
    case 3:
      let recovery = Recovery(
        named: messages[0], recovered: messages[1], statement: messages[2])
      guard let recovery else { return nil }
      self = .recovery(recovery)
    default: return nil
    }
  }

  /// The key that was brought in.
  public var key: PublicKey {
    switch self {
    case .invitation(let invitation): invitation.added.key
    case .recovery(let recovery): recovery.key
    }
  }

  /// The key that brought it in: it invited it, or named the recovery key.
  public var inviter: PublicKey {
    switch self {
    case .invitation(let invitation): invitation.invited.key
    case .recovery(let recovery): recovery.named.key
    }
  }

  /// The signed messages, each with its tag: those of the origin in their order, and the proof that
  /// one of them holds.
  public var messages: [(signed: SignedPayload, tag: SignatureTag)] {
    switch self {
    case .invitation(let invitation): [(invitation.invited, .event), (invitation.added, .event)]
    case .recovery(let recovery):
      [
        (recovery.named, .event), (recovery.recovered, .event), (recovery.proof, .newKey),
        (recovery.statement, .service),
      ]
    }
  }

  /// The working key that signed the service's statement, and the time at which it has to be
  /// certified. Nil: there is no statement.
  public var certified: (key: PublicKey, at: Instant)? {
    guard case .recovery(let recovery) = self,
      let decoded = try? PayloadCodec.decodeRecovery(recovery.statement.payload)
    else { return nil }
    return (recovery.statement.key, decoded.statement.statedAt)
  }

  /// Why the messages do not bring the key in, if their signatures hold; nil: they do. Whether the
  /// inviter is a key of the player has to be checked beside that, and the service's working key.
  public func fault(of player: PlayerID, at service: ServiceID) -> String? {
    switch self {
    case .invitation(let invitation): invitation.fault(of: player, at: service)
    case .recovery(let recovery): recovery.fault(of: player, at: service)
    }
  }

  /// The origins that keys need, each after that of its inviter, as far as they are there. A key
  /// without one is a first key, or nobody's.
  public static func needed(by keys: [PublicKey], among all: [KeyOrigin]) -> [KeyOrigin] {
    var byKey: [PublicKey: KeyOrigin] = [:]
    for origin in all where byKey[origin.key] == nil { byKey[origin.key] = origin }
    var needed: [KeyOrigin] = []
    var seen: Set<PublicKey> = []
    for key in keys {
      var chain: [KeyOrigin] = []
      var next = key
      while let origin = byKey[next], seen.insert(next).inserted {
        chain.append(origin)
        next = origin.inviter
      }
      needed += chain.reversed()
    }
    return needed
  }
}

extension KeyOrigin.Invitation {
  fileprivate func fault(of player: PlayerID, at service: ServiceID) -> String? {
    guard let invited = invited.event, let added = added.event,
      case .deviceInvited(let invitation) = invited.action, case .keyAdded(let shown) = added.action
    else { return "its events are none of that kind" }
    guard invited.service == service, added.service == service else {
      return "its events are meant for another service"
    }
    guard invited.player == player, added.player == player else {
      return "its events are another player's"
    }
    guard shown.code.hash(at: service) == invitation.invitation else {
      return "it shows another code than that of the invitation"
    }
    return nil
  }
}

extension KeyOrigin.Recovery {
  fileprivate func fault(of player: PlayerID, at service: ServiceID) -> String? {
    guard let named = named.event, let asked = recovered.event,
      let decoded = try? PayloadCodec.decodeRecovery(statement.payload),
      let recoveryKey = named.recoveryKey
    else { return "its events are none of that kind" }
    let stated = decoded.statement
    guard named.service == service, asked.service == service, decoded.service == service else {
      return "its events are meant for another service"
    }
    guard named.player == player, asked.player == player, stated.player == player else {
      return "its events are another player's"
    }
    guard recoveryKey == recovered.key else {
      return "another key than the recovery key asked for it"
    }
    guard stated.recovery == asked.id, stated.key == key else {
      return "the service states another recovery"
    }
    guard stated.isTimely else { return "its recovery took effect too soon" }
    let ahead = asked.id.time.microseconds(since: stated.begunAt)
    guard ahead <= Event.maximumAheadSeconds * 1_000_000 else {
      return "its recovery was begun before it was asked for"
    }
    return nil
  }
}

extension Event {
  /// The recovery key that the event names.
  fileprivate var recoveryKey: PublicKey? {
    if case .recoveryKeyNamed(let named) = action { named.key } else { nil }
  }
}

extension KeyOrigin {
  var json: JSON {
    switch self {
    case .invitation(let invitation):
      .object([
        ("invited", .object(invitation.invited.fields)),
        ("added", .object(invitation.added.fields)),
      ])
    case .recovery(let recovery):
      .object([
        ("named", .object(recovery.named.fields)),
        ("recovered", .object(recovery.recovered.fields)),
        ("statement", .object(recovery.statement.fields)),
      ])
    }
  }

  init(_ object: JSONObject) throws(WireFault) {
    func message(_ name: String) throws(WireFault) -> SignedPayload {
      try SignedPayload(object.object(name), limit: WireLimits.payloadBytes)
    }
    guard object.optional("recovered") != nil else {
      self.init(invited: try message("invited"), added: try message("added"))
      return
    }
    let recovery = Recovery(
      named: try message("named"), recovered: try message("recovered"),
      statement: try message("statement"))
    guard let recovery else { throw .malformed("recovered is no event that asks for a key") }
    self = .recovery(recovery)
  }
}

extension KeyOrigin {
  /// The name of the device whose key an event `keyAdded` has brought in; nil: it has none.
  package static func device(in added: SignedPayload) -> DeviceName? {
    if case .keyAdded(let added)? = added.event?.action { added.device } else { nil }
  }
}

extension SignedPayload {
  fileprivate var event: Event? {
    guard case .event(let event)? = try? PayloadCodec.decodeContent(payload) else { return nil }
    return event
  }

  var fields: [(String, JSON?)] {
    [
      ("key", .text(key)), ("signature", .string(Hex.encode(signature))),
      ("payload", .string(Base64.encode(payload))),
    ]
  }

  /// Reads the fields, with a payload of at most so many bytes.
  init(_ object: JSONObject, limit: Int) throws(WireFault) {
    self.init(
      key: try object.publicKey("key"), signature: try object.signature("signature"),
      payload: try object.value("payload", "base64", limit: (limit + 2) / 3 * 4) {
        Base64.decode($0)
      })
  }
}
