#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Wakes a thread that waits for descriptors, from any other thread. A pipe: it works everywhere.
package final class Wakeup: Sendable {
  /// Readable once `wake` was called, until `clear`.
  package let descriptor: Int32
  private let writer: Int32

  /// - Throws: `SystemError` if the process has no descriptors left.
  package init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .last() }
    (descriptor, writer) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
  }

  deinit {
    close(descriptor)
    close(writer)
  }

  /// Never blocks: a full pipe wakes just as well.
  package func wake() {
    var byte: UInt8 = 1
    _ = write(writer, &byte, 1)
  }

  /// Takes back all calls of `wake` so far.
  package func clear() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(descriptor, &bytes, bytes.count) == bytes.count {}
  }
}
