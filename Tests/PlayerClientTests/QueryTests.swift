import CustomDump
import FoundationEssentials
import MatchCore
import MatchInterfaces
import PlayerClient
import Testing

@testable import MatchWire

@Suite("Asking the service")
struct QueryTests {
  let world = World()

  func info(root: PublicKey = .root, service: ServiceID = .test) -> ServiceInfo {
    ServiceInfo(
      service: service, rootKey: root, certificates: [], version: "1", now: .noon,
      registration: .open, queueCount: 16, limits: .current)
  }

  @Test("The service's id and root key are pinned on first use, before anything is sent")
  func pinning() throws {
    let world = World(pinned: false)
    world.desk.answer = { AnswerCodec.encode(self.info(), query: $0.id) }
    let player = world.player()
    _ = try player.startMatch(.random)
    #expect(world.memory.profile.rootKey == .root)
    #expect(world.memory.profile.service == .test)
    #expect(world.desk.queries.map(\.kind) == [.serviceInfo])
    #expect(world.desk.handled.first?.service == .test)
    _ = try player.startMatch(.solo)
    #expect(world.desk.queries.count == 1)
  }

  // Failure: ClientError.rootKeyChanged: The root key of the service differs from the pinned one.
  @Test("A root key that is not the pinned one is named, and the pin stays")
  func rootKeyChanged() {
    world.desk.answer = { AnswerCodec.encode(self.info(root: .otherRoot), query: $0.id) }
    let error = thrown(try world.player().serviceInfo())
    #expect(error == .rootKeyChanged(pinned: .root, received: .otherRoot))
    #expect(error?.description.contains("another profile") == true)
    #expect(error?.isFinal == true)
    #expect(world.memory.profile.rootKey == .root)
  }

  // Failure: ClientError.serviceChanged: Another service answers at the same address.
  @Test("A service of another id is named")
  func serviceChanged() {
    let other = ServiceID(rawValue: 9)
    world.desk.answer = { AnswerCodec.encode(self.info(service: other), query: $0.id) }
    let error = thrown(try world.player().serviceInfo())
    #expect(error == .serviceChanged(pinned: .test, received: other))
  }

