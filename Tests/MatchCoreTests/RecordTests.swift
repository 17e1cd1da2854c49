import CubeLexicon
import CubeRules
import Testing

@testable import MatchCore

/// Records that only a holder of the service's key could make: chained and signed, but unlike a
/// judge's.
@Suite("A replay refuses entries that no judge makes")
struct RecordTests {
  let lab = MatchLab()

  /// A record that can be continued.
  private struct Forgery {
    var replay: Replay
    var head: Hash = .zero
    var position = 0

    init(_ id: MatchID) { replay = Replay(id: id) }

    mutating func take(
      _ content: Replay.Content, at time: Instant = .noon
    ) throws(Match.RecordFault) {
      let signed =
        switch content {
        case .event(let event): TestPlayer.ann.receive(event).signed
        case .statement(let statement): SignedPayload.statement(statement, in: replay.id)
        }
      let entry = Entry(after: head, position: position, acceptedAt: time, signed: signed)
      try replay.take(entry, content, words: Lexicon.everyWord)
      head = entry.hash
      position += 1
    }

    mutating func take(
      _ statement: Statement, at time: Instant = .noon
    ) throws(Match.RecordFault) { try take(.statement(statement), at: time) }

    mutating func take(_ sent: SentEvent) throws(Match.RecordFault) { try take(.event(sent.event)) }
  }

  /// The deal that a request gets.
  private func deal(
    _ request: MatchRequest, _ seats: [TestPlayer?], letters: String? = nil,
    rules: String = "cube-1", predecessor: MatchID? = nil
  ) -> Statement {
    .matchDealt(
      Deal(
        terms: request.terms, rules: rules, lexicon: "every-word",
        letters: letters ?? String(repeating: "A", count: 81), seats: seats.map { $0?.id },
        predecessor: predecessor))
  }

  /// A random match of Ann's, waiting.
  private func waiting(
    _ request: MatchRequest = .random, _ seats: [TestPlayer?] = [.ann, nil]
  )
    throws -> Forgery
  {
    let sent = lab.event(.matchRequested(request), by: .ann)
    var forgery = Forgery(sent.newMatch)
    try forgery.take(sent)
    try forgery.take(deal(request, seats))
    return forgery
  }

  /// The same, with Bob.
  private func running() throws -> Forgery {
    var forgery = try waiting()
    try forgery.take(lab.event(.matchRequested(.random), by: .bob))
    try forgery.take(.seatFilled(seat: 1, player: TestPlayer.bob.id))
    return forgery
  }

  private func expectFault(
    _ fault: Match.RecordFault? = nil, in forgery: Forgery, _ content: Replay.Content,
    at time: Instant = .noon, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var forgery = forgery
    do {
      try forgery.take(content, at: time)
      Issue.record("it was taken", sourceLocation: sourceLocation)
    } catch {
      if let fault {
        #expect(error == fault, sourceLocation: sourceLocation)
      } else if case .misplaced = error {
        return
      } else {
        Issue.record("\(error)", sourceLocation: sourceLocation)
      }
    }
  }

