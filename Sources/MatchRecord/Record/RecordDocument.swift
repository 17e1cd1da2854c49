import CubeRules
public import MatchCore

/// A match's record as one JSON document that outlives the service; see docs/protocol.md.
///
/// Fields that this build does not know are kept and ignored. It never contains players' names.
public struct RecordDocument: Hashable, Sendable {
  /// The content of the field `format`.
  public static let format = "cubist-record"
  /// The contents of the field `formatVersion` that this build knows. Version 1 has no origins of
  /// keys, version 2 nobody whose account ended or who gave up what nobody had joined, and version 3
  /// nobody who left a seat.
  public static let formatVersions: ClosedRange<Int64> = 1...4
  /// The largest file that is read, in bytes.
  public static let byteLimit = JSONReader.Limits.file.bytes

  /// The deployment that kept it.
  public var service: ServiceID
  /// The key that signs working keys.
  public var rootKey: PublicKey
  /// The working keys that signed the statements.
  public var certificates: [KeyCertificate]
  public var match: MatchID
  /// The version of the rules.
  public var rules: String
  /// The version of the word list.
  public var lexicon: String
  /// The 81 letters in canonical order.
  public var letters: String
  /// The places, in the order of play.
  public var seats: [Seat]
  /// The players who left a seat to somebody else, in order.
  public var left: [Seat] = []
  /// The entries, in order.
  public var entries: [Entry]
  /// The hash of the last entry.
  public var head: Hash
  public var outcome: Outcome
  /// The points of each seat.
  public var points: [Int]
  var others = JSONObject()

  /// A place in the match.
  public struct Seat: Hashable, Sendable {
    /// The player who played or was invited. Nil: nobody came.
    public var player: PlayerID?
    /// The keys that the player's entries are signed with, in order of their first use.
    public var keys: [PublicKey]
    /// The origins of the keys that the player's id is not derived from, and of those that they
    /// came from, each after that of its inviter.
    public var origins: [KeyOrigin] = []
  }

  /// The record of a match that is over. Nil while it is not. An unreadable entry is in it like any
  /// other: the verification names it.
  public init?(
    match: Match, entries: [Entry], service: ServiceID, rootKey: PublicKey,
    certificates: [KeyCertificate], origins: [KeyOrigin] = []
  ) {
    guard let outcome = match.outcome else { return nil }
    var keys: [PlayerID: [PublicKey]] = [:]
    var workingKeys: Set<PublicKey> = []
    for entry in entries {
      switch try? PayloadCodec.decodeContent(entry.signed.payload) {
      case .event(let event):
        let known = keys[event.player, default: []].contains(entry.signed.key)
        if !known { keys[event.player, default: []].append(entry.signed.key) }
      case .statement: workingKeys.insert(entry.signed.key)
      case nil: break
      }
    }
    self.service = service
    self.rootKey = rootKey
    self.match = match.id
    rules = match.rules.name
    lexicon = match.lexicon
    letters = match.game.puzzle.description
    func seat(_ player: PlayerID?) -> Seat {
      let signers = player.flatMap { keys[$0] } ?? []
      return Seat(
        player: player, keys: signers, origins: KeyOrigin.needed(by: signers, among: origins))
    }
    seats = match.seats.map { seat($0.occupant) }
    left = match.leavings.map { seat($0.player) }
    for seat in seats + left {
      for origin in seat.origins {
        if let certified = origin.certified { workingKeys.insert(certified.key) }
      }
    }
    self.certificates = certificates.filter { workingKeys.contains($0.workingKey) }
    self.entries = entries
    head = match.head
    self.outcome = outcome
    points = match.points
  }

  /// 4 if a player left a seat, else 3 if a player's account ended in the match, or one gave it up
  /// before somebody had joined, else 2 if a key has an origin, else 1. So older programs read every
  /// record that they can verify.
  public var formatVersion: Int64 {
    var version: Int64 = seats.contains { !$0.origins.isEmpty } ? 2 : 1
    var isGivenUp = false
    for entry in entries {
      let content = try? PayloadCodec.decodeContent(entry.signed.payload)
      if case .statement(let stated)? = content {
        switch stated.statement {
        case .seatLeft: return 4
        case .playerGone: version = 3
        case .matchEnded(let outcome, _, _) where isGivenUp && outcome.reason == .withdrawn:
          version = 3
        case .matchDealt, .seatFilled, .deadlinePassed, .ruled, .matchEnded: break
        }
      }
      isGivenUp =
        if case .event(let event)? = content, case .matchForfeited = event.action { true } else {
          false
        }
    }
    return version
  }

  /// The keys of entries that their players' ids are not derived from. Each needs an origin.
  public var laterKeys: [PublicKey] {
    (seats + left).flatMap { seat in
      seat.keys.filter { key in seat.player.map { $0 != PlayerID(firstKey: key) } ?? true }
    }
  }

  /// Whether it has a certificate of every key that signed the service's statements.
  public var isCertified: Bool {
    let certified = Set(certificates.map { $0.workingKey })
    for seat in seats + left {
      for origin in seat.origins {
        if let stated = origin.certified, !certified.contains(stated.key) { return false }
      }
    }
    return entries.allSatisfy { entry in
      guard case .statement? = try? PayloadCodec.decodeContent(entry.signed.payload) else {
        return true
      }
      return certified.contains(entry.signed.key)
    }
  }

