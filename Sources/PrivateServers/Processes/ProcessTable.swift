import Glibc

/// The processes of this machine, by their command lines, which everybody may read.
///
/// A server is known by an argument that only a server of its folder has. So no file of process ids
/// is needed, which could be missing or name another process by now.
enum ProcessTable {
  struct Entry: Hashable {
    var id: pid_t
    var arguments: [String]
  }

  /// Those that run now, but for the kernel's own.
  static func entries() -> [Entry] {
    guard let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    var found: [Entry] = []
    while let item = readdir(folder) {
      let name = withUnsafePointer(to: &item.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let id = pid_t(name), let arguments = arguments(of: id) else { continue }
      found.append(Entry(id: id, arguments: arguments))
    }
    return found
  }

  /// The arguments of a process; nil for one that has ended, and for the kernel's own.
  private static func arguments(of id: pid_t) -> [String]? {
    // While a process becomes another program its command line is empty.
    for _ in 0..<1_000 {
      guard let bytes = try? Disk.read("/proc/\(id)/cmdline") else { return nil }
      if !bytes.isEmpty { return arguments(in: bytes) }
      guard let life = life(of: id), !life.isOfKernel else { return nil }
      pause(0.001)
    }
    return nil
  }

  /// The arguments of a command line, each of which ends with a zero byte.
  static func arguments(in bytes: [UInt8]) -> [String] {
    var pieces = bytes.split(separator: 0, omittingEmptySubsequences: false)
    if pieces.last?.isEmpty == true { pieces.removeLast() }
    return pieces.map { String(decoding: $0, as: UTF8.self) }
  }

  static func runs(_ id: pid_t) -> Bool { life(of: id) != nil }

  /// The start of a process, in ticks since the machine's. With it a process id is unique. Nil
  /// where it has ended.
  static func start(of id: pid_t) -> String? { life(of: id)?.start }

  private static func life(of id: pid_t) -> ProcessStatus? {
    guard let bytes = try? Disk.read("/proc/\(id)/stat") else { return nil }
    return ProcessStatus(stat: String(decoding: bytes, as: UTF8.self))
  }

  /// The kernel's word on a process that runs.
  struct ProcessStatus: Hashable {
    var start: String
    var isOfKernel: Bool

    /// Nil where it has ended, even if its parent has not noticed yet.
    init?(stat: String) {
      // The name comes in brackets, and may have some of its own.
      guard let end = stat.lastIndex(of: ")") else { return nil }
      let words = stat[stat.index(after: end)...].split(whereSeparator: \.isWhitespace)
      guard words.count > 19, words[0] != "Z", words[0] != "X" else { return nil }
      start = String(words[19])
      // PF_KTHREAD
      isOfKernel = (UInt64(words[6]) ?? 0) & 0x20_0000 != 0
    }
  }
}

/// The part of a process among the servers of a folder.
enum ServerMark: Hashable {
  /// The server of a member of PostgreSQL, by its folder.
  case postgres(folder: String)
  /// A process that the server of a member has made.
  case backend(member: Int)
  /// A node of RabbitMQ, by its folder.
  case rabbitmq(folder: String)
  case epmd

  /// The argument by which Erlang's machine is known.
  static let flag = "-cubist_servers"

  /// The mark of a process; nil where it is none of the folder's servers. A command that is about to
  /// become a server counts.
  init?(_ arguments: [String], paths: ServerPaths, clusterName: String) {
    func value(of flag: String, below path: String) -> String? {
      guard let index = arguments.firstIndex(of: flag), index + 1 < arguments.count else {
        return nil
      }
      let value = arguments[index + 1]
      return value == path || value.hasPrefix("\(path)-") ? value : nil
    }
    if arguments.contains(where: { $0.hasSuffix("/postgres") }),
      let folder = value(of: "-D", below: paths.postgres(1))
    {
      self = .postgres(folder: folder)
    } else if let member = (1...2).first(where: {
      arguments.first?.hasPrefix("postgres: \(clusterName)-\($0): ") == true
    }) {
      self = .backend(member: member)
    } else if let folder = value(of: ServerMark.flag, below: paths.rabbitmq(1)) {
      self = .rabbitmq(folder: folder)
    } else if arguments.contains(paths.epmd), arguments.contains("-port") {
      self = .epmd
    } else {
      return nil
    }
  }
}
