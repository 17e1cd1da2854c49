/// The field `Prefer` (RFC 7240), as far as a gateway reads it: `wait`.
enum Preference {
  /// The seconds of the first `wait`; nil if there is none, or none in its form.
  static func wait(_ fields: [String]) -> Int? {
    for field in fields {
      for preference in elements(of: field) {
        // Parameters after a semicolon belong to the preference and mean nothing here.
        let parts = preference.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
        guard let name = parts.first, trimmed(name).lowercased() == "wait" else { continue }
        // Only the first one counts, even if it has no value.
        guard parts.count == 2 else { return nil }
        var value = trimmed(parts[1])
        if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
          value = value.dropFirst().dropLast()
        }
        guard !value.isEmpty, value.utf8.allSatisfy({ 48...57 ~= $0 }) else { return nil }
        return value.utf8.count > 9 ? 999_999_999 : Int(value)
      }
    }
    return nil
  }

  /// The elements between commas outside of quotes.
  private static func elements(of field: String) -> [Substring] {
    var elements: [Substring] = []
    var start = field.startIndex
    var (isQuoted, isEscaped) = (false, false)
    for index in field.indices {
      let character = field[index]
      if isEscaped {
        isEscaped = false
      } else if isQuoted, character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
      } else if character == ",", !isQuoted {
        elements.append(field[start..<index])
        start = field.index(after: index)
      }
    }
    return elements + [field[start...]]
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
