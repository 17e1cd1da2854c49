#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why no thread began.
package struct ThreadFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error number of `pthread_create`.
  package var code: Int32
  /// The text for a person.
  package var description: String { "no thread could be started (error \(code))" }
}

/// A thread of the operating system. A blocking call of a C library must not block Swift's own
/// pool.
package enum WorkThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// The stack of a thread, in bytes. The C library under the bus reads header tables recursively.
  /// A stranger's frame can nest them so deep that a small stack overflows. The default size
  /// depends on the shell that started the process.
  package static let stackBytes = 8 << 20

  /// Runs `body` on a new thread that ends with it.
  package static func start(_ body: @escaping @Sendable () -> Void) throws(ThreadFailure) {
    try start(stackBytes: stackBytes, body)
  }

  static func start(
    stackBytes: Int, _ body: @escaping @Sendable () -> Void
  ) throws(ThreadFailure) {
    var attributes = pthread_attr_t()
    try check(pthread_attr_init(&attributes))
    defer { pthread_attr_destroy(&attributes) }
    try check(pthread_attr_setstacksize(&attributes, stackBytes))
    let work = Unmanaged.passRetained(Work(body))
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(&thread, &attributes, entry, work.toOpaque())
    #else
      var thread = pthread_t()
      let code = pthread_create(&thread, &attributes, entry, work.toOpaque())
    #endif
    guard code == 0 else {
      work.release()
      throw ThreadFailure(code: code)
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
  }

  #if canImport(Darwin)
    private static let entry: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? =
      { run($0) }
  #else
    private static let entry:
      @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
        { run($0) }
  #endif

  private static func check(_ code: Int32) throws(ThreadFailure) {
    guard code == 0 else { throw ThreadFailure(code: code) }
  }

  private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
    return nil
  }
}
