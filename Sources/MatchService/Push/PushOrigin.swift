/// Scheme, host and port of a URL: the place that a slow answer comes from.
struct PushOrigin: Hashable, Sendable {
  let text: String

  /// The origin of a URL in any form. Those of equal places are equal as far as spelling tells.
  init(of url: String) {
    let lower = url.lowercased()
    guard let end = lower.firstRange(of: "://") else {
      text = lower
      return
    }
    let scheme = lower[..<end.lowerBound]
    let authority = lower[end.upperBound...].prefix { !"/?#".contains($0) }
    let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
    var host = place ?? authority
    let standard = scheme == "https" ? ":443" : ":80"
    if host.hasSuffix(standard) { host = host.dropLast(standard.count) }
    text = "\(scheme)://\(host)"
  }
}

extension PushOrigin: CustomStringConvertible {
  var description: String { text }
}
