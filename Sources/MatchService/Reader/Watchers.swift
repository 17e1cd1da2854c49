import MatchCore
import MatchWire

/// Queries about a match that wait until its stored version is high enough.
struct Watchers {
  /// The asker, and where to send the answer.
  struct Asker: Hashable, Sendable {
    var player: PlayerID
    var query: EventID
    var replyTo: String
    var correlationID: String
    /// The marks of the request that brought the query.
    var trace: RequestTrace?
    /// The key that signed the query. The wait is in vain if it is removed meanwhile.
    var key: PublicKey?
  }

  /// The answer if the version is not reached in time.
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
    /// The version for the wait for a change that follows a wait for `catchingUp`; see
    /// `Query.Match`.
    var newerThan: Int64?
    /// When the wait is over.
    var deadline: UInt64
    /// When the store is asked again without being told.
    var retry: UInt64
    /// The wait before it is asked once more; each is twice as long as the one before.
    var pause: UInt64
    /// Whether word of a change ends the wait. It does not if the asker has no part in the match,
    /// or if there is no such match: so nobody learns which of the two it is.
    var hearsOfChanges = true
  }

  /// Queries that may wait in all.
  let limit: Int
  /// Queries of one player that may wait.
  let limitPerPlayer: Int
  private var waiting: [MatchID: [Waiting]] = [:]
  /// The matches that each player waits for, the longest wait first.
  private var places: [PlayerID: [Place]] = [:]
  private var lastPlace: UInt64 = 0
  private(set) var count = 0

  /// One wait of a player: its place in the order in which waits began.
  private struct Place {
    var number: UInt64
    var match: MatchID
    var query: EventID
  }

  init(limit: Int, limitPerPlayer: Int) {
    self.limit = limit
    self.limitPerPlayer = limitPerPlayer
  }

  /// Lets a query wait. Gives the query that has to leave: this one, or one that waited.
  ///
  /// If all places are taken, the player with the most places loses the longest wait, so that
  /// nobody keeps others out. If that player is the asker, the new query may not wait.
  mutating func park(_ entry: Waiting) -> Waiting? {
    let held = places[entry.asker.player]?.count ?? 0
    guard held < limitPerPlayer, limit > 0 else { return entry }
    var evicted: Waiting?
    if count >= limit {
      guard let found = longestWait(ofMoreThan: held) else { return entry }
      evicted = found
    }
    lastPlace += 1
    waiting[entry.match, default: []].append(entry)
    places[entry.asker.player, default: []].append(
      Place(number: lastPlace, match: entry.match, query: entry.asker.query))
    count += 1
    return evicted
  }

  /// Takes the longest wait of the player with the most places; of several such players, of the one
  /// who has waited longest. Nil if nobody holds more than so many.
  private mutating func longestWait(ofMoreThan held: Int) -> Waiting? {
    let most = places.max { one, other in
      (one.value.count, other.value[0].number) < (other.value.count, one.value[0].number)
    }
    guard let most, most.value.count > held, let place = most.value.first else { return nil }
    let entries = waiting[place.match] ?? []
    let index = entries.firstIndex {
      $0.asker.player == most.key && $0.asker.query == place.query
    }
    guard let index else { return nil }
    var rest = entries
    let entry = rest.remove(at: index)
    set(rest, for: place.match)
    forget([entry])
    return entry
  }

  /// Takes the queries that have waited for this version of a match, or an earlier one.
  mutating func take(match: MatchID, reached version: Int64) -> [Waiting] {
    guard let entries = waiting[match] else { return [] }
    let (ready, rest) = entries.partitioned { $0.hearsOfChanges && $0.version <= version }
    set(rest, for: match)
    forget(ready)
    return ready
  }

  /// Takes the queries with a wait that is over, or that are due for another look.
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

  mutating func takeAll() -> [Waiting] {
    let all = waiting.values.flatMap { $0 }
    (waiting, places, count) = ([:], [:], 0)
    return all.sorted { ($0.deadline, $0.asker.query) < ($1.deadline, $1.asker.query) }
  }

  private mutating func set(_ entries: [Waiting], for match: MatchID) {
    waiting[match] = entries.isEmpty ? nil : entries
  }

  private mutating func forget(_ entries: [Waiting]) {
    count -= entries.count
    for entry in entries {
      var left = places[entry.asker.player] ?? []
      let index = left.firstIndex {
        $0.match == entry.match && $0.query == entry.asker.query
      }
      if let index { left.remove(at: index) }
      places[entry.asker.player] = left.isEmpty ? nil : left
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