  /// The document as UTF-8 JSON, with the unknown fields last.
  public func encode() -> [UInt8] {
    let version = formatVersion
    let fields: [(String, JSON?)] = [
      ("format", .string(RecordDocument.format)),
      ("formatVersion", .number(version)),
      ("service", .text(service)), ("rootKey", .text(rootKey)),
      ("certificates", .array(certificates.map { $0.json })),
      ("match", .text(match)), ("rules", .string(rules)), ("lexicon", .string(lexicon)),
      ("letters", .string(letters)), ("seats", .array(seats.map { $0.json(version) })),
      ("left", version < 4 ? nil : .array(left.map { $0.json(version) })),
      ("entries", .array(entries.map { $0.json })), ("head", .text(head)),
      ("outcome", outcome.json), ("points", .numbers(points)),
    ]
    return JSON.object(JSONObject(members: JSONObject(fields).members + others.members)).serialized
  }

  /// Reads a document. None of its content is checked yet.
  /// - Throws: `RecordFileError`, for any bytes that are not such a document.
  public init(_ bytes: [UInt8]) throws(RecordFileError) {
    guard bytes.count <= RecordDocument.byteLimit else {
      throw .tooLarge(byteCount: bytes.count, limit: RecordDocument.byteLimit)
    }
    do throws(WireFault) {
      let object = try JSONReader.object(of: bytes, limits: .file)
      let format = try object.string("format", limit: 1_024)
      guard format == RecordDocument.format else {
        throw .malformed("format is \(excerpt(format))")
      }
      let version = try object.integer("formatVersion")
      guard RecordDocument.formatVersions.contains(version) else {
        throw .unsupportedVersion(Int(clamping: version))
      }
      try self.init(object, version)
      guard formatVersion == version else {
        throw .malformed("formatVersion is \(version) in place of \(formatVersion)")
      }
    } catch {
      throw RecordFileError(error)
    }
  }

  private init(_ object: JSONObject, _ version: Int64) throws(WireFault) {
    service = try object.id("service")
    rootKey = try object.publicKey("rootKey")
    certificates = []
    for certificate in try object.objects("certificates", count: 64) {
      certificates.append(try KeyCertificate(certificate))
    }
    match = try object.id("match")
    rules = try object.string("rules")
    lexicon = try object.string("lexicon")
    letters = try object.string("letters", limit: 81)
    seats = []
    for seat in try object.objects("seats", count: WireLimits.seatCount) {
      seats.append(try Seat(seat, version))
    }
    if version > 3 {
      for seat in try object.objects("left", count: Match.leavingLimit) {
        left.append(try Seat(seat, version))
      }
    }
    entries = []
    for entry in try object.objects("entries", count: Match.entryLimit) {
      entries.append(try Entry(entry))
    }
    head = try object.hash("head")
    outcome = try Outcome(object.object("outcome"))
    points = try object.integers("points", count: WireLimits.seatCount)
    var known: Set<String> = [
      "format", "formatVersion", "service", "rootKey", "certificates", "match", "rules",
      "lexicon", "letters", "seats", "entries", "head", "outcome", "points",
    ]
    if version > 3 { known.insert("left") }
    others = object.others(than: known)
  }
}

/// The reason that a file cannot be read as a given format.
public enum RecordFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Larger than the limit of any format.
  case tooLarge(byteCount: Int, limit: Int)
  /// Not in the expected format. The text says where and why.
  case malformed(String)
  /// A version of the format that this build does not know.
  case unsupportedVersion(Int)

  init(_ fault: WireFault) {
    switch fault {
    case .malformed(let text): self = .malformed(text)
    case .unsupportedVersion(let version): self = .unsupportedVersion(version)
    }
  }

  /// The stable name of the error.
  public var name: String {
    switch self {
    case .tooLarge: "tooLarge"
    case .malformed: "malformed"
    case .unsupportedVersion: "unsupportedVersion"
    }
  }

  /// A sentence for a person.
  public var description: String {
    switch self {
    case .tooLarge(let count, let limit):
      "The file has \(count) bytes, more than the \(limit) that are read."
    case .malformed(let text): "The file cannot be read: \(text)."
    case .unsupportedVersion(let version):
      "The record is of format version \(version), which this program does not know. Update it."
    }
  }
}

extension Match.Seat {
  package var occupant: PlayerID? {
    switch holder {
    case .free: nil
    case .invited(let player), .taken(let player): player
    }
  }
}

extension RecordDocument.Seat {
  /// The most origins that a player's keys can need.
  private static let originLimit = PlayerKeys.recoveredLimit

  fileprivate func json(_ version: Int64) -> JSON {
    .object([
      ("player", player.map { .text($0) }), ("keys", .array(keys.map { .text($0) })),
      ("origins", version == 1 ? nil : .array(origins.map { $0.json })),
    ])
  }

  fileprivate init(_ object: JSONObject, _ version: Int64) throws(WireFault) {
    player = try object.optionalID("player")
    keys = []
    for text in try object.strings("keys", count: Match.entryLimit) {
      keys.append(try JSONObject([("keys", .string(text))]).publicKey("keys"))
    }
    guard version > 1 else { return }
    for origin in try object.objects("origins", count: Self.originLimit) {
      origins.append(try KeyOrigin(origin))
    }
  }
}
