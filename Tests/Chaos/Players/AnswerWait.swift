/// How long an honest player waited for an answer.
struct AnswerWait: Hashable, Sendable {
  /// Seconds that an answer may take while no fault is on.
  static let limit = 30.0

  /// The kind of request that was to be answered.
  var what: String
  /// When the request was first sent.
  var from: UInt64
  /// When the answer was there.
  var to: UInt64

  init(of what: String, from: UInt64, to: UInt64) {
    (self.what, self.from, self.to) = (what, from, to)
  }

  /// The whole wait.
  var seconds: Double { Chaos.seconds(from: from, to: to) }

  /// The part of the wait without a fault.
  ///
  /// - Parameter faults: When a fault was on, from its beginning until every queue answered again.
  func quietSeconds(besides faults: [ClosedRange<UInt64>]) -> Double {
    var quiet: UInt64 = 0
    var now = from
    for fault in faults.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      let begin = min(max(fault.lowerBound, now), to)
      quiet += begin - now
      now = min(max(fault.upperBound, now), to)
    }
    return Double(quiet + (to - now)) / 1_000_000_000
  }

  /// The waits that were too long.
  static func findings(_ waits: [AnswerWait], faults: [ClosedRange<UInt64>]) -> [Finding] {
    waits.compactMap { wait in
      let quiet = wait.quietSeconds(besides: faults)
      guard quiet > limit else { return nil }
      return Finding(
        .wrong,
        "\(wait.what) was answered after \(Int(wait.seconds)) s, "
          + "in \(Int(quiet)) of which there was no fault")
    }
  }
}
