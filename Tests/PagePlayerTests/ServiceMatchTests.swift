import CubePlay
import CubeRules
import CubistBasics
import CubistPage
import MatchCore
import MatchWire
import ServiceNews
import Testing

@testable import PagePlayer

@Suite("A match at a service")
struct ServiceMatchTests {
  private var service: Service
  private let word: Move
  private let reply: Move

  init() throws {
    service = try Service.named()
    (word, reply) = (try Service.word("CRAPY"), try Service.word("APTLY"))
  }

  private var shown: ShownMatch? { service.page.shown }

  /// Opens the match, spells the word and sends it.
  private mutating func play() throws {
    try service.openMatch()
    try service.spell("CRAPY")
    try service.act("submit")
  }

  private mutating func isMine() throws -> Bool {
    guard case .playing(.mine, _) = try #require(shown).turn.stage else { return false }
    return true
  }

  @Test("A turn is played by one event, and the list of turns comes with the match")
  mutating func turn() throws {
    try play()
    let sent = try service.event()
    #expect(
      sent.action
        == .turnPlayed(Service.match, Turn(number: 1, previous: .zero, moves: [word])))
    try service.act("submit", "letter A")
    try service.reply(service.receipt(turn: 1, version: 2))
    #expect(shown?.turn.turnNumber == 2 && shown?.turn.lastTurn?.turn.word == "CRAPY")
    #expect(shown?.lines.isEmpty == true)
    try service.answer(
      .match(Query.Match(Service.match, atLeast: 2)), service.view([[word]]))
    #expect(shown?.lines.count == 1)
    #expect(try service.asked() == [.whoAmI])
    try service.answer(.whoAmI, service.rated())
    #expect(shown?.rating == .before(Strength(points: 1_500, isReliable: false, matchCount: 3)))
    #expect(try service.send().isEmpty && service.open.isEmpty)
  }

  @Test("The question about giving up says what it costs, which a joiner cannot always know")
  mutating func loss() throws {
    for (kind, loss) in [(MatchKind.random, "possible"), (.invitation, "certain")] {
      service = try Service.named()
      try service.list([service.summary()])
      try service.act("row 0")
      var view = try service.view([[word]], first: 1)
      view.kind = kind
      try service.show(view)
      try service.act("giveup")
      #expect(service.text.contains(#""givingUp":"asked","loss":"\#(loss)""#))
    }
  }

  @Test("A match that went on as another one leads there")
  mutating func merged() throws {
    try service.openMatch()
    let other = MatchID(rawValue: 78)
    var ended = try service.view(version: 2)
    ended.stage = .ended
    ended.outcome = Outcome(
      reason: .mergedInto, seat: nil, results: [.none, .none], mergedInto: other)
    try service.act("reload")
    try service.answer(.match(Query.Match(Service.match, atLeast: 1)), ended)
    #expect(service.page.app.match?.key == MatchKey(other))
    #expect(try service.asked().contains(.match(Query.Match(other))))
  }

  @Test(
    "A refusal for the state of the match has the match looked at: the turn may count already",
    arguments: [
      Refusal.turnAlreadyPlayed(turn: 1), .staleTurn(current: 2, previous: .zero),
      .wrongPrevious(expected: .zero), .notYourTurn(whose: nil), .unknownTurn(current: 0),
    ])
  mutating func outdated(refusal: Refusal) throws {
    for isOwn in [true, false] {
      service = try Service.named()
      try play()
      try service.reply(.refused(refusal))
      try service.show(service.view([[isOwn ? word : reply]]))
      #expect(shown?.turn.turnNumber == (isOwn ? 2 : 1))
      if !isOwn {
        #expect(shown?.turn.notice == .outdated)
        #expect(try isMine())
        // The match as it stands is shown then.
        try service.show(service.view([[reply]]))
        #expect(shown?.lines.count == 1)
      }
    }
  }

  @Test("A turn that a rule forbids, or another refusal, gives the choice back")
  mutating func refused() throws {
    try play()
    let fault = RuleRefusal.notAWord("CRAPY")
    try service.reply(.refused(.illegalTurn(TurnRefusal(moveIndex: 0, reason: fault))))
    #expect(shown?.turn.notice == .rule(fault))
    #expect(try isMine())
    try service.act("submit")
    try service.reply(.refused(.notPermitted))
    #expect(shown?.turn.notice == .said(Refusal.notPermitted.message))
    try service.act("submit")
    try service.reply(.accepted(.noted))
    #expect(shown?.turn.notice == .said(Trouble.foreign.message))
    #expect(try isMine())
  }

  @Test("Where the match is not at hand, it is looked at before the turn is sent")
  mutating func unknown() throws {
    for turns in [[], [[word]], [[reply]]] {
      service = try Service.named()
      try service.openMatch()
      service.page.world.view = nil
      try service.spell("CRAPY")
      try service.act("submit")
      try service.show(service.view(turns))
      switch turns {
      case []: #expect(try service.event().action?.noun == "turn")
      case [[word]]: #expect(shown?.turn.turnNumber == 2)
      default: #expect(shown?.turn.notice == .outdated)
      }
    }
  }

  @Test("Another match is no answer, and a match without a seat is not shown")
  mutating func others() throws {
    var other = try service.view()
    other.id = MatchID(rawValue: 78)
    try service.list([service.summary()])
    try service.act("row 0")
    try service.show(other)
    #expect(service.page.world.trouble?.name == "unreadable" && shown == nil)
    try service.act("reload")
    other = try service.view()
    other.seats[0].state = .invited
    try service.show(other)
    #expect(service.text.contains("You have no seat in this match."))
    try service.act("reload")
    service.hear(
      AnswerCodec.encode(refusal: .unknownMatch, query: try service.takeMatch().id))
    #expect(service.text.contains(QueryRefusal.unknownMatch.message))
    try service.act("reload")
    other = try service.view()
    other.rules = "cube-9"
    try service.show(other)
    #expect(service.text.contains("cube-9") && shown == nil)
    try service.act("reload")
    try service.show(service.view())
    #expect(shown != nil)
  }

  @Test("A match is given up after a question, and a match that waits is withdrawn")
  mutating func giveUp() throws {
    for isWaiting in [false, true] {
      service = try Service.named()
      try service.list([service.summary()])
      try service.act("row 0")
      var view = try service.view()
      if isWaiting {
        view.stage = .waiting
        view.seats[1].state = .invited
      }
      try service.show(view)
      try service.act("giveup", "no", "giveup")
      #expect(try service.send().filter { $0.action != nil }.isEmpty)
      try service.act("yes")
      #expect(
        try service.event().action
          == (isWaiting ? .requestWithdrawn(Service.match) : .matchForfeited(Service.match)))
      try service.reply(.refused(.unknownMatch))
      #expect(shown?.turn.notice == .said(Refusal.unknownMatch.message))
      try service.act("giveup", "yes")
      let ended = try service.ended()
      try service.reply(
        .accepted(
          .matchEnded(Service.match, try #require(ended.outcome), points: [0, 0], version: 2)))
      try service.answer(.match(Query.Match(Service.match, atLeast: 2)), ended)
      #expect(shown?.ending == "Over: lost, you gave up.")
    }
  }

  private mutating func openEnded(_ change: (inout MatchView) -> Void = { _ in }) throws {
    try service.list([service.summary()])
    try service.act("row 0")
    var view = try service.ended()
    change(&view)
    try service.show(view)
  }

  @Test("A game that is over is shared by a code")
  mutating func share() throws {
    try openEnded()
    try service.act("share")
    #expect(try service.event().action == .gameShared(Service.match))
    try service.reply(.accepted(.noted))
    #expect(shown?.sharing == .possible(failure: Trouble.foreign.message))
    try service.act("share")
    let code = try #require(ShareCode("K7QM2XPA"))
    try service.reply(.accepted(.gameShared(Service.match, code: code)))
    #expect(shown?.sharing == .shared(code: "K7QM2XPA"))
  }

  @Test("The other player's last turn is answered with the word that is looked at")
  mutating func react() throws {
    try service.list([service.summary()])
    try service.act("row 0")
    try service.show(service.view([[word], [reply]], version: 3))
    try service.act("look 2", "react")
    #expect(try service.event().action == .reacted(Service.match, turn: 2, word: "CRAPY"))
    try service.reply(.refused(.alreadyReacted(turn: 2)))
    #expect(shown?.reacting == .no(failure: Refusal.alreadyReacted(turn: 2).message))
    try service.act("react")
    #expect(try service.event().action == .reacted(Service.match, turn: 2, word: "CRAPY"))
    try service.reply(.accepted(.done(.reacted, Service.match, version: 4)))
    #expect(shown?.lines.last?.reaction == "CRAPY" && shown?.canReact == false)
  }

  @Test("A game that somebody shared is looked at by its code")
  mutating func shared() throws {
    try service.list()
    let key = MatchKey("K7QM2XPA")
    var world = service.page.world
    var timers: [PageTimer] = []
    let none = world.carryOut(.match(MatchKey("?"), .follow), in: GameApp(), timers: &timers)
    #expect(
      none == GameEffect.match(MatchKey("?"), .follow).failed(.said("There is no such match.")))
    #expect(world.carryOut(.match(key, .follow), in: GameApp(), timers: &timers).isEmpty)
    let code = try #require(ShareCode("K7QM2XPA"))
    let next = world.next(at: service.now)
    let sent = try #require(next)
    let query = try QueryCodec.decode(
      Array(sent.message.dropFirst(SignatureTag.query.message([]).count)))
    #expect(query.kind == .matchByCode(Query.MatchByCode(code)))
    var view = try service.view()
    view.seats[0].player = PlayerID(rawValue: 5)
    let actions = world.hear(
      AnswerCodec.encode(view, query: sent.id), at: service.now, roundTrip: 0)
    guard case .match(key, .arrived(let news))? = actions.first else {
      Issue.record("\(actions)")
      return
    }
    #expect(news.watched == "ada")
    let effects: [MatchEffect] = [
      .askRematch, .giveUp, .share, .react("GAMES", turn: 1), .play(.send([word], number: 1)),
    ]
    for effect in effects {
      #expect(
        world.carryOut(.match(key, effect), in: GameApp(), timers: &timers)
          == GameEffect.match(key, effect).failed(.said("There is no such match.")))
    }
    #expect(world.next(at: service.now) == nil)
  }

  @Test("A rematch is offered, and the rematch that has begun is opened")
  mutating func rematch() throws {
    try openEnded()
    try service.act("rematch")
    #expect(try service.event().action == .rematchRequested(Service.match))
    try service.reply(.refused(.unknownMatch))
    #expect(shown?.rematch == .possible(failure: Refusal.unknownMatch.message))
    try service.act("rematch")
    try service.reply(.accepted(.done(.rematchOffered, Service.match, version: 3)))
    #expect(shown?.rematch == .waits)
    service = try Service.named()
    try openEnded { $0.rematchOfferBy = 1 }
    #expect(shown?.rematch == .offered(failure: nil))
    try service.act("rematch")
    try service.reply(.accepted(.rematchStarted(service.ticket)))
    #expect(service.page.app.match?.key == MatchKey(service.ticket))
    try service.answer(.match(Query.Match(service.ticket.match, atLeast: 1)), service.view())
  }
}
