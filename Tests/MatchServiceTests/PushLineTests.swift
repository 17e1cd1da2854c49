import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("Players take turns in the line of push jobs")
struct PushLineTests {
  private static func delivery(_ tag: UInt64, to player: UInt128?) -> PushBus.Delivery {
    let job = player.map {
      PushJob(
        id: PushJobID(rawValue: UInt128(tag)), kind: .matchEnded, player: PlayerID(rawValue: $0))
    }
    return PushBus.Delivery(tag: tag, job: job, attempts: 0, body: [])
  }

  private static let flights = PushFlights(limit: 256, originLimit: 32)

  /// Takes so many out.
  private static func take(_ count: Int, from line: inout PushLine) -> [UInt64] {
    (0..<count).compactMap { _ in
      guard let tag = line.prefix(1, flights).first?.tag else { return nil }
      line.remove([tag])
      return tag
    }
  }

  @Test("Jobs of one player leave in the order of their arrival, as do those of many players")
  func order() {
    for players in [[1, 1, 1, 1], [1, 2, 3, 4], [4, 3, 2, 1]] as [[UInt128]] {
      var line = PushLine()
      line.add(zip(1..., players).map { Self.delivery($0, to: $1) })
      #expect(line.count == 4)
      #expect(Self.take(4, from: &line) == [1, 2, 3, 4])
      #expect(line.isEmpty && line.prefix(1, Self.flights).isEmpty)
    }
  }

  @Test("One job of each player leaves in turn, even if one player has the most")
  func turns() {
    var line = PushLine()
    line.add([1, 1, 1, 1, 2, 2, 3].enumerated().map { Self.delivery(UInt64($0) + 1, to: $1) })
    #expect(Self.take(7, from: &line) == [1, 5, 7, 2, 6, 3, 4])
  }

  @Test("All news of a player leave with the first of them, and take no turns of others")
  func together() {
    var line = PushLine()
    line.add([1, 1, 2, 1, 3, 2].enumerated().map { Self.delivery(UInt64($0) + 1, to: $1) })
    let first = line.prefix(2, Self.flights)
    #expect(first.map(\.tag) == [1, 3])
    #expect(line.others(with: first).map(\.tag).sorted() == [2, 4, 6])
    line.remove([1, 2, 3, 4, 6], others: [2, 4, 6])
    line.add([Self.delivery(7, to: 4)])
    #expect(Self.take(2, from: &line) == [5, 7])
    // Neither a redelivered one nor one of another kind comes along.
    var alone = Self.delivery(8, to: 5)
    alone.deliveryCount = 2
    var daily = Self.delivery(9, to: 5)
    daily.job?.kind = .dailyReady
    line.add([Self.delivery(10, to: 5), alone, daily])
    #expect(line.others(with: line.prefix(1, Self.flights)).isEmpty)
  }

  @Test("A late player waits for few of the jobs of a flood")
  func late() {
    var line = PushLine()
    line.add((1...200).map { Self.delivery($0, to: $0 <= 100 ? 1 : 2) })
    #expect(Self.take(21, from: &line).count == 21)
    line.add([Self.delivery(300, to: 3)])
    #expect(Self.take(2, from: &line) == [111, 300])
    line.add([Self.delivery(301, to: 3), Self.delivery(302, to: 3)])
    #expect(Self.take(6, from: &line) == [12, 112, 301, 13, 113, 302])
  }