  // Failure: Match.RecordFault.unknownRules: This build does not know the rules of the deal.
  // Failure: Match.RecordFault.badLetters: The deal does not hold 81 letters.
  // Failure: Match.RecordFault.badSeats: The seats of the deal do not fit its terms.
  @Test("A deal must follow from the signed request, its id included")
  func deals() throws {
    let sent = lab.event(.matchRequested(.random), by: .ann)
    var asked = Forgery(sent.newMatch)
    try asked.take(sent)
    let other = MatchRequest(opponent: .random, turnLimitSeconds: 60)
    let casual = MatchRequest(opponent: .random, turnLimitSeconds: day, isCasual: true)
    let bad: [Statement] = [
      deal(other, [.ann, nil]), deal(casual, [.ann, nil]), deal(.open, [.ann, nil]),
      deal(.random, [.bob, nil]),
      deal(.random, [.ann, .bob]), deal(.random, [nil, .ann]),
      deal(.random, [.ann, nil], predecessor: MatchID(rawValue: 1)),
    ]
    for statement in bad { expectFault(in: asked, .statement(statement)) }
    expectFault(
      .unknownRules("cube-2"), in: asked, .statement(deal(.random, [.ann, nil], rules: "cube-2")))
    expectFault(.badLetters, in: asked, .statement(deal(.random, [.ann, nil], letters: "ABC")))
    var elsewhere = Forgery(MatchID(rawValue: 1))
    try elsewhere.take(sent)
    expectFault(in: elsewhere, .statement(deal(.random, [.ann, nil])))
    expectFault(in: Forgery(sent.newMatch), .statement(deal(.random, [.ann, nil])))
    try asked.take(deal(.random, [.ann, nil]))
    expectFault(in: asked, .statement(deal(.random, [.ann, nil])))
  }

  @Test("A deal has two requests at most, and a third leaves the deal as it was")
  func threeRequests() throws {
    var forgery = Forgery(MatchID(rawValue: 1))
    let event = Replay.Content.event(
      lab.event(.rematchRequested(MatchID(rawValue: 2)), by: .ann).event)
    try forgery.take(event)
    try forgery.take(event)
    expectFault(in: forgery, event)
  }

  @Test("A seat is filled only after a request of that player that fits the offer")
  func seats() throws {
    let fill = Replay.Content.statement(.seatFilled(seat: 1, player: TestPlayer.bob.id))
    expectFault(in: try waiting(), fill)
    let other = MatchRequest(opponent: .random, turnLimitSeconds: 60)
    let casual = MatchRequest(opponent: .random, turnLimitSeconds: day, isCasual: true)
    for action in [
      Event.Action.matchRequested(.open), .matchRequested(other), .matchRequested(.invite(.ann)),
      .matchRequested(casual),
    ] {
      var forgery = try waiting()
      try forgery.take(lab.event(action, by: .bob))
      expectFault(in: forgery, fill)
    }
    var forgery = try waiting()
    try forgery.take(lab.event(.requestWithdrawn(forgery.replay.id), by: .bob))
    expectFault(in: forgery, fill)
    forgery = try waiting()
    try forgery.take(lab.event(.matchRequested(.random), by: .bob))
    for (seat, player) in [(0, TestPlayer.bob), (2, .bob), (-1, .bob), (1, .cyd), (1, .ann)] {
      expectFault(in: forgery, .statement(.seatFilled(seat: seat, player: player.id)))
    }
    expectFault(in: forgery, .event(lab.event(.matchRequested(.random), by: .cyd).event))
    try forgery.take(fill)
    expectFault(in: forgery, fill)
    forgery = try waiting(.open)
    try forgery.take(lab.event(.invitationAccepted(forgery.replay.id, code: nil), by: .bob))
    expectFault(in: forgery, fill)
    forgery = try waiting(.invite(.cyd), [.ann, .cyd])
    try forgery.take(lab.event(.invitationAccepted(forgery.replay.id, code: nil), by: .bob))
    expectFault(in: forgery, fill)
  }

