import MatchCore
import MatchInterfaces

/// The push jobs that a worker has in hand, in the order in which they are handed over. Players
/// take turns, so that one player's flood delays others only a little.
///
/// Start-time fair queueing, with a time that goes on by one with each job that leaves: however
/// many players have one job each, a player's second job leaves soon.
/// Source: Goyal, Vin and Cheng, Start-time Fair Queueing, 1996.
struct PushLine {
  /// The time from one job of a player to the next.
  static let turn: UInt64 = 16

  private struct Place {
    let start: UInt64
    let delivery: PushBus.Delivery
  }

  private var places: ArraySlice<Place> = []
  private var now: UInt64 = 0
  /// When each player may have the next turn. Players who may have it at once are left out.
  private var next: [PlayerID: UInt64] = [:]

  var isEmpty: Bool { places.isEmpty }
  var count: Int { places.count }

  /// Adds jobs. An unreadable job waits for nobody's turn.
  mutating func add(_ deliveries: [PushBus.Delivery]) {
    guard !deliveries.isEmpty else { return }
    next = next.filter { $0.value > now }
    for delivery in deliveries {
      var start = now
      if let player = delivery.job?.player {
        start = max(now, next[player] ?? now)
        next[player] = start + PushLine.turn
      }
      places.append(Place(start: start, delivery: delivery))
    }
    // Stable: of equal ones, in the order of arrival.
    places.sort { $0.start < $1.start }
  }

  /// The next ones, at most so many.
  func prefix(_ limit: Int) -> [PushBus.Delivery] { places.prefix(limit).map(\.delivery) }

  /// Takes the next one out.
  mutating func removeFirst() {
    guard let place = places.popFirst() else { return }
    now = max(now, place.start) + 1
  }
}
