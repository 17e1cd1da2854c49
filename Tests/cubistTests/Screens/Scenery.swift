import ServiceNews
import CubeLexicon
import CubePlay
import CubeRules
import Testing

@testable import GameScreens
@testable import cubist

/// States of the game to be looked at. Each is made by actions, as in the game itself.
enum Scenery: String, CaseIterable, Sendable {
  case loading, home, homeEmpty, homeWithdrawal, homeDeclining, homeMore, homeWarning
  case newMatch, newMatchName, newMatchAgain, newMatchPending
  case boardToday, boardWords, boardLadder, boardReview, boardFailed, inbox
  case player, playerBlocked, playerDoubted, playerReport, playerFailed
  case pastGames, pastGamesMore, pastGamesFiltered, pastGamesNone
  case settings, settingsWrong, settingsLeaving, settingsWide
  case keys, keysCode, keysDoubted, keysObject
  case yourTurn, typed, notAWord, playedBefore, anotherWay, cursor, removed, sent, waiting
  case theirTurn, lost, lookedBack, reacting, reactionFailed, over, justOver, rematchFailed,
    rematchOffered, rematchBegan
  case alone, noPath
  case invited, open, givenBack
  case givingUp, ending, pointing, values, arriving, vanishing, replaying, shared, watched
  case help, firstSteps, firstStepsWrong, firstStepsEnd
  case homeOfRobots, helpOfRobots

  /// The scenery of which a whole picture is kept; this one differs from it in some lines.
  var kind: Scenery {
    switch self {
    case .loading, .home, .homeEmpty, .homeWithdrawal, .homeDeclining, .homeMore, .homeWarning,
      .homeOfRobots:
      .home
    case .newMatch, .newMatchName, .newMatchAgain, .newMatchPending: .newMatch
    case .boardToday, .boardWords, .boardLadder, .boardReview, .boardFailed: .boardToday
    case .inbox: .inbox
    case .player, .playerBlocked, .playerDoubted, .playerReport, .playerFailed: .player
    case .pastGames, .pastGamesMore, .pastGamesFiltered, .pastGamesNone: .pastGames
    case .settings, .settingsWrong, .settingsLeaving, .settingsWide: .settings
    case .keys, .keysCode, .keysDoubted, .keysObject: .keys
    case .help, .helpOfRobots: .help
    case .firstSteps, .firstStepsWrong, .firstStepsEnd: .firstSteps
    case .over, .justOver, .rematchFailed, .rematchOffered, .rematchBegan, .shared, .watched,
      .replaying:
      .over
    default: .yourTurn
    }
  }

  /// Whether a cube is drawn.
  var hasCube: Bool { [.yourTurn, .over, .firstSteps].contains(kind) }

  static let key = MatchKey("1234")
  static let name = "ada"

  func app() throws -> GameApp {
    let isMatch = hasCube || self == .help || self == .helpOfRobots
    let isDemo = self == .homeOfRobots || self == .helpOfRobots
    var app = GameApp(
      at: isMatch ? Self.key : nil, firstSteps: firstSteps,
      facilities: isDemo ? .robots : .service)
    let reducer = GameApp.reducer(words: .english, checks: .live)
    for action in try actions() { _ = reducer.reduce(&app, action) }
    return app
  }

  func actions() throws -> [GameAction] {
    let list = GameAction.home(.arrived(HomeList(name: Self.name, rows: Self.rows)))
    switch self {
    case .loading: return [.opened]
    case .home: return [list, .home(.moved(1))]
    case .homeEmpty: return [.home(.arrived(HomeList(name: Self.name, rows: [])))]
    case .homeWithdrawal: return [list, .home(.moved(4)), .home(.withdrawalAsked)]
    case .homeDeclining: return [list, .home(.moved(1)), .home(.declined)]
    case .homeMore:
      var long = HomeList(name: Self.name, rows: Self.rows + Self.rows + Self.rows)
      long.more = "30 older matches are not listed."
      return [.home(.arrived(long)), .home(.moved(1))]
    case .homeWarning:
      var warned = HomeList(name: Self.name, rows: Self.rows)
      warned.warning = AccountWarning(
        .recovery, text: "A new key was asked for.",
        line: "A new key counts in 2 days. Not you? cubist key object")
      return [.home(.arrived(warned)), .home(.moved(1))]
    case .help, .helpOfRobots: return [list, .helpAsked]
    case .homeOfRobots:
      let robot = HomeRow(MatchKey("easy"), .invitation, opponent: "Robot, easy")
      return [.home(.arrived(HomeList(name: nil, rows: [robot]))), .home(.declined)]
    case .firstSteps, .firstStepsEnd: return [list, .firstStepsAsked]
    case .firstStepsWrong:
      return [list, .firstStepsAsked, .firstSteps(.play(.draft(.letterTyped(.x))))]
    case _ where !hasCube: return [list] + menuActions.map { .menu($0) }
    default: return [list] + (try matchActions()).map { .match(Self.key, $0) } + after
    }
  }

