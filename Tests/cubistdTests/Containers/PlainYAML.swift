/// The part of YAML that deploy/compose.yaml and deploy/kubernetes keep to: mappings and lists in lines or in
/// brackets, plain and quoted texts, anchors and merges. Anything else is an error, so that nobody reads it
/// in two ways. Every scalar is a text.
indirect enum PlainYAML: Equatable, Sendable {
  case text(String)
  case list([PlainYAML])
  case map([String: PlainYAML])

  struct Failure: Error, Equatable {
    var line: Int
    var reason: String
  }

  /// The documents of a file.
  static func documents(in text: String) throws(Failure) -> [PlainYAML] {
    var parts: [[(number: Int, text: Substring)]] = [[]]
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line == "---" {
        parts.append([])
      } else {
        parts[parts.count - 1].append((index + 1, line))
      }
    }
    var documents: [PlainYAML] = []
    for part in parts {
      var reader = try YAMLBlockReader(part)
      if let document = try reader.document() { documents.append(document) }
    }
    return documents
  }

  subscript(_ key: String) -> PlainYAML? {
    guard case .map(let entries) = self else { return nil }
    return entries[key]
  }

  /// Texts stay as they are; nil for anything else.
  var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  /// Empty for anything but a list.
  var list: [PlainYAML] {
    guard case .list(let entries) = self else { return [] }
    return entries
  }

  /// Empty for anything but a mapping.
  var map: [String: PlainYAML] {
    guard case .map(let entries) = self else { return [:] }
    return entries
  }

  /// The texts of a list.
  var texts: [String] { list.compactMap(\.text) }
}

/// Reads mappings and lists that are told by their indentation.
private struct YAMLBlockReader {
  private struct Line {
    var number: Int
    var indent: Int
    var text: Substring
  }

  private var lines: [Line] = []
  private var position = 0
  private var anchors: [String: PlainYAML] = [:]

  init(_ source: [(number: Int, text: Substring)]) throws(PlainYAML.Failure) {
    for (number, text) in source {
      let body = text.drop { $0 == " " }
      if body.isEmpty || body.hasPrefix("#") { continue }
      guard !body.contains("\t"), body.last != " " else {
        throw PlainYAML.Failure(line: number, reason: "a tab, or a space at the end")
      }
      lines.append(Line(number: number, indent: text.count - body.count, text: body))
    }
  }

  mutating func document() throws(PlainYAML.Failure) -> PlainYAML? {
    guard let first = lines.first else { return nil }
    let value = try block(first.indent)
    if let rest = next { throw PlainYAML.Failure(line: rest.number, reason: "indented wrongly") }
    return value
  }

  private var next: Line? { position < lines.count ? lines[position] : nil }

  private mutating func block(_ indent: Int) throws(PlainYAML.Failure) -> PlainYAML {
    if let next, next.text.hasPrefix("- ") { return try list(indent) }
    return try map(indent)
  }

  private mutating func list(_ indent: Int) throws(PlainYAML.Failure) -> PlainYAML {
    var entries: [PlainYAML] = []
    while let line = next, line.indent == indent, line.text.hasPrefix("- ") {
      let rest = line.text.dropFirst(2)
      if Self.key(of: rest) != nil {
        // Its first key stands two places further in.
        lines[position].indent += 2
        lines[position].text = rest
        entries.append(try block(indent + 2))
      } else {
        position += 1
        entries.append(try flow(rest, line.number))
      }
    }
    return .list(entries)
  }

  private mutating func map(_ indent: Int) throws(PlainYAML.Failure) -> PlainYAML {
    var (own, merged): ([String: PlainYAML], [String: PlainYAML]) = ([:], [:])
    while let line = next, line.indent == indent {
      guard let (key, after) = Self.key(of: line.text) else {
        throw PlainYAML.Failure(line: line.number, reason: "no key")
      }
      position += 1
      var (rest, anchor): (Substring, String?) = (after, nil)
      if rest.hasPrefix("&") {
        anchor = String(rest.dropFirst().prefix { $0 != " " })
        rest = rest.drop { $0 != " " }.drop { $0 == " " }
      }
      let value: PlainYAML
      if !rest.isEmpty {
        value = try flow(rest, line.number)
      } else if let below = next, below.indent > indent {
        value = try block(below.indent)
      } else {
        throw PlainYAML.Failure(line: line.number, reason: "\(key) has no value")
      }
      if let anchor { anchors[anchor] = value }
      if key == "<<" {
        // The first one of a list counts, as before all of them the mapping's own keys do.
        for entries in value.list.isEmpty ? [value] : value.list {
          merged.merge(entries.map) { first, _ in first }
        }
      } else if own.updateValue(value, forKey: key) != nil {
        throw PlainYAML.Failure(line: line.number, reason: "\(key) is there twice")
      }
    }
    if let line = next, line.indent > indent {
      throw PlainYAML.Failure(line: line.number, reason: "indented wrongly")
    }
    return .map(own.merging(merged) { own, _ in own })
  }

