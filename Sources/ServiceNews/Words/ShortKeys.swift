package import MatchCore

/// Keys by their first digits.
package struct ShortKeys {
  package static let shortestLength = 8
  /// Somebody may look for a key that begins like another one. So many digits take too long.
  private static let comparedLength = 16

  package let keys: [PublicKey]

  package init(_ keys: [PublicKey]) { self.keys = keys }

  /// The shortest beginning, of eight digits or more, that no other one of the keys has.
  package func short(_ key: PublicKey) -> String {
    let text = key.description
    for count in Self.shortestLength..<text.utf8.count {
      let digits = String(text.prefix(count))
      if matching(digits).allSatisfy({ $0 == key }) { return digits }
    }
    return text
  }

  /// The beginning of a key that nobody has confirmed yet, to be compared with that of a device.
  package static func compared(_ key: PublicKey) -> String {
    String(key.description.prefix(comparedLength))
  }

  /// The keys that begin with a text.
  package func matching(_ text: String) -> [PublicKey] {
    let digits = text.lowercased()
    return keys.filter { $0.description.hasPrefix(digits) }
  }
}

extension DeviceCode {
  /// The code as a person types it: in groups of four.
  package var grouped: String {
    "\(text.prefix(4))-\(text.dropFirst(4).prefix(4))-\(text.dropFirst(8))"
  }
}
