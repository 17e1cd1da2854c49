import MatchInterfaces

/// The requests on their way, at most so many at once and so many to one origin, and those that wait
/// for a place.
struct PushFlights {
  /// A request of a notification.
  struct Flight {
    /// The notification's number, and the parcel's place in it.
    var notification: UInt64
    var parcel: Int
    var request: PushRequest
    var origin: PushOrigin
    /// The uptime of its departure.
    var departedAt: UInt64 = 0
  }

  private let limit: Int
  private let originLimit: Int
  private var flying: [UInt64: Flight] = [:]
  private var flyingCounts: [PushOrigin: Int] = [:]
  private var waiting: [PushOrigin: ArraySlice<Flight>] = [:]
  /// The origins that something waits for, in the order of their last departures.
  private var turns: [PushOrigin] = []
  private var lastNumber: UInt64 = 0

  init(limit: Int, originLimit: Int) {
    self.limit = max(1, limit)
    self.originLimit = max(1, originLimit)
  }

  var isEmpty: Bool { flying.isEmpty && waiting.isEmpty }
  /// How many requests are on their way.
  var count: Int { flying.count }
  /// Whether more could be on their way if they went to other origins.
  var isFull: Bool { flying.count >= limit }

  /// How many requests may be added for an origin. As many may wait as may fly, so that a place is
  /// taken at once.
  func room(at origin: PushOrigin) -> Int {
    2 * originLimit - (flyingCounts[origin] ?? 0) - (waiting[origin]?.count ?? 0)
  }

  /// How many requests may be added at all.
  var room: Int {
    2 * limit - flying.count - waiting.values.reduce(0) { $0 + $1.count }
  }

  mutating func add(_ flight: Flight) {
    if waiting[flight.origin] == nil { turns.append(flight.origin) }
    waiting[flight.origin, default: []].append(flight)
  }

  /// The requests that may go now, with their numbers. Origins take turns.
  mutating func depart(at uptime: UInt64) -> [(number: UInt64, request: PushRequest)] {
    var departing: [(number: UInt64, request: PushRequest)] = []
    var left = turns.count
    while left > 0, !turns.isEmpty, !isFull {
      let origin = turns.removeFirst()
      guard flyingCounts[origin, default: 0] < originLimit,
        var flight = waiting[origin]?.popFirst()
      else {
        turns.append(origin)
        left -= 1
        continue
      }
      lastNumber += 1
      flight.departedAt = uptime
      flying[lastNumber] = flight
      flyingCounts[origin, default: 0] += 1
      departing.append((lastNumber, flight.request))
      if waiting[origin]?.isEmpty == true {
        waiting[origin] = nil
      } else {
        turns.append(origin)
      }
      left = turns.count
    }
    return departing
  }

  /// The flight that has an answer. Nil: it has had one already.
  mutating func arrive(_ number: UInt64) -> Flight? {
    guard let flight = flying.removeValue(forKey: number) else { return nil }
    flyingCounts[flight.origin, default: 1] -= 1
    if flyingCounts[flight.origin] == 0 { flyingCounts[flight.origin] = nil }
    return flight
  }
}
