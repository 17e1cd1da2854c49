#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The operating system's calls on files, under names that do not meet those of the types around
/// them.
enum SystemFile {
  /// Opens a file; -1 and `errno` if it cannot be opened.
  static func open(_ path: String, _ flags: Int32, mode: UInt16 = 0) -> Int32 {
    systemOpen(path, flags, mode_t(mode))
  }

  /// Reads into a buffer, at most as much as it holds; 0 at the end, -1 and `errno` if it cannot be
  /// read.
  static func read(_ descriptor: Int32, into buffer: inout [UInt8]) -> Int {
    buffer.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
  }

  /// Writes as much as the system takes; -1 and `errno` if it takes nothing.
  static func write(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Int {
    bytes.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
  }

  /// The meaning of an error number.
  static func text(ofError code: Int32) -> String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text)
  }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  open(path, flags, mode)
}

private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(file, buffer, count)
}

private func systemWrite(_ file: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  write(file, buffer, count)
}
