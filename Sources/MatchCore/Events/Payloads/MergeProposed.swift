/// Two matches with a waiting player each can become one. Ignored if they no longer can.
extension Merger: ServicePayload {
  package static let name = "mergeProposed"

  package var action: Event.Action { .mergeProposed(self) }
  package var about: MatchID? { kept }

  package func needs(of event: Event) -> Judge.Needs {
    var needs = Judge.Needs()
    needs.matches = [kept, merged]
    needs.requests = [merged]
    return needs
  }

  package func encounter(of player: PlayerID, match: (MatchID) -> Match?) -> Judge.Encounter? {
    Judge.Encounter(
      players: [kept, merged].flatMap { match($0)?.players ?? [] }, counted: [])
  }

  package var fields: [(String, JSON?)] {
    [("match", .text(kept)), ("merged", .text(merged)), ("why", reason.json)]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    guard let reason = try MeetingReason(in: object) else { throw .malformed("why is missing") }
    self.init(kept: try object.id("match"), merged: try object.id("merged"), reason: reason)
  }
}