  @Test("A deadline has passed only if it is the one that stands, reached with its credits")
  func deadlines() throws {
    let forgery = try running()
    let due = Instant.noon.adding(seconds: day)
    let late = due.adding(seconds: 100)
    let bad: [Statement] = [
      .deadlinePassed(turn: 1, deadline: due, queueTime: .noon, creditMicroseconds: 0),
      .deadlinePassed(turn: 1, deadline: due, queueTime: late, creditMicroseconds: 100_000_001),
      .deadlinePassed(turn: 1, deadline: due, queueTime: late, creditMicroseconds: .max),
      .deadlinePassed(turn: 1, deadline: due, queueTime: .noon, creditMicroseconds: .min),
      .deadlinePassed(turn: 1, deadline: .noon, queueTime: late, creditMicroseconds: 0),
      .deadlinePassed(turn: 2, deadline: due, queueTime: late, creditMicroseconds: 0),
    ]
    for statement in bad { expectFault(in: forgery, .statement(statement)) }
    var passed = forgery
    try passed.take(
      .deadlinePassed(turn: 1, deadline: due, queueTime: late, creditMicroseconds: 100_000_000))
    let forfeit = lab.event(.matchForfeited(passed.replay.id), by: .ann).event
    expectFault(in: passed, .event(forfeit))
    expectFault(
      in: passed,
      .statement(
        .deadlinePassed(turn: 1, deadline: due, queueTime: late, creditMicroseconds: 0)))
    let timed = try waiting(MatchRequest(alone: .timed), [.ann])
    expectFault(
      in: timed,
      .statement(
        .deadlinePassed(
          turn: 1, deadline: .noon.adding(seconds: 179), queueTime: late, creditMicroseconds: 0)))
    var ended = timed
    try ended.take(
      .deadlinePassed(
        turn: 1, deadline: .noon.adding(seconds: 180), queueTime: late, creditMicroseconds: 0))
    let solo = try waiting(.solo, [.ann])
    expectFault(
      in: solo,
      .statement(
        .deadlinePassed(turn: 1, deadline: due, queueTime: late, creditMicroseconds: 0)))
  }

  @Test("A ruling is followed by the end that it brings, and only an annulment follows an end")
  func rulings() throws {
    let forgery = try running()
    let head = forgery.head
    let points = [0, 0]
    func end(_ outcome: Outcome, _ forgery: Forgery) -> Statement {
      .matchEnded(outcome, points: points, head: forgery.head)
    }
    let stopped = Outcome.decided(.stopped, by: nil, points: points)
    let annulled = Outcome.decided(.annulled, by: nil, points: points)
    expectFault(
      .wrongEnd("the match is not over"), in: forgery,
      .statement(.matchEnded(stopped, points: points, head: head)))
    var ruled = forgery
    try ruled.take(.ruled(Ruling(.ended, for: .fault)))
    #expect(!ruled.replay.isClosed)
    let forfeit = lab.event(.matchForfeited(ruled.replay.id), by: .ann).event
    expectFault(in: ruled, .event(forfeit))
    expectFault(in: ruled, .statement(.ruled(Ruling(.ended, for: .fault))))
    expectFault(
      .wrongEnd("the outcome is \(stopped)"), in: ruled, .statement(end(annulled, ruled)))
    try ruled.take(end(stopped, ruled))
    #expect(ruled.replay.isClosed)
    expectFault(in: ruled, .event(forfeit))
    expectFault(in: ruled, .statement(.ruled(Ruling(.ended, for: .fault))))
    expectFault(in: ruled, .statement(end(annulled, ruled)))
    try ruled.take(.ruled(Ruling(.annulled, for: .cheating)))
    #expect(!ruled.replay.isClosed)
    #expect(ruled.replay.ruling == Ruling(.annulled, for: .cheating))
    expectFault(in: ruled, .event(forfeit))
    expectFault(
      .wrongEnd("the outcome is \(annulled)"), in: ruled, .statement(end(stopped, ruled)))
    try ruled.take(end(annulled, ruled))
    #expect(ruled.replay.isClosed)
    expectFault(in: ruled, .statement(.ruled(Ruling(.annulled, for: .cheating))))
    let alone = try waiting(.solo, [.ann])
    expectFault(in: alone, .statement(.ruled(Ruling(.annulled, for: .fault))))
    expectFault(in: try waiting(), .statement(.ruled(Ruling(.ended, for: .fault))))
  }

