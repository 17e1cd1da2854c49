package import CubeLexicon
package import CubePlay
package import CubeRules
internal import CubistBasics

/// The game of the page: the state of the whole game, matches against robots, and everything that
/// the state asks of the world, but for the time that passes.
///
/// A class: copies of so large a value would be a tenth of the module.
package final class Page {
  package private(set) var app: GameApp
  /// The times after which the page sends an action, since the last action.
  package private(set) var timers: [PageTimer] = []
  private(set) var table: RobotTable
  private(set) var random: SplitMix64
  /// The cube of the match that is open at first.
  let firstPuzzle: Puzzle
  private let words: Lexicon
  private let reducer: Reducer<GameApp, GameAction, GameEffect>

  /// A match against the weakest robot is open.
  ///
  /// - Parameters:
  ///   - seed: Of everything that is drawn. The first cube is the same for everybody.
  ///   - firstSteps: How far the player has come in the first steps.
  package convenience init(
    seed: UInt64, firstSteps: FirstStepsProgress, words: Lexicon = .english
  ) {
    var table = RobotTable(words: words)
    let match = table.begin(.easy, on: Self.firstPuzzle(words), first: .me)
    self.init(
      table, at: match, random: SplitMix64(state: seed), firstSteps: firstSteps, words: words)
  }

  /// - Parameters:
  ///   - match: The open match. Without one the list is open, or the first steps.
  ///   - random: The numbers that are still to be drawn.
  init(
    _ table: RobotTable, at match: MatchKey?, random: SplitMix64, firstSteps: FirstStepsProgress,
    words: Lexicon
  ) {
    (self.table, self.random, self.words) = (table, random, words)
    firstPuzzle = Self.firstPuzzle(words)
    reducer = GameApp.reducer(words: words, menus: Reducer { _, _ in [] })
    app = GameApp(at: match, firstSteps: firstSteps, facilities: .robots)
    act(.opened)
  }

  /// The cube that the page draws before this module is there.
  package static func firstPuzzle(_ words: Lexicon) -> Puzzle { words.puzzle(seed: firstSeed) }

  private static let firstSeed: UInt64 = 7_046
}

/// A time after which the page sends an action.
package struct PageTimer: Hashable, Sendable {
  package let milliseconds: Int
  /// As the page sends it.
  package let action: String

  /// A moment of a turn that is shown.
  static func moment(_ key: MatchKey) -> PageTimer {
    PageTimer(milliseconds: 160, action: "tick \(key.text)")
  }

  /// A robot thinks.
  static func thought(_ key: MatchKey) -> PageTimer {
    PageTimer(milliseconds: 1_200, action: "robot \(key.text)")
  }
}

// MARK: - Actions

extension Page {
  /// Carries out an action of the page.
  package func act(_ action: PageAction) {
    timers = []
    switch action {
    case .letter(let letter): play(.play(.draft(.letterTyped(letter))))
    case .face(let face): tap(face)
    case .drag(let face): play(.play(.draft(.faceDragged(face))))
    case .mark(let cube): play(.play(.draft(.cubeMarked(cube))))
    case .way(let number): show(way: number)
    case .back: play(.play(.draft(.takeBack)))
    case .clear: play(.cleared)
    case .submit: play(.play(.submit))
    case .look(let count): play(.lookedBack(count))
    case .turn(let number): look(at: number)
    case .replay: play(.replayAsked)
    case .values: play(.valuesAsked)
    case .rematch: play(.rematchAsked)
    case .new(let strength): begin(strength)
    case .row(let index): open(row: index)
    case .yes: act(.home(.confirmed))
    case .no: act(.home(.kept))
    case .leave: act(.left)
    case .steps: act(.firstStepsAsked)
    case .help: act(.helpAsked)
    case .close: act(.helpClosed)
    case .tick(let key): act(.match(key, .ticked))
    case .robot(let key): answer(key)
    }
  }

  /// An action in the match or in the first steps, whichever is on the page.
  func play(_ action: MatchAction) {
    switch app.place {
    case .match(let match): act(.match(match.key, action))
    case .firstSteps: act(.firstSteps(action))
    case .home, .menu: break
    }
  }