  /// The key at the beginning of a line, and what comes after its colon.
  private static func key(of text: Substring) -> (key: String, rest: Substring)? {
    guard let match = text.prefixMatch(of: /([A-Za-z0-9_.\/<-]+):(?: +|$)/) else { return nil }
    return (String(match.1), text[match.range.upperBound...])
  }

  private func flow(_ text: Substring, _ line: Int) throws(PlainYAML.Failure) -> PlainYAML {
    var reader = YAMLFlowReader(text: text, line: line, anchors: anchors)
    return try reader.whole()
  }
}

/// Reads the value of one line.
private struct YAMLFlowReader {
  var text: Substring
  let line: Int
  let anchors: [String: PlainYAML]

  mutating func whole() throws(PlainYAML.Failure) -> PlainYAML {
    let value = try value(within: [])
    skip()
    guard text.isEmpty else { throw failure("\(text) after the value") }
    return value
  }

  private func failure(_ reason: String) -> PlainYAML.Failure {
    PlainYAML.Failure(line: line, reason: reason)
  }

  private mutating func skip() { text = text.drop { $0 == " " } }

  private mutating func take(_ character: Character) -> Bool {
    skip()
    guard text.first == character else { return false }
    text.removeFirst()
    return true
  }

  private mutating func value(
    within ends: Set<Character>
  ) throws(PlainYAML.Failure) -> PlainYAML {
    skip()
    switch text.first {
    case "{": return try map()
    case "[": return try list()
    case "\"": return .text(try doubleQuoted())
    case "'": return .text(try singleQuoted())
    case "*":
      let name = String(text.dropFirst().prefix { $0.isLetter })
      text = text.dropFirst(name.count + 1)
      guard let value = anchors[name] else { throw failure("no anchor \(name)") }
      return value
    default: return .text(try plain(ends))
    }
  }

  private mutating func map() throws(PlainYAML.Failure) -> PlainYAML {
    text.removeFirst()
    var entries: [String: PlainYAML] = [:]
    while !take("}") {
      skip()
      guard let match = text.prefixMatch(of: /([A-Za-z0-9_.\/-]+):[ ]/) else {
        throw failure("no key before \(text)")
      }
      text = text[match.range.upperBound...]
      guard entries.updateValue(try value(within: [",", "}"]), forKey: String(match.1)) == nil
      else { throw failure("\(match.1) is there twice") }
      skip()
      guard take(",") || text.first == "}" else { throw failure("no end of a mapping") }
    }
    return .map(entries)
  }

  private mutating func list() throws(PlainYAML.Failure) -> PlainYAML {
    text.removeFirst()
    var entries: [PlainYAML] = []
    while !take("]") {
      entries.append(try value(within: [",", "]"]))
      skip()
      guard take(",") || text.first == "]" else { throw failure("no end of a list") }
    }
    return .list(entries)
  }

  private mutating func doubleQuoted() throws(PlainYAML.Failure) -> String {
    text.removeFirst()
    var result = ""
    while let character = text.popFirst() {
      if character == "\"" { return result }
      guard character == "\\" else {
        result.append(character)
        continue
      }
      guard let escaped = text.popFirst(), "\"\\".contains(escaped) else {
        throw failure("an escape that is none of ours")
      }
      result.append(escaped)
    }
    throw failure("no end of a text")
  }

  private mutating func singleQuoted() throws(PlainYAML.Failure) -> String {
    text.removeFirst()
    var result = ""
    while let character = text.popFirst() {
      if character == "'", text.first != "'" { return result }
      if character == "'" { text.removeFirst() }
      result.append(character)
    }
    throw failure("no end of a text")
  }

  /// A text without quotes. One that YAML reads as something else, such as a comment, is refused.
  private mutating func plain(_ ends: Set<Character>) throws(PlainYAML.Failure) -> String {
    let result = text.prefix { !ends.contains($0) }
    text = text[result.endIndex...]
    let trimmed = String(result.reversed().drop { $0 == " " }.reversed())
    guard let first = trimmed.first, !"&!|>%@`#,]}-?:".contains(first) || isOption(trimmed),
      !trimmed.contains(" #"), !trimmed.contains(": "), !trimmed.hasSuffix(":"),
      !["yes", "no", "on", "off", "null", "~"].contains(trimmed.lowercased())
    else { throw failure("\"\(trimmed)\" needs quotes") }
    return trimmed
  }

  private func isOption(_ text: String) -> Bool {
    text.hasPrefix("-") && !text.hasPrefix("- ") && text != "-"
  }
}
