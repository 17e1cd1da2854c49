#if canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#elseif canImport(Darwin)
  package import Darwin
#endif

/// The users whose folders and files this process works in and reads.
///
/// Folders may be this user's, root's, those of the user who called `sudo`, and those of whoever
/// can put another program in the place of the one that runs: these may do everything here
/// anyway. What is read in a folder is this user's or root's.
package struct TrustedOwners: Hashable, Sendable {
  private let readers: Set<uid_t>
  private let holders: Set<uid_t>
  /// The folders above the program. Who may write to one could have changed the program.
  private let programFolders: Set<String>

  /// - Parameters:
  ///   - caller: The value of `SUDO_UID`; it counts for root alone.
  ///   - program: The path of the program that runs, without links; nil: unknown.
  package init(user: uid_t, caller: String?, program: String?) {
    readers = [user, 0]
    var holders = readers
    if user == 0, let caller = caller.flatMap({ uid_t($0) }) { holders.insert(caller) }
    var folders: Set<String> = []
    var place = program ?? "/"
    var status = stat()
    while place != "/", place.hasPrefix("/") {
      if lstat(place, &status) == 0 { holders.insert(status.st_uid) }
      place = SystemFile.folder(of: place)
      folders.insert(place)
    }
    (self.holders, programFolders) = (holders, folders)
  }

  /// Those of this process.
  package static let live = TrustedOwners(
    user: geteuid(), caller: getenv("SUDO_UID").map { String(cString: $0) },
    program: SystemFile.target(of: "/proc/self/exe"))

  // MARK: Folders

  /// A folder as it was found.
  package enum Place: Hashable, Sendable {
    /// Its absolute path, without links. Nobody else can put something in its place.
    case own(String)
    /// Why somebody else can put something of theirs in its place.
    case strange(String)
  }

  /// Looks at a folder, at each one above it and at each link that leads there. Those that do not
  /// exist yet are nobody's.
  ///
  /// Only owners replace what is in a sticky folder, as `/tmp` is. So one may stand above.
  package func place(of path: String) -> Place {
    let walk = SystemFile.walk(path) { place, status in
      let type = status.st_mode & S_IFMT
      // The folder `/` has no other place. In a container it can be a user's of the host.
      guard holders.contains(status.st_uid) || place == "/" else {
        let what = type == S_IFLNK ? "is a link of" : "belongs to"
        return "\(place) \(what) user \(status.st_uid), who can put something else there"
      }
      if type == S_IFLNK { return nil }
      guard type == S_IFDIR else { return "\(place) is no folder" }
      let isBorne = status.st_mode & S_ISVTX != 0 || programFolders.contains(place)
      return isBorne ? nil : openness(place, status)
    }
    switch walk {
    case .refused(let reason): return .strange(reason)
    case .found(let place):
      var status = stat()
      guard lstat(place, &status) == 0, let reason = openness(place, status) else {
        return .own(place)
      }
      return .strange(reason)
    }
  }

  /// Makes a folder and those above it, unless somebody else can put something in their place.
  package func makeFolder(_ path: String) throws(SystemError) -> Place {
    let found = place(of: path)
    guard case .own(let place) = found else { return found }
    try SystemFile.makeFolder(place)
    return self.place(of: place)
  }

  /// What to do about a strange folder.
  package static let remedy = "choose a folder to which only you or root may write"
  /// What to do about a strange file in a folder that is good.
  package static let fileRemedy = "remove it, or choose another folder"

  private func openness(_ place: String, _ status: stat) -> String? {
    isOpenToOthers(status)
      ? "others may write to \(place) (its mode is \(String(status.st_mode & 0o7777, radix: 8)))"
      : nil
  }

  private func isOpenToOthers(_ status: stat) -> Bool {
    if status.st_mode & S_IWOTH != 0 { return true }
    guard status.st_mode & S_IWGRP != 0, status.st_gid != 0 else { return false }
    return !isAlone(status.st_uid, in: status.st_gid)
  }

  /// Whether a group is a user's own, as many systems make one for each user.
  private func isAlone(_ user: uid_t, in number: gid_t) -> Bool {
    var buffer = [CChar](repeating: 0, count: 65_536)
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil,
      entry.pw_gid == number
    else { return false }
    let name = String(cString: entry.pw_name)
    var own = group()
    var place: UnsafeMutablePointer<group>?
    guard getgrgid_r(number, &own, &buffer, buffer.count, &place) == 0, place != nil,
      String(cString: own.gr_name) == name
    else { return false }
    var member = own.gr_mem
    while let text = member?.pointee {
      if String(cString: text) != name { return false }
      member = member?.advanced(by: 1)
    }
    return true
  }

  // MARK: Files

  /// Why a file or folder is not to be read or written, though nobody else can change it now: it is
  /// a link, or somebody else has made it. Nil where it is good, and where there is none.
  package func strangeness(of path: String) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFDIR:
      return readers.contains(status.st_uid) ? nil : "it belongs to user \(status.st_uid)"
    case S_IFLNK: return "it is a link"
    default: return "it is no file"
    }
  }

  /// All bytes of a file of this user or root, or of another user; nil where there are more than the
  /// limit. No link is followed.
  /// - Throws: `SystemError`; `EPERM` for a file of somebody else, and `EINVAL` for no file.
  package func read(
    _ path: String, orOf other: uid_t? = nil, atMost limit: Int
  ) throws(SystemError) -> [UInt8]? {
    let descriptor = try SystemFile.openWithoutLink(path)
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last(path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(code: EINVAL, path: path) }
    guard readers.contains(status.st_uid) || status.st_uid == other else {
      throw SystemError(code: EPERM, path: path)
    }
    return try SystemFile.read(descriptor, atMost: limit)
  }
}

