#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Reads a terminal on a thread of its own, until it is told to end.
struct InputReader {
  /// The terminal.
  let input: Int32
  /// The pipe to which signal handlers write.
  let wake: Int32

  private static let endLetter = UInt8(ascii: "e")

  /// How long an escape alone waits for the rest of a sequence, in milliseconds.
  private static let escapePatience: Int32 = 50

  func run(into events: AsyncStream<TerminalEvent>.Continuation, of screen: Screen) {
    var decoder = KeyDecoder()
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      var files = [
        pollfd(fd: input, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
      ]
      let ready = poll(&files, 2, decoder.isWaiting ? Self.escapePatience : -1)
      if ready < 0 {
        guard errno == EINTR else { return }
        continue
      }
      if ready == 0 {
        for key in decoder.timeout() { events.yield(.key(key)) }
        continue
      }
      if files[1].revents != 0 {
        let letters = bytes(of: wake, &buffer)
        if letters.contains(Self.endLetter) { return }
        if letters.contains(UInt8(ascii: "c")) { events.yield(.continued) }
        if !letters.isEmpty { events.yield(.resized(screen.size)) }
      }
      if files[0].revents != 0 {
        let typed = bytes(of: input, &buffer)
        // The terminal has gone away.
        if typed.isEmpty { return }
        for key in decoder.keys(typed) { events.yield(.key(key)) }
      }
    }
  }

  /// Tells the reader at the other end of a pipe to end.
  static func end(_ wake: Int32) {
    var letter = endLetter
    // If the pipe is full, the reader has not looked at it yet and will look again.
    while write(wake, &letter, 1) < 0, errno == EAGAIN || errno == EINTR { usleep(1_000) }
  }

  /// The bytes that are there to read; none at the end.
  private func bytes(of file: Int32, _ buffer: inout [UInt8]) -> ArraySlice<UInt8> {
    while true {
      let count = buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      return buffer[..<max(0, count)]
    }
  }
}
