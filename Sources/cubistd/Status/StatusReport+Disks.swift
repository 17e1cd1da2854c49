import Glibc

/// A disk of the machine that asks.
struct LocalDisk: Equatable, Sendable {
  /// A finding has less than both.
  static let warning = (percent: 10, gigabytes: 10)
  /// A critical finding has less than both.
  static let critical = (percent: 3, gigabytes: 2)

  /// A folder on it.
  var folder: String
  var bytes: UInt64
  var freeBytes: UInt64

  /// Nil as long as there is room.
  func finding() -> Finding? {
    guard isBelow(Self.warning) else { return nil }
    return Finding(
      "diskLow",
      "the disk of \(folder) on this machine has \(freeBytes / 1_000_000) MB left, "
        + "\(percent)% of it",
      "free some, or make it larger, before PostgreSQL, RabbitMQ or the log cannot write",
      command: "df -h \(folder)", severity: isBelow(Self.critical) ? .critical : nil)
  }

  private var percent: Int { bytes == 0 ? 0 : Int(Double(freeBytes) / Double(bytes) * 100) }

  private func isBelow(_ limit: (percent: Int, gigabytes: Int)) -> Bool {
    percent < limit.percent && freeBytes / 1_000_000_000 < UInt64(limit.gigabytes)
  }

  /// The disks of the folders that are there, each once, by its first folder.
  static func disks(
    of folders: [String] = [
      "/var/lib/postgresql", "/var/lib/rabbitmq", "/var/lib/cubist", "/var/log", "/",
    ]
  ) -> [LocalDisk] {
    var seen: Set<dev_t> = []
    return folders.compactMap { folder in
      var (status, room) = (stat(), statvfs())
      guard stat(folder, &status) == 0, seen.insert(status.st_dev).inserted,
        statvfs(folder, &room) == 0
      else { return nil }
      let size = UInt64(room.f_frsize)
      let (bytes, free) = (
        UInt64(room.f_blocks).multipliedReportingOverflow(by: size),
        UInt64(room.f_bavail).multipliedReportingOverflow(by: size)
      )
      guard !bytes.overflow, !free.overflow, bytes.partialValue > 0 else { return nil }
      return LocalDisk(
        folder: folder, bytes: bytes.partialValue, freeBytes: free.partialValue)
    }
  }
}
