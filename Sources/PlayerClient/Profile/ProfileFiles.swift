import SystemCalls

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files of one folder: only their owner may read them, and each is there whole or not at all.
struct ProfileFiles {
  let folder: String

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Makes the folder, and those above it that are missing, for its owner only.
  func makeFolder() throws(ProfileError) {
    var path = ""
    for part in folder.split(separator: "/") {
      path += "/\(part)"
      guard mkdir(path, 0o700) != 0, errno != EEXIST else { continue }
      // A folder above may forbid making a folder that is there already.
      var status = stat()
      guard stat(path, &status) != 0 else { continue }
      throw failure(path)
    }
    guard chmod(folder, 0o700) == 0 else { throw failure(folder) }
  }

  /// The bytes of a file; nil where there is none.
  func read(
    _ name: String, atMost limit: Int = ProfileFiles.byteLimit
  ) throws(ProfileError) -> [UInt8]? {
    let path = path(name)
    do throws(SystemError) {
      if let bytes = try SystemFile.read(path, atMost: limit) { return bytes }
    } catch {
      guard error.code == ENOENT else { throw failure(path, error) }
      return nil
    }
    throw .damaged(path: path, reason: "larger than \(limit) bytes")
  }

  /// Whether anybody but the owner may do anything with a file.
  func isExposed(_ name: String) -> Bool {
    var status = stat()
    return stat(path(name), &status) == 0 && status.st_mode & 0o077 != 0
  }

  /// Writes a file so that it has the new content or the old one, even after a crash of the
  /// machine.
  ///
  /// - Parameter isHeld: Whether this process holds the new file, see `HeldFiles`: from its first moment
  ///   on.
  func write(
    _ bytes: [UInt8], to name: String, isHeld: Bool = false
  ) throws(ProfileError) {
    let temporary = path(".\(name).\(getpid()).new")
    do throws(ProfileError) {
      try writeSynchronized(
        bytes, to: temporary, flags: O_CREAT | O_TRUNC, heldAs: isHeld ? path(name) : nil)
      guard rename(temporary, path(name)) == 0 else { throw failure(path(name)) }
    } catch {
      HeldFiles.release(path(name))
      // A part of it only takes room on a full disk.
      unlink(temporary)
      throw error
    }
    try synchronizeFolder(of: name)
  }

  /// Adds a line to the end of a file. A line that was cut short by a crash of the machine stays a
  /// line of its own.
  func append(line: [UInt8], to name: String) throws(ProfileError) {
    let start = isTorn(name) ? [UInt8(ascii: "\n")] : []
    try writeSynchronized(start + line, to: path(name), flags: O_CREAT | O_APPEND)
  }

  /// Whether the last line of a file has no end.
  private func isTorn(_ name: String) -> Bool {
    let file = open(path(name), O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    guard lseek(file, -1, SEEK_END) >= 0, let end = try? SystemFile.read(file) else { return false }
    return end.count == 1 && end != [UInt8(ascii: "\n")]
  }

  /// How many bytes a file has; 0 where there is none.
  func size(of name: String) -> Int {
    var status = stat()
    return stat(path(name), &status) == 0 ? Int(status.st_size) : 0
  }

  /// Gives a file another name, and replaces the file that had that name.
  func move(_ name: String, to other: String) throws(ProfileError) {
    guard rename(path(name), path(other)) == 0 else { throw failure(path(name)) }
    try synchronizeFolder(of: other)
  }

  /// Removes a file; nothing happens where there is none.
  func remove(_ name: String) throws(ProfileError) {
    guard unlink(path(name)) == 0 else {
      guard errno == ENOENT else { throw failure(path(name)) }
      return HeldFiles.release(path(name))
    }
    HeldFiles.release(path(name))
    try synchronizeFolder(of: name)
  }

  /// The names in the folder, in order.
  func names() throws(ProfileError) -> [String] {
    guard let directory = opendir(folder) else {
      guard errno == ENOENT else { throw failure(folder) }
      return []
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  static let byteLimit = 1 << 20

  private func writeSynchronized(
    _ bytes: [UInt8], to path: String, flags: Int32, heldAs heldPath: String? = nil
  ) throws(ProfileError) {
    do throws(SystemError) {
      let file = try SystemFile.open(path, O_WRONLY | O_CLOEXEC | flags, mode: 0o600)
      do throws(SystemError) {
        try SystemFile.write(bytes, to: file)
        guard fsync(file) == 0 else { throw .last() }
      } catch {
        close(file)
        throw error
      }
      if let heldPath { HeldFiles.hold(file, as: heldPath) } else { close(file) }
    } catch {
      throw failure(path, error)
    }
  }

  /// A new or changed name is durable only once its folder is synced.
  private func synchronizeFolder(of name: String) throws(ProfileError) {
    let full = path(name)
    let folder = full.lastIndex(of: "/").map { String(full[..<$0]) } ?? folder
    let file = open(folder, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure(folder) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw failure(folder) }
  }

  private func failure(_ path: String, _ error: SystemError = .last()) -> ProfileError {
    .notAccessible(path: path, reason: "\(error)")
  }
}

extension ProfileFiles {
  /// Takes the lock of the folder. It belongs to the open file, so that any end of the program
  /// releases it.
  func lock() throws(ProfileError) -> ProfileLock {
    let path = path("lock")
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(path) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let error = SystemError.last()
      close(file)
      guard error.code == EWOULDBLOCK else { throw failure(path, error) }
      let holder = try read("lock").flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
      throw .lockHeld(processID: holder)
    }
    // The holder's number is for the message to others. The lock itself holds without it.
    if ftruncate(file, 0) == 0 { try? SystemFile.write(Array(String(getpid()).utf8), to: file) }
    return ProfileLock { close(file) }
  }
}
