import MatchCore
package import MatchInterfaces
import Synchronization
import SystemCalls

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension TimeZones {
  /// The IANA database as Debian's package tzdata installs it.
  package static let systemFolder = "/usr/share/zoneinfo"

  /// The time zones of a folder of compiled files. Each file is read once: a process that is to
  /// know a newer database begins anew. A name without a good file is UTC.
  package static func files(in folder: String = systemFolder) -> TimeZones {
    let cache = Cache(folder: folder)
    return TimeZones { name, instant in
      cache.file(name)?.period(at: instant) ?? Period(offset: 0)
    }
  }

  private final class Cache: Sendable {
    /// Names come from players. The database has some 600.
    private static let countLimit = 2_048
    /// The largest file has some 4,000 bytes.
    private static let sizeLimit = 131_072

    private let folder: String
    private let files = Mutex<[TimeZoneName: TimeZoneFile?]>([:])

    init(folder: String) { self.folder = folder }

    func file(_ name: TimeZoneName) -> TimeZoneFile? {
      files.withLock { files in
        if let known = files[name] { return known }
        let file = read(name)
        if files.count >= Cache.countLimit { files = [:] }
        files[name] = .some(file)
        return file
      }
    }

    private func read(_ name: TimeZoneName) -> TimeZoneFile? {
      // A name begins with a letter and has no dots, so it does not lead out of the folder.
      do throws(SystemError) {
        let path = "\(folder)/\(name)"
        // Without waiting, should it be a pipe.
        let descriptor = try SystemFile.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        defer { close(descriptor) }
        guard SystemFile.isRegular(descriptor) else { return nil }
        return try SystemFile.read(descriptor, atMost: Cache.sizeLimit)
          .flatMap { TimeZoneFile($0) }
      } catch {
        return nil
      }
    }
  }
}
