import CubePlay
import CubistBasics
import CubistPage
import MatchCore
import MatchWire
import Testing

@testable import PagePlayer

@Suite("A service that answers anything, in any order")
struct DisorderTests {
  @Test("The page never has two events on their way, and shows a state", arguments: 0..<24)
  func disorder(seed: UInt64) throws {
    var chaos = try Disorder(seed: seed)
    for _ in 0..<250 { try chaos.step() }
    #expect(chaos.service.page.world.trouble?.isFinal != true)
    #expect(chaos.eventCount > 0)
  }

  @Test("A page asks for nothing without end: each of its answers leads to few questions")
  func quiet() throws {
    for seed in UInt64(100)..<110 {
      var chaos = try Disorder(seed: seed)
      for _ in 0..<60 { try chaos.step() }
      let count = try chaos.settle()
      #expect(count < 200, "\(seed)")
    }
  }
}

/// Random actions, and random answers to what the page says.
private struct Disorder {
  var service: Service
  /// The events that were sent.
  var eventCount = 0
  private var random: SplitMix64
  private var heard: [[UInt8]] = []
  /// The messages without an answer.
  private var open: [Service.Sent] = []

  init(seed: UInt64) throws {
    random = SplitMix64(state: seed)
    service = try Service.named()
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(random.next() % UInt64(elements.count))]
  }

  private mutating func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }

  /// The habits of a player: some actions, one after the other.
  private static let habits: [[String]] = [
    ["leave", "row 0"], ["leave", "row 1"], ["leave"], ["row 2"], ["reload"], ["second"], ["next"],
    "CRAPY".map { "letter \($0)" } + ["submit"], ["clear", "submit"], ["giveup", "yes"], ["share"],
    ["no"], ["yes"], ["rematch"], ["leave", "decline 0", "yes"], ["leave", "withdraw 1", "yes"],
    ["menu new", "pick alone"], ["menu new", "pick daily"], ["menu new", "pick anyone"],
    ["menu new", "fill named grace", "pick named"],
    ["menu new", "fill join K7QM2XPA", "pick join"],
    ["menu boards", "board ladder"], ["menu boards"], ["begin"], ["clock"], ["search"], ["lead"],
    ["menu settings"], ["toggle notification 1", "fill newBlocked eve", "save"], ["save"],
    ["doubt throwAway"], ["name ada", "code ABCD1234", "register"], ["stream"],
  ]

  mutating func step() throws {
    for timer in service.timers.keys where chance(30) { try service.pass(timer) }
    let new = try service.send()
    eventCount += new.count { $0.action != nil }
    open += new
    let events = service.page.world.asked.values.filter { step in
      if case .wish = step.what { true } else { false }
    }
    #expect(events.count <= 1)
    #expect(service.page.serviceJSON().last == UInt8(ascii: "}"))
    if chance(30) {
      for action in pick(Self.habits) {
        #expect(service.page.act(Array(action.utf8)), "\(action)")
        service.keepTimers()
      }
    } else if chance(10) {
      try news()
    } else if !open.isEmpty {
      try answer()
    }
    service.keepTimers()
  }

  private mutating func news() throws {
    let text = pick([
      "event: match\ndata: {\"match\":\"\(Service.match)\",\"version\":\(random.next() % 5)}\n\n",
      "event: overview\ndata: {\"matches\":[],\"settings\":\"\(random.next() % 3)\"}\n\n",
      "event: match\nda", "ta: {}\n\n", "\n\n",
    ])
    if chance(20) {
      service.endStream()
    } else {
      _ = service.page.streamed(Array(text.utf8))
    }
  }

  private mutating func answer() throws {
    let place = Int(random.next() % UInt64(open.count))
    let sent = open[place]
    switch random.next() % 10 {
    case 0: silence(sent, at: place)
    case 1:
      // The answer to something else.
      if let bytes = heard.last { service.hear(bytes) }
    case 2:
      var bytes = try usual(sent)
      for _ in 0..<3 {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(random.next() % 128)
      }
      service.hear(bytes)
      // The page gives a question up after an answer of no use.
      if service.page.world.resendPause(sent.id) != nil { silence(sent, at: place) }
    case 3:
      let bytes = try usual(sent)
      service.hear(Array(bytes.prefix(Int(random.next() % UInt64(bytes.count)))))
      silence(sent, at: place)
    case 4:
      let other = pick(open)
      service.hear(AnswerCodec.encode(service.home([service.summary()]), query: other.id))
    case 5, 6:
      open.remove(at: place)
      service.hear(refusal(of: sent))
      if service.page.world.resendPause(sent.id) != nil { open.append(sent) }
    default:
      open.remove(at: place)
      let bytes = try usual(sent)
      heard.append(bytes)
      service.hear(bytes)
    }
  }

  private mutating func silence(_ sent: Service.Sent, at place: Int) {
    switch sent.kind {
    case .event, .wordsEvent: service.page.delayed(sent.id)
    case .query, .wordsQuery, .published:
      open.remove(at: place)
      service.page.lost(sent.id)
    case .stream:
      open.remove(at: place)
      service.endStream()
    }
    service.keepTimers()
  }

  private mutating func refusal(of sent: Service.Sent) -> [UInt8] {
    let time = service.now.adding(seconds: 3_600)
    if sent.action != nil {
      return ReplyCodec.encode(
        .refused(
          pick([
            .unavailable, .clockAhead(serviceTime: time), .unknownMatch,
            .staleTurn(
              current: 2, previous: .zero), .turnAlreadyPlayed(turn: 1), .seatTaken,
            .rateLimited(.eventsPerMinute, retryAfterSeconds: 3),
          ])), event: sent.id)
    }
    return AnswerCodec.encode(
      refusal: pick([
        .unavailable, .expired(serviceTime: time), .unknownMatch, .unknownPlayer, .codeUnknown,
        .rateLimited(retryAfterSeconds: 3),
      ]), query: sent.id)
  }

  /// The answer of a service that does all that it is asked for.
  private mutating func usual(_ sent: Service.Sent) throws -> [UInt8] {
    if let action = sent.action {
      return ReplyCodec.encode(.accepted(accepted(action)), event: sent.id)
    }
    let (id, query) = (sent.id, try #require(sent.query))
    let grace = PlayerView(
      id: Service.other, name: try #require(PlayerName("grace")), registeredAt: service.now)
    switch query {
    case .serviceInfo: return Array(Spoken.serviceInfo(to: id.description).utf8)
    case .matches:
      let home = service.home(
        chance(50) ? [service.summary()] : [],
        invitations: chance(50) ? [service.summary(MatchID(rawValue: 80))] : [])
      return AnswerCodec.encode(home, query: id)
    case .match(let wanted):
      var view = try service.view(chance(30) ? [[Service.word("CRAPY")]] : [])
      if chance(20) { view = try service.ended() }
      view.id = wanted.match
      view.version = wanted.atLeast ?? view.version
      return AnswerCodec.encode(view, query: id)
    case .matchByCode: return AnswerCodec.encode(try service.view(), query: id)
    case .player: return AnswerCodec.encode(grace, query: id)
    case .whoAmI: return AnswerCodec.encode(try service.rated(), query: id)
    case .settings:
      return AnswerCodec.encode(
        SettingsView(displayName: nil, kinds: [:], reminders: true, devices: []), query: id)
    case .blocks: return AnswerCodec.encode(BlockList(players: []), query: id)
    case .ladder:
      return AnswerCodec.encode(Ladder(rows: [], you: nil, around: [], outOf: 0), query: id)
    case .standings(let wanted):
      return AnswerCodec.encode(
        Standings(daily: wanted.daily, Ranking(rows: [], own: nil, outOf: 0)), query: id)
    default: return AnswerCodec.encode(refusal: .notPermitted, query: id)
    }
  }

  private func accepted(_ action: Event.Action) -> Acceptance {
    switch action {
    case .playerRegistered(let wanted): .registered(service.player, wanted.name)
    case .matchRequested: .matchStarted(service.ticket)
    case .dailyStarted: .dailyStarted(service.ticket)
    case .invitationAccepted: .matchJoined(service.ticket)
    case .turnPlayed(let played):
      .turnAccepted(
        TurnReceipt(
          match: played.match, version: 2, turn: 1, scores: [1], points: [1, 0], hash: .zero,
          seatToPlay: 1, outcome: nil))
    case .rematchRequested(let wanted): .done(.rematchOffered, wanted.match, version: 2)
    default: .noted
    }
  }

  /// Answers everything as it should be, until nothing is asked any more.
  ///
  /// - Returns: How many answers that took.
  mutating func settle() throws -> Int {
    var count = 0
    while count < 1_000 {
      open += try service.send()
      let streams = open.filter { $0.kind == .stream }
      open.removeAll { $0.kind == .stream }
      if open.isEmpty, streams.isEmpty, service.page.world.search.isOn {
        _ = service.page.act(Array("search".utf8))
        open += try service.send()
      }
      guard !open.isEmpty else { break }
      service.hear(try usual(open.removeFirst()))
      count += 1
    }
    #expect(service.page.world.waiting.isEmpty && !service.page.world.search.isOn)
    #expect(service.page.app.connection == .there)
    return count
  }
}
