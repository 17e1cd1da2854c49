import CCurl
import CubistBasics

/// One request at a time on a handle of libcurl's, which is used again for the next one.
final class CurlHandle {
  /// libcurl's own preparation, once a process; libcurl is safe to use from several threads
  /// afterwards.
  static let isPrepared = curl_global_init(CCURL_GLOBAL_DEFAULT) == CURLE_OK

  /// Bytes of an answer's head at most, informational answers included.
  private static let headLimit = 65_536

  let handle: UnsafeMutableRawPointer
  private let settings: CurlSettings
  private let allowance: CurlAllowance
  private let reasons: UnsafeMutablePointer<CChar>
  private let gate: UnsafeMutablePointer<ccurl_gate>
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var body: [UInt8] = []
  private var headBytes = 0
  private var isFull = false
  private var isHeadTooLong = false
  private var admits: CurlRequest.Gate?
  /// The reason of the last address that was refused, and whether another one was not.
  private var refusal: String?
  private var isAdmitted = false

  /// - Parameter allowance: Charged by connections of HTTP/2, which may live longer than the handle.
  /// - Throws: `unusable` where libcurl has no memory, or is too old for a setting (before 7.87).
  init(
    _ settings: CurlSettings, _ allowance: CurlAllowance = CurlAllowance()
  ) throws(CurlError) {
    guard CurlHandle.isPrepared, let handle = curl_easy_init() else {
      throw CurlError(.unusable, "libcurl cannot be used")
    }
    self.handle = handle
    self.settings = settings
    self.allowance = allowance
    reasons = .allocate(capacity: Int(CURL_ERROR_SIZE))
    reasons.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    gate = .allocate(capacity: 1)
    gate.initialize(to: ccurl_gate(admits: CurlHandle.judge, user: nil))
    gate.pointee.user = Unmanaged.passUnretained(self).toOpaque()
    try check(configure(CurlRequest(.get, "http://localhost/")))
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(headers)
    gate.deallocate()
    reasons.deallocate()
  }

  /// Makes the handle ready for a request.
  func prepare(_ request: CurlRequest) throws(CurlError) {
    guard !request.url.utf8.contains(where: { $0 <= 32 || $0 == 127 }) else {
      throw CurlError(.unusable, "a URL with a space or a control character is none")
    }
    // Keeps connections and names that were looked up.
    curl_easy_reset(handle)
    curl_slist_free_all(headers)
    (headers, body, headBytes, isFull, isHeadTooLong) = (nil, [], 0, false, false)
    (admits, refusal, isAdmitted) = (request.gate, nil, false)
    reasons[0] = 0
    // Without this libcurl first asks for permission to send, and waits a second for the answer.
    for line in request.headers.map({ "\($0.name): \($0.value)" }) + ["Expect:"] {
      guard !line.utf8.contains(where: { $0 == 10 || $0 == 13 || $0 == 0 }) else {
        throw CurlError(.unusable, "a header with a line break or a zero byte is none")
      }
      guard let longer = curl_slist_append(headers, line) else {
        throw CurlError(.unusable, "libcurl has no memory")
      }
      headers = longer
    }
    try check(configure(request) + describe(request))
  }

  /// The outcome of the request, from libcurl's result.
  func outcome(of result: CURLcode) -> Result<CurlResponse, CurlError> {
    guard result == CURLE_OK || (result == CURLE_WRITE_ERROR && isFull) else {
      return .failure(error(result))
    }
    let seconds = ccurl_retry_after(handle)
    return .success(
      CurlResponse(
        status: ccurl_status(handle), body: body,
        retryAfter: seconds > 0 ? .seconds(min(seconds, 86_400)) : nil))
  }

  /// Makes the handle ready for a look at a server's certificate.
  func prepareLook(at url: String) throws(CurlError) {
    try prepare(CurlRequest(.get, url))
    try check([ccurl_only_look(handle)])
  }

