import Foundation
import Glibc

/// A cgroup whose processes together get a share of one processor and no more. Needs root.
final class CPUShare {
  /// Hundredths of one processor.
  let percent: Double
  private let folder: String
  private let isUnified: Bool

  /// The kernel looks at the share once in so many microseconds.
  private static let period = 50_000

  init(_ name: String, percent: Double) throws {
    self.percent = percent
    isUnified = FileManager.default.fileExists(atPath: "/sys/fs/cgroup/cgroup.controllers")
    if isUnified {
      // It is on already where systemd runs; a failure shows when the share is written.
      try? CPUShare.write("+cpu", to: "/sys/fs/cgroup/cgroup.subtree_control")
    }
    folder = "/sys/fs/cgroup/\(isUnified ? "" : "cpu/")cubist-scale-\(getpid())-\(name)"
    guard mkdir(folder, 0o755) == 0 else {
      throw BenchFailure(
        "\(folder) cannot be made: \(String(cString: strerror(errno))). "
          + "Run deploy/scale as root, where the cgroup controller cpu is at hand.")
    }
    // It begins without a limit, which comes with the load.
    do { try lift() } catch {
      remove()
      throw error
    }
  }

  /// Puts a process there, with the children that it will have.
  func take(_ process: pid_t) throws {
    try CPUShare.write("\(process)", to: "\(folder)/cgroup.procs")
  }

  /// Its processes have their share before everybody else, and no more than it.
  func limit() throws {
    // The kernel takes no less than a millisecond.
    let microseconds = max(1_000, Int(percent / 100 * Double(CPUShare.period)))
    if isUnified {
      try CPUShare.write("\(microseconds) \(CPUShare.period)", to: "\(folder)/cpu.max")
      try CPUShare.write("1000", to: "\(folder)/cpu.weight")
    } else {
      try CPUShare.write("10240", to: "\(folder)/cpu.shares")
      try CPUShare.write("\(CPUShare.period)", to: "\(folder)/cpu.cfs_period_us")
      try CPUShare.write("\(microseconds)", to: "\(folder)/cpu.cfs_quota_us")
    }
  }

  /// Its processes are like all others.
  func lift() throws {
    if isUnified {
      try CPUShare.write("100", to: "\(folder)/cpu.weight")
      try CPUShare.write("max \(CPUShare.period)", to: "\(folder)/cpu.max")
    } else {
      try CPUShare.write("1024", to: "\(folder)/cpu.shares")
      try CPUShare.write("-1", to: "\(folder)/cpu.cfs_quota_us")
    }
  }

  /// Removes it; processes that are still there go where all others are.
  func remove() {
    let above = URL(fileURLWithPath: folder).deletingLastPathComponent().path
    let processes = (try? String(contentsOfFile: "\(folder)/cgroup.procs", encoding: .utf8)) ?? ""
    for process in processes.split(separator: "\n") {
      try? CPUShare.write(String(process), to: "\(above)/cgroup.procs")
    }
    rmdir(folder)
  }

  private static func write(_ text: String, to path: String) throws {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    let bytes = Array(text.utf8)
    guard file >= 0, Glibc.write(file, bytes, bytes.count) == bytes.count else {
      let reason = String(cString: strerror(errno))
      if file >= 0 { close(file) }
      throw BenchFailure("\(path) does not take \"\(text)\": \(reason)")
    }
    close(file)
  }
}
