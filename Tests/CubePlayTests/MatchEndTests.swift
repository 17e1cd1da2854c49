import CubeRules
import Testing

@testable import CubePlay

@Suite("Giving a match up on the screen")
struct GivingUpTests {
  @Test("It is asked before anything is lost, and going on loses nothing")
  func asking() {
    var screen = MatchScreenTests.screen()
    screen.table.turn = WaitingTests.typed
    var store = MatchScreenTests.store(screen)
    store.send(.giveUp(.confirmed))
    store.send(.giveUp(.asked)) { $0.table.givingUp = .asked }
    store.send(.giveUp(.asked))
    store.send(.giveUp(.kept)) { $0.table.givingUp = .no }
    #expect(store.state.table.turn == WaitingTests.typed)
  }

  @Test("A player loses by giving up once a turn was played, and never alone")
  func losing() {
    let standing = WaitingTests.standing(.yours(secondsLeft: nil))
    var alone = standing
    alone.players = .alone(points: 3)
    let line = TurnLine(number: 1, player: .me, word: "CAT", removedCount: 0, score: 3)
    #expect(ShownMatch(.of(standing)).lossByGivingUp == .no)
    #expect(ShownMatch(.of(standing, lines: [line])).lossByGivingUp == .certain)
    #expect(ShownMatch(.of(alone, lines: [line])).lossByGivingUp == .no)
  }

  @Test("Whether a joiner who has not played loses is not known; after a turn or an answer it is")
  func losingAsJoiner() {
    let mine = TurnLine(number: 2, player: .me, word: "CAT", removedCount: 0, score: 3)
    var theirs = mine
    (theirs.number, theirs.player) = (1, .them)
    var news = MatchNews.of(
      WaitingTests.standing(.yours(secondsLeft: nil)), lines: [theirs])
    #expect(ShownMatch(news).lossByGivingUp == .certain, "it waited for this player alone")
    news.waitedForAnyone = true
    #expect(ShownMatch(news).lossByGivingUp == .possible)
    for lines in [[mine], [theirs, mine]] {
      news.lines = lines
      #expect(ShownMatch(news).lossByGivingUp == .certain)
    }
    theirs.reaction = "WOW"
    news.lines = [theirs]
    #expect(ShownMatch(news).lossByGivingUp == .certain)
  }

  @Test("The player gives up once with a yes, and sees the end")
  func confirming() {
    var store = MatchScreenTests.store(MatchScreenTests.screen())
    store.send(.giveUp(.asked)) { $0.table.givingUp = .asked }
    store.send(.giveUp(.confirmed), effects: [.giveUp]) { $0.table.givingUp = .sent }
    store.send(.giveUp(.confirmed))
    store.send(.giveUp(.kept))
    store.send(.giveUp(.answered(.done)), effects: [.play(.reload)])
    let end = MatchNews.of(
      WaitingTests.standing(.over(.forfeited(by: .me))), ending: "You gave up.", rematch: .open)
    store.send(.arrived(end)) { $0.table = ShownMatch(end) }
    store.send(.giveUp(.asked))
  }

  @Test("A match that the player has left, and that is no more to be seen, is said to be left")
  func leaving() {
    var store = MatchScreenTests.store(MatchScreenTests.screen())
    store.send(.giveUp(.answered(.left)))
    store.send(.giveUp(.asked)) { $0.table.givingUp = .asked }
    store.send(.giveUp(.confirmed), effects: [.giveUp]) { $0.table.givingUp = .sent }
    store.send(.giveUp(.answered(.done)), effects: [.play(.reload)])
    let effect = GameEffect.match(MatchScreenTests.screen().key, .play(.reload))
    #expect(effect.failed(.away) == [.connectionLost])
    #expect(
      effect.failed(.said("no such match"))
        == [.match(MatchScreenTests.screen().key, .giveUp(.answered(.left)))])
    store.send(.giveUp(.answered(.left))) {
      $0.content = .failed("You left this match. Somebody else may have your place now.")
    }
  }

  @Test("A match that could not be given up goes on, and the reason is said")
  func failing() {
    var store = MatchScreenTests.store(MatchScreenTests.screen())
    store.send(.giveUp(.answered(.failed("late"))))
    store.send(.giveUp(.asked)) { $0.table.givingUp = .asked }
    store.send(.giveUp(.confirmed), effects: [.giveUp]) { $0.table.givingUp = .sent }
    store.send(.giveUp(.answered(.failed("The service cannot be reached.")))) {
      $0.table.givingUp = .no
      $0.table.turn.notice = .said("The service cannot be reached.")
    }
    store.send(.giveUp(.asked)) {
      $0.table.givingUp = .asked
      $0.table.turn.notice = nil
    }
  }

  @Test("A match that ends while the player is asked is over, and nothing is asked any more")
  func ending() {
    var store = MatchScreenTests.store(MatchScreenTests.screen())
    store.send(.giveUp(.asked)) { $0.table.givingUp = .asked }
    store.send(.arrived(.over)) {
      $0.table = ShownMatch(.over)
      $0.table.restSeconds = 3
    }
  }

  @Test("A spectator gives nothing up and shares nothing")
  func watching() {
    var news = MatchNews.of(WaitingTests.standing(.theirs(secondsLeft: nil)))
    news.watched = "ada"
    var store = MatchScreenTests.store(MatchScreenTests.screen(news))
    store.send(.giveUp(.asked))
    var over = MatchNews.over
    over.watched = "ada"
    var ended = MatchScreenTests.store(MatchScreenTests.screen(over))
    ended.send(.share(.asked))
  }
}

