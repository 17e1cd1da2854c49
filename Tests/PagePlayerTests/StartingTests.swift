import CubePlay
import CubistBasics
import CubistPage
import MatchCore
import MatchWire
import Testing

@testable import PagePlayer

@Suite("Matches are started at a service")
struct StartingTests {
  private var service: Service

  init() throws {
    service = try Service.named()
    try service.list()
    try service.act("menu new")
  }

  private var screen: NewMatchScreen? {
    guard case .newMatch(let screen)? = service.page.app.menu else { return nil }
    return screen
  }

  /// Whether the match that has begun is open.
  private var isOpen: Bool {
    service.page.app.match?.key.text == service.ticket.match.description
  }

  private func request(
    _ opponent: MatchRequest.Opponent, _ seconds: Int64 = 86_400, isCasual: Bool = false
  ) -> Event.Action {
    .matchRequested(
      MatchRequest(opponent: opponent, turnLimitSeconds: seconds, isCasual: isCasual))
  }

  @Test("A match against anyone, or against whoever has the code, has the terms of the screen")
  mutating func terms() throws {
    for (item, opponent) in [("anyone", MatchRequest.Opponent.random), ("open", .open)] {
      try service.act("menu new", "fill turnLimit 3h", "pick casual", "pick \(item)")
      #expect(try service.event().action == request(opponent, 10_800, isCasual: true))
      try service.reply(.accepted(.matchStarted(service.ticket)))
      #expect(isOpen)
    }
  }

  @Test("A refusal, or an acceptance of another kind, is told on the screen")
  mutating func refusals() throws {
    try service.act("pick anyone")
    let refusal = Refusal.rateLimited(.openRequests, retryAfterSeconds: nil)
    try service.reply(.refused(refusal))
    #expect(screen?.notice == refusal.message && screen?.stage == .choosing)
    try service.act("pick anyone")
    try service.reply(.accepted(.noted))
    #expect(screen?.notice == "The answer to your start is of another kind.")
  }

  @Test("A player is invited by name, after a question if an invitation waits already")
  mutating func named() throws {
    let grace = try #require(PlayerName("grace"))
    let found = PlayerView(id: Service.other, name: grace, registeredAt: service.now)
    var waiting = service.summary()
    waiting.stage = .waiting
    for isBefore in [false, true] {
      try service.act("menu new", "fill named grace", "pick named")
      try service.answer(.player(Query.Player(grace)), found)
      try service.list(isBefore ? [waiting] : [service.summary()])
      if isBefore {
        #expect(
          screen?.stage
            == .doubted(.named("grace", NewMatch.Terms(turnLimit: "1d", isCasual: false))))
        #expect(try service.send().isEmpty)
        try service.act("yes")
        // The name is looked up once more, and the list is not.
        try service.answer(.player(Query.Player(grace)), found)
      }
      #expect(try service.event().action == request(.player(Service.other)))
      try service.reply(.accepted(.matchStarted(service.ticket)))
      #expect(isOpen)
    }
  }

  @Test("A player who cannot be met is told by the typed name, not by an id")
  mutating func unavailable() throws {
    let grace = try #require(PlayerName("grace"))
    try service.act("fill named grace", "pick named")
    try service.answer(
      .player(Query.Player(grace)),
      PlayerView(id: Service.other, name: grace, registeredAt: service.now))
    try service.list()
    _ = try service.event()
    try service.reply(.refused(.playerUnavailable(Service.other)))
    #expect(screen?.notice?.hasPrefix("grace cannot be met now.") == true)
  }

  @Test("A name that nobody has stands as a fault beside its field")
  mutating func wrongName() throws {
    try service.act("fill named grace", "pick named")
    try service.refuse(
      .player(Query.Player(try #require(PlayerName("grace")))), .unknownPlayer)
    #expect(screen?.name.fault == "nobody has that name" && screen?.stage == .choosing)
    try service.act("fill named x", "pick named")
    #expect(try service.send().isEmpty)
  }

  @Test("A match is joined by its code")
  mutating func join() throws {
    let code = try #require(ShareCode("K7QM2XPA"))
    let query = Query.Kind.matchByCode(Query.MatchByCode(code))
    try service.act("fill join k7qm-2xpa", "pick join")
    try service.refuse(query, .codeUnknown)
    #expect(
      screen?.notice == "No invitation and no shared game has that code. Check it with its sender.")
    for refusal in [
      QueryRefusal.seatTaken, .invitationOver(.withdrawn), .invitationOver(.expired), .matchGone,
    ] {
      try service.act("pick join")
      try service.refuse(query, refusal)
      #expect(screen?.notice == refusal.message)
    }
    try service.act("pick join")
    try service.answer(query, service.view())
    #expect(try service.event().action == .invitationAccepted(Service.match, code: code))
    try service.reply(.accepted(.matchJoined(service.ticket)))
    #expect(isOpen)
  }

  @Test("A game alone is started by one event, with its clock")
  mutating func alone() throws {
    for (item, mode) in [("alone", SoloMode.unlimited), ("timedAlone", .timed)] {
      try service.act("menu new", "pick \(item)", "pick \(item)")
      #expect(try service.event().action == .matchRequested(MatchRequest(alone: mode)))
      try service.reply(.accepted(.matchStarted(service.ticket)))
      #expect(isOpen)
    }
  }

  @Test("Today's challenge is begun, or opened where it was begun before")
  mutating func daily() throws {
    for isBegun in [false, true] {
      try service.act("menu new", "pick daily")
      var home = service.home()
      home.daily.match = isBegun ? service.ticket.match : nil
      try service.answer(.matches, home)
      if !isBegun {
        #expect(try service.event().action == .dailyStarted(home.daily.daily))
        try service.reply(.accepted(.dailyStarted(service.ticket)))
      }
      #expect(isOpen)
      #expect(try service.send().filter { $0.action != nil }.isEmpty)
    }
    try service.act("menu new", "pick timedDaily")
    try service.list()
    let timed = DailyKey(day: Day(containing: service.now), mode: .timed)
    #expect(try service.event().action == .dailyStarted(timed))
    try service.reply(.refused(.unknownMatch))
    #expect(screen?.notice == Refusal.unknownMatch.message)
  }

  @Test("The answer to a start that took long comes with the list")
  mutating func delayed() throws {
    let refusal = Refusal.rateLimited(.openRequests, retryAfterSeconds: nil)
    for reply in [Reply.accepted(.matchStarted(service.ticket)), .refused(refusal)] {
      try service.act("menu new", "pick anyone")
      try service.delay()
      guard case .pending? = screen?.stage else {
        Issue.record("\(service.text)")
        return
      }
      try service.reply(reply)
      #expect(!isOpen)
      try service.list()
      if case .accepted = reply {
        #expect(isOpen)
      } else {
        #expect(screen?.notice == refusal.message)
      }
    }
  }

  @Test("The same start once more, while it is on its way, is the same event")
  mutating func again() throws {
    try service.act("pick anyone")
    let sent = try service.event()
    try service.delay()
    try service.act("leave", "menu new", "pick anyone")
    #expect(try service.event().id == sent.id)
    #expect(
      service.page.world.waiting.allSatisfy { if case .wish = $0.what { false } else { true } })
    try service.reply(.accepted(.matchStarted(service.ticket)))
    #expect(isOpen)
  }
}

