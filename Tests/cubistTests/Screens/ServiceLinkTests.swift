import CubeLexicon
import CubePlay
import CubistBasics
import GameScreens
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@testable import cubist

/// The screen's requests to the service, with a service that a test makes up.
@Suite("The screen's link to the service")
struct ServiceLinkTests {
  private static let match = Made.match(0x1234)
  private static let anyone = NewMatch.anyone(.init(turnLimit: "1d", isCasual: false))

  /// A link to a service, and a profile that another program may use.
  private struct Desk {
    let service = FakeService()
    let link: ServiceLink

    init() {
      let memory = ProfileMemory(key: Made.adaKey)
      memory.profile = Profile(
        player: Made.ada, name: Made.name("ada"), service: Made.service, rootKey: Made.root)
      // SAFETY: only the link calls it, on one thread, while the test waits for the link.
      nonisolated(unsafe) let (bus, store) = (service.bus, memory.store)
      let clock = WallClock(now: { Made.now }, uptimeNanoseconds: { 0 }, sleep: { _ in })
      // SAFETY: as above.
      nonisolated(unsafe) var random = SplitMix64(state: 1)
      link = ServiceLink(
        "test", ScreenPlan(url: "amqp://localhost", folder: "none", isVerbose: false),
        clock: clock, lexicons: Lexicons(.everyWord)
      ) {
        try Player.open(
          store, bus: bus, clock: clock, randomness: Randomness(next: { random.next() }))
      }
    }

    /// The steps behind the program's list, in this order.
    func look() async throws -> HomeList {
      try await link.resendPending()
      return try await link.home()
    }
  }