@Suite("Sharing a game on the screen")
struct SharingTests {
  @Test("A game that is over is shared once, and its code is shown")
  func sharing() {
    var store = MatchScreenTests.store(MatchScreenTests.screen(.over))
    store.send(.share(.asked), effects: [.share]) { $0.table.sharing = .asked }
    store.send(.share(.asked))
    store.send(.share(.answered(.shared(code: "7K3Q")))) {
      $0.table.sharing = .shared(code: "7K3Q")
    }
    store.send(.share(.asked))
    store.send(.share(.answered(.failed("late"))))
  }

  @Test("A match that could not be shared says so, and can be shared again")
  func failing() {
    var store = MatchScreenTests.store(MatchScreenTests.screen(.over))
    store.send(.share(.asked), effects: [.share]) { $0.table.sharing = .asked }
    store.send(.share(.answered(.failed("Away.")))) {
      $0.table.sharing = .possible(failure: "Away.")
    }
    store.send(.share(.asked), effects: [.share]) { $0.table.sharing = .asked }
  }

  @Test("Nothing is shared while it is played")
  func playing() {
    var store = MatchScreenTests.store(MatchScreenTests.screen())
    store.send(.share(.asked))
  }
}

@Suite("The rating after a match")
struct RatingStoryTests {
  private static let before = Strength(points: 1_500, isReliable: false, matchCount: 3)
  private static let after = Strength(points: 1_540, isReliable: true, matchCount: 4)

  private static func rated(_ news: MatchNews) -> MatchNews {
    var news = news
    news.isRated = true
    return news
  }

  private static let playing = rated(.of(WaitingTests.standing()))
  private static let over = rated(.over)

  @Test("It is looked at before the end, awaited after it, and shown as it changed")
  func changing() {
    var store = MatchScreenTests.store(MatchScreen(MatchScreenTests.key))
    store.send(.arrived(Self.playing), effects: [.askRating]) {
      $0.content = .shown(ShownMatch(Self.playing))
    }
    store.send(.ratingArrived(Self.before)) { $0.table.rating = .before(Self.before) }
    store.send(.arrived(Self.over), effects: [.askRating]) {
      $0.table = ShownMatch(Self.over)
      $0.table.restSeconds = 3
      $0.table.rating = .awaited(before: Self.before, secondsLeft: 10)
    }
    // The match is not rated yet.
    store.send(.ratingArrived(Self.before))
    store.send(.play(.secondPassed), effects: [.askRating]) {
      $0.table.rating = .awaited(before: Self.before, secondsLeft: 9)
      $0.table.restSeconds = 2
    }
    store.send(.ratingArrived(Self.after)) {
      $0.table.rating = .changed(from: Self.before, to: Self.after)
    }
    store.send(.play(.secondPassed)) { $0.table.restSeconds = 1 }
    store.send(.ratingArrived(Self.before))
  }

  @Test("A match that is not rated is not awaited for ever")
  func patience() {
    var screen = MatchScreenTests.screen(Self.over)
    screen.table.rating = .awaited(before: Self.before, secondsLeft: 1)
    var store = MatchScreenTests.store(screen)
    store.send(.play(.secondPassed), effects: [.askRating]) {
      $0.table.rating = .awaited(before: Self.before, secondsLeft: 0)
    }
    store.send(.play(.secondPassed))
  }

  @Test("A match that is over when it is opened shows only the present rating")
  func opened() {
    var store = MatchScreenTests.store(MatchScreen(MatchScreenTests.key))
    store.send(.arrived(Self.over), effects: [.askRating]) {
      $0.content = .shown(ShownMatch(Self.over))
    }
    store.send(.ratingArrived(Self.after)) { $0.table.rating = .now(Self.after) }
  }

  @Test("A match that changes no rating asks for none")
  func casual() {
    var store = MatchScreenTests.store(MatchScreenTests.screen())
    store.send(.arrived(.over)) {
      $0.table = ShownMatch(.over)
      $0.table.restSeconds = 3
    }
    store.send(.play(.secondPassed)) { $0.table.restSeconds = 2 }
  }
}
