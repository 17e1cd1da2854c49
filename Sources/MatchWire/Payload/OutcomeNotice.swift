package import MatchCore

/// A notice of a batch's changes to anyone who watches. It may be lost: the truth is in the store.
package struct OutcomeNotice: Hashable, Sendable {
  /// A match with its present stored version.
  package struct Change: Hashable, Sendable {
    package var match: MatchID
    /// Its present stored version.
    package var version: Int64

    package init(match: MatchID, version: Int64) {
      self.match = match
      self.version = version
    }
  }

  /// The most changes in a notice. That many fit into one frame.
  package static let changeLimit = 128

  /// The changes, in the order of the batch.
  package var changes: [Change]

  /// A notice of at most ``changeLimit`` changes.
  package init(_ changes: [Change]) { self.changes = changes }

  /// `{"v":1,"changes":[{"match":…,"version":…},…]}`.
  package var encoded: [UInt8] {
    var text = ByteText(capacity: 32 + 80 * changes.count)
    text.put("{\"v\":1,\"changes\":[")
    for (index, change) in changes.enumerated() {
      text.put(index == 0 ? "{\"match\":" : ",{\"match\":")
      text.put(change.match)
      text.put(",\"version\":")
      text.put(change.version)
      text.put("}")
    }
    text.put("]}")
    return text.bytes
  }

  /// The same by `JSON`, which is slower.
  var encodedAsJSON: [UInt8] {
    JSON.object([
      ("v", .integer(1)),
      (
        "changes",
        .array(
          changes.map {
            .object([("match", .text($0.match)), ("version", .integer($0.version))])
          })
      ),
    ]).serialized
  }

  /// Reads a notice. Nil for bytes that are not one.
  package init?(_ bytes: [UInt8]) {
    do throws(WireFault) {
      let object = try JSONReader.object(of: bytes)
      try object.checkVersion()
      changes = try object.objects("changes", count: Self.changeLimit).map {
        change throws(WireFault) in
        Change(
          match: try change.id("match"),
          version: try change.integer("version", in: 0...Int64.max))
      }
    } catch {
      return nil
    }
  }
}
