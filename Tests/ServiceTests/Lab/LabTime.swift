import Foundation
import Synchronization
import Testing

/// How long a test had its service, and how much of that went into making it and taking it away.
/// Swift Testing's time of a test includes its wait for a place.
final class LabTime: Sendable {
  private let start = ContinuousClock.now
  private let working = Mutex<ContinuousClock.Instant?>(nil)
  private let over = Mutex<ContinuousClock.Instant?>(nil)

  /// Everything is there.
  func isWorking() { working.withLock { $0 = .now } }

  /// The test's own work is done.
  func isOver() { over.withLock { $0 = .now } }

  /// Says so in the log, where deploy/targets reads it.
  func tell() {
    guard let test = Test.current else { return }
    let end = ContinuousClock.now
    let (working, over) = (working.withLock { $0 } ?? end, over.withLock { $0 } ?? end)
    let name = test.displayName.map { "\"\($0)\"" } ?? test.name
    let line =
      "⏱ Test \(name) ran for \(text(end - start)) seconds, \(text(working - start)) before and "
      + "\(text(end - over)) after what it tests\n"
    FileHandle.standardError.write(Data(line.utf8))
  }

  private func text(_ span: Duration) -> String { String(format: "%.1f", span / .seconds(1)) }
}
