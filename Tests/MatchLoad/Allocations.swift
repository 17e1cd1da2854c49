import Glibc

/// The counts of the preloaded library `counting`.
package enum Allocations {
  private typealias Read = @convention(c) () -> UInt64
  private static let read = dlsym(nil, "counting_own_allocations")
    // SAFETY: counting.h declares the function so.
    .map { unsafeBitCast($0, to: Read.self) }

  /// Allocations of this process so far, without libpq's and librabbitmq's; nil where the library
  /// is not preloaded.
  package static func now() -> UInt64? { read?() }
}
