import MatchCore
import MatchWire

/// One run's notices of changes, in their order. It splits them by their limits and knows when one
/// without content is due.
struct NoticeLine {
  /// The last notice that was sent.
  private(set) var place: OutcomeNotice.Place
  /// The time after a notice at which one without content is due.
  private let interval: UInt64?
  private var lastAt: UInt64?

  init(source: NoticeSource, beatSeconds: Double? = 1) {
    place = OutcomeNotice.Place(source: source, number: 0)
    interval = beatSeconds.map { UInt64($0 * 1_000_000_000) }
  }

  /// The notices of changes, in as few messages as possible.
  mutating func notices(
    of changes: [OutcomeNotice.Change], players: [PlayerID], at uptime: UInt64
  ) -> [[UInt8]] {
    var bodies: [[UInt8]] = []
    var (changes, players) = (changes[...], players[...])
    while !changes.isEmpty || !players.isEmpty {
      place.number += 1
      let notice = OutcomeNotice(
        place, changes: Array(changes.prefix(OutcomeNotice.changeLimit)),
        players: Array(players.prefix(OutcomeNotice.playerLimit)))
      bodies.append(notice.encoded)
      changes = changes.dropFirst(OutcomeNotice.changeLimit)
      players = players.dropFirst(OutcomeNotice.playerLimit)
    }
    if !bodies.isEmpty { lastAt = uptime }
    return bodies
  }

  /// A notice without content, if one is due.
  mutating func beat(at uptime: UInt64) -> [UInt8]? {
    guard let interval else { return nil }
    if let lastAt, uptime < lastAt &+ interval { return nil }
    lastAt = uptime
    return OutcomeNotice(place).encoded
  }
}
