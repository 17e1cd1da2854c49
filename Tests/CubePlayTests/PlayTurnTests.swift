import CubeLexicon
import CubeRules
import Testing

@testable import CubePlay

typealias MatchStore = TestStore<PlayTurn, PlayAction, PlayEffect>

extension PlayTurn {
  /// The match after a test's choices, without stating each step.
  func choosing(_ actions: DraftAction..., words: Lexicon? = .walk) -> PlayTurn {
    var match = self
    let reducer = PlayTurn.reducer(words: words)
    for action in actions { _ = reducer.reduce(&match, .draft(action)) }
    return match
  }

  /// The same for letters.
  func typing(_ word: String) -> PlayTurn {
    keys(word).reduce(self) { match, letter in match.choosing(.letterTyped(letter)) }
  }
}

extension MatchStore {
  static func match(_ state: PlayTurn, words: Lexicon? = .walk) -> Self {
    TestStore(state, PlayTurn.reducer(words: words))
  }
}

extension LegalTurn {
  /// A turn as a test states it.
  init(_ notations: String..., word: String = "", score: Int = 0, vanishing: String = "") {
    let moves = notations.map { known(try? Move(notation: $0), $0) }
    var path: [Face] = []
    if case .word(let faces)? = moves.last { path = faces }
    self.init(
      removing: moves.compactMap { if case .removal(let cube) = $0 { cube } else { nil } },
      thenBy: path.isEmpty ? nil : Way(faces: path, vanishing: cubes(vanishing)), word: word,
      score: score)
  }
}

@Suite("Playing turns")
struct PlayTurnTests {
  let game = CubeGame(puzzle: .walk)

  func mine(_ game: CubeGame? = nil, seconds: Int? = nil, turn: Int = 1) -> PlayTurn {
    PlayTurn(
      Standing(
        game: game ?? self.game, players: two, turnNumber: turn,
        stage: .yours(secondsLeft: seconds)))
  }

  func theirs(_ game: CubeGame? = nil, seconds: Int? = nil, turn: Int = 1) -> PlayTurn {
    PlayTurn(
      Standing(
        game: game ?? self.game, players: two, turnNumber: turn,
        stage: .theirs(secondsLeft: seconds)))
  }

  /// GAME, over the first of its ways.
  let gameTurn = LegalTurn("122L 222L 222R 212L", word: "GAME", score: 36)
  let cubesTurn = LegalTurn("122T 121T 222T 221R 221T", word: "CUBES", score: 110)

  @Test("The letters of the word and Enter: it is sent, accepted, shown, and the other one's turn")
  func typicalTurn() {
    let typed = mine(seconds: 60).typing("GAME")
    let draft = known(typed.draft, "GAME")
    var store = MatchStore.match(typed)
    store.send(.submit, effects: [.send(gameTurn.moves, number: 1)]) {
      $0.stage = .playing(
        .sent(SentTurn(draft: draft, turn: gameTurn, delivery: .onItsWay)), secondsLeft: 60)
    }
    store.send(
      .answered(.accepted(secondsLeft: 86_400)),
      effects: [.show(PlayedTurn(by: .me, gameTurn))]
    ) {
      $0.game = game.after(gameTurn.moves)
      $0.players = .two(mine: 36, theirs: 0)
      $0.turnNumber = 2
      $0.stage = .playing(.theirs(.empty), secondsLeft: 86_400)
      $0.lastTurn = PlayedTurn(by: .me, gameTurn)
    }
  }

  @Test("Their turn appears by itself, and it is one's own turn")
  func theirTurn() {
    var store = MatchStore.match(theirs())
    store.send(
      .theirTurn(ArrivedTurn(number: 1, moves: cubesTurn.moves, secondsLeft: 3_600)),
      effects: [.show(PlayedTurn(by: .them, cubesTurn))]
    ) {
      $0.game = game.after(cubesTurn.moves)
      $0.players = .two(mine: 0, theirs: 110)
      $0.turnNumber = 2
      $0.stage = .playing(.mine(.empty), secondsLeft: 3_600)
      $0.lastTurn = PlayedTurn(by: .them, cubesTurn)
    }
  }

  @Test("Their removals and the cubes that vanish are told apart")
  func vanishing() {
    let worn = game.after(moves("222T 222L 222R"), moves("222R 222L 222T"))
    var store = MatchStore.match(theirs(worn, turn: 3))
    let turn = LegalTurn(
      "-020", "122L 222L 222R 212L", word: "GAME", score: 36, vanishing: "222")
    store.send(
      .theirTurn(ArrivedTurn(number: 3, moves: turn.moves, secondsLeft: nil)),
      effects: [.show(PlayedTurn(by: .them, turn))]
    ) {
      $0.game = worn.after(turn.moves)
      $0.players = .two(mine: 0, theirs: 36)
      $0.turnNumber = 4
      $0.stage = .playing(.mine(.empty), secondsLeft: nil)
      $0.lastTurn = PlayedTurn(by: .them, turn)
    }
  }

  @Test("The player may choose and see the score on the opponent's turn, but not send")
  func thinkingAhead() {
    var store = MatchStore.match(theirs().typing("GAM"))
    store.send(.draft(.letterTyped(.e))) {
      $0.stage = .playing(
        .theirs(
          .word(
            WordDraft(
              "GAME", ["122L 222L 222R 212L", "122L 222L 222R 221R"], score: 36))),
        secondsLeft: nil)
    }
    #expect(store.state.offer == gameTurn)
    store.send(.submit) { $0.notice = .notYourTurn }
  }

