#if canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#elseif canImport(Darwin)
  package import Darwin
#endif

/// The operating system's calls on files. A call that a signal interrupts goes on.
package enum SystemFile {
  /// Opens a file; the caller closes it.
  package static func open(
    _ path: String, _ flags: Int32, mode: mode_t = 0
  ) throws(SystemError) -> Int32 {
    let descriptor = systemOpen(path, flags, mode)
    guard descriptor >= 0 else { throw .last(path) }
    return descriptor
  }

  /// All bytes up to the end; nil where there are more than the limit.
  package static func read(
    _ descriptor: Int32, atMost limit: Int = .max
  ) throws(SystemError) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= limit {
      let count = buffer.withUnsafeMutableBytes { systemRead(descriptor, $0) }
      if count == 0 { return bytes }
      if count < 0 {
        guard errno == EINTR else { throw .last() }
        continue
      }
      bytes += buffer[..<count]
    }
    return nil
  }

  /// All bytes of a file; nil where there are more than the limit.
  package static func read(_ path: String, atMost limit: Int) throws(SystemError) -> [UInt8]? {
    let descriptor = try open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    return try read(descriptor, atMost: limit)
  }

  /// Writes all bytes, at once where the system takes them at once.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
      if count < 0 {
        guard errno == EINTR else { throw .last() }
        continue
      }
      rest = rest.dropFirst(count)
    }
  }
}

extension SystemFile {
  /// Whether an open file is a file with contents: no folder, pipe or device.
  package static func isRegular(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The folder that something is in.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Makes a folder and those above it, which others may pass through.
  package static func makeFolder(_ path: String) throws(SystemError) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/\(part)"
      guard mkdir(made, 0o755) != 0, errno != EEXIST else { continue }
      throw .last(made)
    }
  }

  /// Writes a whole file in place of another one, or none of it.
  package static func replace(
    _ path: String, with bytes: [UInt8], mode: mode_t
  ) throws(SystemError) {
    let new = "\(path).new"
    unlink(new)
    let descriptor = try open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode: mode)
    defer { close(descriptor) }
    do throws(SystemError) { try write(bytes, to: descriptor) } catch {
      throw SystemError(code: error.code, path: new)
    }
    guard fsync(descriptor) == 0, rename(new, path) == 0 else { throw .last(path) }
  }
}

// Under names of their own, since the functions above are called like the system's.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  open(path, flags, mode)
}

private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  read(file, buffer.baseAddress, buffer.count)
}

private func systemWrite(_ file: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
  write(file, buffer.baseAddress, buffer.count)
}