  /// The way of the request and its content.
  private func describe(_ request: CurlRequest) -> [CURLcode] {
    let method = request.method
    var results = [
      ccurl_set_text(handle, CURLOPT_URL, request.url),
      ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, headers),
      // The first sets the way of the request, the second its name.
      ccurl_set_long(handle, method.hasBody ? CURLOPT_POST : CURLOPT_HTTPGET, 1),
      ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, method.rawValue),
    ]
    if method.hasBody {
      results.append(ccurl_set_long(handle, CURLOPT_POSTFIELDSIZE, request.body.count))
      // Copied: the size has to be known before. An empty body is no null pointer.
      request.body.withUnsafeBytes { bytes in
        withUnsafePointer(to: 0 as UInt8) { empty in
          let start = bytes.baseAddress ?? UnsafeRawPointer(empty)
          results.append(
            ccurl_set_pointer(
              handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: start)))
        }
      }
    }
    return results
  }

  /// All that does not depend on the content.
  private func configure(_ request: CurlRequest) -> [CURLcode] {
    let version =
      request.isHTTP2 ? Int(CURL_HTTP_VERSION_2TLS) : Int(CURL_HTTP_VERSION_1_1)
    let user = Unmanaged.passUnretained(self).toOpaque()
    var results = [
      ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, reasons),
      ccurl_set_pointer(handle, CURLOPT_PRIVATE, user),
      ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1),
      // Without this the end of a request waits for the thread that looks its name up.
      ccurl_set_long(handle, CURLOPT_QUICK_EXIT, 1),
      ccurl_set_text(
        handle, CURLOPT_PROTOCOLS_STR, request.isSecureOnly ? "https" : "http,https"),
      ccurl_set_long(handle, CURLOPT_HTTP_VERSION, version),
      ccurl_set_long(handle, CURLOPT_PIPEWAIT, request.isHTTP2 ? 1 : 0),
      ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0),
      ccurl_set_long(handle, CURLOPT_DISALLOW_USERNAME_IN_URL, request.isSecureOnly ? 1 : 0),
      ccurl_set_text(handle, CURLOPT_PROXY, ""),
      ccurl_set_long(handle, CURLOPT_SSL_VERIFYPEER, 1),
      ccurl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 2),
      ccurl_set_long(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
      ccurl_set_long(
        handle, CURLOPT_CONNECTTIMEOUT_MS, settings.connectTimeout.milliseconds),
      ccurl_set_text(handle, CURLOPT_USERAGENT, settings.userAgent),
      ccurl_set_writer(handle, CurlHandle.writer),
      ccurl_set_pointer(handle, CURLOPT_WRITEDATA, user),
      ccurl_set_header_taker(handle, CurlHandle.headerTaker),
      ccurl_set_pointer(handle, CURLOPT_HEADERDATA, user),
      ccurl_set_gate(handle, request.gate == nil ? nil : gate),
      ccurl_bound_tls(handle, request.isHTTP2 ? allowance.pointer : nil),
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
    if let file = request.certificateAuthority ?? settings.certificateAuthority {
      results.append(ccurl_set_text(handle, CURLOPT_CAINFO, file))
    }
    return results
  }

  private func check(_ results: [CURLcode]) throws(CurlError) {
    if let failed = results.first(where: { $0 != CURLE_OK }) { throw error(failed) }
  }

  // MARK: Called by libcurl

  /// Takes a part of a body. Returning less than its size ends the request.
  private static let writer: curl_write_callback = { bytes, size, count, user in
    guard let bytes, let user else { return 0 }
    let (request, length) = (handle(user), size * count)
    let room = request.settings.bodyLimit - request.body.count
    request.body += UnsafeRawBufferPointer(start: bytes, count: length).prefix(room)
    request.isFull = length > room
    return request.isFull ? 0 : length
  }

  /// Counts the bytes of the head.
  private static let headerTaker: curl_write_callback = { _, size, count, user in
    guard let user else { return 0 }
    let (request, length) = (handle(user), size * count)
    request.headBytes += length
    request.isHeadTooLong = request.headBytes > headLimit
    return request.isHeadTooLong ? 0 : length
  }

  private static let judge: ccurl_admits = { user, bytes, port in
    guard let user, let bytes else { return false }
    let request = handle(user)
    guard let admits = request.admits else { return true }
    let address = UnsafeBufferPointer(start: bytes, count: 16).reduce(0 as UInt128) {
      $0 << 8 | UInt128($1)
    }
    if let refusal = admits(address, Int(port)) {
      request.refusal = refusal
      return false
    }
    request.isAdmitted = true
    return true
  }

  private static func handle(_ user: UnsafeMutableRawPointer) -> CurlHandle {
    Unmanaged.fromOpaque(user).takeUnretainedValue()
  }

  private func error(_ result: CURLcode) -> CurlError {
    if isHeadTooLong {
      return CurlError(.unusable, "the answer's head has more than \(CurlHandle.headLimit) bytes")
    }
    if let refusal, !isAdmitted || result == CURLE_ABORTED_BY_CALLBACK {
      return CurlError(.addressRefused, refusal)
    }
    let detail = String(cString: reasons)
    let text = detail.isEmpty ? String(cString: curl_easy_strerror(result)) : detail
    let code: CurlError.Code =
      switch result {
      case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST: .unreachable
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM,
        CURLE_SSL_CIPHER:
        .tlsRefused
      case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR,
        CURLE_HTTP2, CURLE_HTTP2_STREAM:
        .cutOff
      default: .unusable
      }
    return CurlError(code, text)
  }
}

extension Duration {
  /// From 1, since 0 would be no limit.
  var milliseconds: Int { max(1, Int(clamping: wholeMilliseconds)) }
}