  @Test(
    "A seat is left only by its joiner's own word, before a turn, and with the cube that is due")
  func seatLeft() throws {
    let forgery = try running()
    let id = forgery.replay.id
    let other = letters(99)
    func left(_ seat: Int, _ player: TestPlayer, _ letters: String?) -> Replay.Content {
      .statement(.seatLeft(seat: seat, player: player.id, letters: letters))
    }
    expectFault(in: forgery, left(1, .bob, other))
    var given = forgery
    try given.take(lab.event(.matchForfeited(id), by: .bob))
    for wrong in [
      left(0, .ann, other), left(1, .ann, other), left(1, .cyd, other), left(1, .bob, nil),
    ] {
      expectFault(in: given, wrong)
    }
    expectFault(in: given, left(Int.max, .bob, other))
    expectFault(.badLetters, in: given, left(1, .bob, "ABC"))
    var byOther = forgery
    try byOther.take(lab.event(.matchForfeited(id), by: .ann))
    expectFault(in: byOther, left(0, .ann, other))
    expectFault(in: byOther, left(1, .bob, other))
    // A build from before this rule ended the match, and its record holds.
    var former = given
    let aborted = Outcome(reason: .aborted, seat: 1, results: [.none, .none])
    try former.take(.matchEnded(aborted, points: [0, 0], head: former.head))
    #expect(former.replay.isClosed)

    try given.take(.seatLeft(seat: 1, player: TestPlayer.bob.id, letters: other))
    let match = try #require(given.replay.match)
    #expect(match.stage == .waiting && match.game.puzzle.description == other)
    #expect(!given.replay.isGivenUp)
    expectFault(in: given, left(1, .bob, other))
    // Nobody who left comes back, whoever states it.
    var back = given
    try back.take(lab.event(.matchRequested(.random), by: .bob))
    expectFault(in: back, .statement(.seatFilled(seat: 1, player: TestPlayer.bob.id)))
    try given.take(lab.event(.matchRequested(.random), by: .cyd))
    try given.take(.seatFilled(seat: 1, player: TestPlayer.cyd.id))
    #expect(given.replay.match?.players == [TestPlayer.ann.id, TestPlayer.cyd.id])

    var played = try running()
    let running = try #require(played.replay.match)
    let turn = Turn(number: 1, previous: running.previousTurnHash, moves: fourFaces)
    try played.take(lab.event(.turnPlayed(running.id, turn), by: .ann))
    try played.take(lab.event(.matchForfeited(running.id), by: .bob))
    expectFault(in: played, left(1, .bob, nil))
    expectFault(in: played, left(1, .bob, other))
  }

  @Test("The end of a joiner's account may leave the seat")
  func seatLeftByTheGone() throws {
    var forgery = try running()
    try forgery.take(.playerGone(TestPlayer.bob.id))
    expectFault(
      in: forgery, .statement(.seatLeft(seat: 0, player: TestPlayer.ann.id, letters: nil)))
    try forgery.take(.seatLeft(seat: 1, player: TestPlayer.bob.id, letters: letters(99)))
    #expect(forgery.replay.match?.stage == .waiting && !forgery.replay.isGivenUp)
    var waits = try waiting()
    try waits.take(.playerGone(TestPlayer.ann.id))
    expectFault(
      in: waits, .statement(.seatLeft(seat: 0, player: TestPlayer.ann.id, letters: letters(99))))
  }

  private func letters(_ seed: UInt64) -> String {
    Dealer.puzzle(seed: seed, lexicon: .everyWord).description
  }

  @Test("The end of an account is followed by the end that it brings, as if the player gave up")
  func playerGone() throws {
    let forgery = try running()
    let gone = Statement.playerGone(TestPlayer.bob.id)
    expectFault(in: forgery, .statement(.playerGone(TestPlayer.cyd.id)))
    var left = forgery
    try left.take(gone)
    #expect(!left.replay.isClosed)
    expectFault(in: left, .statement(gone))
    let aborted = Outcome.decided(.aborted, by: 1, points: [0, 0])
    let stopped = Outcome.decided(.stopped, by: nil, points: [0, 0])
    expectFault(
      .wrongEnd("the outcome is \(aborted)"), in: left,
      .statement(.matchEnded(stopped, points: [0, 0], head: left.head)))
    try left.take(.matchEnded(aborted, points: [0, 0], head: left.head))
    #expect(left.replay.isClosed && left.replay.isGivenUp)
    expectFault(in: left, .statement(gone))
  }

