import MatchCore
import MatchInterfaces

/// The push jobs that a worker has in hand, in the order in which they are handed over: players
/// take turns, a job each in a round, so that one player's flood delays nobody by more than a job a
/// round.
struct PushLine {
  private struct Place {
    let round: Int
    let delivery: PushBus.Delivery
  }

  private var places: ArraySlice<Place> = []
  /// The round of the job that left last.
  private var round = 0
  /// The last round in which each player has a job.
  private var last: [PlayerID: Int] = [:]

  var isEmpty: Bool { places.isEmpty }
  var count: Int { places.count }

  /// Adds jobs, each to the first round in which its player has none. What is no job waits for
  /// nothing.
  mutating func add(_ deliveries: [PushBus.Delivery]) {
    guard !deliveries.isEmpty else { return }
    for delivery in deliveries {
      var round = round
      if let player = delivery.job?.player {
        if let last = last[player] { round = max(round, last + 1) }
        last[player] = round
      }
      places.append(Place(round: round, delivery: delivery))
    }
    // Stable: within a round, in the order of arrival.
    places.sort { $0.round < $1.round }
  }

  /// The next ones, at most so many.
  func prefix(_ limit: Int) -> [PushBus.Delivery] { places.prefix(limit).map(\.delivery) }

  /// Takes the next one out.
  mutating func removeFirst() {
    guard let place = places.popFirst() else { return }
    round = place.round
    if let player = place.delivery.job?.player, last[player] == round { last[player] = nil }
    if places.isEmpty { self = PushLine() }
  }
}
