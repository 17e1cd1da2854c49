import MatchCore
import MatchInterfaces

/// Counts the events of each player. An event takes one token. If it begins a match, it takes a
/// thirtieth of a minute's tokens. If it is refused for good, or changes no match, it takes a
/// sixtieth: each such event leaves a row for days, and no match bounds their number. An event that
/// was handled before is free, so that asking again never costs anything. So is one that is refused
/// for its age or its key: others may have it from a record, and its player need not be the sender.
/// Events of a recovery key are counted for that key, also if it is a player's and if players have
/// no limit. Its withdrawal of the recovery under way is free: it succeeds, so there is one of each
/// recovery. So nobody who knows the words keeps the owner from it by sending more events.
///
/// A test of notifications has a budget of its own besides: it makes requests to addresses that a
/// client chose, one a device.
struct EventBudgets {
  /// The charges of one batch, so that a batch that is judged several times is charged once.
  struct Charges {
    fileprivate var charged: Set<EventKey> = []
    /// Players with a withdrawal that was free. The sender chooses the id of a recovery, so two
    /// players may have one id.
    fileprivate var withdrawn: Set<PlayerID> = []
    /// Events that come too soon: the limit, and after how many seconds they may come again.
    fileprivate(set) var tooSoon: [EventKey: Refusal] = [:]
  }

  /// Players that are remembered at most before those with a full bucket are forgotten.
  static let memoryLimit = 50_000

  /// Matches that a player can begin in a minute. Some rows of a match are kept for ever, also
  /// after its end. So the limit of running matches does not bound them.
  private static let beginningsPerMinute = 30.0
  /// Other events that leave a row that a player can send in a minute: those that are no step of a
  /// match, and refusals that are kept.
  private static let otherRowsPerMinute = 60.0

  /// Events of a recovery key in a minute.
  private static let recoveriesPerMinute = 6

  private var buckets: TokenBuckets<PlayerID>?
  private var recoveryBuckets = TokenBuckets<PublicKey>(
    perMinute: EventBudgets.recoveriesPerMinute)

  private var testBuckets: TokenBuckets<PlayerID>?

  /// Buckets that hold so many events and so many tests of notifications; nil: no limit. Events of
  /// recovery keys are counted in any case.
  init(eventsPerMinute: Int?, testsPerMinute: Int? = nil) {
    buckets = eventsPerMinute.map(TokenBuckets.init)
    testBuckets = testsPerMinute.map(TokenBuckets.init)
  }

  /// Charges the players and recovery keys of a batch for events that were not handled before.
  /// Strangers are not remembered.
  mutating func charge(
    _ intakes: [DecodedDelivery], known: LookupResult, at uptime: UInt64,
    _ charges: inout Charges, memory: Int = EventBudgets.memoryLimit
  ) {
    for intake in intakes {
      guard case .event(let received) = intake.content, !received.event.isFromService,
        buckets != nil || testBuckets != nil || intake.needs.byRecoveryKey
      else { continue }
      let (event, signer) = (received.event, received.signed.key)
      let key = EventKey(player: event.player, event: event.id)
      let isRecovery =
        intake.needs.byRecoveryKey && known.recoveryKeys[event.player]?.contains(signer) == true
      let isPlayers = known.keys[signer].map { $0.player == event.player && !$0.isRevoked } ?? false
      guard isRecovery || isPlayers, known.replies[key] == nil,
        Judge.refusal(of: event, now: known.now) == nil, charges.charged.insert(key).inserted
      else { continue }
      if isWithdrawal(received, known), charges.withdrawn.insert(event.player).inserted { continue }
      charges.tooSoon[key] =
        isRecovery
        ? recoveryBuckets.take(from: signer, at: uptime).map {
          .rateLimited(.eventsPerMinute, retryAfterSeconds: $0)
        } : charge(event, at: uptime)
    }
    buckets?.forgetFull(beyond: memory, at: uptime)
    testBuckets?.forgetFull(beyond: memory, at: uptime)
    recoveryBuckets.forgetFull(beyond: memory, at: uptime)
  }

  /// Charges a player for an event. A test too many costs nothing else.
  private mutating func charge(_ event: Event, at uptime: UInt64) -> Refusal? {
    if case .notificationTested = event.action,
      let seconds = testBuckets?.take(from: event.player, at: uptime)
    {
      return .rateLimited(.testsPerMinute, retryAfterSeconds: seconds)
    }
    let cost = cost(of: event.action)
    return buckets?.take(cost, from: event.player, at: uptime).map {
      .rateLimited(.eventsPerMinute, retryAfterSeconds: $0)
    }
  }

  /// Whether an event withdraws the recovery under way.
  private func isWithdrawal(_ received: ReceivedEvent, _ known: LookupResult) -> Bool {
    guard case .recoveryWithdrawn(let withdrawn) = received.event.action,
      let pending = known.pendingRecoveries[received.event.player]
    else { return false }
    return pending.recovery == withdrawn.recovery && pending.key == received.signed.key
  }

  /// Charges for refusals once they are kept: the rest of the price, since the events have taken
  /// less already.
  mutating func charge(keptRefusals events: [Event]) {
    for event in events {
      let rest = cost(ofRows: EventBudgets.otherRowsPerMinute) - cost(of: event.action)
      if rest > 0 { buckets?.owe(rest, by: event.player) }
    }
  }

  /// How many tokens an event takes.
  private func cost(of action: Event.Action) -> Double {
    switch action.price {
    case .step: 1
    case .beginning: cost(ofRows: EventBudgets.beginningsPerMinute)
    case .row: cost(ofRows: EventBudgets.otherRowsPerMinute)
    }
  }

  /// How many tokens a row takes, if a minute's tokens are for so many rows.
  private func cost(ofRows perMinute: Double) -> Double {
    max(1, (buckets?.perMinute ?? 0) / perMinute)
  }

  /// How many players are remembered.
  var count: Int { buckets?.count ?? 0 }
}
