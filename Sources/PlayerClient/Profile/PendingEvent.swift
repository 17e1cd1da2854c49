import FoundationEssentials
public import MatchCore
public import MatchWire

/// An event that was signed, and perhaps sent, but whose reply was not seen. It is sent again, byte
/// for byte, until it is answered.
public struct PendingEvent: Hashable, Sendable {
  public let event: Event
  /// Where it goes.
  public let slot: Slot
  /// The envelope: the bytes that are sent.
  public let envelope: [UInt8]
  /// The code of an invitation of a device. The event has only its hash.
  public let code: DeviceCode?

  /// An event with the envelope that holds it; nil for events that have no slot, and for a code of
  /// another invitation.
  public init?(event: Event, envelope: [UInt8], code: DeviceCode? = nil) {
    guard let slot = Slot(of: event) else { return nil }
    if let code {
      guard event.action == .deviceInvited(code.hash(at: event.service)) else { return nil }
    }
    self.event = event
    self.slot = slot
    self.envelope = envelope
    self.code = code
  }

  /// The event's id; ids order by time.
  public var id: EventID { event.id }

  /// The time when it was made, by its maker's clock.
  public var madeAt: Instant { event.id.time }

  /// Whether the service would refuse it as too old.
  public func isExpired(at now: Instant) -> Bool {
    now.microseconds(since: madeAt) > Event.maximumAgeSeconds * 1_000_000
  }

  public var intent: Intent? { Intent(event.action, of: event.player) }

  /// Whether it is about the same thing as a wish. The later one then has to wait.
  public func isAboutSame(as other: Intent?) -> Bool {
    guard let intent, let other else { return false }
    return intent.subject == other.subject
  }
}

/// The pending events of a profile.
public struct PendingEvents: Hashable, Sendable {
  /// The events, the oldest first.
  public var events: [PendingEvent]
  /// The files without a readable event; each was kept under the name given here.
  public var damaged: [String]
  /// Those of other programs that run still. Their programs send them, and tell the answers.
  public var held: Set<EventID>

  public init(events: [PendingEvent], damaged: [String] = [], held: Set<EventID> = []) {
    self.events = events
    self.damaged = damaged
    self.held = held
  }

  /// The events that any program may send again.
  public var free: [PendingEvent] { events.filter { !held.contains($0.id) } }

  /// The event about the same thing as a wish whose program runs still.
  func held(about intent: Intent?) -> PendingEvent? {
    events.last { held.contains($0.id) && $0.isAboutSame(as: intent) }
  }
}

extension PendingEvent {
  /// The content of a pending event's file. Slot, type and time are there for a person; the
  /// envelope alone counts.
  private struct File: Codable {
    var v: Int
    var id: EventID
    var type: String
    var slot: Int
    var madeAt: Instant
    var envelope: Data
    var sha256: Hash
    var code: String?
  }

  /// The file's bytes: one JSON object with the envelope in base64 and its SHA-256.
  var fileBytes: [UInt8] {
    get throws {
      let file = File(
        v: 1, id: id, type: event.action.typeName, slot: slot.number, madeAt: madeAt,
        envelope: Data(envelope), sha256: Hash(sha256Of: envelope), code: code?.text)
      return try SortedJSON.line(file)
    }
  }

  /// Reads the output of `fileBytes`; nil for bytes that do not agree with themselves.
  init?(fileBytes: [UInt8]) {
    // Any fault puts the whole file aside.
    guard let file = try? JSONDecoder().decode(File.self, from: Data(fileBytes)), file.v == 1 else {
      return nil
    }
    let envelope = Array(file.envelope)
    guard Hash(sha256Of: envelope) == file.sha256, let signed = try? Envelope.decode(envelope),
      let event = try? PayloadCodec.decodeEvent(signed.payload), event.id == file.id
    else { return nil }
    let code = file.code.flatMap { DeviceCode($0) }
    guard (code == nil) == (file.code == nil) else { return nil }
    self.init(event: event, envelope: envelope, code: code)
  }
}
