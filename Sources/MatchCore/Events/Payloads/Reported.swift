extension Event {
  /// A player tells the operators of the opponent in a match.
  public struct Reported: EventPayload {
    package static let name = "reported"
    package static let noun = "report"
    package static let price = EventPrice.row

    public var match: MatchID
    public var reason: Report.Reason
    public var text: Report.Text?

    public init(match: MatchID, reason: Report.Reason, text: Report.Text? = nil) {
      self.match = match
      self.reason = reason
      self.text = text
    }
  }
}

extension Event.Reported {
  package static func answer(_ acceptance: Acceptance) -> Noted? {
    if case .reported = acceptance { Noted() } else { nil }
  }

  package var action: Event.Action { .reported(self) }
  package var about: MatchID? { match }
  package var subject: Event.Subject? { .report(match) }

  package func needs(of event: Event) -> Judge.Needs {
    var needs = Judge.Needs()
    needs.matches = [match]
    needs.reports = true
    return needs
  }

  package var fields: [(String, JSON?)] {
    [
      ("match", .text(match)), ("reason", .string(reason.rawValue)),
      ("text", text.map { .text($0) }),
    ]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    self.init(
      match: try object.id("match"),
      reason: try object.value("reason", "a reason") { Report.Reason(rawValue: $0) },
      text: try object.optionalValue(
        "text", "1 to 200 bytes of visible characters", limit: Report.Text.byteLimit
      ) { Report.Text($0) })
  }
}

extension Event.Action {
  public static func reported(
    _ match: MatchID, _ reason: Report.Reason, text: Report.Text? = nil
  ) -> Self {
    .reported(Event.Reported(match: match, reason: reason, text: text))
  }
}
