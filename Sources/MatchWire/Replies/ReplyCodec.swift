public import MatchCore

/// A reply as it was received. A newer service may send one that this build does not know.
public enum ReceivedReply: Hashable, Sendable {
  case accepted(Acceptance)
  /// Not done: name and sentence, and the refusal itself if this build knows it.
  case refused(name: String, message: String, refusal: Refusal?)
}

/// Replies as they travel and are stored: `{"v":1,"event":…,"accepted":{…}}` or
/// `{"v":1,"event":…,"refused":{"name":…,"values":{…},"message":…}}`.
public enum ReplyCodec {
  /// The bytes of a reply. `event` is nil only if no id could be read.
  public static func encode(_ reply: Reply, event: EventID?) -> [UInt8] {
    if let event, case .accepted(.turnAccepted(let receipt)) = reply,
      let bytes = receipt.reply(to: event)
    {
      return bytes
    }
    return encodeAny(reply, event: event)
  }

  /// The bytes of any reply.
  static func encodeAny(_ reply: Reply, event: EventID?) -> [UInt8] {
    let body: (String, JSON?) =
      switch reply {
      case .accepted(let acceptance): ("accepted", acceptance.json)
      case .refused(let refusal):
        (
          "refused",
          .object([
            ("name", .string(refusal.name)), ("values", refusal.values),
            ("message", .string(refusal.message)),
          ])
        )
      }
    return JSON.object([
      ("v", .integer(1)), ("event", event.map { .text($0) } ?? .null), body,
    ]).serialized
  }

  /// The event that is answered, and the reply.
  /// - Throws: `ReplyFault` for bytes that are not a reply that this build can read.
  public static func decode(
    _ bytes: [UInt8]
  ) throws(ReplyFault) -> (event: EventID?, reply: ReceivedReply) {
    do throws(WireFault) {
      let object = try JSONReader.object(of: bytes)
      try object.checkVersion()
      let event: EventID? = try object.optionalID("event")
      if object.optional("accepted") != nil {
        return (event, .accepted(try Acceptance(object.object("accepted"))))
      }
      let refused = try object.object("refused")
      let name = try refused.string("name")
      let refusal = Refusal(name: name, values: try refused.object("values"))
      let message = try refused.string("message", limit: 4_096)
      return (event, .refused(name: name, message: message, refusal: refusal))
    } catch {
      throw ReplyFault(error)
    }
  }
}

/// The reason that bytes from the service cannot be read.
public enum ReplyFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// Not in the expected form. The text says where and why.
  case malformed(String)
  /// A version that this build does not speak.
  case unsupportedVersion(Int)

  package init(_ fault: WireFault) {
    switch fault {
    case .malformed(let text): self = .malformed(text)
    case .unsupportedVersion(let version): self = .unsupportedVersion(version)
    }
  }

  /// A sentence for a person.
  public var description: String {
    switch self {
    case .malformed(let text): "The service's answer cannot be read: \(text)."
    case .unsupportedVersion(let version):
      "The service answered in version \(version), which this program does not speak. Update it."
    }
  }
}
