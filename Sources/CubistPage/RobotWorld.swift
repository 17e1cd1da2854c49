package import CubeLexicon
package import CubePlay
package import CubeRules
internal import CubistBasics

/// Matches against robots and games alone. Nothing is asked of the world but the time that passes.
package struct RobotWorld: PageWorld {
  var table: LocalTable
  var random: SplitMix64
  /// The cube of the match that is open at first.
  let firstPuzzle: Puzzle

  package mutating func carryOut(
    _ effect: GameEffect, in app: GameApp, timers: inout [PageTimer]
  ) -> [GameAction] {
    switch effect {
    case .home(.load): return loadHome(app)
    case .home(.grant(let wish)): return [grant(wish)]
    case .match(let key, .follow), .match(let key, .play(.reload)):
      return arrivals(of: key, timers: &timers)
    case .match(let key, .play(.send(let moves, let number))):
      guard let answer = table.play(key, moves, number: number) else { return [] }
      return [.match(key, .play(.answered(answer)))] + arrivals(of: key, timers: &timers)
    case .match(let key, .askRematch):
      return [.match(key, .rematchAnswered(draw { $0.rematch(key, random: $1) }))]
    case .match(let key, .tick):
      timers.append(.moment(key))
      return []
    // The state shows these.
    case .match(_, .play(.show)), .match(_, .open), .home(.open), .keepFirstSteps: return []
    // Robots know none of these, and a page does not end.
    case .match(_, .giveUp), .match(_, .share), .match(_, .react), .match(_, .askRating), .menu,
      .quit:
      return []
    }
  }

  /// Robots play before the list is shown. While their match is shown they think.
  private mutating func loadHome(_ app: GameApp) -> [GameAction] {
    guard case .home = app.place else { return [] }
    return [.home(.arrived(draw { table, random in table.home(random: random) }))]
  }

  /// Asks something of the table that needs random numbers.
  mutating func draw<Answer>(_ ask: (inout LocalTable, () -> UInt64) -> Answer) -> Answer {
    var drawn = random
    defer { random = drawn }
    return ask(&table) { drawn.next() }
  }

  /// A match as it stands. Its robot begins to think where it is its turn.
  mutating func arrivals(of key: MatchKey, timers: inout [PageTimer]) -> [GameAction] {
    guard let found = table.found(key) else { return [] }
    if found.isRobots { timers.append(.thought(key)) }
    return [.match(key, .arrived(found.news))]
  }

  private mutating func grant(_ wish: HomeScreen.Wish) -> GameAction {
    guard case .accept(let key) = wish, let match = draw({ $0.accept(key, random: $1) }) else {
      return .home(.refused("There is no such game."))
    }
    return .home(.granted(match))
  }
}

/// The page of these matches.
package typealias RobotPage = Page<RobotWorld>

extension Page where World == RobotWorld {
  /// A match against the weakest robot is open.
  ///
  /// - Parameters:
  ///   - seed: Of everything that is drawn. The first cube is the same for everybody.
  ///   - firstSteps: How far the player has come in the first steps.
  package convenience init(
    seed: UInt64, firstSteps: FirstStepsProgress, words: Lexicon = .english
  ) {
    var table = LocalTable(words: words)
    let match = table.begin(.robot(.easy, first: .me), on: Self.firstPuzzle(words))
    self.init(
      table, at: match, random: SplitMix64(state: seed), firstSteps: firstSteps, words: words)
  }

  /// - Parameters:
  ///   - match: The open match. Without one the list is open, or the first steps.
  ///   - random: The numbers that are still to be drawn.
  convenience init(
    _ table: LocalTable, at match: MatchKey?, random: SplitMix64, firstSteps: FirstStepsProgress,
    words: Lexicon
  ) {
    self.init(
      GameApp(at: match, firstSteps: firstSteps, facilities: .robots),
      in: RobotWorld(table: table, random: random, firstPuzzle: Self.firstPuzzle(words)),
      reducer: GameApp.reducer(words: words, menus: Reducer { _, _ in [] }))
    act(.opened)
  }

  /// The cube that the page draws before this module is there.
  package static func firstPuzzle(_ words: Lexicon) -> Puzzle { words.puzzle(seed: 7_046) }
}

/// An action of the page that only robots know, as the page writes it.
package enum RobotAction: Hashable, Sendable {
  /// A match against a robot: `new easy`.
  case new(BotStrength)
  /// The robot has thought long enough: `robot 1`, with the name of the match.
  case robot(MatchKey)
  /// Any other.
  case page(PageAction)

  /// Reads an action; nil where the text is none.
  package init?(_ text: some Collection<UInt8>) {
    let (word, value) = PageAction.parts(text)
    switch (word, value) {
    case ("new", let value?):
      guard let strength = BotStrength(rawValue: value) else { return nil }
      self = .new(strength)
    case ("robot", let value?): self = .robot(MatchKey(value))
    default:
      guard let action = PageAction(word, value) else { return nil }
      self = .page(action)
    }
  }
}

extension Page where World == RobotWorld {
  /// Carries out an action of the page.
  package func act(_ action: RobotAction) {
    switch action {
    case .new(let strength):
      forgetTimers()
      begin(strength)
    case .robot(let key):
      forgetTimers()
      answer(key)
    case .page(let action): act(action)
    }
  }

  private func begin(_ strength: BotStrength) {
    if case .home = app.place {} else { act(.left) }
    let key = Opponent.robot(strength, first: .me).key
    let row = app.home.list?.rows.firstIndex { $0.key == key }
    if let row { act(PageAction.row(row)) }
  }

  private func answer(_ key: MatchKey) {
    world.draw { table, random in table.answer(key, random: random) }
    var thoughts: [PageTimer] = []
    let actions = world.arrivals(of: key, timers: &thoughts)
    for thought in thoughts { wait(thought) }
    act(actions)
  }
}

extension PageTimer {
  /// A robot thinks.
  fileprivate static func thought(_ key: MatchKey) -> PageTimer {
    PageTimer(milliseconds: 1_200, action: "robot \(key.text)")
  }
}