extension SystemFile {
  /// Opens a file to read it, but no link in its place. A pipe there keeps nobody waiting.
  package static func openWithoutLink(_ path: String) throws(SystemError) -> Int32 {
    try open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
  }

  /// The absolute path without links, as far as it exists; the rest is appended.
  package static func absolute(_ path: String) -> String {
    guard case .found(let place) = walk(path, { _, _ in nil }) else { return path }
    return place
  }

  fileprivate enum Walk {
    case found(String)
    case refused(String)
  }

  /// Goes along a path from `/` on, through links.
  /// - Parameter look: Says of each thing on the way, links included, why it is refused. It is not
  ///   asked about what does not exist.
  fileprivate static func walk(_ path: String, _ look: (String, stat) -> String?) -> Walk {
    var rest = names(path)
    if !path.hasPrefix("/") {
      guard let folder = getcwd(nil, 0) else { return .refused("\(path): \(SystemError.last())") }
      defer { free(folder) }
      rest += names(String(cString: folder))
    }
    var place = "/"
    var links = 0
    var status = stat()
    if lstat(place, &status) == 0, let reason = look(place, status) { return .refused(reason) }
    while let name = rest.popLast() {
      if name == ".." {
        place = folder(of: place)
        continue
      }
      let next = place == "/" ? "/\(name)" : "\(place)/\(name)"
      guard lstat(next, &status) == 0 else {
        guard errno == ENOENT else { return .refused("\(next): \(SystemError.last())") }
        place = next
        continue
      }
      if let reason = look(next, status) { return .refused(reason) }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        place = next
        continue
      }
      links += 1
      guard links <= 40, let target = target(of: next) else {
        return .refused("\(next) is a link that leads nowhere")
      }
      if target.hasPrefix("/") { place = "/" }
      rest += names(target)
    }
    return .found(place)
  }

  /// The names of a path, the last one first.
  private static func names(_ path: String) -> [String] {
    path.split(separator: "/").reversed().map { String($0) }.filter { $0 != "." }
  }

  fileprivate static func target(of link: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4_096)
    let count = readlink(link, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
