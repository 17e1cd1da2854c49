import Foundation
import Glibc

/// Processor time by process, from /proc.
struct CPUTimes {
  /// Seconds by name.
  var seconds: [String: Double] = [:]

  /// The time used since an earlier reading.
  func since(_ earlier: CPUTimes) -> CPUTimes {
    CPUTimes(
      seconds: seconds.reduce(into: [:]) { $0[$1.key] = $1.value - (earlier.seconds[$1.key] ?? 0) })
  }

  /// User and system time of a process, with `children` also of its living and ended children.
  static func of(_ id: pid_t, children: Bool = false) -> Double {
    guard let fields = fields(id) else { return 0 }
    var ticks = fields[11] + fields[12]
    if children {
      ticks += fields[13] + fields[14]
      for child in processes() where child != id {
        if let fields = CPUTimes.fields(child), fields[1] == Double(id) {
          ticks += fields[11] + fields[12] + fields[13] + fields[14]
        }
      }
    }
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// The processes that a process has made and that still are.
  static func children(of id: pid_t) -> [pid_t] {
    processes().filter { fields($0)?[1] == Double(id) }
  }

  private static func processes() -> [pid_t] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
  }

  /// The numbers of /proc/ID/stat from the state on, which counts as 0.
  private static func fields(_ id: pid_t) -> [Double]? {
    guard let data = FileManager.default.contents(atPath: "/proc/\(id)/stat"),
      let end = data.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    return String(decoding: data[(end + 2)...], as: UTF8.self).split(separator: " ")
      .map { Double($0) ?? 0 }
  }
}
