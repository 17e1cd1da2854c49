/// The fields `Accept` and `Accept-Encoding`, as far as a gateway reads them.
enum Accepting {
  /// Whether a form is accepted.
  static func allows(_ mediaType: String, _ fields: [String]) -> Bool {
    let ranges = ranges(fields)
    guard !ranges.isEmpty else { return true }
    let group = mediaType.prefix { $0 != "/" }
    return ranges.contains {
      !$0.isRefused && ["*/*", "\(group)/*", mediaType].contains($0.name)
    }
  }

  /// Whether a form is asked for by its name.
  static func names(_ mediaType: String, _ fields: [String]) -> Bool {
    ranges(fields).contains { !$0.isRefused && $0.name == mediaType }
  }

  /// Whether content may come compressed. A client that says nothing gets it as it is.
  static func allowsGzip(_ fields: [String]) -> Bool {
    let codings = ranges(fields)
    let named = codings.first { ["gzip", "x-gzip"].contains($0.name) }
    return (named ?? codings.first { $0.name == "*" }).map { !$0.isRefused } ?? false
  }

  /// The members of a field; those of weight 0 are refused.
  private static func ranges(_ fields: [String]) -> [(name: String, isRefused: Bool)] {
    ListField.members(fields).compactMap { range in
      let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      guard let name = parts.first?.lowercased() else { return nil }
      let isRefused = parts.dropFirst().contains { part in
        let part = part.lowercased()
        return part.hasPrefix("q=") && Double(part.dropFirst(2)) == 0
      }
      return (name, isRefused)
    }
  }
}

/// A field with commas between its members.
enum ListField {
  /// Members behind so many others are not read: a field may have 16 KB.
  private static let limit = 32

  static func members(_ fields: [String]) -> ArraySlice<Substring> {
    fields.joined(separator: ",").split(separator: ",", maxSplits: limit).prefix(limit)
  }
}

/// The field `If-None-Match`.
enum EntityTag {
  /// Whether the client has the content with this tag. Weak and strong tags match alike.
  static func matches(_ tag: String, _ fields: [String]) -> Bool {
    let opaque = opaque(Substring(tag))
    return ListField.members(fields).contains { candidate in
      let candidate = candidate.drop { $0 == " " || $0 == "\t" }
      let trimmed = candidate.prefix { $0 != " " && $0 != "\t" }
      return trimmed == "*" || self.opaque(trimmed) == opaque
    }
  }

  private static func opaque(_ tag: Substring) -> Substring {
    tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
  }
}
