/// What is wrong with bytes that came from outside; each public boundary gives it its own public
/// name.
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
