import CCurl

/// Sends requests by libcurl, one after another, over connections that it keeps.
///
/// Speaks HTTP/1.1 and, verified, HTTPS with TLS 1.2 or newer; follows no redirects, uses no proxy,
/// keeps no cookies. Confined to one thread at a time.
package final class CurlClient {
  private let handle: CurlHandle

  /// A client without connections.
  /// - Throws: `unusable` where libcurl has no memory, or is too old for a setting (before 7.87).
  package init(_ settings: CurlSettings = .init()) throws(CurlError) {
    handle = try CurlHandle(settings)
  }

  /// Posts a body and waits for the answer.
  ///
  /// - Throws: `CurlError`; any status is an answer and no error.
  package func post(
    _ url: String, headers: [(name: String, value: String)], body: [UInt8]
  ) throws(CurlError) -> CurlResponse {
    try send(.post, url, headers: headers, body: body)
  }

  /// Sends a request and waits for the answer.
  ///
  /// - Throws: `CurlError`; any status is an answer and no error.
  package func send(
    _ method: CurlRequest.Method, _ url: String, headers: [(name: String, value: String)],
    body: [UInt8] = []
  ) throws(CurlError) -> CurlResponse {
    try handle.prepare(CurlRequest(method, url, headers: headers, body: body))
    return try handle.outcome(of: curl_easy_perform(handle.handle)).get()
  }

  /// When the certificate of a server ends, in seconds since 1970; nil where libcurl does not tell.
  ///
  /// Any server that speaks TLS will do, whoever vouches for it. Nothing is sent to it.
  /// - Parameter endpoint: Host and port.
  package func certificateEnd(of endpoint: String) throws(CurlError) -> Int64? {
    try handle.prepareLook(at: "https://\(endpoint)/")
    _ = try handle.outcome(of: curl_easy_perform(handle.handle)).get()
    let seconds = ccurl_certificate_end(handle.handle)
    return seconds == 0 ? nil : seconds
  }
}