  // Failure: Match.RecordFault.misplaced: An entry is not allowed in this place.
  // Failure: Match.RecordFault.wrongTurn: A turn has another number, player or hash.
  // Failure: Match.RecordFault.illegalTurn: The rules refuse a turn.
  @Test("A turn is that of its player, number, hash and match, and legal")
  func turns() throws {
    let forgery = try running()
    let id = forgery.replay.id
    let dealt = try #require(forgery.replay.match).previousTurnHash
    func turn(
      _ player: TestPlayer, number: Int = 1, previous: Hash? = nil, match: MatchID? = nil,
      _ moves: [Move] = twoRemovals
    ) -> Replay.Content {
      let turn = Turn(number: number, previous: previous ?? dealt, moves: moves)
      return .event(lab.event(.turnPlayed(match ?? id, turn), by: player).event)
    }
    expectFault(.wrongTurn("it is not the turn of \(TestPlayer.bob.id)"), in: forgery, turn(.bob))
    expectFault(.wrongTurn("turn 2 where 1 follows"), in: forgery, turn(.ann, number: 2))
    expectFault(
      .wrongTurn("turn \(Int.min) where 1 follows"), in: forgery, turn(.ann, number: .min))
    expectFault(
      .wrongTurn("it builds on \(Hash.zero), not on \(dealt)"), in: forgery,
      turn(.ann, previous: .zero))
    expectFault(in: forgery, turn(.ann, match: MatchID(rawValue: 9)))
    expectFault(
      .illegalTurn(TurnRefusal(moveIndex: 0, reason: .turnShape(.singleRemoval))), in: forgery,
      turn(.ann, moves("-222")))
    expectFault(in: forgery, .event(lab.event(.rematchRequested(id), by: .ann).event))
  }

  @Test("A reaction answers the last turn of another player, once, with a word of the match")
  func reactions() throws {
    var forgery = try running()
    let id = forgery.replay.id
    func reaction(_ player: TestPlayer, turn: Int = 1, _ word: String) -> Replay.Content {
      .event(lab.event(.reacted(id, turn: turn, word: word), by: player).event)
    }
    expectFault(.misplaced("a reaction to turn 1 that cannot be"), in: forgery, reaction(.bob, "A"))
    let previous = try #require(forgery.replay.match).previousTurnHash
    try forgery.take(
      lab.event(
        .turnPlayed(id, Turn(number: 1, previous: previous, moves: fourFaces)), by: .ann))
    let word = try #require(forgery.replay.match?.game.playedWords.first)
    for content in [
      reaction(.ann, word), reaction(.cyd, word), reaction(.bob, "NEVER"),
      reaction(.bob, turn: 0, word), reaction(.bob, turn: 2, word),
    ] {
      expectFault(in: forgery, content)
    }
    try forgery.take(lab.event(.reacted(id, turn: 1, word: word), by: .bob))
    #expect(forgery.replay.turns.first?.reaction == Replay.Reaction(seat: 1, word: word))
    expectFault(
      .misplaced("a reaction to turn 1 that cannot be"), in: forgery, reaction(.bob, word))
  }

