import MatchService

/// The fields by which browsers let pages of other origins call the gateway.
enum CORS {
  /// The fields of an answer; none where the setting names no origin.
  static func fields(
    _ origins: GatewaySettings.Origins, origin: String?
  ) -> [(name: String, value: String)] {
    let allowed: String
    switch origins {
    case .all: allowed = "*"
    case .some(let some):
      guard !some.isEmpty else { return [] }
      guard let origin, some.contains(origin) else { return [("Vary", "Origin")] }
      allowed = origin
    }
    var fields = [
      ("Access-Control-Allow-Origin", allowed),
      (
        "Access-Control-Expose-Headers",
        "ETag, Preference-Applied, Retry-After, Traceparent, X-Request-Id"
      ),
    ]
    if allowed != "*" { fields.append(("Vary", "Origin")) }
    return fields
  }

  /// The further fields of an answer to OPTIONS.
  static func preflight(_ methods: [String]) -> [(name: String, value: String)] {
    [
      ("Access-Control-Allow-Methods", methods.joined(separator: ", ")),
      (
        "Access-Control-Allow-Headers",
        "Content-Type, If-None-Match, Prefer, Traceparent, X-Request-Id"
      ),
      ("Access-Control-Max-Age", "600"),
    ]
  }
}
