import MatchCore

/// Queries about a match that wait until its stored version is high enough.
struct Watchers {
  /// Who asked, and how to reach them.
  struct Asker: Hashable, Sendable {
    var player: PlayerID
    var query: EventID
    var replyTo: String
    var correlationID: String
  }

  /// What is done where the version is not reached in time.
  enum Patience: Hashable, Sendable {
    /// The match is answered as it stands: the asker waits for a change.
    case change
    /// The answer is `unavailable`: the asker has seen something that the store does not show yet.
    case catchingUp
  }

  /// A query that waits.
  struct Waiting: Hashable, Sendable {
    var asker: Asker
    var match: MatchID
    /// The version that ends the wait.
    var version: Int64
    var patience: Patience
    /// What has to be newer than what after the wait for `catchingUp` is over; see
    /// `Query.Kind.match`.
    var newerThan: Int64?
    /// When the wait is over.
    var deadline: UInt64
    /// When the store is asked again without being told.
    var retry: UInt64
    /// Whether word of a change ends the wait. It does not where the asker has no part in the match,
    /// or there is none: nobody learns from this which of the two it is.
    var hearsOfChanges = true
  }

  /// Queries that may wait in all.
  let limit: Int
  /// Queries of one player that may wait.
  let limitPerPlayer: Int
  private var waiting: [MatchID: [Waiting]] = [:]
  private var counts: [PlayerID: Int] = [:]
  private(set) var count = 0

  init(limit: Int, limitPerPlayer: Int) {
    self.limit = limit
    self.limitPerPlayer = limitPerPlayer
  }

  /// Lets a query wait; false where there are too many.
  mutating func park(_ entry: Waiting) -> Bool {
    guard count < limit, counts[entry.asker.player, default: 0] < limitPerPlayer else {
      return false
    }
    waiting[entry.match, default: []].append(entry)
    counts[entry.asker.player, default: 0] += 1
    count += 1
    return true
  }

  /// Takes those whose wait a version of a match ends.
  mutating func take(match: MatchID, reached version: Int64) -> [Waiting] {
    guard let entries = waiting[match] else { return [] }
    let (ready, rest) = entries.partitioned { $0.hearsOfChanges && $0.version <= version }
    set(rest, for: match)
    forget(ready)
    return ready
  }

  /// Takes those whose wait is over, or who are to be looked after again.
  mutating func takeDue(at uptime: UInt64) -> [Waiting] {
    var due: [Waiting] = []
    for (match, entries) in waiting {
      let (ready, rest) = entries.partitioned { min($0.deadline, $0.retry) <= uptime }
      guard !ready.isEmpty else { continue }
      set(rest, for: match)
      due += ready
    }
    forget(due)
    return due.sorted { ($0.deadline, $0.asker.query) < ($1.deadline, $1.asker.query) }
  }

  /// Takes all.
  mutating func takeAll() -> [Waiting] {
    let all = waiting.values.flatMap { $0 }
    (waiting, counts, count) = ([:], [:], 0)
    return all.sorted { ($0.deadline, $0.asker.query) < ($1.deadline, $1.asker.query) }
  }

  private mutating func set(_ entries: [Waiting], for match: MatchID) {
    waiting[match] = entries.isEmpty ? nil : entries
  }

  private mutating func forget(_ entries: [Waiting]) {
    count -= entries.count
    for entry in entries {
      let left = counts[entry.asker.player, default: 1] - 1
      counts[entry.asker.player] = left > 0 ? left : nil
    }
  }
}

extension Array {
  /// Those that fulfil a condition, and the others, each in order.
  fileprivate func partitioned(by isIn: (Element) -> Bool) -> (in: [Element], out: [Element]) {
    var (inside, outside): ([Element], [Element]) = ([], [])
    for element in self {
      if isIn(element) { inside.append(element) } else { outside.append(element) }
    }
    return (inside, outside)
  }
}
