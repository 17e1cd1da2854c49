import CubeRules
import Testing

@testable import CubePlay

@Suite("Answering a turn with a word")
struct ReactingTests {
  private static func news(
    _ stage: Standing.Stage = .yours(secondsLeft: nil),
    last: PlayTurn.Player = .them, reaction: String? = nil
  ) -> MatchNews {
    let first = last == .them ? PlayTurn.Player.me : .them
    return .of(
      WaitingTests.standing(stage, turn: 4),
      lines: [
        TurnLine(number: 1, player: last, word: "", removedCount: 2, score: 0),
        TurnLine(number: 2, player: first, word: "GAMES", removedCount: 0, score: 40),
        TurnLine(
          number: 3, player: last, word: "WORD", removedCount: 0, score: 9, reaction: reaction),
      ])
  }

  private static func store(_ news: MatchNews) -> ScreenStore {
    MatchScreenTests.store(MatchScreenTests.screen(news))
  }

  @Test("The other player's last turn is answered once with the word that is looked at")
  func answering() {
    var store = Self.store(Self.news())
    #expect(store.state.table.canReact && store.state.table.possibleReaction == nil)
    store.send(.react(.asked))
    store.send(.lookedBack(2)) { $0.table.lookedBack = 2 }
    #expect(store.state.table.possibleReaction == "GAMES")
    store.send(.react(.asked), effects: [.react("GAMES", turn: 3)]) {
      $0.table.reacting = .asked(word: "GAMES", turn: 3)
    }
    store.send(.react(.asked))
    store.send(.react(.answered(failure: nil))) {
      $0.table.reacting = .no(failure: nil)
      $0.table.lines[2].reaction = "GAMES"
    }
    #expect(!store.state.table.canReact)
    store.send(.react(.asked))
    store.send(.react(.answered(failure: "late")))
  }

  @Test("An answer that was not taken says so until another turn is looked at; it can be repeated")
  func failing() {
    var store = Self.store(Self.news())
    store.send(.lookedBack(1)) { $0.table.lookedBack = 1 }
    for _ in 1...2 {
      store.send(.react(.asked), effects: [.react("WORD", turn: 3)]) {
        $0.table.reacting = .asked(word: "WORD", turn: 3)
      }
      store.send(.react(.answered(failure: "Away."))) {
        $0.table.reacting = .no(failure: "Away.")
      }
    }
    store.send(.lookedBack(1)) {
      $0.table.lookedBack = 2
      $0.table.reacting = .no(failure: nil)
    }
  }

  @Test("An answer counts for the turn that it was about, though a later one was played")
  func late() {
    var store = Self.store(Self.news())
    store.send(.lookedBack(1)) { $0.table.lookedBack = 1 }
    store.send(.react(.asked), effects: [.react("WORD", turn: 3)]) {
      $0.table.reacting = .asked(word: "WORD", turn: 3)
    }
    var next = Self.news(.theirs(secondsLeft: nil))
    next.standing.turnNumber = 5
    next.lines.append(
      TurnLine(number: 4, player: .me, word: "PLAY", removedCount: 0, score: 8))
    store.send(.arrived(next)) {
      $0.table = ShownMatch(next)
      $0.table.reacting = .asked(word: "WORD", turn: 3)
    }
    store.send(.react(.answered(failure: nil))) {
      $0.table.reacting = .no(failure: nil)
      $0.table.lines[2].reaction = "WORD"
    }
  }

  @Test("Nobody answers a turn without a word, an own one, an answered one, or after the end")
  func impossible() {
    var removal = MatchScreenTests.screen(Self.news())
    removal.table.lookedBack = 3
    var own = MatchScreenTests.screen(Self.news(last: .me))
    own.table.lookedBack = 1
    var answered = MatchScreenTests.screen(Self.news(reaction: "GAMES"))
    answered.table.lookedBack = 1
    var over = MatchScreenTests.screen(Self.news(.over(.cleared)))
    over.table.lookedBack = 1
    var news = Self.news()
    news.watched = "ada"
    var watched = MatchScreenTests.screen(news)
    watched.table.lookedBack = 1
    for screen in [removal, own, answered, over, watched] {
      var store = MatchScreenTests.store(screen)
      store.send(.react(.asked))
    }
  }
}
