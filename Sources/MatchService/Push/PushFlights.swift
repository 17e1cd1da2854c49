import MatchInterfaces

/// The requests on their way, at most so many at once and so many to one origin, and those that wait
/// for a place.
///
/// Strange origins, which are neither those of the operator nor those of browsers' makers, have half
/// of the places among them. A client may name any number of servers that answer slowly.
///
/// A name of any number below a maker's is strange until it has answered. A client may invent such
/// names, and nobody answers for those.
///
/// Each other strange origin has `strangePerMinute` requests in a minute, of all players together. It
/// may be the server of somebody who has nothing to do with the service.
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
  private let strangeLimit: Int
  private var flying: [UInt64: Flight] = [:]
  private var flyingCounts: [PushOrigin: Int] = [:]
  private var waiting: [PushOrigin: ArraySlice<Flight>] = [:]
  /// The origins that something waits for, in the order of their last departures.
  private var turns: [PushOrigin] = []
  private var lastNumber: UInt64 = 0
  /// The origins that requests of the service's own settings went to.
  private var own: Set<PushOrigin> = []
  /// The origins below makers' names that have answered.
  private var proven: Set<PushOrigin> = []
  /// Makers have far fewer.
  private static let provenLimit = 256
  /// How many of those on their way, and of those that wait, go to strange origins.
  private var (strangeFlying, strangeWaiting) = (0, 0)
  private var budgets: TokenBuckets<PushOrigin>?
  private var uptime: UInt64 = 0
  /// Clients invent any number of origins.
  private static let budgetLimit = 8_192

  init(limit: Int, originLimit: Int, strangePerMinute: Int? = nil) {
    budgets = strangePerMinute.map(TokenBuckets.init)
    self.limit = max(1, limit)
    self.originLimit = max(1, originLimit)
    strangeLimit = max(1, limit / 2)
  }

  /// Whether it is neither one of the operator nor one of a browser's maker, as far as is known.
  func isStrange(_ origin: PushOrigin) -> Bool {
    guard !own.contains(origin), !proven.contains(origin) else { return false }
    return !origin.isOfMaker || origin.isBelowMaker
  }

  /// Time has passed: origins have requests again.
  mutating func pass(to uptime: UInt64) {
    self.uptime = uptime
    budgets?.forgetFull(beyond: Self.budgetLimit, at: uptime)
  }

  /// Whether it may be the server of somebody who has nothing to do with it.
  private func isOfClient(_ origin: PushOrigin) -> Bool {
    isStrange(origin) && !origin.isOfMaker
  }

  var isEmpty: Bool { flying.isEmpty && waiting.isEmpty }
  /// How many requests are on their way.
  var count: Int { flying.count }
  /// Whether more could be on their way if they went to other origins.
  var isFull: Bool { flying.count >= limit }

  /// How many requests may be added for an origin. As many may wait as may fly, so that a place is
  /// taken at once.
  func room(at origin: PushOrigin) -> Int {
    let room = 2 * originLimit - (flyingCounts[origin] ?? 0) - (waiting[origin]?.count ?? 0)
    guard isStrange(origin) else { return room }
    let left = min(room, 2 * strangeLimit - strangeFlying - strangeWaiting)
    guard let budgets, isOfClient(origin) else { return left }
    return min(left, Int(budgets.tokens(of: origin, at: uptime)))
  }

  /// How many requests may be added at all.
  var room: Int {
    2 * limit - flying.count - waiting.values.reduce(0) { $0 + $1.count }
  }

  mutating func add(_ flight: Flight) {
    // An origin stays on the side on which it was counted.
    if !flight.request.isForeign, waiting[flight.origin] == nil,
      flyingCounts[flight.origin] == nil
    {
      own.insert(flight.origin)
    }
    if isStrange(flight.origin) { strangeWaiting += 1 }
    // A notification for several devices of one origin is not parted.
    if isOfClient(flight.origin), budgets?.take(from: flight.origin, at: uptime) != nil {
      budgets?.owe(1, by: flight.origin)
    }
    if waiting[flight.origin] == nil { turns.append(flight.origin) }
    waiting[flight.origin, default: []].append(flight)
  }

  /// The requests that may go now, with their numbers. Origins take turns.
  mutating func depart(at uptime: UInt64) -> [(number: UInt64, request: PushRequest)] {
    var departing: [(number: UInt64, request: PushRequest)] = []
    var left = turns.count
    while left > 0, !turns.isEmpty, !isFull {
      let origin = turns.removeFirst()
      let isStrange = isStrange(origin)
      guard flyingCounts[origin, default: 0] < originLimit,
        !isStrange || strangeFlying < strangeLimit,
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
      if isStrange {
        (strangeFlying, strangeWaiting) = (strangeFlying + 1, strangeWaiting - 1)
      }
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

  /// The flight that has ended, with an answer of a server or without. Nil: it had ended before.
  mutating func arrive(_ number: UInt64, isAnswered: Bool = true) -> Flight? {
    guard let flight = flying.removeValue(forKey: number) else { return nil }
    if isAnswered { prove(flight.origin) }
    if isStrange(flight.origin) { strangeFlying -= 1 }
    flyingCounts[flight.origin, default: 1] -= 1
    if flyingCounts[flight.origin] == 0 { flyingCounts[flight.origin] = nil }
    return flight
  }

  /// Its certificate is the maker's, so its name is too. All of its requests change sides.
  private mutating func prove(_ origin: PushOrigin) {
    guard origin.isBelowMaker, isStrange(origin), proven.count < Self.provenLimit else { return }
    strangeFlying -= flyingCounts[origin] ?? 0
    strangeWaiting -= waiting[origin]?.count ?? 0
    proven.insert(origin)
  }
}
