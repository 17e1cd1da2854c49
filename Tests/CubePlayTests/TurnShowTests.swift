import CubeLexicon
import CubeRules
import Testing

@testable import CubePlay

@Suite("A turn that is shown for a moment")
struct TurnShowTests {
  /// A game in which faces of GAME were used twice, so that playing it lets cubes vanish.
  private static let worn = WaitingTests.game.after(
    moves("122L 222L 222R"), moves("222R 222L 122L"))
  private static let turn = known(
    try? LegalTurn(WaitingTests.turn.moves, on: worn, seatCount: 2, words: .everyWord), "GAME")
  private static let replay = TurnReplay(turn, on: worn)

  private static func show(_ step: TurnShow.Step, by player: PlayTurn.Player = .me) -> TurnShow {
    var show = known(TurnShow(replay, by: player, isSpelled: true), "a show")
    show.step = step
    return show
  }

  private static func news(_ game: CubeGame, turn: Int, last: PlayedTurn? = nil) -> MatchNews {
    .of(WaitingTests.standing(game: game, turn: turn, last: last))
  }

  @Test("The cubes that vanish by one's own turn flash, moment by moment, then are gone")
  func own() {
    var screen = MatchScreenTests.screen(Self.news(Self.worn, turn: 3))
    var match = PlayTurn(WaitingTests.standing(game: Self.worn, turn: 3)).typing("GAME")
    let sent = SentTurn(draft: known(match.draft, "GAME"), turn: Self.turn, delivery: .onItsWay)
    match.stage = .playing(.sent(sent), secondsLeft: nil)
    screen.table.turn = match
    var store = MatchScreenTests.store(screen)
    let after = Self.worn.after(Self.turn.moves)
    #expect(!Self.turn.vanishing.isEmpty)
    store.send(
      .play(.answered(.accepted(secondsLeft: nil))),
      effects: [.play(.show(PlayedTurn(by: .me, Self.turn))), .tick]
    ) {
      $0.table.turn = PlayTurn(
        WaitingTests.standing(
          .theirs(secondsLeft: nil), game: after, turn: 4, last: PlayedTurn(by: .me, Self.turn)))
      $0.table.turn.players.add(Self.turn.score, to: .me)
      $0.table.show = Self.show(.flashing(6))
    }
    for count in stride(from: 5, to: 0, by: -1) {
      store.send(.ticked, effects: [.tick]) { $0.table.show = Self.show(.flashing(count)) }
      let picture = store.state.table.picture
      #expect(picture.game == (count.isMultiple(of: 2) ? Self.worn : after))
      #expect(picture.leaving == (count.isMultiple(of: 2) ? Self.turn.vanishing : CubeSet()))
    }
    store.send(.ticked) { $0.table.show = nil }
    store.send(.ticked)
    #expect(store.state.table.picture.game == after)
  }

  @Test("The other one's word is spelled letter by letter when it arrives; a key ends that")
  func theirs() {
    let standing = WaitingTests.standing(.theirs(secondsLeft: nil), game: Self.worn, turn: 3)
    var store = MatchScreenTests.store(MatchScreenTests.screen(.of(standing)))
    let played = PlayedTurn(by: .them, Self.turn)
    let news = Self.news(Self.worn.after(Self.turn.moves), turn: 4, last: played)
    store.send(.arrived(news), effects: [.play(.show(played)), .tick]) {
      $0.table = ShownMatch(news)
      $0.table.show = Self.show(.spelling(1), by: .them)
    }
    for count in 2...(4 + TurnShow.rest) {
      store.send(.ticked, effects: [.tick]) {
        $0.table.show = Self.show(.spelling(count), by: .them)
      }
      let picture = store.state.table.picture
      #expect(picture.lit == FaceSet(Self.turn.faces.prefix(count)))
      #expect(picture.litBy == .them)
    }
    store.send(.ticked, effects: [.tick]) { $0.table.show = Self.show(.flashing(6), by: .them) }
    store.send(.play(.draft(.letterTyped(.z)))) {
      $0.table.show = nil
      let typed = $0.table.turn.typing("Z")
      $0.table.turn = typed
    }
    store.send(.ticked)
  }

  @Test("Several turns at once show only the cube as it stands")
  func several() {
    var store = MatchScreenTests.store(MatchScreenTests.screen())
    let played = PlayedTurn(by: .them, Self.turn)
    let news = Self.news(Self.worn.after(Self.turn.moves), turn: 4, last: played)
    store.send(.arrived(news), effects: [.play(.show(played))]) { $0.table = ShownMatch(news) }
  }

