#if canImport(Glibc)
  import Glibc
  import Testing

  @testable import MatchService

  @Suite("Threads of roles")
  struct WorkThreadTests {
    // Failure: ThreadFailure: The system gives no thread.
    @Test("A thread that the system does not give is told with the system's error")
    func none() {
      let failure = #expect(throws: ThreadFailure.self) {
        try WorkThread.start(stackBytes: 1) { Issue.record("a thread ran") }
      }
      #expect(failure == ThreadFailure(code: EINVAL))
      #expect(failure?.description == "no thread could be started (error \(EINVAL))")
    }

    @Test("A role's thread has a stack of 8 MB, with any default for threads")
    func stack() async throws {
      let before = try Attributes.ofNewThreads()
      let small = try Attributes()
      try #require(pthread_attr_setstacksize(small.pointer, 4 << 20) == 0)
      try small.becomeDefault()
      defer { try? before.becomeDefault() }
      let bytes = try await withCheckedThrowingContinuation { continuation in
        do throws(ThreadFailure) {
          try WorkThread.start {
            continuation.resume(with: Result { try Attributes.ofThisThread().stackBytes })
          }
        } catch {
          continuation.resume(throwing: error)
        }
      }
      #expect(bytes >= 8 << 20)
    }
  }

  /// Attributes of a thread. Calls that are not portable in the C library have to be looked up.
  private final class Attributes {
    private typealias Call = @convention(c) (UnsafeMutablePointer<pthread_attr_t>) -> Int32
    private typealias CallOfThread =
      @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32

    let pointer = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)

    init() throws { try #require(pthread_attr_init(pointer) == 0) }

    deinit {
      pthread_attr_destroy(pointer)
      pointer.deallocate()
    }

    /// The default attributes of a new thread.
    static func ofNewThreads() throws -> Attributes {
      let attributes = try Attributes()
      let call = unsafeBitCast(try symbol("pthread_getattr_default_np"), to: Call.self)
      try #require(call(attributes.pointer) == 0)
      return attributes
    }

    /// The attributes of the calling thread.
    static func ofThisThread() throws -> Attributes {
      let attributes = try Attributes()
      let call = unsafeBitCast(try symbol("pthread_getattr_np"), to: CallOfThread.self)
      try #require(call(pthread_self(), attributes.pointer) == 0)
      return attributes
    }

    func becomeDefault() throws {
      let call = unsafeBitCast(
        try Attributes.symbol("pthread_setattr_default_np"), to: Call.self)
      try #require(call(pointer) == 0)
    }

    var stackBytes: Int {
      var bytes = 0
      return pthread_attr_getstacksize(pointer, &bytes) == 0 ? bytes : 0
    }

    private static func symbol(_ name: String) throws -> UnsafeMutableRawPointer {
      try #require(dlsym(nil, name))
    }
  }
#endif
