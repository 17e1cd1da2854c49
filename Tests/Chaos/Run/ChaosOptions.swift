import Foundation
package import MatchWire

/// The options of a run.
package struct ChaosOptions: Sendable {
  /// Where servers, logs and keys of the run are kept.
  package var folder: String
  /// The `cubistd` under test, which also keeps the servers.
  package var binary: String
  /// The library that makes a full disk for PostgreSQL, see Tests/CFullDisk.
  package var fullDiskLibrary: String {
    URL(fileURLWithPath: binary).deletingLastPathComponent()
      .appendingPathComponent("libfulldisk.so").path
  }
  /// The `cubistd` of the former release, where a run replaces roles by those of another build
  /// instead of letting faults happen; see ``Upgrade``.
  package var former: String?
  /// The time during which faults happen, in seconds.
  package var seconds: Double
  /// How many faults there are to be, though they last for longer than that.
  package var leastFaults = 0
  /// The seed of the faults, their times, and the players' choices.
  package var seed: UInt64
  /// The faults that may happen.
  package var faults = FaultKind.allCases
  /// Whether hostile players attack meanwhile.
  package var isAttacked = true
  /// How many players there are.
  package var players = 200
  /// How many queues of events there are.
  package var queues = QueueLayout.standard
  /// How long a player rests between two looks at its matches on the average, in seconds.
  package var pause = 1.0
  /// How long it is quiet between the end of one fault and the next, in seconds.
  package var quiet: ClosedRange<Double> = 0.5...6

  /// A run of the standard size.
  package init(folder: String, binary: String, seconds: Double, seed: UInt64) {
    self.folder = folder
    self.binary = binary
    self.seconds = seconds
    self.seed = seed
  }

  /// The layout by which the watch checks that every queue answers: the one with the most queues.
  var watched: QueueLayout {
    let count = queues.queueCount
    guard needs(.layoutChanged) else { return queues }
    return QueueLayout(queueCount: ServiceUnderTest.otherCount(than: count)) ?? queues
  }

  /// Whether a kind of fault may happen.
  func needs(_ kind: FaultKind) -> Bool { former == nil && faults.contains(kind) }

  /// Whether faults have to last shorter, so that several find room.
  var isShort: Bool { seconds < 120 }
  /// Whether there is room for a fault of five minutes.
  var isLong: Bool { seconds >= 1_500 }
}
