import MatchCore

/// The events of a run: the last lines in full, everything in one hash, so that two runs can be
/// compared.
final class Trace {
  /// One thing that happened.
  struct Line: CustomStringConvertible {
    var time: Instant
    var actor: String
    var what: StaticString
    var subject: UInt128
    var number: Int

    var description: String {
      let subject = subject == 0 ? "" : " \(EventID(rawValue: subject))"
      return "\(time) \(actor) \(what)\(subject)\(number == 0 ? "" : " \(number)")"
    }
  }

  private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  /// The number of things that happened, without idle calls.
  private(set) var count = 0
  private var ring: [Line] = []
  private let capacity: Int
  private let clock: VirtualClock

  init(clock: VirtualClock, capacity: Int) {
    self.clock = clock
    self.capacity = capacity
  }

  /// Notes something. Idle calls count for the hash, and get a line only if all lines are kept.
  func note(
    _ actor: String, _ what: StaticString, _ subject: UInt128 = 0, _ number: Int = 0,
    isIdle: Bool = false
  ) {
    let line = Line(
      time: clock.now, actor: actor, what: what, subject: subject, number: number)
    mix(UInt64(bitPattern: line.time.microseconds))
    for byte in actor.utf8 { mix(UInt64(byte)) }
    what.withUTF8Buffer { for byte in $0 { mix(UInt64(byte)) } }
    mix(UInt64(truncatingIfNeeded: subject))
    mix(UInt64(truncatingIfNeeded: subject >> 64))
    mix(UInt64(bitPattern: Int64(number)))
    guard !isIdle || capacity == .max else { return }
    if ring.count < capacity { ring.append(line) } else { ring[count % capacity] = line }
    count += 1
  }

  /// The last lines, the oldest first.
  var tail: [String] {
    guard count > capacity else { return ring.map(\.description) }
    let start = count % capacity
    return (ring[start...] + ring[..<start]).map(\.description)
  }

  private func mix(_ value: UInt64) { hash = (hash ^ value) &* 0x100_0000_01b3 }
}
