/// Events and statements as the bytes that are signed: UTF-8 JSON with short stable names.
///
/// Encoding gives one form (fixed order of keys, no spaces). Decoding accepts fields that this
/// build does not know. They are ignored, and the signature covers them like everything else.
public enum PayloadCodec {
  public static func encode(_ event: Event) -> [UInt8] { event.json.serialized }

  /// The payload of a statement that the service makes about a match.
  public static func encode(
    _ statement: Statement, match: MatchID, service: ServiceID
  ) -> [UInt8] {
    statement.json(service: service, match: match).serialized
  }

  /// The payload of the service's statement about a recovery.
  public static func encode(_ statement: RecoveryStatement, service: ServiceID) -> [UInt8] {
    statement.json(service: service).serialized
  }

  /// The event that a player has sent. For an entry of a record use ``decodeContent(_:)``: older
  /// entries may have more spare bytes.
  /// - Throws: `Refusal.malformed` with the mistake and its place, or `unsupportedVersion`.
  public static func decodeEvent(_ payload: [UInt8]) throws(Refusal) -> Event {
    if let turn = CanonicalTurn.event(in: payload) { return turn }
    return try decodeAnyEvent(payload)
  }

  /// The event that a payload in any form holds.
  package static func decodeAnyEvent(_ payload: [UInt8]) throws(Refusal) -> Event {
    do throws(WireFault) {
      let event = try event(try read(payload), byteCount: payload.count)
      let spare: Int
      switch event.action {
      case .turnPlayed: spare = WireLimits.spareTurnBytes
      // A match may have one beside each turn.
      case .reacted: spare = 0
      // A record has those of every later key in it.
      case .deviceInvited, .keyAdded, .recoveryKeyNamed, .playerRecovered: spare = 0
      default: return event
      }
      let limit = encode(event).count + spare
      guard payload.count <= limit else {
        throw .malformed(tooLong(payload.count, limit: limit))
      }
      return event
    } catch {
      throw Refusal(error)
    }
  }

  /// A statement with the match and the service that it is about.
  public struct DecodedStatement: Hashable, Sendable {
    /// The deployment that states it.
    public var service: ServiceID
    /// The match that it is about.
    public var match: MatchID
    public var statement: Statement
  }

  /// The statement that a payload holds.
  /// - Throws: `Refusal.malformed` with the mistake and its place, or `unsupportedVersion`.
  public static func decodeStatement(_ payload: [UInt8]) throws(Refusal) -> DecodedStatement {
    do throws(WireFault) {
      return try statement(try read(payload))
    } catch {
      throw Refusal(error)
    }
  }

  /// A statement about a recovery, with the service that states it.
  public struct DecodedRecovery: Hashable, Sendable {
    public var service: ServiceID
    public var statement: RecoveryStatement
  }

  /// The statement about a recovery that a payload holds.
  /// - Throws: `Refusal.malformed` with the mistake and its place, or `unsupportedVersion`.
  public static func decodeRecovery(_ payload: [UInt8]) throws(Refusal) -> DecodedRecovery {
    do throws(WireFault) {
      let object = try read(payload)
      try object.checkVersion()
      return DecodedRecovery(
        service: try object.id("service"), statement: try RecoveryStatement(object))
    } catch {
      throw Refusal(error)
    }
  }

  /// The content of an entry's payload: an event has an `id`, a statement has none.
  public enum Content: Hashable, Sendable {
    /// A player's event.
    case event(Event)
    /// The service's statement.
    case statement(DecodedStatement)

    /// The same content for a replay.
    public var replayed: Replay.Content {
      switch self {
      case .event(let event): .event(event)
      case .statement(let decoded): .statement(decoded.statement)
      }
    }
  }

  /// The player who gives a match up by an entry with this payload; nil for any other entry.
  /// - Throws: `Refusal.malformed` with the mistake and its place, or `unsupportedVersion`.
  public static func forfeiter(by payload: [UInt8]) throws(Refusal) -> PlayerID? {
    switch try decodeContent(payload) {
    case .event(let event):
      if case .matchForfeited = event.action { return event.player }
    case .statement(let stated):
      if case .playerGone(let player) = stated.statement { return player }
    }
    return nil
  }

  /// The content of a record entry's payload.
  /// - Throws: `Refusal.malformed` with the mistake and its place, or `unsupportedVersion`.
  public static func decodeContent(_ payload: [UInt8]) throws(Refusal) -> Content {
    do throws(WireFault) {
      let object = try read(payload)
      if object["id"] == nil { return .statement(try statement(object)) }
      return .event(try event(object, byteCount: payload.count))
    } catch {
      throw Refusal(error)
    }
  }

  /// The event id of a payload that may be wrong in everything else, so that its sender can be
  /// told.
  public static func eventID(of payload: [UInt8]) -> EventID? {
    // The decoding that failed has already reported the mistake.
    guard let object = try? read(payload), case .string(let text)? = object["id"] else {
      return nil
    }
    return EventID(text)
  }

  private static func read(_ payload: [UInt8]) throws(WireFault) -> JSONObject {
    guard payload.count <= WireLimits.turnPayloadBytes else {
      throw .malformed(tooLong(payload.count, limit: WireLimits.turnPayloadBytes))
    }
    return try JSONReader.object(of: payload)
  }

  private static func event(
    _ object: JSONObject, byteCount: Int
  ) throws(WireFault) -> Event {
    let event = try Event(object)
    guard byteCount <= event.payloadLimit else {
      throw .malformed(tooLong(byteCount, limit: event.payloadLimit))
    }
    return event
  }

  private static func statement(_ object: JSONObject) throws(WireFault) -> DecodedStatement {
    try object.checkVersion()
    return DecodedStatement(
      service: try object.id("service"), match: try object.id("match"),
      statement: try Statement(object))
  }

  package static func tooLong(_ count: Int, limit: Int) -> String {
    "the payload has \(count) bytes where at most \(limit) may be"
  }
}

extension Event {
  /// The most bytes of the payload.
  package var payloadLimit: Int {
    switch action {
    case .turnPlayed: WireLimits.turnPayloadBytes
    case .deviceRegistered: WireLimits.registrationPayloadBytes
    default: WireLimits.payloadBytes
    }
  }
}
