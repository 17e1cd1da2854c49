import CubistBasics
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

  var hash: UInt64 { mixed.value }
  /// How many things happened, idle ones left out.
  private(set) var count = 0
  private var mixed = FNV1a()
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
    mixed.add(word: UInt64(bitPattern: line.time.microseconds))
    for byte in actor.utf8 { mixed.add(byte) }
    what.withUTF8Buffer { for byte in $0 { mixed.add(byte) } }
    mixed.add(word: UInt64(truncatingIfNeeded: subject))
    mixed.add(word: UInt64(truncatingIfNeeded: subject >> 64))
    mixed.add(word: UInt64(bitPattern: Int64(number)))
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
}
