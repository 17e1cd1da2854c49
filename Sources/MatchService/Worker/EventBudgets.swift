import MatchCore
import MatchInterfaces

/// Counts the events of each player: a bucket that a minute fills and every event empties by one,
/// or by a thirtieth of it where it begins a match.
/// What was handled before is free, so that asking again never costs anything.
struct EventBudgets {
  /// What was charged for one batch, so that it is charged once however often it is judged.
  struct Charges {
    fileprivate var charged: Set<EventKey> = []
    /// Events that come too soon, and after how many seconds they may come again.
    fileprivate(set) var tooSoon: [EventKey: Int64] = [:]
  }

  private struct Bucket {
    var tokens: Double
    var filledAt: UInt64
  }

  /// Players that are remembered at most before those with a full bucket are forgotten.
  static let memoryLimit = 50_000

  /// Matches that a player can begin in a minute. What is kept for ever of a match does not become
  /// less by its end, so that the limit of those that run does not bound it.
  private static let beginningsPerMinute = 30.0

  private let eventsPerMinute: Int?
  private var buckets: [PlayerID: Bucket] = [:]

  /// Buckets that hold so many events; nil: nothing is counted.
  init(eventsPerMinute: Int?) { self.eventsPerMinute = eventsPerMinute }

  /// Charges the players of a batch for events that were not handled before. Strangers are not
  /// remembered.
  mutating func charge(
    _ intakes: [Intake], known: LookupResult, owners: [PublicKey: KeyOwner], at uptime: UInt64,
    _ charges: inout Charges, memory: Int = EventBudgets.memoryLimit
  ) {
    guard let eventsPerMinute else { return }
    for intake in intakes {
      guard case .event(let received) = intake.content, !received.event.isFromService else {
        continue
      }
      let (event, signer) = (received.event, received.signed.key)
      let key = EventKey(player: event.player, event: event.id)
      guard (known.keys[signer] ?? owners[signer])?.player == event.player,
        known.replies[key] == nil, charges.charged.insert(key).inserted
      else { continue }
      let limit = Double(eventsPerMinute)
      let cost = EventBudgets.cost(of: event.action, limit: limit)
      if let seconds = take(cost, from: event.player, limit: limit, uptime) {
        charges.tooSoon[key] = seconds
      }
    }
    if buckets.count > memory { forgetFull(Double(eventsPerMinute), uptime) }
  }

  /// How much an event takes from the bucket; never more than a bucket holds.
  private static func cost(of action: Event.Action, limit: Double) -> Double {
    switch action {
    case .matchRequested, .rematchRequested: max(1, limit / beginningsPerMinute)
    default: 1
    }
  }

  /// Takes an event from a player's bucket; gives the seconds until there is enough where there is
  /// not.
  private mutating func take(
    _ cost: Double, from player: PlayerID, limit: Double, _ uptime: UInt64
  ) -> Int64? {
    var bucket = buckets[player] ?? Bucket(tokens: limit, filledAt: uptime)
    bucket.tokens = tokens(of: bucket, limit, uptime)
    bucket.filledAt = uptime
    defer { buckets[player] = bucket }
    guard bucket.tokens < cost else {
      bucket.tokens -= cost
      return nil
    }
    return max(1, Int64(((cost - bucket.tokens) * 60 / limit).rounded(.up)))
  }

  private func tokens(of bucket: Bucket, _ limit: Double, _ uptime: UInt64) -> Double {
    let seconds = Double(uptime &- bucket.filledAt) / 1_000_000_000
    return min(limit, bucket.tokens + seconds * limit / 60)
  }

  /// How many players are remembered.
  var count: Int { buckets.count }

  private mutating func forgetFull(_ limit: Double, _ uptime: UInt64) {
    buckets = buckets.filter { tokens(of: $0.value, limit, uptime) < limit }
  }
}
