import CCurl
import CubistBasics

/// Sends requests by libcurl, one after another, over connections that it keeps.
///
/// Speaks HTTP/1.1 and, verified, HTTPS with TLS 1.2 or newer; follows no redirects, uses no proxy,
/// keeps no cookies. Confined to one thread at a time.
package final class CurlClient {
  /// libcurl's own preparation, once a process; libcurl is safe to use from several threads
  /// afterwards.
  private static let isPrepared = curl_global_init(CCURL_GLOBAL_DEFAULT) == CURLE_OK

  private let handle: UnsafeMutableRawPointer
  private let reasons: UnsafeMutablePointer<CChar>
  private let bodyLimit: Int
  private let settings: CurlSettings

  /// A client without connections.
  /// - Throws: `unusable` where libcurl has no memory, or is too old for a setting (before 7.85).
  package init(_ settings: CurlSettings = .init()) throws(CurlError) {
    guard CurlClient.isPrepared, let handle = curl_easy_init() else {
      throw CurlError(.unusable, "libcurl cannot be used")
    }
    self.handle = handle
    self.settings = settings
    bodyLimit = settings.bodyLimit
    reasons = .allocate(capacity: Int(CURL_ERROR_SIZE))
    reasons.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    try configure()
  }

  deinit {
    curl_easy_cleanup(handle)
    reasons.deallocate()
  }

  /// The method of a request. `get` and `delete` send no body.
  package enum Method: String, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"

    fileprivate var hasBody: Bool { self == .post || self == .put }
  }

  /// Posts a body and waits for the answer.
  ///
  /// - Parameter headers: Names and values; neither may hold a line break.
  /// - Throws: `CurlError`; any status is an answer and no error.
  package func post(
    _ url: String, headers: [(name: String, value: String)], body: [UInt8]
  ) throws(CurlError) -> CurlResponse {
    try send(.post, url, headers: headers, body: body)
  }

  /// Sends a request and waits for the answer.
  ///
  /// - Parameter headers: Names and values; neither may hold a line break.
  /// - Throws: `CurlError`; any status is an answer and no error.
  package func send(
    _ method: Method, _ url: String, headers: [(name: String, value: String)], body: [UInt8] = []
  ) throws(CurlError) -> CurlResponse {
    var list: UnsafeMutablePointer<curl_slist>?
    defer { curl_slist_free_all(list) }
    // Without this libcurl first asks for permission to send, and waits a second for the answer.
    for line in headers.map({ "\($0.name): \($0.value)" }) + ["Expect:"] {
      precondition(!line.utf8.contains { $0 == 10 || $0 == 13 || $0 == 0 }, "one header a line")
      guard let longer = curl_slist_append(list, line) else {
        throw CurlError(.unusable, "libcurl has no memory")
      }
      list = longer
    }
    let inbox = Inbox(limit: bodyLimit)
    reasons[0] = 0
    let result = withExtendedLifetime(inbox) {
      body.withUnsafeBytes { bytes in
        ccurl_set_text(handle, CURLOPT_URL, url)
        ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, list)
        // The first two set the way of the request, the last sets its name.
        ccurl_set_long(handle, method.hasBody ? CURLOPT_POST : CURLOPT_HTTPGET, 1)
        ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, method.rawValue)
        if method.hasBody {
          ccurl_set_long(handle, CURLOPT_POSTFIELDSIZE, bytes.count)
          // Not copied: it is there until the answer is.
          ccurl_set_pointer(
            handle, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
        ccurl_set_pointer(
          handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(inbox).toOpaque())
        return curl_easy_perform(handle)
      }
    }
    // The handle outlives the options set for this request.
    ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, nil)
    ccurl_set_pointer(handle, CURLOPT_POSTFIELDS, nil)
    ccurl_set_pointer(handle, CURLOPT_WRITEDATA, nil)
    guard result == CURLE_OK || (result == CURLE_WRITE_ERROR && inbox.isFull) else {
      throw error(result)
    }
    let seconds = ccurl_retry_after(handle)
    return CurlResponse(
      status: ccurl_status(handle), body: inbox.bytes,
      retryAfter: seconds > 0 ? .seconds(min(seconds, 86_400)) : nil)
  }

  private func configure() throws(CurlError) {
    var results = [
      ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, reasons),
      ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1),
      ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
      ccurl_set_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
      ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0),
      ccurl_set_text(handle, CURLOPT_PROXY, ""),
      ccurl_set_long(handle, CURLOPT_SSL_VERIFYPEER, 1),
      ccurl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 2),
      ccurl_set_long(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
      ccurl_set_long(
        handle, CURLOPT_CONNECTTIMEOUT_MS, settings.connectTimeout.milliseconds),
      ccurl_set_text(handle, CURLOPT_USERAGENT, settings.userAgent),
      ccurl_set_writer(handle, CurlClient.writer),
    ]
    if let timeout = settings.timeout {
      results.append(ccurl_set_long(handle, CURLOPT_TIMEOUT_MS, timeout.milliseconds))
    }
    if let timeout = settings.idleTimeout {
      results.append(ccurl_set_long(handle, CURLOPT_LOW_SPEED_LIMIT, 1))
      results.append(
        ccurl_set_long(
          handle, CURLOPT_LOW_SPEED_TIME, max(1, Int(clamping: timeout.components.seconds))))
    }
    if let file = settings.certificateAuthority {
      results.append(ccurl_set_text(handle, CURLOPT_CAINFO, file))
    }
    if let failed = results.first(where: { $0 != CURLE_OK }) { throw error(failed) }
  }

  /// Takes a part of a body. Returning less than its size ends the request.
  private static let writer: curl_write_callback = { bytes, size, count, user in
    guard let bytes, let user else { return 0 }
    let length = size * count
    let inbox = Unmanaged<Inbox>.fromOpaque(user).takeUnretainedValue()
    return inbox.take(UnsafeRawBufferPointer(start: bytes, count: length)) ? length : 0
  }

  private func error(_ result: CURLcode) -> CurlError {
    let detail = String(cString: reasons)
    let text = detail.isEmpty ? String(cString: curl_easy_strerror(result)) : detail
    let code: CurlError.Code =
      switch result {
      case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST: .unreachable
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM,
        CURLE_SSL_CIPHER:
        .tlsRefused
      case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR: .cutOff
      default: .unusable
      }
    return CurlError(code, text)
  }
}

/// The body of an answer while it arrives.
private final class Inbox {
  private let limit: Int
  private(set) var bytes: [UInt8] = []
  private(set) var isFull = false

  init(limit: Int) { self.limit = limit }

  /// False where it was more than there is room for.
  func take(_ more: UnsafeRawBufferPointer) -> Bool {
    let room = limit - bytes.count
    bytes += more.prefix(room)
    isFull = more.count > room
    return !isFull
  }
}

extension Duration {
  /// From 1, since 0 would be no limit.
  fileprivate var milliseconds: Int { max(1, Int(clamping: wholeMilliseconds)) }
}
