/// A mistake in bytes that came from outside. Each public boundary gives it a public name of its
/// own.
package enum WireFault: Error, Hashable, Sendable {
  case malformed(String)
  case unsupportedVersion(Int)
}

extension Refusal {
  package init(_ fault: WireFault) {
    switch fault {
    case .malformed(let text): self = .malformed(text)
    case .unsupportedVersion(let version): self = .unsupportedVersion(version)
    }
  }
}
