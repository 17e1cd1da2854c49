#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  package import Darwin
#endif

/// The line that says how far a program has come.
package enum StatusLine {
  /// Writes over the line of a terminal that was written so before; elsewhere adds a line.
  package static func write(
    _ text: String, isTerminal: Bool, to descriptor: Int32 = STDERR_FILENO
  ) {
    let line = isTerminal ? "\r\(text)\u{1b}[K" : "\(text)\n"
    try? SystemFile.write(Array(line.utf8), to: descriptor)
  }
}