  /// Where a step wants letters to be typed, a tap types the letter: a finger has no keys.
  private func tap(_ face: Face) {
    play(.play(.draft(.faceTapped(face))))
    guard case .firstSteps(let steps) = app.place, steps.advice == .typeInstead else { return }
    play(.play(.draft(.letterTyped(steps.shown.turn.game.puzzle[face]))))
  }

  private func show(way number: Int) {
    guard let word = shown?.turn.draft?.word, 1...word.ways.count ~= number else { return }
    let count = word.ways.count
    for _ in 0..<(number - 1 - word.shownIndex + count) % count { play(.play(.draft(.nextWay))) }
  }

  private func look(at number: Int) {
    guard let shown, 0...shown.lines.count ~= number else { return }
    let back = number == 0 ? 0 : shown.lines.count - number + 1
    play(.lookedBack(back - shown.lookedBack))
  }

  private func begin(_ strength: BotStrength) {
    if case .home = app.place {} else { act(.left) }
    let row = app.home.list?.rows.firstIndex { $0.key == RobotTable.key(strength) }
    if let row { open(row: row) }
  }

  private func open(row: Int) {
    guard case .home = app.place else { return }
    act(.home(.moved(row - app.home.selectedIndex)))
    if app.home.selectedIndex == row { act(.home(.opened)) }
  }

  private func answer(_ key: MatchKey) {
    draw { table, random in table.answer(key, random: random) }
    act(arrivals(of: key))
  }
}

// MARK: - Effects

extension Page {
  /// The match on the page, or that of the first steps.
  package var shown: ShownMatch? {
    switch app.place {
    case .match(let match):
      guard case .shown(let shown) = match.content else { return nil }
      return shown
    case .firstSteps(let steps): return steps.shown
    case .home, .menu: return nil
    }
  }

  func act(_ action: GameAction) { act([action]) }

  /// Carries out actions, and the effects of each before the next one.
  private func act(_ actions: [GameAction]) {
    for action in actions {
      for effect in reducer.reduce(&app, action) { act(carryOut(effect)) }
    }
  }

  /// The actions that follow from an effect.
  private func carryOut(_ effect: GameEffect) -> [GameAction] {
    switch effect {
    case .home(.load): loadHome()
    case .home(.grant(let wish)): [grant(wish)]
    case .match(let key, .follow), .match(let key, .play(.reload)): arrivals(of: key)
    case .match(let key, .play(.send(let moves, let number))): send(key, moves, number)
    case .match(let key, .askRematch):
      [.match(key, .rematchAnswered(draw { $0.rematch(key, random: $1) }))]
    case .match(let key, .tick): wait(.moment(key))
    // The state shows these.
    case .match(_, .play(.show)), .match(_, .open), .home(.open), .keepFirstSteps: []
    // Robots know none of these, and a page does not end.
    case .match(_, .giveUp), .match(_, .share), .match(_, .askRating), .menu, .quit: []
    }
  }

  /// Robots play before the list is shown. While their match is shown they think.
  private func loadHome() -> [GameAction] {
    guard case .home = app.place else { return [] }
    return [.home(.arrived(draw { table, random in table.home(random: random) }))]
  }

  /// Asks something of the table that needs random numbers.
  private func draw<Answer>(_ ask: (inout RobotTable, () -> UInt64) -> Answer) -> Answer {
    var drawn = random
    defer { random = drawn }
    return ask(&table) { drawn.next() }
  }

  private func wait(_ timer: PageTimer) -> [GameAction] {
    timers.append(timer)
    return []
  }

  private func send(_ key: MatchKey, _ moves: [Move], _ number: Int) -> [GameAction] {
    guard let answer = table.play(key, moves, number: number) else { return [] }
    return [.match(key, .play(.answered(answer)))] + arrivals(of: key)
  }

  /// A match as it stands. Its robot begins to think where it is its turn.
  private func arrivals(of key: MatchKey) -> [GameAction] {
    guard let found = table.found(key) else { return [] }
    if found.isRobots { timers.append(.thought(key)) }
    return [.match(key, .arrived(found.news))]
  }

  private func grant(_ wish: HomeScreen.Wish) -> GameAction {
    guard case .accept(let key) = wish, let match = draw({ $0.accept(key, random: $1) }) else {
      return .home(.refused("There is no such robot."))
    }
    return .home(.granted(match))
  }
}
