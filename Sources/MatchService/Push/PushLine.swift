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
    var start: UInt64
    let delivery: PushBus.Delivery
    /// The origins of its requests, as the last look at its devices has shown. Nil: nobody has
    /// looked.
    var origins: [PushOrigin]?
  }

  private var places: [Place] = []
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

  /// Charges players for further requests of jobs that leave, as if each were a job: their other
  /// jobs leave later.
  mutating func charge(_ requests: [PlayerID: Int]) {
    let turns = requests.filter { $0.value > 0 }.mapValues { PushLine.turn &* UInt64($0) }
    guard !turns.isEmpty else { return }
    for (player, time) in turns { next[player] = max(now, next[player] ?? now) &+ time }
    for index in places.indices {
      guard let player = places[index].delivery.job?.player, let time = turns[player] else {
        continue
      }
      places[index].start &+= time
    }
    places.sort { $0.start < $1.start }
  }

  /// The next ones that may leave, at most so many. A job whose origins are all full waits, and
  /// others overtake it.
  func prefix(_ limit: Int, _ flights: PushFlights) -> [PushBus.Delivery] {
    var (next, room): ([PushBus.Delivery], [PushOrigin: Int]) = ([], [:])
    for place in places {
      guard next.count < limit else { break }
      let origins = place.origins ?? []
      for origin in origins where room[origin] == nil { room[origin] = flights.room(at: origin) }
      let free = origins.filter { room[$0, default: 0] > 0 }
      guard !free.isEmpty || origins.isEmpty else { continue }
      for origin in free { room[origin, default: 0] -= 1 }
      next.append(place.delivery)
    }
    return next
  }

  /// The other news of the players of jobs that leave: one notification tells of all of them.
  func others(with leaving: [PushBus.Delivery]) -> [PushBus.Delivery] {
    let tags = Set(leaving.map(\.tag))
    let players = Set(leaving.compactMap(\.listener))
    return places.map(\.delivery).filter { delivery in
      !tags.contains(delivery.tag) && delivery.listener.map(players.contains) == true
    }
  }

  /// A job of the line besides this one, if there is one among the first.
  func job(besides tag: UInt64, amongFirst limit: Int) -> PushJob? {
    places.prefix(limit).first { $0.delivery.tag != tag && $0.delivery.job != nil }?.delivery.job
  }

  /// Notes the origins that jobs wait for.
  mutating func note(_ origins: [UInt64: [PushOrigin]]) {
    guard !origins.isEmpty else { return }
    for index in places.indices {
      if let noted = origins[places[index].delivery.tag] { places[index].origins = noted }
    }
  }

  /// Takes jobs out, by the tags of their deliveries.
  /// - Parameter others: Those that leave with another one, and take no turn.
  mutating func remove(_ tags: Set<UInt64>, others: Set<UInt64> = []) {
    guard !tags.isEmpty else { return }
    for place in places
    where tags.contains(place.delivery.tag) && !others.contains(place.delivery.tag) {
      now = max(now, place.start) + 1
    }
    places.removeAll { tags.contains($0.delivery.tag) }
  }

  /// Takes out the last ones that wait for an origin, at most so many.
  mutating func removeLastWaiting(_ limit: Int) -> [PushBus.Delivery] {
    let last = places.filter { $0.origins?.isEmpty == false }.suffix(limit).map(\.delivery)
    let tags = Set(last.map(\.tag))
    places.removeAll { tags.contains($0.delivery.tag) }
    return last
  }
}

extension PushBus.Delivery {
  /// The player whom a notification may tell of it and of others. Nil: it goes alone.
  fileprivate var listener: PlayerID? { goesAlone || job?.kind.topic == nil ? nil : job?.player }
}
