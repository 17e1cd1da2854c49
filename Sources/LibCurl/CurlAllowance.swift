import CCurl

/// The bytes that servers may still send by HTTP/2, over all connections together.
///
/// The connection that brings more is ended within the call of libcurl that reads it.
final class CurlAllowance {
  /// The bytes at once, and again in each second.
  static let limit = Int(CCURL_HTTP2_BYTES)

  /// Connections keep it: it lives as long as they do.
  let pointer: UnsafeMutablePointer<ccurl_allowance>

  init() {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: ccurl_allowance(left: CurlAllowance.limit, is_exceeded: false))
  }

  deinit { pointer.deallocate() }

  /// Whether a connection was ended since the value was last set to false.
  var isExceeded: Bool {
    get { pointer.pointee.is_exceeded }
    set { pointer.pointee.is_exceeded = newValue }
  }

  /// Gives back what a time allows, in nanoseconds; at most a second's.
  func refill(_ nanoseconds: UInt64) {
    let second: UInt64 = 1_000_000_000
    let share = Double(min(nanoseconds, second)) / Double(second) * Double(CurlAllowance.limit)
    pointer.pointee.left = min(CurlAllowance.limit, pointer.pointee.left + Int(share))
  }
}
