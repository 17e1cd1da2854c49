/// The field `Accept`, as far as a gateway reads it: whether the one form that it has is accepted.
enum Accepting {
  static func allows(_ mediaType: String, _ fields: [String]) -> Bool {
    let ranges = fields.flatMap { $0.split(separator: ",") }
    guard !ranges.isEmpty else { return true }
    let group = mediaType.prefix { $0 != "/" }
    return ranges.contains { range in
      let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      guard let name = parts.first?.lowercased() else { return false }
      // Of weight 0: not at all.
      let isRefused = parts.dropFirst().contains { part in
        let part = part.lowercased()
        return part.hasPrefix("q=") && Double(part.dropFirst(2)) == 0
      }
      return !isRefused && ["*/*", "\(group)/*", mediaType].contains(name)
    }
  }
}

/// The field `If-None-Match`.
enum EntityTag {
  /// Whether the client has the content with this tag. Weak and strong tags match alike.
  static func matches(_ tag: String, _ fields: [String]) -> Bool {
    let opaque = opaque(Substring(tag))
    return fields.flatMap { $0.split(separator: ",") }.contains { candidate in
      let candidate = candidate.drop { $0 == " " || $0 == "\t" }
      let trimmed = candidate.prefix { $0 != " " && $0 != "\t" }
      return trimmed == "*" || self.opaque(trimmed) == opaque
    }
  }

  private static func opaque(_ tag: Substring) -> Substring {
    tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
  }
}