  @Test(
    "A start without an answer is pending; the next look at waiting matches has the answer, once")
  func answered() async throws {
    let desk = Desk()
    desk.service.onEvent = { _ in .bus(.confirmed) }
    await #expect(throws: ScreenTrouble.pending) {
      _ = try await desk.link.start(Self.anyone, isSure: false)
    }
    let waiting = try await desk.look()
    #expect(waiting.started == nil && waiting.told == nil, "the screen says that it is pending")
    desk.service.onEvent = { _ in .reply(.accepted(.matchStarted(Made.ticket(Self.match)))) }
    desk.service.home = Made.home([Made.summary(Self.match)])
    let list = try await desk.look()
    #expect(list.started == .began(MatchKey(Self.match.description)))
    #expect(list.told == "Your earlier start went through: match with grace.")
    let again = try await desk.look()
    #expect(again.started == nil && again.told == nil)
    #expect(Set(desk.service.events.map(\.id)).count == 1)
  }

  @Test("The same start asked for again is the same one, and is answered there and then")
  func notTwice() async throws {
    let desk = Desk()
    desk.service.onEvent = { _ in .bus(.confirmed) }
    for _ in 0..<2 {
      await #expect(throws: ScreenTrouble.pending) {
        _ = try await desk.link.start(Self.anyone, isSure: false)
      }
    }
    desk.service.onEvent = { _ in .reply(.accepted(.matchStarted(Made.ticket(Self.match)))) }
    let answer = try await desk.link.start(Self.anyone, isSure: false)
    #expect(answer == .began(MatchKey(Self.match.description)))
    #expect(try await desk.look().started == nil)
    #expect(Set(desk.service.events.map(\.id)).count == 1)
  }

  @Test("A challenge that is begun from the boards is pending in the same way")
  func daily() async throws {
    let desk = Desk()
    desk.service.onEvent = { _ in .bus(.confirmed) }
    await #expect(throws: ScreenTrouble.pending) { _ = try await desk.link.daily(.unlimited) }
    desk.service.onEvent = { _ in .reply(.accepted(.dailyStarted(Made.ticket(Self.match)))) }
    #expect(try await desk.look().started == .began(MatchKey(Self.match.description)))
  }

  @Test("A start that is refused after all, and one that grew too old, are said")
  func refused() async throws {
    let desk = Desk()
    desk.service.onEvent = { _ in .bus(.confirmed) }
    await #expect(throws: ScreenTrouble.pending) {
      _ = try await desk.link.start(Self.anyone, isSure: false)
    }
    desk.service.onEvent = { _ in .reply(.refused(.codeInvalid)) }
    let list = try await desk.look()
    guard case .refused(let text)? = list.started else {
      Issue.record("there is no answer")
      return
    }
    #expect(list.told?.contains(text) == true)
  }

  @Test("A code that was made is known again in the list of keys, and a key is removed")
  func keys() async throws {
    let desk = Desk()
    let phone = Made.key(5).publicKey
    desk.service.onEvent = { event in
      switch event.action {
      case .deviceInvited: .reply(.accepted(.deviceInvited(until: Made.codeEnd)))
      default: .reply(.accepted(.keyRemoved(phone)))
      }
    }
    desk.service.onQuery = { if case .keys = $0 { .answer(Made.keys) } else { nil } }
    // The codes of other devices are none that this one shows.
    #expect(try await desk.link.keys().codeSecondsLeft == nil)
    let (code, seconds) = try await desk.link.inviteDevice()
    let hash = try #require(DeviceCode(typed: code)).hash(at: Made.service)
    #expect(seconds == 600 && desk.service.events.map(\.action) == [.deviceInvited(hash)])
    let open = KeyList.Invitation(
      invitation: hash, until: Made.now.adding(seconds: 90), inviter: Made.adaKey.publicKey)
    let list = KeyList(keys: Made.keys.keys, invitations: Made.keys.invitations + [open])
    desk.service.onQuery = { if case .keys = $0 { .answer(list) } else { nil } }
    let news = try await desk.link.keys()
    #expect(news.codeSecondsLeft == 90)
    #expect(news.rows.map(\.isOwn) == [true, false])
    #expect(news.rows.map(\.digits) == ["ed4928c6", "6e7a1cdd"])
    try await desk.link.removeKey(news.rows[1].key)
    #expect(desk.service.events.last?.action == .keyRemoved(phone))
    await #expect(throws: ScreenTrouble.said("There is no such key.")) {
      try await desk.link.removeKey("6e7a1cdd")
    }
  }

  @Test("A recovery is objected to; words are made by a command alone")
  func objecting() async throws {
    let desk = Desk()
    let recovery = EventID(at: Instant(microseconds: 1), random: 1)
    desk.service.onEvent = { _ in .reply(.accepted(.recoverySet(at: Instant(microseconds: 1)))) }
    let action = try await desk.link.recover(.object(recovery.description))
    #expect(action == .objected(effect: "soon"))
    #expect(desk.service.events.last?.action == .recoveryObjected(recovery))
    for effect in [RecoveryEffect.makeWords, .name("5c"), .object("x")] {
      await #expect(throws: ScreenTrouble.self) { try await desk.link.recover(effect) }
    }
  }

  @Test("Blocking oneself is refused beside the name, and nothing is saved")
  func blockingOneself() async throws {
    let desk = Desk()
    desk.service.onQuery = { kind in
      if case .player = kind { .answer(Made.playerView(Made.ada, "ada")) } else { nil }
    }
    let answer = try await desk.link.save([.displayName("Ada L."), .blocked("Ada")])
    #expect(answer == .wrongName("Ada", "is your own name"))
    #expect(desk.service.events.isEmpty)
  }

  @Test("An event that certainly did not reach the broker is not kept, and nothing is pending")
  func unreachable() async throws {
    let desk = Desk()
    desk.service.onEvent = { _ in .error(.disconnected("gone")) }
    await #expect(throws: ScreenTrouble.away) {
      _ = try await desk.link.start(Self.anyone, isSure: false)
    }
    desk.service.onEvent = { _ in .reply(.accepted(.matchStarted(Made.ticket(Self.match)))) }
    #expect(try await desk.look().started == nil)
  }
}