  // Failure: Match.RecordFault.wrongEnd: The end does not follow from the entries.
  @Test("The end is stated only where the match is over, with its head, points and outcome")
  func ends() throws {
    let forgery = try running()
    let id = forgery.replay.id
    let outcome = Outcome(reason: .aborted, seat: 0, results: [.none, .none])
    func end(_ outcome: Outcome, points: [Int] = [0, 0], head: Hash) -> Replay.Content {
      .statement(.matchEnded(outcome, points: points, head: head))
    }
    expectFault(
      .wrongEnd("the match is not over"), in: forgery, end(outcome, head: forgery.head))
    var given = forgery
    try given.take(lab.event(.matchForfeited(id), by: .ann))
    expectFault(
      .wrongEnd("head is \(given.head), not \(Hash.zero)"), in: given, end(outcome, head: .zero))
    expectFault(
      .wrongEnd("points are [0, 0]"), in: given, end(outcome, points: [1, 0], head: given.head))
    for turned in [
      Outcome(reason: .aborted, seat: 1, results: [.none, .none]),
      Outcome(reason: .forfeited, seat: 1, results: [.won, .lost]),
      Outcome(reason: .forfeited, seat: 0, results: [.none, .none]),
      Outcome(reason: .timedOut, seat: 0, results: [.lost, .won]),
    ] {
      expectFault(
        .wrongEnd("the outcome is \(outcome)"), in: given, end(turned, head: given.head))
    }
    // Records of older builds say so.
    var former = given
    let forfeited = Outcome(reason: .forfeited, seat: 0, results: [.lost, .won])
    try former.take(end(forfeited, head: former.head))
    #expect(former.replay.isClosed && former.replay.isGivenUp)
    #expect(former.replay.match?.ratedByOutcome != nil)
    try given.take(end(outcome, head: given.head))
    #expect(given.replay.isClosed && given.replay.isGivenUp)
    #expect(given.replay.match?.rated == nil)
    expectFault(in: given, .event(lab.event(.matchForfeited(id), by: .bob).event))
    var stranger = forgery
    try stranger.take(lab.event(.matchForfeited(id), by: .cyd))
    expectFault(
      .wrongEnd("the match is not over"), in: stranger, end(outcome, head: stranger.head))
  }

  @Test("Giving up is a loss in every record once a turn has been played")
  func forfeitAfterATurn() throws {
    var forgery = try running()
    let id = forgery.replay.id
    let dealt = try #require(forgery.replay.match).previousTurnHash
    let turn = Turn(number: 1, previous: dealt, moves: twoRemovals)
    try forgery.take(lab.event(.turnPlayed(id, turn), by: .ann))
    try forgery.take(lab.event(.matchForfeited(id), by: .ann))
    let outcome = Outcome(reason: .forfeited, seat: 0, results: [.lost, .won])
    let aborted = Outcome(reason: .aborted, seat: 0, results: [.none, .none])
    func end(_ outcome: Outcome) -> Replay.Content {
      .statement(.matchEnded(outcome, points: [0, 0], head: forgery.head))
    }
    expectFault(.wrongEnd("the outcome is \(outcome)"), in: forgery, end(aborted))
    try forgery.take(end(outcome))
  }

  @Test("Only the end can be stated after the last cube")
  func afterTheLastCube() throws {
    let id = lab.runningMatch()
    lab.clear(id, by: [.ann, .bob], leaving: 0)
    let record = try #require(lab.records[id])
    var replay = Replay(id: id)
    for (entry, content) in record.dropLast() {
      try replay.take(entry, content, words: Lexicon.everyWord)
    }
    let last = try #require(record.dropLast().last?.entry)
    let due = try #require(replay.match?.deadline).at
    for content in [
      Replay.Content.event(lab.event(.matchForfeited(id), by: .ann).event),
      .statement(
        .deadlinePassed(
          turn: replay.match?.turnNumber ?? 0, deadline: due, queueTime: due, creditMicroseconds: 0)
      ),
    ] {
      let entry = Entry(
        after: last.hash, position: last.position + 1, acceptedAt: lab.now,
        signed: TestPlayer.ann.sign([]))
      #expect(throws: Match.RecordFault.self) {
        var copy = replay
        try copy.take(entry, content, words: Lexicon.everyWord)
      }
    }
  }
}
