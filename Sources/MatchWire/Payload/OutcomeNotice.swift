public import MatchCore

/// Word that a match has changed, for whoever watches; it may be lost, the truth is in the store.
public struct OutcomeNotice: Hashable, Sendable {
  /// The match.
  public var match: MatchID
  /// Its stored version now.
  public var version: Int64

  /// Puts a notice together.
  public init(match: MatchID, version: Int64) {
    self.match = match
    self.version = version
  }

  /// `{"match":…,"v":1,"version":…}`.
  public var encoded: [UInt8] {
    var text = ByteText(capacity: 80)
    text.put("{\"v\":1,\"match\":")
    text.put(match)
    text.put(",\"version\":")
    text.put(version)
    text.put("}")
    return text.bytes
  }

  /// The same, slower.
  var encodedAsJSON: [UInt8] {
    JSON.object([
      ("v", .integer(1)), ("match", .text(match)), ("version", .integer(version)),
    ]).serialized
  }

  /// Reads a notice; nil for bytes that are none.
  public init?(_ bytes: [UInt8]) {
    do throws(WireFault) {
      let object = try JSONReader.object(of: bytes)
      try object.checkVersion()
      self.init(
        match: try object.id("match"), version: try object.integer("version", in: 0...Int64.max))
    } catch {
      return nil
    }
  }
}
