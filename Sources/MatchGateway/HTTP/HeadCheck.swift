import NIOHTTP1

/// What is wrong with the head of a request, before anything else looks at it.
enum HeadCheck {
  static func problem(of head: HTTPRequestHead, bodyLimit: Int) -> Problem? {
    guard head.version == .http1_1 else { return .versionNotSupported }
    guard head.headers["host"].count == 1, target(head.uri) != nil else {
      return .malformedRequest
    }
    let codings = head.headers["transfer-encoding"]
    let lengths = head.headers["content-length"]
    guard codings.isEmpty || lengths.isEmpty, lengths.count <= 1 else { return .malformedRequest }
    guard codings.isEmpty || codings.count == 1 && codings[0].lowercased() == "chunked" else {
      return .notImplemented
    }
    if let length = lengths.first {
      guard let length = Int(length), length >= 0 else { return .malformedRequest }
      guard length <= bodyLimit else { return .bodyTooLarge(limit: bodyLimit) }
    }
    let expectations = head.headers["expect"]
    guard expectations.allSatisfy({ $0.lowercased() == "100-continue" }) else {
      return .expectationFailed
    }
    return nil
  }

  /// The path and query of a target: of `/path`, `http://host/path` or `*`. Nil for another form.
  static func target(_ uri: String) -> String? {
    guard uri.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else { return nil }
    if uri.hasPrefix("/") || uri == "*" { return uri }
    for scheme in ["http://", "https://"] where uri.lowercased().hasPrefix(scheme) {
      let rest = uri.dropFirst(scheme.count)
      guard let slash = rest.firstIndex(of: "/") else { return "/" }
      return String(rest[slash...])
    }
    return nil
  }

  /// Whether the connection ends with the answer. A client that proposes another protocol gets its
  /// answer in this one, and nothing is read after it.
  static func isLast(_ head: HTTPRequestHead) -> Bool {
    let options = head.headers[canonicalForm: "connection"]
    return options.contains { $0.lowercased() == "close" }
      || head.headers.contains(name: "upgrade") || head.method == .CONNECT
  }
}
