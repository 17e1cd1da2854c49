extension SettingsChange: EventPayload {
  package static let name = "settingsChanged"
  package static let noun = "change of settings"
  package static let price = EventPrice.row

  package static func answer(_ acceptance: Acceptance) -> Noted? { Noted(acceptance) }

  package var action: Event.Action { .settingsChanged(self) }
  package var subject: Event.Subject? { .settings }

  package var fields: [(String, JSON?)] {
    let kinds = PushJob.Kind.optional.compactMap { kind -> (String, JSON?)? in
      self.kinds[kind].map { (kind.rawValue, .bool($0)) }
    }
    return [
      ("displayName", displayName.map { $0.json { $0.text } }),
      ("kinds", kinds.isEmpty ? nil : .object(kinds)),
      ("reminders", reminders.map { .bool($0) }), ("bot", isBot.map { .bool($0) }),
      ("leave", isLeaving.map { .bool($0) }),
    ] + push.fields
  }

  package init(_ object: JSONObject) throws(WireFault) {
    let name = try object.setting(
      "displayName", DisplayName.rule, limit: DisplayName.byteLimit
    ) { DisplayName($0) }
    var kinds: [PushJob.Kind: Bool] = [:]
    if object.optional("kinds") != nil {
      for member in try object.object("kinds").members where member.value != .null {
        guard let kind = PushJob.Kind(rawValue: member.key), kind.isOptional,
          case .bool(let isOn) = member.value
        else { throw .malformed("kinds: \(excerpt(member.key)) is no kind that is true or false") }
        kinds[kind] = isOn
      }
    }
    self.init(
      displayName: name, kinds: kinds, reminders: try object.optionalFlag("reminders"),
      isBot: try object.optionalFlag("bot"), isLeaving: try object.optionalFlag("leave"),
      push: try PushChange(object))
  }
}

extension PushChange {
  fileprivate var fields: [(String, JSON?)] {
    let hours: JSON? =
      switch quietHours {
      case .set(let hours)?:
        .object([
          ("from", .text(hours.from)), ("until", .text(hours.until)),
          ("late", .string(hours.late.rawValue)),
        ])
      case .removed?: .bool(false)
      case nil: nil
      }
    return [
      ("timeZone", timeZone.map { $0.json { $0.text } }),
      ("language", language.map { .string($0.rawValue) }), ("quietHours", hours),
      ("bundle", isBundled.map { .bool($0) }), ("nudges", takesNudges.map { .bool($0) }),
      ("digest", digest.map { $0.json { $0.description } }),
      ("review", review.map { $0.json { $0.rawValue } }),
    ]
  }

  fileprivate init(_ object: JSONObject) throws(WireFault) {
    self.init(
      timeZone: try object.setting("timeZone", "a name such as Europe/Berlin") {
        TimeZoneName($0)
      },
      language: try object.optionalValue("language", "a language of notifications") {
        PushLanguage(rawValue: $0)
      },
      quietHours: try object.quietHours(), isBundled: try object.optionalFlag("bundle"),
      takesNudges: try object.optionalFlag("nudges"),
      digest: try object.setting("digest", "a time such as 08:00") { MinuteOfDay($0) },
      review: try object.setting("review", "a day such as sunday") { Weekday(rawValue: $0) })
  }
}

extension SettingsChange.Setting {
  /// The text of a value; an empty text if it is removed.
  fileprivate func json(_ text: (Value) -> String) -> JSON {
    .string(value.map(text) ?? "")
  }
}

extension JSONObject {
  /// A value that is written as a string; an empty text removes it.
  fileprivate func setting<Value>(
    _ key: String, _ what: StaticString, limit: Int = 64, _ make: (String) -> Value?
  ) throws(WireFault) -> SettingsChange.Setting<Value>? {
    try optionalValue(key, what, limit: limit) { text in
      text.isEmpty ? .removed : make(text).map { .set($0) }
    }
  }

  /// True, false, or left out.
  fileprivate func optionalFlag(_ key: String) throws(WireFault) -> Bool? {
    optional(key) == nil ? nil : try flag(key)
  }

  /// Quiet hours, or false for none.
  fileprivate func quietHours() throws(WireFault) -> SettingsChange.Setting<QuietHours>? {
    guard let value = optional("quietHours") else { return nil }
    if value == .bool(false) { return .removed }
    guard case .object(let object) = value else {
      throw .malformed("quietHours: an object with from, until and late is due, or false")
    }
    let hours = QuietHours(
      from: try object.value("from", "a time such as 22:00") { MinuteOfDay($0) },
      until: try object.value("until", "a time such as 07:30") { MinuteOfDay($0) },
      late: try object.value("late", "silent or dropped") { QuietHours.Late(rawValue: $0) })
    guard let hours else { throw .malformed("quietHours: from and until are the same time") }
    return .set(hours)
  }
}
