import FoundationEssentials
public import MatchCore
public import MatchWire

/// An event that was signed, and perhaps sent, but whose reply was not seen: it is sent again, byte
/// for byte, until it is answered.
public struct PendingEvent: Hashable, Sendable {
  public let event: Event
  /// Where it goes.
  public let slot: Slot
  /// The envelope: the bytes that are sent.
  public let envelope: [UInt8]

  /// An event with the envelope that holds it; nil for events that have no slot.
  public init?(event: Event, envelope: [UInt8]) {
    guard let slot = Slot(of: event) else { return nil }
    self.event = event
    self.slot = slot
    self.envelope = envelope
  }

  /// The event's id; ids order by time.
  public var id: EventID { event.id }

  /// When it was made, by the clock of who made it.
  public var madeAt: Instant { event.id.time }

  /// Whether the service would refuse it as too old.
  public func isExpired(at now: Instant) -> Bool {
    now.microseconds(since: madeAt) > Event.maximumAgeSeconds * 1_000_000
  }

  /// What it asks for.
  public var intent: Intent? { Intent(event.action) }

  /// Whether it is about the same thing as a wish, so that the later one has to wait.
  public func isAboutSame(as other: Intent?) -> Bool {
    guard let intent, let other else { return false }
    return intent.subject == other.subject
  }
}

/// What waits in a profile.
public struct PendingEvents: Hashable, Sendable {
  /// The events, the oldest first.
  public var events: [PendingEvent]
  /// The files that held none; each was kept under the name given here.
  public var damaged: [String]

  public init(events: [PendingEvent], damaged: [String] = []) {
    self.events = events
    self.damaged = damaged
  }
}

extension PendingEvent {
  /// What is in a pending event's file. Slot, type and time are there for a person; the envelope
  /// alone counts.
  private struct File: Codable {
    var v: Int
    var id: EventID
    var type: String
    var slot: Int
    var madeAt: Instant
    var envelope: Data
    var sha256: Hash
  }

  /// The file's bytes: one JSON object with the envelope in base64 and its SHA-256.
  var fileBytes: [UInt8] {
    get throws {
      let file = File(
        v: 1, id: id, type: event.action.typeName, slot: slot.number, madeAt: madeAt,
        envelope: Data(envelope), sha256: Hash(sha256Of: envelope))
      return try SortedJSON.line(file)
    }
  }

  /// Reads what `fileBytes` gave; nil for bytes that do not agree with themselves.
  init?(fileBytes: [UInt8]) {
    // Whatever is wrong with it, the file is put aside whole.
    guard let file = try? JSONDecoder().decode(File.self, from: Data(fileBytes)), file.v == 1 else {
      return nil
    }
    let envelope = Array(file.envelope)
    guard Hash(sha256Of: envelope) == file.sha256, let signed = try? Envelope.decode(envelope),
      let event = try? PayloadCodec.decodeEvent(signed.payload), event.id == file.id
    else { return nil }
    self.init(event: event, envelope: envelope)
  }
}