  // Failure: ClientError.outdated: This program is older than the oldest version that the service
  //   serves.
  @Test("A program that is too old for the service is told so, and pins nothing")
  func outdated() throws {
    let world = World(pinned: false)
    var info = info()
    info.oldestClient = ProgramVersion(major: 0, minor: 2, patch: 0)
    world.desk.answer = { AnswerCodec.encode(info, query: $0.id) }
    let player = world.player()
    player.version = ProgramVersion(major: 0, minor: 1, patch: 9)
    let error = thrown(try player.startMatch(.random))
    #expect(
      error?.description
        == "This program is version 0.1.9; the service serves 0.2.0 and later. "
        + "Install a newer version.")
    #expect(error?.isFinal == true)
    #expect(world.memory.profile.rootKey == nil && world.memory.profile.service == nil)
    #expect(world.desk.handled.isEmpty)
    player.version = ProgramVersion(major: 0, minor: 2, patch: 0)
    _ = try player.startMatch(.random)
    #expect(world.desk.handled.count == 1)
  }

  @Test("A query that nobody answers takes no longer altogether than it may")
  func limited() {
    var timeouts: [Duration] = []
    let player = world.player(
      bus: .noop.with {
        $0.request.answer { _, timeout in
          timeouts.append(timeout)
          // The first attempt ends early, as with a connection that breaks.
          world.clock.advance(seconds: timeouts.count == 1 ? 1 : 9)
          return .unknown
        }
      })
    player.patience.query = .seconds(3)
    player.patience.queryLimit = .seconds(3)
    guard
      case .unreachable(.timedOut)? = thrown(try player.home())
    else {
      Issue.record("the query was answered")
      return
    }
    #expect(timeouts == [.seconds(3), .seconds(2)])
  }

  // Failure: ClientError.unreachable
  @Test("A gateway's word that nobody answered is told, after a second attempt")
  func unanswered() {
    var count = 0
    let player = world.player(
      bus: .noop.with {
        $0.request.answer { _, _ in
          count += 1
          return .unanswered("http://gateway: nobody answered (noAnswer, request 0a\(count))")
        }
      })
    let error = thrown(try player.home())
    #expect(count == 2 && error?.namesRequest == true)
    #expect(
      error?.description == """
        The service did not answer in time: http://gateway: nobody answered (noAnswer, request \
        0a2). Nothing has changed. Try again.
        """)
  }

  @Test("Every query asks the named question and gives the answer")
  func kinds() throws {
    let player = world.player()
    let view = PlayerView(id: PlayerKey.bob.player, name: .bob, registeredAt: .noon)
    world.desk.answer = { AnswerCodec.encode(view, query: $0.id) }
    #expect(try player.player(named: .bob) == view)

    let daily = DailyKey(day: Day(containing: .noon))
    let home = HomeView(
      matches: [], invitations: [], rematchOffers: [],
      daily: DailyStatus(
        daily: daily, isDealt: true, endsAt: daily.day.end, match: nil, isOver: false,
        points: nil))
    world.desk.answer = { AnswerCodec.encode(home, query: $0.id) }
    #expect(try player.home() == home)

    let match = MatchView.test()
    world.desk.answer = { AnswerCodec.encode(match, query: $0.id) }
    #expect(try player.match(match.id) == match)
    #expect(try player.match(match.id, atLeast: 3) == match)
    #expect(try player.match(match.id, newerThan: 4) == match)
    let code = try #require(ShareCode("ABCD1234"))
    #expect(try player.match(code: code) == match)

    let past = PastGames(games: [], next: nil)
    let cursor = PastGamesCursor(endedAt: .noon, match: match.id)
    world.desk.answer = { AnswerCodec.encode(past, query: $0.id) }
    #expect(try player.pastGames() == past)
    #expect(try player.pastGames(with: view.id, before: cursor, limit: 1_000) == past)

    world.desk.answer = { AnswerCodec.encode(RecordAnswer(record: "{}"), query: $0.id) }
    #expect(try player.record(of: match.id) == "{}")

    // A large record comes in parts; a service of a former build gives all of it as the first one.
    let whole = String(repeating: "x", count: RecordPart.byteCount)
    world.desk.answer = { query in
      guard case .record(let asked) = query.kind else { return [] }
      let part = RecordAnswer(record: asked.part == 3 ? "y" : whole)
      return AnswerCodec.encode(part, query: query.id)
    }
    #expect(try player.record(of: match.id) == whole + whole + "y")
    world.desk.answer = { AnswerCodec.encode(RecordAnswer(record: whole + "z"), query: $0.id) }
    #expect(try player.record(of: match.id) == whole + "z")

    let standings = Standings(
      daily: daily, Ranking(all: [], asker: PlayerID(rawValue: 1), limit: 100))
    world.desk.answer = { AnswerCodec.encode(standings, query: $0.id) }
    #expect(try player.standings(daily) == standings)

    let ladder = Ladder(rows: [], you: nil, around: [], outOf: 0)
    world.desk.answer = { AnswerCodec.encode(ladder, query: $0.id) }
    #expect(try player.ladder(limit: 1_000) == ladder)

    expectNoDifference(
      world.desk.queries.map(\.kind),
      [
        .player(.init(PlayerName.bob)), .matches, .match(.init(match.id)),
        .match(.init(match.id, atLeast: 3)),
        .match(.init(match.id, newerThan: 4)), .matchByCode(.init(code)),
        .pastGames(.init(limit: 20)),
        .pastGames(.init(with: view.id, before: cursor, limit: 100)),
        .record(.init(match.id, part: 1)), .record(.init(match.id, part: 1)),
        .record(.init(match.id, part: 2)), .record(.init(match.id, part: 3)),
        .record(.init(match.id, part: 1)),
        .standings(.init(daily)), .ladder(.init(limit: 100)),
      ])
    #expect(world.desk.queries.allSatisfy { $0.service == .test && $0.player == player.player })
    #expect(Set(world.desk.queries.map(\.id)).count == world.desk.queries.count)
    #expect(world.memory.pending.isEmpty)
  }

  @Test("Waiting for a change waits longer than the service does")
  func changeTimeout() throws {
    var timeouts: [Duration] = []
    var bus = PlayerBus.failing
    bus.request.answer { [world] message, timeout throws(BusError) in
      timeouts.append(timeout)
      return try world.desk.bus.request(message, timeout)
    }
    world.desk.answer = { AnswerCodec.encode(MatchView.test(), query: $0.id) }
    let player = world.player(bus: bus)
    _ = try player.match(MatchID(rawValue: 1))
    _ = try player.match(MatchID(rawValue: 1), newerThan: 1)
    #expect(timeouts == [.seconds(10), .seconds(25)])
  }

  @Test("The service's name for the player is remembered")
  func whoAmI() throws {
    world.memory.profile.name = nil
    let view = PlayerView(id: PlayerKey.ann.player, name: .ann, registeredAt: .noon)
    world.desk.answer = { AnswerCodec.encode(view, query: $0.id) }
    #expect(try world.player().whoAmI() == view)
    #expect(world.memory.profile.name == .ann)
  }

  // Failure: ClientError.queryRefused: The service refused a query.
  @Test("A refused query carries name and sentence")
  func refused() {
    world.desk.answer = { AnswerCodec.encode(refusal: .unknownMatch, query: $0.id) }
    let error = thrown(try world.player().match(MatchID(rawValue: 1)))
    #expect(
      error
        == .queryRefused(
          name: "unknownMatch", message: QueryRefusal.unknownMatch.message,
          refusal: .unknownMatch))
    #expect(world.desk.queries.count == 1)
  }

  @Test("An unregistered key is told so")
  func notRegistered() {
    world.desk.answer = { AnswerCodec.encode(refusal: .notRegistered, query: $0.id) }
    #expect(thrown(try world.player().home()) == .notRegistered)
  }

  @Test("A query that expired because of the clock says how wrong the clock is")
  func skew() {
    let serviceTime = world.clock.now.adding(seconds: 120)
    world.desk.answer = {
      AnswerCodec.encode(refusal: .expired(serviceTime: serviceTime), query: $0.id)
    }
    #expect(
      thrown(try world.player().home())
        == .clockSkewed(aheadSeconds: -120, serviceTime: serviceTime))
  }

  @Test("A query that expired on its way is refused as such")
  func expired() {
    let now = world.clock.now
    world.desk.answer = { AnswerCodec.encode(refusal: .expired(serviceTime: now), query: $0.id) }
    guard
      case .queryRefused("expired", _, _)? =
        thrown(try world.player().home())
    else {
      Issue.record("not refused")
      return
    }
  }

  @Test("A lost answer is asked for once more, then the service is unreachable")
  func lost() throws {
    let view = PlayerView(id: PlayerKey.bob.player, name: .bob, registeredAt: .noon)
    world.desk.answer = { AnswerCodec.encode(view, query: $0.id) }
    world.desk.faults = [.replyLost]
    #expect(try world.player().player(named: .bob) == view)
    #expect(world.desk.queries.count == 2)

    world.desk.faults = [.lost, .lost, .lost]
    let error = thrown(try world.player().home())
    guard case .unreachable(.timedOut)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(world.desk.faults.count == 1)
  }

  @Test("An answer to an earlier query is not taken for this one's")
  func lateAnswer() throws {
    let bob = PlayerView(id: PlayerKey.bob.player, name: .bob, registeredAt: .noon)
    let ann = PlayerView(id: PlayerKey.ann.player, name: .ann, registeredAt: .noon)
    let late = AnswerCodec.encode(ann, query: EventID(at: .noon, random: 77))
    world.desk.answer = { AnswerCodec.encode(bob, query: $0.id) }
    world.desk.faults = [.bytes(late)]
    #expect(try world.player().player(named: .bob) == bob)
  }

  @Test("A service that cannot say now is asked a few times with pauses")
  func unavailable() {
    let error = thrown(try world.player().home())
    guard case .queryRefused("unavailable", _, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(world.desk.queries.count == 4)
    #expect(world.clock.waits.count == 3)
    #expect(error?.isFinal == false)
  }

  @Test("A player with too many queries waits where that is short, and is told where it is long")
  func rateLimited() {
    for (seconds, waits) in [(5, [5, 5, 5]), (6, [])] as [(Int64, [Int64])] {
      let world = World()
      world.desk.answer = {
        AnswerCodec.encode(refusal: .rateLimited(retryAfterSeconds: seconds), query: $0.id)
      }
      let error = thrown(try world.player().home())
      guard case .queryRefused("rateLimited", _, .rateLimited(seconds)?)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(world.clock.waits == waits.map { .seconds($0) })
    }
  }

  // Failure: ClientError.unreachable: The broker did not take the message, or nobody answered a
  //   query in time. Nothing has changed.
  @Test("A broker that cannot be reached is named")
  func unreachable() {
    world.desk.faults = [.broken(.disconnected("no route"))]
    #expect(
      thrown(try world.player().home())
        == .unreachable(.disconnected("no route")))
  }

  @Test("When to try again is said once")
  func tryAgain() {
    let limit = BusError.unavailable("https://host: Wait (addressRequests)", retryAfterSeconds: 17)
    #expect(
      ClientError.unreachable(limit).description
        == "The service takes nothing more now: https://host: Wait (addressRequests). "
        + "Try again in 17 s.")
    #expect(ClientError.unreachable(limit).retryAfterSeconds == 17)
    #expect(PendingReason.bus(limit).description.hasSuffix("nothing more now, and may in 17 s"))
    #expect(
      ClientError.unreachable(.refused("the queue is full")).description
        == "The service takes nothing more now: the queue is full. Try again later.")
  }

  @Test("A broker's message ends in one period, and its refusal is not called unreachable")
  func brokersWords() {
    #expect(
      ClientError.unreachable(.disconnected("no route.")).description
        == "The service cannot be reached (disconnected: no route). "
        + "Check that it runs and try again.")
    #expect(
      ClientError.unreachable(.notPermitted("Check the password.")).description
        == "The service's broker does not let you in: Check the password.")
  }

  @Test("An answer of another kind cannot be read")
  func unreadable() {
    let view = PlayerView(id: PlayerKey.bob.player, name: .bob, registeredAt: .noon)
    world.desk.answer = { AnswerCodec.encode(view, query: $0.id) }
    guard
      case .unreadable? = thrown(try world.player().home())
    else {
      Issue.record("read")
      return
    }
  }
}
