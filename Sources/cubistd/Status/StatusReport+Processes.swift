import Foundation

/// A process of the service on the machine that asks, which a signal has stopped.
struct FrozenProcess: Equatable, Sendable {
  var id: Int
  /// As signs of life name it.
  var name: String { "\(ThisProcess.host):\(id)" }

  /// The stopped ones with a name, by their ids.
  static func processes(named name: String = "cubistd") -> [FrozenProcess] {
    let ids = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [])
      .compactMap { Int($0) }
    return ids.sorted().filter { id in
      guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else {
        return false
      }
      return isStopped(text, name)
    }.map(FrozenProcess.init)
  }

  /// Whether a line of `/proc/PID/stat` is that of a stopped process with a name.
  static func isStopped(_ line: String, _ name: String) -> Bool {
    guard let end = line.lastIndex(of: ")"), line[..<end].hasSuffix("(\(name)") else {
      return false
    }
    return line[end...].dropFirst(2).first == "T"
  }
}

/// A process of the service on the machine that asks, with its file descriptors.
struct LocalProcess: Equatable, Sendable {
  var id: Int
  var openFiles: Int
  /// The file descriptors that it may have.
  var fileLimit: Int

  /// Nil as long as it has enough.
  func finding() -> Finding? {
    guard fileLimit > 0 else { return nil }
    let percent = Double(openFiles) / Double(fileLimit) * 100
    guard percent > Double(StatusReport.filePercentLimit) else { return nil }
    return Finding(
      "filesRunOut",
      "process \(id) of cubistd on this machine has \(openFiles) of \(fileLimit) file descriptors "
        + "in use",
      "raise its limit of open files (LimitNOFILE of systemd) and start it again, or run one more "
        + "gateway; without descriptors it takes no connection",
      command: "ls -l /proc/\(id)/fd")
  }

  /// The processes with a name, by their ids. The system hides the descriptors of other users'
  /// processes, so those are left out.
  static func processes(named name: String = "cubistd") -> [LocalProcess] {
    let files = FileManager.default
    let ids = ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int($0) }
    return ids.sorted().compactMap { id in
      guard
        let found = try? String(contentsOfFile: "/proc/\(id)/comm", encoding: .utf8),
        found.split(separator: "\n").first.map(String.init) == name,
        let open = try? files.contentsOfDirectory(atPath: "/proc/\(id)/fd"),
        let limits = try? String(contentsOfFile: "/proc/\(id)/limits", encoding: .utf8),
        let limit = fileLimit(limits)
      else { return nil }
      return LocalProcess(id: id, openFiles: open.count, fileLimit: limit)
    }
  }

  /// The soft limit of open files in the text of `/proc/PID/limits`; nil for none.
  static func fileLimit(_ limits: String) -> Int? {
    let name = "Max open files"
    return limits.split(separator: "\n").first { $0.hasPrefix(name) }
      .flatMap { $0.dropFirst(name.count).split(separator: " ").first }
      .flatMap { Int($0) }
  }
}
