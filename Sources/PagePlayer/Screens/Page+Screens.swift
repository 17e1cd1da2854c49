import CubePlay
package import CubistPage

extension Page {
  /// Writes the fields of the state that only a player at a service has.
  package func writeScreens(to json: inout JSONText) {
    json.field("connection", app.connection == .there ? "there" : "lost")
    switch app.place {
    case .home:
      json.name("people")
      json.object { app.home.writePeople(to: &$0) }
    case .menu(let menu):
      json.name("menu")
      json.object { menu.write(to: &$0) }
    case .match(let match):
      switch match.content {
      case .loading: writeAbsent(match.key, failure: nil, to: &json)
      case .failed(let text): writeAbsent(match.key, failure: text, to: &json)
      case .shown(let shown):
        json.name("extra")
        json.object { shown.writeExtra(to: &$0, of: match.key, in: app) }
      }
    case .firstSteps: break
    }
  }

  /// A match that cannot be drawn, or not yet.
  private func writeAbsent(_ key: MatchKey, failure: String?, to json: inout JSONText) {
    json.name("absent")
    json.object { json in
      json.field("key", key.text)
      json.optional("failure", failure)
    }
  }
}

extension JSONText {
  /// A field that is left out where there is no text.
  mutating func optional(_ name: StaticString, _ text: String?) {
    if let text { field(name, text) }
  }

  /// A field that is left out where there is no number.
  mutating func optional(_ name: StaticString, _ number: Int?) {
    if let number { field(name, number) }
  }

  /// How far something has loaded, and the fields of it once it has.
  mutating func fields<Value>(
    of content: Loaded<Value>, _ write: (Value, inout JSONText) -> Void
  ) {
    switch content {
    case .loading: field("content", "loading")
    case .failed(let text):
      field("content", "failed")
      field("failure", text)
    case .shown(let value):
      field("content", "shown")
      write(value, &self)
    }
  }

  /// A text that is being typed.
  mutating func field(_ name: StaticString, _ entry: TextEntry) {
    self.name(name)
    object { json in
      json.field("text", entry.text)
      json.field("fault", entry.fault ?? "")
    }
  }

  mutating func field(_ name: StaticString, _ texts: [String]) {
    array(name)
    for text in texts { value(text) }
    endArray()
  }
}
