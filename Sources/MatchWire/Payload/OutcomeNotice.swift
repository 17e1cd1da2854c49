package import MatchCore

/// A notice of changes to anyone who watches. It may be lost: the truth is in the store. Its number
/// shows whether one before it was.
package struct OutcomeNotice: Hashable, Sendable {
  /// A match with its present stored version.
  package struct Change: Hashable, Sendable {
    package var match: MatchID
    /// Its present stored version.
    package var version: Int64
    /// The players whom it concerns: those who sit in it or are invited to it.
    package var players: [PlayerID]

    package init(match: MatchID, version: Int64, players: [PlayerID]) {
      self.match = match
      self.version = version
      self.players = players
    }
  }

  /// The sender's place in its own notices.
  package struct Place: Hashable, Sendable {
    /// One run of a worker or push worker. A new run has another one.
    package var source: NoticeSource
    /// How many notices with content this source has sent, this one included. A notice without
    /// content repeats the last number.
    package var number: Int64

    package init(source: NoticeSource, number: Int64) {
      self.source = source
      self.number = number
    }
  }

  /// The most changes in a notice.
  package static let changeLimit = 64
  /// The most players in a notice, beside those of changes.
  package static let playerLimit = 256
  /// The most players of one change.
  package static let seatLimit = 8

  package var place: Place
  /// The changes, in the order of the batch.
  package var changes: [Change]
  /// Players whose settings, devices, blocks or notifications changed, or who have removed a key.
  package var players: [PlayerID]

  /// A notice of at most ``changeLimit`` changes and ``playerLimit`` players.
  package init(_ place: Place, changes: [Change] = [], players: [PlayerID] = []) {
    self.place = place
    self.changes = changes
    self.players = players
  }

  /// `{"v":1,"source":"…","number":…,"changes":[{"match":…,"version":…,"players":[…]},…],"players":[…]}`.
  package var encoded: [UInt8] {
    var text = ByteText(capacity: 128 + 170 * changes.count + 40 * players.count)
    text.put("{\"v\":1,\"source\":")
    text.put(place.source)
    text.put(",\"number\":")
    text.put(place.number)
    text.put(",\"changes\":[")
    for (index, change) in changes.enumerated() {
      text.put(index == 0 ? "{\"match\":" : ",{\"match\":")
      text.put(change.match)
      text.put(",\"version\":")
      text.put(change.version)
      OutcomeNotice.put(change.players, to: &text)
      text.put("}")
    }
    text.put("]")
    OutcomeNotice.put(players, to: &text)
    text.put("}")
    return text.bytes
  }

  private static func put(_ players: [PlayerID], to text: inout ByteText) {
    text.put(",\"players\":[")
    for (index, player) in players.enumerated() {
      if index > 0 { text.put(",") }
      text.put(player)
    }
    text.put("]")
  }

  /// The same by `JSON`, which is slower.
  var encodedAsJSON: [UInt8] {
    JSON.object([
      ("v", .integer(1)), ("source", .text(place.source)),
      ("number", .integer(place.number)),
      (
        "changes",
        .array(
          changes.map {
            .object([
              ("match", .text($0.match)), ("version", .integer($0.version)),
              ("players", .array($0.players.map { .text($0) })),
            ])
          })
      ),
      ("players", .array(players.map { .text($0) })),
    ]).serialized
  }

  /// Reads a notice. Nil for bytes that are not one.
  package init?(_ bytes: [UInt8]) {
    do throws(WireFault) {
      let object = try JSONReader.object(of: bytes)
      try object.checkVersion()
      place = Place(
        source: try object.id("source"),
        number: try object.integer("number", in: 0...Int64.max))
      changes = try object.objects("changes", count: Self.changeLimit).map {
        change throws(WireFault) in
        Change(
          match: try change.id("match"),
          version: try change.integer("version", in: 0...Int64.max),
          players: try change.ids("players", count: Self.seatLimit))
      }
      players = try object.ids("players", count: Self.playerLimit)
    } catch {
      return nil
    }
  }
}

/// Names one run of a sender of notices.
package struct NoticeSource: Identifier {
  package let rawValue: UInt128
  package init(rawValue: UInt128) { self.rawValue = rawValue }
}

extension JSONObject {
  /// Ids in lower case, at most so many.
  func ids<ID: Identifier>(_ key: String, count: Int) throws(WireFault) -> [ID] {
    try strings(key, count: count).map { text throws(WireFault) in
      guard let id = ID(text), id.description == text else {
        throw .malformed("\(key): \(excerpt(text)) is no id in lower case")
      }
      return id
    }
  }
}
