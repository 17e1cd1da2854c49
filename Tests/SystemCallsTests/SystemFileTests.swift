import Dispatch
import Foundation
import Glibc
import Synchronization
import SystemCalls
import Testing

@Suite("Files of the system")
struct SystemFileTests {
  private static func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("cubist-files-\(UUID().uuidString)").path
    try SystemFile.makeFolder(folder)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  private static func read(_ path: String, atMost limit: Int = .max) throws -> [UInt8]? {
    let file = try SystemFile.open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    return try SystemFile.read(file, atMost: limit)
  }

  @Test("A file is there whole, with its mode, in place of the one before")
  func replaced() throws {
    try Self.withFolder { folder in
      let path = "\(folder)/a/b/file"
      try SystemFile.makeFolder(SystemFile.folder(of: path))
      let long = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
      for bytes in [long, [], [1, 2]] {
        try SystemFile.replace(path, with: bytes, mode: 0o600)
        #expect(try Self.read(path) == bytes)
      }
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/a/b") == ["file"])
    }
  }

  @Test("More than the limit is nothing, as much as the limit is all")
  func limit() throws {
    try Self.withFolder { folder in
      let path = "\(folder)/file"
      let bytes = Array(repeating: 7 as UInt8, count: 100_000)
      try SystemFile.replace(path, with: bytes, mode: 0o600)
      #expect(try Self.read(path, atMost: 100_000) == bytes)
      #expect(try Self.read(path, atMost: 99_999) == nil)
    }
  }

  // Failure: SystemError: The operating system refuses a file. The error carries its number and the
  //   path.
  @Test("A failed call is told with the system's words and the path")
  func errors() throws {
    let missing = "/nowhere/at/all"
    let error = #expect(throws: SystemError.self) { try SystemFile.open(missing, O_RDONLY) }
    #expect(error == SystemError(code: ENOENT, path: missing))
    #expect(error?.description == "No such file or directory")
    #expect(throws: SystemError(code: ENOTDIR, path: "/proc/self/stat/x")) {
      try SystemFile.makeFolder("/proc/self/stat/x/y")
    }
    #expect(throws: SystemError(code: EBADF)) { try SystemFile.read(-1) }
    #expect(throws: SystemError(code: EBADF)) { try SystemFile.write([1], to: -1) }
    #expect(!SystemFile.exists(missing) && SystemFile.exists("/proc"))
  }

  @Test("A path's folder is found", arguments: [("a/b/c", "a/b"), ("/a", "/"), ("a", ".")])
  func folder(path: String, folder: String) {
    #expect(SystemFile.folder(of: path) == folder)
  }

  @Test("A signal that interrupts reading and writing ends neither")
  func interrupted() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (source, sink) = (ends[0], ends[1])
    // Without SA_RESTART the system gives up a waiting call.
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    try #require(sigaction(SIGURG, &action, nil) == 0)
    // More than a pipe holds.
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let threads = Mutex<[pthread_t]>([])
    let all = DispatchGroup()
    let written = Atomic(false)
    func run(_ body: @escaping @Sendable () -> Void) {
      all.enter()
      Thread.detachNewThread {
        threads.withLock { $0.append(pthread_self()) }
        body()
        threads.withLock { $0.removeAll { pthread_equal($0, pthread_self()) != 0 } }
        all.leave()
      }
    }
    let read = Mutex<[UInt8]?>(nil)
    run {
      let found = (try? SystemFile.read(source)) ?? []
      read.withLock { $0 = found }
    }
    for round in 0..<200 {
      if round == 50 {
        run {
          let isWritten = (try? SystemFile.write(bytes, to: sink)) != nil
          written.store(isWritten, ordering: .releasing)
          close(sink)
        }
      }
      threads.withLock { for thread in $0 { pthread_kill(thread, SIGURG) } }
      // A thread comes back to its call; nothing shows when it has.
      usleep(500)
    }
    all.wait()
    close(source)
    let isWritten = written.load(ordering: .acquiring)
    #expect(isWritten)
    #expect(read.withLock { $0 } == bytes)
  }

  @Test("The clock goes forward")
  func clock() {
    let start = MonotonicClock.now
    let end = ContinuousClock.now + .milliseconds(2)
    while ContinuousClock.now < end {}
    #expect(MonotonicClock.now >= start + 2_000_000)
  }
}
