import MatchCore
import MatchInterfaces

/// The events that a worker has taken from its queues and not yet acknowledged, in the order of
/// their arrival.
///
/// An event stays here until it is judged, also while the store fails. A given-back event would be
/// delivered once more, as if it had ended its worker. If the store gives up on a batch, or its session
/// ends meanwhile, the next one is half as large, down to single events.
struct Hand {
  /// Somebody else's event, taken from behind one that the store gives up on.
  struct Witness {
    let intake: DecodedDelivery
    fileprivate let index: Int
  }

  /// The largest batch.
  private static let most = 65_536

  private(set) var intakes: [DecodedDelivery] = []
  /// A delivery that came so often that it is not read before this is noted.
  var unread: EventDelivery?
  /// How often the first event failed alone while somebody else's was committed.
  private(set) var strikes = 0
  private var limit = Hand.most
  /// How many of the first events are judged one by one: the store refuses one of them.
  private var isolated = 0

  var isEmpty: Bool { intakes.isEmpty && unread == nil }

  /// The next batch.
  var next: [DecodedDelivery] {
    isolated == 0 && intakes.count <= limit
      ? intakes : Array(intakes.prefix(isolated > 0 ? 1 : limit))
  }

  mutating func take(_ more: [DecodedDelivery]) {
    if intakes.isEmpty { intakes = more } else { intakes += more }
  }

  /// The next batch is done with.
  mutating func finish(_ count: Int) {
    if count >= intakes.count { intakes = [] } else { intakes.removeFirst(count) }
    strikes = 0
    if isolated > 0 { isolated -= count } else { limit = min(limit * 2, Hand.most) }
  }

  /// The store has given up on a batch of this size: fewer at a time.
  mutating func halve(_ count: Int) { limit = max(1, count / 2) }

  /// The store refuses one of so many.
  mutating func isolate(_ count: Int) { isolated = count }

  /// Takes out the first player's event that has nothing to do with the first one of all, so that
  /// it may be judged before that. Ticks and deadlines may not, since a deadline must not overtake
  /// a turn.
  mutating func takeWitness() -> Witness? {
    guard let first = intakes.first else { return nil }
    let index = intakes.indices.dropFirst().first { intakes[$0].isUnrelated(to: first) }
    return index.map { Witness(intake: intakes.remove(at: $0), index: $0) }
  }

  /// Puts back an event that could not be judged either.
  mutating func putBack(_ witness: Witness) {
    intakes.insert(witness.intake, at: min(witness.index, intakes.count))
  }

  /// The first event failed once more, and somebody else's did not.
  mutating func strike() { strikes += 1 }

  /// Forgets everything: it comes again.
  mutating func forget() { self = Hand() }
}

extension DecodedDelivery {
  /// Whether it is a player's event on other matches and by another player.
  fileprivate func isUnrelated(to other: DecodedDelivery) -> Bool {
    guard case .event(let received) = content, !received.event.isFromService else { return false }
    guard case .event(let others) = other.content else { return true }
    return received.event.player != others.event.player
      && Set(needs.matches).isDisjoint(with: other.needs.matches)
      && Set(needs.players).isDisjoint(with: other.needs.players)
  }
}
