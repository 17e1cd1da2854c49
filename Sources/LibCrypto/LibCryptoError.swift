import COpenSSL

/// The library refuses a value, or has no memory.
package struct LibCryptoError: Error, Hashable, Sendable {
  /// The library's words.
  package var reason: String
}

/// What a body of calls gives; if it is nil, an error with the library's words.
///
/// The library keeps complaints in a queue of each thread. They go: others who use it in this thread,
/// such as libcurl, would take them for their own.
func called<Result>(_ body: () -> Result?) throws(LibCryptoError) -> Result {
  ERR_set_mark()
  defer { ERR_pop_to_mark() }
  if let result = body() { return result }
  let words = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
    text.initialize(repeating: 0)
    ERR_error_string_n(ERR_peek_last_error(), text.baseAddress, text.count)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
  throw LibCryptoError(reason: words)
}
