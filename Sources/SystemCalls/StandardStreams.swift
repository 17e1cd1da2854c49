#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The streams that a program is started with.
package enum StandardStreams {
  /// Keeps the places of closed standard streams, so that no file or connection that the program opens
  /// gets the output. Reading such a stream or writing to it fails, as with a closed one.
  package static func keepPlaces() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      guard fcntl(stream, F_GETFD) < 0, errno == EBADF else { continue }
      // Opened the wrong way round. The system gives the lowest free number: this one.
      let flags = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY
      guard (try? SystemFile.open("/dev/null", flags)) == stream else { return }
    }
  }
}
