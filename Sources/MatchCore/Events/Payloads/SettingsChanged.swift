extension SettingsChange: EventPayload {
  package static let name = "settingsChanged"
  package static let noun = "change of settings"
  package static let price = EventPrice.row

  package static func answer(_ acceptance: Acceptance) -> Noted? { Noted(acceptance) }

  package var action: Event.Action { .settingsChanged(self) }
  package var subject: Event.Subject? { .settings }

  package var fields: [(String, JSON?)] {
    let name: JSON? =
      switch displayName {
      case .set(let name)?: .text(name)
      case .removed?: ""
      case nil: nil
      }
    let kinds = PushJob.Kind.optional.compactMap { kind -> (String, JSON?)? in
      self.kinds[kind].map { (kind.rawValue, .bool($0)) }
    }
    return [
      ("displayName", name), ("kinds", kinds.isEmpty ? nil : .object(kinds)),
      ("reminders", reminders.map { .bool($0) }), ("bot", isBot.map { .bool($0) }),
    ]
  }

  package init(_ object: JSONObject) throws(WireFault) {
    let name: Name? = try object.optionalValue(
      "displayName", DisplayName.rule, limit: DisplayName.byteLimit
    ) { text in text.isEmpty ? .removed : DisplayName(text).map { .set($0) } }
    var kinds: [PushJob.Kind: Bool] = [:]
    if object.optional("kinds") != nil {
      for member in try object.object("kinds").members where member.value != .null {
        guard let kind = PushJob.Kind(rawValue: member.key), kind.isOptional,
          case .bool(let isOn) = member.value
        else { throw .malformed("kinds: \(excerpt(member.key)) is no kind that is true or false") }
        kinds[kind] = isOn
      }
    }
    func flag(_ field: String) throws(WireFault) -> Bool? {
      guard let value = object.optional(field) else { return nil }
      guard case .bool(let isOn) = value else {
        throw .malformed("\(field): true or false is due")
      }
      return isOn
    }
    self.init(
      displayName: name, kinds: kinds, reminders: try flag("reminders"), isBot: try flag("bot"))
  }
}