  @Test("A word of one's own that takes no cube away is not shown again")
  func nothingGone() {
    #expect(
      TurnShow(
        TurnReplay(WaitingTests.turn, on: WaitingTests.game), by: .me, isSpelled: false) == nil)
  }

  @Test("A match opened to be looked at again begins at its first turn, and replays by itself")
  func replaying() {
    let games = [Self.worn, Self.worn.after(Self.turn.moves)]
    let removal = LegalTurn("-121", "-021")
    let lines = zip([Self.turn, removal], games).enumerated().map { index, turn in
      TurnLine(
        number: index + 1, player: .me, word: turn.0.word, removedCount: 2 * index,
        score: turn.0.score, replay: TurnReplay(turn.0, on: turn.1))
    }
    let now = Self.worn.after(Self.turn.moves, removal.moves)
    let news = MatchNews.of(WaitingTests.standing(game: now, turn: 3), lines: lines)
    var store = MatchScreenTests.store(MatchScreen(MatchScreenTests.key, isReplay: true))
    store.send(.arrived(news)) {
      var table = ShownMatch(news)
      table.lookedBack = 2
      $0.content = .shown(table)
    }
    #expect(store.state.table.picture.game == Self.worn)
    store.send(.replayAsked, effects: [.tick]) {
      $0.table.show = Self.show(.spelling(1))
      $0.table.isReplaying = true
    }
    for count in 2...(4 + TurnShow.rest) {
      store.send(.ticked, effects: [.tick]) { $0.table.show = Self.show(.spelling(count)) }
    }
    for count in stride(from: 6, to: 0, by: -1) {
      store.send(.ticked, effects: [.tick]) { $0.table.show = Self.show(.flashing(count)) }
    }
    let second = known(
      TurnShow(TurnReplay(removal, on: games[1]), by: .me, isSpelled: true), "the removal")
    store.send(.ticked, effects: [.tick]) {
      $0.table.show = second
      $0.table.lookedBack = 1
    }
    #expect(store.state.table.picture.marked == cubes("121 021"))
    store.send(.replayAsked) {
      $0.table.show = nil
      $0.table.isReplaying = false
    }
    store.send(.replayAsked, effects: [.tick]) {
      $0.table.show = second
      $0.table.isReplaying = true
    }
    store.send(.cleared) {
      $0.table.show = nil
      $0.table.isReplaying = false
      $0.table.lookedBack = 0
    }
  }

  @Test("The last turn of a replay leads to the match as it stands")
  func endOfReplay() {
    let line = TurnLine(
      number: 1, player: .them, word: "GAME", removedCount: 0, score: 36,
      replay: TurnReplay(WaitingTests.turn, on: WaitingTests.game))
    let now = WaitingTests.game.after(WaitingTests.turn.moves)
    var screen = MatchScreenTests.screen(
      .of(WaitingTests.standing(game: now, turn: 2), lines: [line]))
    screen.table.lookedBack = 1
    screen.table.isReplaying = true
    screen.table.show = TurnShow(
      TurnReplay(WaitingTests.turn, on: WaitingTests.game), by: .them, isSpelled: true)
    screen.table.show?.step = .spelling(4 + TurnShow.rest)
    var store = MatchScreenTests.store(screen)
    store.send(.ticked) {
      $0.table.show = nil
      $0.table.isReplaying = false
      $0.table.lookedBack = 0
    }
  }

  @Test("A cube that a word brought to light may go after it in a game of one seat")
  func otherOrder() throws {
    let word = moves("122L 222L 222R 221R")
    // Every cube that covers the word's cubes has to be removed before.
    let rest = Self.worn.inPlay.filter { !cubes("122 222 221").contains($0) }
    let turns = rest.compactMap { first -> (CubeGame, Cube)? in
      guard Self.worn.refusal(ofRemoving: first) == nil else { return nil }
      for second in rest where second != first {
        var game = Self.worn.without([first])
        guard game.refusal(ofRemoving: second) == nil else { continue }
        game = game.without([second])
        guard (try? LegalTurn(word, on: game, seatCount: 1, words: .everyWord)) != nil else {
          continue
        }
        let after = game.after(word)
        let bared = after.inPlay.first {
          after.refusal(ofRemoving: $0) == nil && game.refusal(ofRemoving: $0) != nil
        }
        if let bared { return (game, bared) }
      }
      return nil
    }
    let (game, bared) = try #require(turns.first)
    let turn = try LegalTurn(
      word + [.removal(bared)], on: game, seatCount: 1, words: .everyWord)
    let replay = TurnReplay(turn, on: game)
    #expect(replay.ready == game)
    #expect(!replay.after.inPlay.contains(bared))
    #expect(replay.picture(by: .me).lit == FaceSet(turn.faces))
  }

  @Test("A turn that is not legal after all changes nothing in its replay")
  func notLegal() {
    let replay = TurnReplay(WaitingTests.turn, on: WaitingTests.game.without([Cube("222")]))
    #expect(replay.after == replay.game)
  }
}