  private var firstSteps: FirstStepsProgress {
    switch self {
    case .firstStepsWrong: .at(.playVanishing)
    case .firstStepsEnd: .at(.farewell)
    default: .done
    }
  }

  private var after: [GameAction] { self == .lost ? [.connectionLost] : [] }

  private func matchActions() throws -> [MatchAction] {
    let mine = try Self.news(.yours(secondsLeft: 86_399))
    let over = try Self.news(.over(.cleared), ending: "Over: won, no cube is left.", .open)
    switch self {
    case .yourTurn, .lost: return [.arrived(mine)]
    case .typed: return [.arrived(mine)] + Self.typing(try Self.word { _ in true })
    case .notAWord: return [.arrived(mine)] + Self.typing(try Self.notAWord())
    case .noPath: return [.arrived(mine)] + Self.typing(try Self.word { _ in true } + "XQ")
    case .playedBefore:
      // The faces of the word that was played first are still in sight.
      return [.arrived(try Self.news(.yours(secondsLeft: nil), turns: 1))] + Self.typing("SEQUENT")
    case .anotherWay:
      return [.arrived(mine)] + Self.typing(try Self.word { $0.count > 1 })
        + [.play(.draft(.nextWay))]
    case .cursor: return [.arrived(mine), .cursorMoved(.left), .cursorMoved(.left)]
    case .removed:
      return [
        .arrived(mine), .cursorMoved(.left), .cursorMarked, .cursorMoved(.down), .cursorMarked,
      ]
    case .sent:
      return [.arrived(mine)] + Self.typing(try Self.word { _ in true }) + [.play(.submit)]
    case .waiting:
      return [.arrived(mine)] + Self.typing(try Self.word { _ in true }) + [
        .play(.submit), .play(.serviceLost),
      ]
    case .theirTurn: return [.arrived(try Self.news(.theirs(secondsLeft: 59)))]
    case .lookedBack: return [.arrived(mine), .lookedBack(2)]
    case .reacting, .reactionFailed:
      // It is the other player's turn that is answered.
      let news = try Self.news(.yours(secondsLeft: 86_399), turns: 4)
      let failure = "The service cannot be reached."
      let answered: [MatchAction] = [.react(.asked), .react(.answered(failure: failure))]
      return [.arrived(news), .lookedBack(2)] + (self == .reacting ? [] : answered)
    case .over: return [.arrived(over)]
    case .justOver: return [.arrived(mine), .arrived(over)]
    case .rematchFailed:
      return [
        .arrived(over), .rematchAsked,
        .rematchAnswered(.failed("The service cannot be reached.")),
      ]
    case .rematchOffered, .rematchBegan:
      var news = over
      news.rematch = self == .rematchBegan ? .began(MatchKey("5678")) : .offered(by: .them)
      return [.arrived(news)]
    case .alone:
      var news = try Self.news(.yours(secondsLeft: 180))
      news.standing.players = .alone(points: 1_436)
      news.opponent = nil
      return [.arrived(news)]
    default: return try moreActions(mine, over)
    }
  }

  private func moreActions(_ mine: MatchNews, _ over: MatchNews) throws -> [MatchAction] {
    switch self {
    case .invited, .open:
      var news = try Self.news(.theirs(secondsLeft: 86_399), turns: 1)
      news.isWaiting = true
      if self == .open { news.opponent = nil }
      return [.arrived(news)]
    case .givenBack: return [.arrived(try Self.news(.yours(secondsLeft: -72)))]
    case .givingUp: return [.arrived(mine), .giveUp(.asked)]
    case .ending:
      var news = mine
      (news.standing.players, news.opponent) = (.alone(points: 1_436), nil)
      news.lines = news.lines.filter { $0.player == .me }
      return [.arrived(news), .giveUp(.asked)]
    case .pointing: return [.arrived(mine), .pointingAsked, .cursorSought(.x), .cursorSought(.x)]
    case .values: return [.arrived(mine), .valuesAsked]
    case .arriving, .vanishing:
      let before = try Self.news(.theirs(secondsLeft: 60), turns: 4)
      var after = try Self.news(.yours(secondsLeft: 86_400))
      after.standing.lastTurn?.player = .them
      let moments = self == .arriving ? 4 : 10
      return [.arrived(before), .arrived(after)] + Array(repeating: .ticked, count: moments)
    case .replaying: return [.arrived(over), .lookedBack(4), .replayAsked, .ticked, .ticked]
    case .shared:
      let rating = Strength(points: 1_500, isReliable: false, matchCount: 3)
      var (before, after) = (mine, over)
      (before.isRated, after.isRated) = (true, true)
      return [
        .arrived(before), .ratingArrived(rating), .arrived(after),
        .ratingArrived(Strength(points: 1_663, isReliable: true, matchCount: 4)),
        .share(.asked), .share(.answered(.shared(code: "7K3QX2M97K3QX2M9"))),
      ]
    case .watched:
      var news = over
      (news.watched, news.rematch) = ("barbara", .impossible)
      return [.arrived(news), .lookedBack(2)]
    default: return []
    }
  }

