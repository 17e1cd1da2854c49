import Foundation
import Glibc
import SystemCalls

/// The reason why a benchmark cannot be run to its end.
struct BenchFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Nanoseconds since some moment.
func monotonic() -> UInt64 { MonotonicClock.now }

/// Seconds between two readings of `monotonic`.
func seconds(from start: UInt64, to end: UInt64) -> Double {
  Double(end - min(start, end)) / 1_000_000_000
}

extension [Double] {
  /// The middle one; nil of none.
  var median: Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}

/// Programs of the machine.
enum Programs {
  /// The path of a program that can be run, in the folders of PATH and then in others.
  static func find(_ name: String, also folders: [String] = []) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return (path.split(separator: ":").map(String.init) + folders).map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

/// Ctrl-C: working code looks here, and leaves in good order.
enum Interruption {
  // SAFETY: a signal handler writes the one word, everybody else reads it.
  nonisolated(unsafe) private static var isAsked: sig_atomic_t = 0

  static func listen() {
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in
        if Interruption.isAsked != 0 { _exit(130) }
        Interruption.isAsked = 1
      }
    }
    signal(SIGPIPE, SIG_IGN)
  }

  /// Whether Ctrl-C was pressed.
  static var isPending: Bool { isAsked != 0 }

  /// Throws once Ctrl-C was pressed.
  static func check() throws {
    if isPending { throw BenchFailure("interrupted") }
  }
}

/// Reports the current step on the standard error.
enum Progress {
  static func say(_ text: String) {
    FileHandle.standardError.write(Data("bench: \(text)\n".utf8))
  }
}
