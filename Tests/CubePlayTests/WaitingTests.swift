import CubeLexicon
import CubeRules
import Testing

@testable import CubePlay

@Suite("Waiting for the service")
struct WaitingTests {
  static let game = CubeGame(puzzle: .walk)
  static let turn = LegalTurn("122L 222L 222R 212L", word: "GAME", score: 36)

  static func standing(
    _ stage: Standing.Stage = .yours(secondsLeft: nil), game: CubeGame = game, turn: Int = 1,
    last: PlayedTurn? = nil
  ) -> Standing {
    Standing(game: game, players: two, turnNumber: turn, lastTurn: last, stage: stage)
  }

  static var typed: PlayTurn { PlayTurn(standing()).typing("GAME") }

  /// GAME was chosen and sent.
  static func sent(_ delivery: SentTurn.Delivery = .onItsWay) -> PlayTurn {
    var match = typed
    let sent = SentTurn(draft: known(match.draft, "GAME"), turn: turn, delivery: delivery)
    match.stage = .playing(.sent(sent), secondsLeft: nil)
    return match
  }

  @Test("Nothing else can be chosen or sent while a turn has no answer")
  func patience() {
    var store = MatchStore.match(Self.sent())
    store.send(.draft(.letterTyped(.s))) { $0.notice = .waiting }
    store.send(.draft(.clear))
    store.send(.submit)
    #expect(store.state.offer == Self.turn)
  }

  @Test("A turn that is sent while the service is away waits, and is sent again when it is back")
  func away() {
    var store = MatchStore.match(Self.sent())
    store.send(.serviceLost) { $0.stage = Self.sent(.waits).stage }
    store.send(.serviceFound, effects: [.send(Self.turn.moves, number: 1)]) {
      $0.stage = Self.sent().stage
    }
    store.send(.serviceFound)
  }

  @Test("The service need not be there while no turn is under way")
  func nothingSent() {
    var store = MatchStore.match(Self.typed)
    store.send(.serviceLost)
    store.send(.serviceFound)
  }

  @Test(
    "A turn that is refused is one's own again, nothing of it is lost, and the reason is said",
    arguments: [
      (.illegal(.notAWord("GAME")), .rule(.notAWord("GAME")), []),
      (.refused("Too much within a minute."), .said("Too much within a minute."), []),
      (.outdated, .outdated, [.reload]),
    ] as [(Answer, Notice, [PlayEffect])])
  func refused(answer: Answer, notice: Notice, effects: [PlayEffect]) {
    var store = MatchStore.match(Self.sent())
    store.send(.answered(answer), effects: effects) {
      $0.stage = Self.typed.stage
      $0.notice = notice
    }
  }

  @Test("An answer to nothing changes nothing")
  func lateAnswer() {
    var store = MatchStore.match(Self.typed)
    store.send(.answered(.accepted(secondsLeft: nil)))
    store.send(.answered(.outdated))
  }

  @Test("A turn that arrives twice is played once, one that is missing is asked for")
  func numbers() {
    let played = PlayTurn(Self.standing(.theirs(secondsLeft: nil), turn: 3))
    var store = MatchStore.match(played)
    store.send(.theirTurn(ArrivedTurn(number: 2, moves: Self.turn.moves, secondsLeft: nil)))
    store.send(
      .theirTurn(ArrivedTurn(number: 4, moves: Self.turn.moves, secondsLeft: nil)),
      effects: [.reload])
    store.send(
      .theirTurn(ArrivedTurn(number: 3, moves: moves("-000", "-001"), secondsLeft: nil)),
      effects: [.reload])
    var mine = MatchStore.match(Self.typed)
    mine.send(
      .theirTurn(ArrivedTurn(number: 1, moves: Self.turn.moves, secondsLeft: nil)),
      effects: [.reload])
  }

  @Test("Their turn before the answer to one's own asks how the match stands")
  func theirsFirst() {
    var store = MatchStore.match(Self.sent())
    store.send(
      .theirTurn(ArrivedTurn(number: 2, moves: moves("-000", "-001"), secondsLeft: nil)),
      effects: [.reload])
  }

  @Test("The match from the service replaces the known one")
  func standing() {
    let theirs = LegalTurn("-222", "-212")
    let after = Self.game.after(theirs.moves)
    var store = MatchStore.match(PlayTurn(Self.standing(.theirs(secondsLeft: 9))))
    let shown = Self.standing(
      .yours(secondsLeft: 60), game: after, turn: 2, last: PlayedTurn(by: .them, theirs))
    store.send(.standing(shown), effects: [.show(PlayedTurn(by: .them, theirs))]) {
      $0.game = after
      $0.turnNumber = 2
      $0.stage = .playing(.mine(.empty), secondsLeft: 60)
      $0.lastTurn = PlayedTurn(by: .them, theirs)
    }
    // An answer to an earlier question comes after the turn was shown.
    store.send(.standing(Self.standing(.theirs(secondsLeft: 9))))
    store.send(.standing(Self.standing(.over(.timedOut(.me)), game: after, turn: 2))) {
      $0.stage = .over(.timedOut(.me))
      $0.lastTurn = nil
    }
  }

  /// Another turn than GAME.
  private static let removal = LegalTurn("-222", "-212")
  private static let answer = LegalTurn("-122", "-221")