  @Test("Cubes chosen ahead stay as far as the opponent's turn leaves them")
  func keptDraft() {
    var store = MatchStore.match(theirs().typing("GAME"))
    let turn = LegalTurn("-212", "-221")
    store.send(
      .theirTurn(ArrivedTurn(number: 1, moves: turn.moves, secondsLeft: nil)),
      effects: [.show(PlayedTurn(by: .them, turn))]
    ) {
      $0.game = game.after(turn.moves)
      $0.turnNumber = 2
      $0.stage = .playing(
        .mine(.word(WordDraft("GAM", ["122L 222L 222R"], score: 24, .notAWord))),
        secondsLeft: nil)
      $0.lastTurn = PlayedTurn(by: .them, turn)
    }
  }

  @Test("A mark that their turn made pointless goes, and the word stays")
  func keptWord() {
    let chosen = theirs().choosing(.cubeMarked(Cube("020"))).typing("GA")
    var store = MatchStore.match(chosen)
    let turn = LegalTurn("-020", "-202")
    store.send(
      .theirTurn(ArrivedTurn(number: 1, moves: turn.moves, secondsLeft: nil)),
      effects: [.show(PlayedTurn(by: .them, turn))]
    ) {
      $0.game = game.after(turn.moves)
      $0.turnNumber = 2
      $0.stage = .playing(
        .mine(.word(WordDraft("GA", ["122L 222L"], score: 8, .tooShort))), secondsLeft: nil)
      $0.lastTurn = PlayedTurn(by: .them, turn)
    }
  }

  @Test(
    "A turn that cannot be played is not sent, and the rule is said",
    arguments: [
      ("", .turnShape(.empty)), ("GA", .tooShort(2)), ("GAM", .notAWord("GAM")),
    ] as [(String, RuleRefusal)])
  func notSent(word: String, refusal: RuleRefusal) {
    let typed = mine().typing(word)
    #expect(typed.offer == nil)
    var store = MatchStore.match(typed)
    store.send(.submit) { $0.notice = .rule(refusal) }
  }

  @Test("A word that was played is not sent")
  func playedBefore() {
    let typed = mine(game.after(gameTurn.moves), turn: 2).typing("GAME")
    #expect(typed.offer == nil)
    var store = MatchStore.match(typed)
    store.send(.submit) { $0.notice = .rule(.wordAlreadyPlayed("GAME")) }
  }

  @Test("A removal alone is no turn for two while other cubes are left")
  func singleRemoval() {
    let marked = mine().choosing(.cubeMarked(Cube("222")))
    #expect(marked.offer == nil)
    var store = MatchStore.match(marked)
    store.send(.submit) { $0.notice = .rule(.turnShape(.singleRemoval)) }
    #expect(
      marked.choosing(.cubeMarked(Cube("212"))).offer == LegalTurn("-222", "-212"))
  }

  @Test("A removal is a turn in a game of one, and one's own turn follows")
  func alone() {
    let solo = PlayTurn(
      Standing(
        game: game, players: .alone(points: 5), turnNumber: 1,
        stage: .yours(secondsLeft: 180)))
    let marked = solo.choosing(.cubeMarked(Cube("222")))
    let turn = LegalTurn("-222")
    #expect(marked.offer == turn)
    var store = MatchStore.match(marked)
    store.send(.submit, effects: [.send(turn.moves, number: 1)]) {
      $0.stage = .playing(
        .sent(
          SentTurn(
            draft: .marked(Cube("222"), then: nil), turn: turn, delivery: .onItsWay)),
        secondsLeft: 180)
    }
    store.send(
      .answered(.accepted(secondsLeft: 170)), effects: [.show(PlayedTurn(by: .me, turn))]
    ) {
      $0.game = game.without([Cube("222")])
      $0.turnNumber = 2
      $0.stage = .playing(.mine(.empty), secondsLeft: 170)
      $0.lastTurn = PlayedTurn(by: .me, turn)
    }
  }

  @Test("The last cube ends the match")
  func lastCube() {
    var left = game
    while left.inPlay.count > 1, let face = left.playable.first(where: { _ in true }) {
      left = left.without([face.cube])
    }
    let last = known(left.inPlay.first { _ in true }, "a cube")
    let turn = LegalTurn("-\(last)")
    let marked = mine(left, turn: 9).choosing(.cubeMarked(last))
    #expect(marked.offer == turn)
    var store = MatchStore.match(marked)
    store.send(.submit, effects: [.send(turn.moves, number: 9)]) {
      $0.stage = .playing(
        .sent(
          SentTurn(draft: .marked(last, then: nil), turn: turn, delivery: .onItsWay)),
        secondsLeft: nil)
    }
    store.send(
      .answered(.accepted(secondsLeft: nil)), effects: [.show(PlayedTurn(by: .me, turn))]
    ) {
      $0.game = left.without([last])
      $0.turnNumber = 10
      $0.stage = .over(.cleared)
      $0.lastTurn = PlayedTurn(by: .me, turn)
    }
    store.send(.draft(.letterTyped(.a)))
    store.send(.submit)
    store.send(.secondPassed)
  }

  @Test("No end of the match lets anything be chosen afterwards")
  func ended() {
    var store = MatchStore.match(mine(seconds: 3).typing("GA"))
    store.send(.ended(.forfeited(by: .them))) { $0.stage = .over(.forfeited(by: .them)) }
    store.send(.draft(.letterTyped(.m)))
    store.send(.submit)
    #expect(store.state.offer == nil)
  }
}
