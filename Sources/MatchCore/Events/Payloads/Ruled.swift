extension Event {
  /// An operator ruled on a match. Ignored if the match cannot be ruled so (any more).
  public struct Ruled: ServicePayload {
    package static let name = "ruled"

    public var match: MatchID
    public var ruling: Ruling

    public init(match: MatchID, ruling: Ruling) {
      self.match = match
      self.ruling = ruling
    }
  }
}

extension Event.Ruled {
  package var action: Event.Action { .ruled(self) }
  package var about: MatchID? { match }
  package var fields: [(String, JSON?)] { [("match", .text(match))] + ruling.fields }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(match: try object.id("match"), ruling: try Ruling(object))
  }
}

extension Event.Action {
  public static func ruled(_ match: MatchID, _ ruling: Ruling) -> Self {
    .ruled(Event.Ruled(match: match, ruling: ruling))
  }
}