  /// The match after the news of turns, of which the first has the number of the waiting one.
  private static func waited(_ turns: LegalTurn..., until stage: Standing.Stage) -> ShownMatch {
    let players: [PlayTurn.Player] = [.me, .them]
    var (game, lines): (CubeGame, [TurnLine]) = (game, [])
    for (index, turn) in turns.enumerated() {
      lines.append(
        TurnLine(
          number: index + 1, player: players[index % 2], word: turn.word, removedCount: 0,
          score: turn.score, replay: TurnReplay(turn, on: game)))
      game = game.after(turn.moves)
    }
    let last = lines.last?.replay.map { PlayedTurn(by: players[(turns.count + 1) % 2], $0.turn) }
    var match = ShownMatch(.of(standing()))
    match.turn = sent(.waits)
    _ = ShownMatch.reducer(words: nil).reduce(
      &match,
      .arrived(.of(standing(stage, game: game, turn: turns.count + 1, last: last), lines: lines)))
    return match
  }

  @Test("A waiting turn is given up with a sentence where another one has its place")
  func displaced() {
    let shown = Self.waited(Self.removal, until: .theirs(secondsLeft: nil))
    #expect(shown.turn.notice == .outdated)
    #expect(shown.turn.stage == .playing(.theirs(.empty), secondsLeft: nil))
    let own = Self.waited(Self.turn, until: .theirs(secondsLeft: nil))
    #expect(own.turn.notice == nil)
    #expect(own.turn.stage == .playing(.theirs(.empty), secondsLeft: nil))
  }

  @Test("The sentence comes, too, where the opponent has answered that other turn")
  func displacedAndAnswered() {
    let shown = Self.waited(Self.removal, Self.answer, until: .yours(secondsLeft: nil))
    #expect(shown.turn.notice == .outdated)
    #expect(shown.turn.stage == .playing(.mine(.empty), secondsLeft: nil))
    let own = Self.waited(Self.turn, Self.answer, until: .yours(secondsLeft: nil))
    #expect(own.turn.notice == nil)
  }

  @Test("The sentence comes, too, and stays, where that other turn ended the match")
  func displacedByTheEnd() {
    var shown = Self.waited(Self.removal, until: .over(.cleared))
    #expect(shown.turn.notice == .outdated)
    #expect(shown.turn.stage == .over(.cleared))
    let news = MatchNews.of(
      Self.standing(.over(.cleared), turn: 2), lines: shown.lines, rematch: .offered(by: .them))
    _ = ShownMatch.reducer(words: nil).reduce(&shown, .arrived(news))
    #expect(shown.turn.notice == .outdated)
    #expect(Self.waited(Self.turn, until: .over(.cleared)).turn.notice == nil)
  }

  @Test("The sentence comes, too, where the match ended before the turn was played")
  func endedBefore() {
    var shown = ShownMatch(.of(Self.standing()))
    shown.turn = Self.sent(.waits)
    _ = ShownMatch.reducer(words: nil).reduce(
      &shown, .arrived(.of(Self.standing(.over(.cleared), turn: 1))))
    #expect(shown.turn.notice == .outdated)
  }

  @Test("A turn that is on its way stays so while the service shows the match without it")
  func stillOnItsWay() {
    var store = MatchStore.match(Self.sent(.waits))
    store.send(.standing(Self.standing(.yours(secondsLeft: 7)))) {
      guard case .playing(let turn, _) = $0.stage else { return }
      $0.stage = .playing(turn, secondsLeft: 7)
    }
    let after = Self.game.after(Self.turn.moves)
    let played = PlayedTurn(by: .me, Self.turn)
    let shown = Self.standing(.theirs(secondsLeft: nil), game: after, turn: 2, last: played)
    store.send(.standing(shown), effects: [.show(played)]) {
      $0.game = after
      $0.turnNumber = 2
      $0.stage = .playing(.theirs(.empty), secondsLeft: nil)
      $0.lastTurn = played
    }
  }

  @Test("The choice stays when the match is shown anew")
  func keptDraft() {
    var store = MatchStore.match(Self.typed)
    store.send(.standing(Self.standing(.yours(secondsLeft: 5)))) {
      guard case .playing(let turn, _) = $0.stage else { return }
      $0.stage = .playing(turn, secondsLeft: 5)
    }
  }

  @Test("Numbers that no match has stop nothing")
  func absurdNumbers() {
    let absurd = Standing(
      game: Self.game, players: .two(mine: .max, theirs: .max), turnNumber: .max,
      stage: .theirs(secondsLeft: .min))
    var store = MatchStore.match(PlayTurn(absurd))
    store.send(.secondPassed)
    store.send(
      .theirTurn(ArrivedTurn(number: .max, moves: Self.turn.moves, secondsLeft: .max)),
      effects: [.show(PlayedTurn(by: .them, Self.turn))]
    ) {
      $0.game = Self.game.after(Self.turn.moves)
      $0.players = .two(mine: .max, theirs: .min + 35)
      $0.turnNumber = .min
      $0.stage = .playing(.mine(.empty), secondsLeft: .max)
      $0.lastTurn = PlayedTurn(by: .them, Self.turn)
    }
  }

  @Test("Seconds pass; when none is left the service is asked once, and nothing ends by itself")
  func clock() {
    var store = MatchStore.match(PlayTurn(Self.standing(.yours(secondsLeft: 2))))
    store.send(.secondPassed) { $0.stage = .playing(.mine(.empty), secondsLeft: 1) }
    store.send(.secondPassed, effects: [.reload]) {
      $0.stage = .playing(.mine(.empty), secondsLeft: 0)
    }
    // The service may give time back.
    store.send(.secondPassed) { $0.stage = .playing(.mine(.empty), secondsLeft: -1) }
    var last = MatchStore.match(PlayTurn(Self.standing(.theirs(secondsLeft: .min))))
    last.send(.secondPassed)
    var unlimited = MatchStore.match(PlayTurn(Self.standing()))
    unlimited.send(.secondPassed)
  }
}