  private static func typing(_ word: String) -> [MatchAction] {
    word.compactMap { Letter($0) }.map { .play(.draft(.letterTyped($0))) }
  }

  static func news(
    _ stage: Standing.Stage, ending: String? = nil, _ rematch: RematchNews = .impossible,
    turns: Int = 5
  ) throws -> MatchNews {
    let words = [
      ("SEQUENT", 560), ("MOTTOES", 336), ("UNYOKE", 288), ("BOTTOM", 252), ("CONTEXT", 588),
    ]
    let last = try Move(notation: Position.words[turns - 1])
    let played = try LegalTurn(
      [last], on: Position.midGame(turns - 1), seatCount: 2, words: .everyWord)
    let bests = try ending == nil ? [] : (0..<turns).map { try best(after: $0) }
    return MatchNews(
      standing: Standing(
        game: try Position.midGame(turns), players: .two(mine: 1_436, theirs: 588),
        turnNumber: turns + 1,
        lastTurn: PlayedTurn(by: .me, played), stage: stage),
      opponent: "grace",
      lines: try words.prefix(turns).enumerated().map { index, word in
        TurnLine(
          number: index + 1, player: index.isMultiple(of: 2) ? .me : .them, word: word.0,
          removedCount: index == 3 ? 1 : 0, score: word.1,
          reaction: index == 2 && ending != nil ? words[0].0 : nil,
          best: bests.isEmpty ? nil : bests[index],
          replay: try replay(index))
      },
      ending: ending, rematch: rematch)
  }

  private static func replay(_ index: Int) throws -> TurnReplay {
    let game = try Position.midGame(index)
    let move = try Move(notation: Position.words[index])
    return TurnReplay(
      try LegalTurn([move], on: game, seatCount: 2, words: .everyWord), on: game)
  }

  private static func best(after turns: Int) throws -> BestWord? {
    let found = Lexicon.english.words(on: try Position.midGame(turns)).first
    return found.map { BestWord($0.word, $0.score) }
  }

  /// The longest word that can be played, such that its ways to play fulfill a condition.
  static func word(_ holds: ([LegalTurn]) -> Bool) throws -> String {
    let game = try Position.midGame()
    let finder = WordFinder(game: game, seatCount: 2, lexicon: .english)
    let words = Lexicon.english.words(on: game).map(\.word)
      .filter { (try? finder.choices(for: $0)).map(holds) ?? false }
    return try Position.unwrap(words.max { ($0.count, $1) < ($1.count, $0) })
  }

  /// The beginning of a word that is no word itself.
  private static func notAWord() throws -> String {
    let word = try word { _ in true }
    let beginnings = (3..<word.count).map { String(word.prefix($0)) }
    return try Position.unwrap(
      beginnings.first { beginning in
        Spelling(beginning).map { !Lexicon.english.contains($0) } ?? false
      })
  }

  private static let rows = [
    HomeRow(MatchKey("1"), .yourTurn, opponent: "grace", points: [42, 36], secondsLeft: 93_784),
    HomeRow(MatchKey("2"), .invitation, opponent: "edsger", secondsLeft: 600_000),
    HomeRow(MatchKey("3"), .rematchOffer, opponent: "barbara", secondsLeft: 3_599),
    HomeRow(
      MatchKey("4"), .theirTurn, opponent: "player 0123abcd", points: [0, 1_480], secondsLeft: 59),
    waitingRow,
    HomeRow(MatchKey("6"), .ownOffer, opponent: "alan", secondsLeft: 86_400),
    HomeRow(MatchKey("7"), .yourTurn, opponent: "daily 2026-11-23", points: [120]),
    openRow,
    HomeRow(
      MatchKey("8"), .daily(.timed), opponent: "timed daily 2026-11-23", secondsLeft: 36_000),
  ]

  private static var waitingRow: HomeRow {
    var row = HomeRow(MatchKey("5"), .waiting, opponent: "nobody yet", points: [0, 0])
    row.isWithdrawable = true
    return row
  }

  private static var openRow: HomeRow {
    var row = HomeRow(MatchKey("9"), .waiting, opponent: "nobody yet", points: [0, 0])
    (row.isWithdrawable, row.code) = (true, "7K3QX2M9")
    return row
  }
}
