import CubeLexicon
import CubePlay
import CubeRules
import CubistBasics
import GameScreens
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import ServiceNews
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
    let memory = ProfileMemory(key: Made.adaKey)

    /// - Parameter isFull: Whether the disk of the profile takes nothing more.
    init(isFull: Bool = false) {
      memory.profile = Profile(
        player: Made.ada, name: Made.name("ada"), service: Made.service, rootKey: Made.root)
      // SAFETY: only the link calls it, on one thread, while the test waits for the link.
      nonisolated(unsafe) var (bus, store) = (service.bus, memory.store)
      if isFull {
        store.savePending = { _ throws(ProfileError) in
          throw .notAccessible(path: "pending", reason: "No space left on device")
        }
      }
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

  @Test("What is pending through an outage is told once, and not at all once it is answered")
  func outage() async throws {
    let desk = Desk()
    let key = MatchKey(Self.match.description)
    let view = try Made.view(Self.match, moves: [])
    desk.service.views[Self.match] = view
    desk.service.onEvent = { _ in .bus(.confirmed) }
    await #expect(throws: ScreenTrouble.pending) {
      _ = try await desk.link.play(
        key, [try Move(notation: "222T 222L 222R")], number: view.turn)
    }
    func lookTwiceInVain() async {
      desk.service.onQuery = { _ in .error(.disconnected("gone")) }
      for _ in 0..<2 {
        await #expect(throws: ScreenTrouble.away) { _ = try await desk.look() }
      }
      desk.service.onQuery = { _ in nil }
    }
    await lookTwiceInVain()
    let pending = try #require(try await desk.look().told)
    #expect(pending.hasPrefix("Your earlier turn is still pending"))
    #expect(pending.ranges(of: "pending").count == 1, "\(pending)")

    await lookTwiceInVain()
    let receipt = TurnReceipt(
      match: Self.match, version: 4, turn: view.turn, scores: [9], points: [9, 0],
      hash: Made.hash(0xbb), seatToPlay: 1, outcome: nil)
    desk.service.onEvent = { _ in .reply(.accepted(.turnAccepted(receipt))) }
    let answered = try #require(try await desk.look().told)
    #expect(answered.hasPrefix("Your earlier turn went through"))
    #expect(!answered.contains("pending"), "\(answered)")
    #expect(try await desk.look().told == nil)
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

  @Test("A turn of a match that was seen is kept without the service, and played once by its call")
  func keeping() async throws {
    let desk = Desk()
    let key = MatchKey(Self.match.description)
    let view = try Made.view(Self.match, moves: [])
    let moves = [try Move(notation: "222T 222L 222R")]
    #expect(try await !desk.link.keep(key, moves, number: view.turn), "nobody has seen it")
    desk.service.views[Self.match] = view
    _ = try await desk.link.match(key, newerThan: nil)
    let asked = desk.service.queries.count
    for _ in 0..<2 { #expect(try await desk.link.keep(key, moves, number: view.turn)) }
    #expect(desk.service.queries.count == asked && desk.service.events.isEmpty)
    #expect(desk.memory.pending.count == 1)
    #expect(try await !desk.link.keep(key, moves, number: view.turn + 1), "it is not that turn")

    desk.service.onEvent = { _ in .error(.disconnected("gone")) }
    await #expect(throws: ScreenTrouble.pending) {
      _ = try await desk.link.play(key, moves, number: view.turn)
    }
    #expect(desk.memory.pending.count == 1, "it did not reach the broker, and is kept")
    let receipt = TurnReceipt(
      match: Self.match, version: 4, turn: view.turn, scores: [9], points: [9, 0],
      hash: Made.hash(0xbb), seatToPlay: 1, outcome: nil)
    desk.service.onEvent = { _ in .reply(.accepted(.turnAccepted(receipt))) }
    let answer = try await desk.link.play(key, moves, number: view.turn)
    guard case .accepted = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(desk.memory.pending.isEmpty)
    #expect(Set(desk.service.events.map(\.id)).count == 1)
    #expect(desk.service.queries.count == asked)
  }

  @Test("The next turn of a game of one player is kept as soon as the one before counts")
  func keepingAlone() async throws {
    let desk = Desk()
    let key = MatchKey(Self.match.description)
    let view = try Made.view(Self.match, moves: [], seats: 1)
    desk.service.views[Self.match] = view
    _ = try await desk.link.match(key, newerThan: nil)
    let receipt = TurnReceipt(
      match: Self.match, version: view.version + 1, turn: view.turn, scores: [9], points: [9],
      hash: Made.hash(0xbb), seatToPlay: 0, outcome: nil)
    desk.service.onEvent = { _ in .reply(.accepted(.turnAccepted(receipt))) }
    let first = [try Move(notation: "222T 222L 222R")]
    _ = try await desk.link.play(key, first, number: view.turn)
    let second = [try Move(notation: "212T 212L 212R")]
    #expect(try await desk.link.keep(key, second, number: view.turn + 1))
    let kept = try #require(desk.memory.pending.values.first)
    guard case .turnPlayed(let played) = kept.event.action else {
      Issue.record("\(kept.event.action)")
      return
    }
    #expect(played.turn.number == view.turn + 1 && played.turn.previous == Made.hash(0xbb))
  }

  @Test("A turn that the disk does not take is not kept, and the disk's words are said")
  func fullDisk() async throws {
    let desk = Desk(isFull: true)
    let key = MatchKey(Self.match.description)
    let view = try Made.view(Self.match, moves: [])
    desk.service.views[Self.match] = view
    _ = try await desk.link.match(key, newerThan: nil)
    await #expect {
      _ = try await desk.link.keep(
        key, [try Move(notation: "222T 222L 222R")], number: view.turn)
    } throws: { error in
      guard case .said(let text)? = error as? ScreenTrouble else { return false }
      return text.contains("No space left on device")
    }
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