  @Test(
    "A stream of others' jobs, one at a time each, does not keep a player's later jobs waiting",
    arguments: [12, 600] as [UInt128])
  func streams(accounts: UInt128) {
    var line = PushLine()
    line.add((1...3).map { Self.delivery($0, to: 1) })
    var taken: [UInt64: Int] = [:]
    for step in 0..<1_000 {
      line.add([Self.delivery(UInt64(step) + 10, to: UInt128(step) % accounts + 2)])
      for tag in Self.take(1, from: &line) { taken[tag] = step }
    }
    #expect(
      [1, 2, 3].map { taken[$0] } == [0, accounts == 12 ? 13 : 17, accounts == 12 ? 26 : 34])
  }

  @Test("A job of many requests counts as many: the player's next ones leave after others")
  func charged() {
    var line = PushLine()
    line.add([1, 1, 2, 2].enumerated().map { Self.delivery(UInt64($0) + 1, to: $1) })
    #expect(Self.take(1, from: &line) == [1])
    line.charge([PlayerID(rawValue: 1): 15, PlayerID(rawValue: 2): 0])
    #expect(Self.take(2, from: &line) == [3, 4])
    line.add([Self.delivery(5, to: 1), Self.delivery(6, to: 3)])
    #expect(Self.take(3, from: &line) == [6, 2, 5])
  }

  @Test("A message that is no job does not wait for anybody's turn")
  func unreadable() {
    var line = PushLine()
    line.add((1...3).map { Self.delivery($0, to: 1) } + [Self.delivery(4, to: nil)])
    #expect(Self.take(4, from: &line) == [1, 4, 2, 3])
  }

  @Test("Looking at the next ones takes none out")
  func looking() {
    var line = PushLine()
    line.add((1...3).map { Self.delivery($0, to: UInt128($0)) })
    #expect(line.prefix(2, Self.flights).map(\.tag) == [1, 2] && line.count == 3)
    #expect(line.prefix(9, Self.flights).map(\.tag) == [1, 2, 3])
    var nothing = PushLine()
    nothing.remove([1])
    nothing.add([])
    #expect(nothing.isEmpty)
  }

  @Test("Jobs whose origins are all full are overtaken, and keep their places")
  func overtaken() {
    let (slow, quick) = (
      PushOrigin(of: "https://slow.example"), PushOrigin(of: "https://q.example")
    )
    var flights = PushFlights(limit: 8, originLimit: 1)
    for number in 0..<2 {
      let request = PushRequest(
        url: "https://slow.example", headers: [:], body: [], isForeign: true)
      flights.add(.init(notification: 1, parcel: number, request: request, origin: slow))
    }
    var line = PushLine()
    line.add((1...5).map { Self.delivery($0, to: UInt128($0)) })
    line.note([1: [slow], 2: [quick], 3: [slow, quick], 4: [quick], 5: [quick]])
    // As many may wait at an origin as may be on their way to it.
    #expect(line.prefix(9, flights).map(\.tag) == [2, 3])
    #expect(line.removeLastWaiting(2).map(\.tag) == [4, 5])
    for (number, _) in flights.depart(at: 0) { _ = flights.arrive(number) }
    #expect(line.prefix(9, flights).map(\.tag) == [1, 2, 3])
    line.remove([1])
    #expect(line.prefix(9, flights).map(\.tag) == [2, 3])
  }

  @Test("Requests go in turns of their origins, so many to one, and each answer counts once")
  func flights() {
    var flights = PushFlights(limit: 5, originLimit: 2)
    for number in 0..<12 {
      let url = number < 9 ? "https://big.example/\(number)" : "https://\(number).example"
      let request = PushRequest(url: url, headers: [:], body: [], isForeign: false)
      flights.add(
        .init(notification: 1, parcel: number, request: request, origin: PushOrigin(of: url)))
    }
    let first = flights.depart(at: 0)
    #expect(
      first.map(\.request.url) == [
        "https://big.example/0", "https://9.example", "https://10.example", "https://11.example",
        "https://big.example/1",
      ])
    #expect(flights.isFull && flights.depart(at: 0).isEmpty)
    #expect(flights.arrive(first[1].number)?.parcel == 9)
    #expect(flights.arrive(first[1].number) == nil)
    #expect(flights.depart(at: 0).isEmpty, "the large origin has its two")
    #expect(flights.arrive(first[0].number)?.parcel == 0)
    #expect(flights.depart(at: 0).map(\.request.url) == ["https://big.example/2"])
  }

  @Test("Strange origins have half of the places, however many they are")
  func strange() {
    var flights = PushFlights(limit: 6, originLimit: 2)
    func add(_ url: String, isForeign: Bool = true) {
      flights.add(
        .init(
          notification: 1, parcel: 0,
          request: PushRequest(url: url, headers: [:], body: [], isForeign: isForeign),
          origin: PushOrigin(of: url)))
    }
    let maker = "https://fcm.googleapis.com/1"
    for number in 0..<6 { add("https://\(number).example") }
    let first = flights.depart(at: 0)
    #expect(first.map(\.request.url) == (0..<3).map { "https://\($0).example" })
    #expect(!flights.isFull && flights.room(at: PushOrigin(of: "https://7.example")) == 0)
    #expect(flights.room(at: PushOrigin(of: maker)) == 4)
    add(maker)
    add("https://own.example/", isForeign: false)
    #expect(flights.depart(at: 0).map(\.request.url) == [maker, "https://own.example/"])
    #expect(flights.arrive(first[1].number) != nil)
    #expect(flights.room(at: PushOrigin(of: "https://7.example")) == 1)
    #expect(flights.depart(at: 0).map(\.request.url) == ["https://3.example"])
    for (number, _) in [first[0], first[2]] { #expect(flights.arrive(number) != nil) }
    #expect(flights.depart(at: 0).count == 2)
  }

  @Test("A strange origin has so many requests in a minute; makers' and the operator's have any")
  func budgets() {
    var flights = PushFlights(limit: 256, originLimit: 128, strangePerMinute: 60)
    func add(_ url: String, isForeign: Bool = true) {
      flights.add(
        .init(
          notification: 1, parcel: 0,
          request: PushRequest(url: url, headers: [:], body: [], isForeign: isForeign),
          origin: PushOrigin(of: url)))
    }
    func arriveAll() { for (number, _) in flights.depart(at: 0) { _ = flights.arrive(number) } }
    let victim = PushOrigin(of: "https://victim.example")
    for number in 0..<40 { add("https://victim.example/\(number)") }
    #expect(flights.room(at: victim) == 20)
    arriveAll()
    #expect(flights.room(at: victim) == 20, "an answer brings no request back")
    #expect(flights.room(at: PushOrigin(of: "https://other.example")) == 60)
    // The parcels of one notification stay together, and are counted.
    for number in 0..<25 { add("https://victim.example/\(number)") }
    arriveAll()
    #expect(flights.room(at: victim) <= 0)
    flights.pass(to: 5_000_000_000)
    #expect(flights.room(at: victim) <= 0)
    flights.pass(to: 15_000_000_000)
    #expect(flights.room(at: victim) == 10)
    for url in ["https://fcm.googleapis.com/", "https://wns2-par02p.notify.windows.com/"] {
      for _ in 0..<100 { add(url) }
      arriveAll()
      #expect(flights.room(at: PushOrigin(of: url)) > 100, "\(url)")
    }
    for _ in 0..<100 { add("https://own.example/", isForeign: false) }
    arriveAll()
    #expect(flights.room(at: PushOrigin(of: "https://own.example/")) == 256)
  }

  @Test("A name below a maker's is strange until it has answered, and then with all its requests")
  func belowMakers() {
    var flights = PushFlights(limit: 8, originLimit: 8)
    func add(_ host: String) {
      let url = "https://\(host).notify.windows.com/w/?token=x"
      flights.add(
        .init(
          notification: 1, parcel: 0,
          request: PushRequest(
            url: url, headers: [:], body: [], isForeign: true),
          origin: PushOrigin(of: url)))
    }
    let stranger = PushOrigin(of: "https://push.example")
    for _ in 0..<6 { add("wns2-par02p") }
    let first = flights.depart(at: 0)
    #expect(first.count == 4)
    #expect(flights.room(at: stranger) == 2)
    #expect(flights.arrive(first[0].number, isAnswered: true) != nil)
    #expect(flights.room(at: stranger) == 8)
    let second = flights.depart(at: 0)
    #expect(second.count == 2)
    for (number, _) in first[1...] + second { #expect(flights.arrive(number) != nil) }
    #expect(flights.isEmpty && flights.room(at: stranger) == 8)
    // Names that nobody has fill no more than the strange half, however often they fail.
    for number in 0..<6 { add("dead-\(number)") }
    let dead = flights.depart(at: 0)
    #expect(dead.count == 4)
    for (number, _) in dead { #expect(flights.arrive(number, isAnswered: false) != nil) }
    #expect(flights.isStrange(PushOrigin(of: "https://dead-0.notify.windows.com")))
    for number in 0..<6 { add("dead-\(number)") }
    #expect(flights.depart(at: 0).count == 4)
  }

  @Test(
    "Apple's push service for apps is none of a browser's",
    arguments: [
      ("https://api.push.apple.com/3/device/x", true), ("https://API.push.apple.com:443/", true),
      ("https://api.push.apple.com.:2197/", true), ("https://api.sandbox.push.apple.com/", true),
      ("https://web.push.apple.com/x", false), ("https://api.push.apple.com.evil.example/", false),
      ("", false),
    ])
  func apns(url: String, isOfAPNs: Bool) {
    #expect(PushOrigin(of: url).isOfAPNs == isOfAPNs)
  }

  @Test(
    "A push service of a browser's maker is known by its whole host",
    arguments: [
      ("https://fcm.googleapis.com/fcm/send/x", true),
      ("https://FCM.googleapis.com:443/wp/x", true),
      ("https://fcm.googleapis.com:8443/", false), ("http://fcm.googleapis.com/", false),
      ("https://fcm.googleapis.com.evil.example/", false),
      ("https://evilfcm.googleapis.com/", false),
      ("https://evil.example/fcm.googleapis.com", false),
      ("https://updates.push.services.mozilla.com/wpush/v2/x", true),
      ("https://web.push.apple.com/x", true),
      ("https://evilpush.apple.com/", false),
      ("https://wns2-par02p.notify.windows.com/w/?token=x", true), ("", false),
    ])
  func makers(url: String, isOfMaker: Bool) {
    #expect(PushOrigin(of: url).isOfMaker == isOfMaker)
  }

  @Test(
    "An origin is scheme, host and port, however they are written",
    arguments: [
      ("https://a.example/b?c", "https://a.example"),
      ("HTTPS://A.example:443", "https://a.example"),
      ("https://a.example:8443/", "https://a.example:8443"),
      ("https://u:p@a.example/x@y", "https://a.example"), ("http://[::1]:80/", "http://[::1]"),
      ("https://[2001:db8::1]/a", "https://[2001:db8::1]"), ("nonsense", "nonsense"), ("", ""),
    ])
  func origins(url: String, origin: String) {
    #expect(PushOrigin(of: url).text == origin)
  }
}