@Suite("Wishes in the list of a player at a service")
struct ListWishTests {
  private var service: Service

  init() throws { service = try Service.named() }

  private func offer(isYours: Bool = false) -> RematchOfferView {
    RematchOfferView(
      match: Service.match, opponent: Service.other, opponentName: PlayerName("grace"),
      isYours: isYours, offeredAt: service.now, expiresAt: service.now.adding(seconds: 60))
  }

  @Test("An invitation and an offer are accepted at once, and what is accepted is opened")
  mutating func accept() throws {
    try service.answer(.matches, service.home(invitations: [service.summary()]))
    try service.act("row 0")
    #expect(try service.event().action == .invitationAccepted(Service.match, code: nil))
    try service.reply(.refused(.seatTaken))
    #expect(service.page.app.home.notice == Refusal.seatTaken.message)
    try service.answer(.matches, service.home(offers: [offer()]))
    try service.act("row 0", "yes")
    #expect(try service.event().action == .rematchRequested(Service.match))
    try service.reply(.accepted(.rematchStarted(service.ticket)))
    #expect(service.page.app.match?.key.text == service.ticket.match.description)
  }

  @Test("Nothing is declined or withdrawn before the player has said yes")
  mutating func decline() throws {
    var waiting = service.summary()
    (waiting.stage, waiting.yourTurn) = (.waiting, false)
    let wishes: [(HomeView, String, Event.Action, MatchStep)] = [
      (
        service.home(invitations: [service.summary()]), "decline 0",
        .invitationDeclined(Service.match), .invitationDeclined
      ),
      (
        service.home(offers: [offer()]), "decline 0", .rematchDeclined(Service.match),
        .rematchDeclined
      ),
      (service.home([waiting]), "withdraw 1", .requestWithdrawn(Service.match), .withdrawn),
    ]
    for (home, action, event, step) in wishes {
      service = try Service.named()
      try service.answer(.matches, home)
      try service.act(action, "no", action)
      #expect(try service.send().isEmpty)
      try service.act("yes")
      #expect(try service.event().action == event)
      try service.reply(.accepted(.done(step, Service.match, version: 2)))
      #expect(service.page.app.home.wish == nil)
      try service.list()
    }
  }

  @Test("Today's challenge is begun from its row")
  mutating func daily() throws {
    try service.list()
    try service.act("row 0")
    try service.list()
    let daily = service.home().daily.daily
    #expect(try service.event().action == .dailyStarted(daily))
    try service.reply(.accepted(.dailyStarted(service.ticket)))
    #expect(service.page.app.match?.key.text == service.ticket.match.description)
  }
}
