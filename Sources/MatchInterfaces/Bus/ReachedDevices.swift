package import MatchCore

/// The text form of a copy's header with the devices that have its job: their names, sorted, with
/// commas between them.
package enum ReachedDevices {
  /// The text of a header; nil: there are none, and no header.
  package static func text(_ names: Set<DeviceName>) -> String? {
    guard !names.isEmpty else { return nil }
    return names.sorted().prefix(limit).map(\.text).joined(separator: ",")
  }

  /// The names in a header, which any account of the broker may have written. A text that is no
  /// list of names, or of more than a player can have, says nothing.
  package static func names(in text: String?) -> Set<DeviceName> {
    guard let text, !text.isEmpty, text.utf8.count <= limit * 33 else { return [] }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let names = parts.compactMap { DeviceName($0) }
    return names.count == parts.count && names.count <= limit ? Set(names) : []
  }

  /// Names at most. Devices may come and go while a job is tried again.
  private static let limit = 2 * Device.limit
}
