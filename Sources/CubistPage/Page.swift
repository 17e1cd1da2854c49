package import CubePlay
internal import CubeRules

/// The game of the page: the state of the whole game, and the world behind it.
///
/// A class: copies of so large a value would be a tenth of the module.
package final class Page<World: PageWorld> {
  package private(set) var app: GameApp
  /// The times after which the page sends an action, since the last action.
  package private(set) var timers: [PageTimer] = []
  package var world: World
  private let reducer: Reducer<GameApp, GameAction, GameEffect>

  package init(
    _ app: GameApp, in world: World, reducer: Reducer<GameApp, GameAction, GameEffect>
  ) {
    (self.app, self.world, self.reducer) = (app, world, reducer)
  }
}

/// The world that carries out the effects of the game.
package protocol PageWorld {
  /// Carries out an effect.
  ///
  /// - Parameters:
  ///   - app: The state after the action.
  ///   - timers: Takes the times after which something else follows.
  /// - Returns: The actions that follow at once.
  mutating func carryOut(
    _ effect: GameEffect, in app: GameApp, timers: inout [PageTimer]
  ) -> [GameAction]
}

/// A time after which the page sends an action.
package struct PageTimer: Hashable, Sendable {
  package let milliseconds: Int
  /// As the page sends it.
  package let action: String

  package init(milliseconds: Int, action: String) {
    (self.milliseconds, self.action) = (milliseconds, action)
  }

  /// A moment of a turn that is shown.
  package static func moment(_ key: MatchKey) -> PageTimer {
    PageTimer(milliseconds: 160, action: "tick \(key.text)")
  }
}

// MARK: - Actions

extension Page {
  /// Carries out an action of the page.
  package func act(_ action: PageAction) {
    forgetTimers()
    switch action {
    case .letter(let letter): play(.play(.draft(.letterTyped(letter))))
    case .type(let letters): type(letters)
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
    case .row(let index): open(row: index)
    case .yes: act(.home(.confirmed))
    case .no: act(.home(.kept))
    case .leave: act(.left)
    case .steps: act(.firstStepsAsked)
    case .help: act(.helpAsked)
    case .close: act(.helpClosed)
    case .tick(let key): act(.match(key, .ticked))
    }
  }

  /// Timers are those of one action.
  package func forgetTimers() { timers = [] }

  /// Has the page send an action later.
  package func wait(_ timer: PageTimer) { timers.append(timer) }

  /// An action in the match or in the first steps, whichever is on the page.
  package func play(_ action: MatchAction) {
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

  /// Takes letters back until what is chosen begins the text, and chooses the rest of it.
  private func type(_ letters: [Letter]) {
    let text = letters.map { UInt8(ascii: "A") + $0.rawValue }
    var chosen = chosen
    // A text without its last letters is never typed: the rest of QU would become QU again.
    let isShorter = chosen.starts(with: text)
    while !text.starts(with: chosen) {
      let count = chosen.count
      play(.play(.draft(.takeBack)))
      chosen = self.chosen
      guard chosen.count < count else { return }
    }
    guard !isShorter else { return }
    for letter in letters.dropFirst(chosen.count) { play(.play(.draft(.letterTyped(letter)))) }
  }

  /// The letters of the word as the field shows them, with those that have no path.
  private var chosen: [UInt8] {
    guard let turn = shown?.turn else { return [] }
    return Array((turn.draft?.word?.word ?? "").utf8) + turn.missed.flatMap { $0.spelling.utf8 }
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

  private func open(row: Int) {
    if select(row: row) { act(.home(.opened)) }
  }

  /// Selects a row of the list. False where there is no such row, or the list is not on the page.
  package func select(row: Int) -> Bool {
    guard case .home = app.place, app.home.list?.rows.indices.contains(row) == true else {
      return false
    }
    act(.home(.moved(row - app.home.selectedIndex)))
    return app.home.selectedIndex == row
  }
}

// MARK: - The game's own actions

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

  package func act(_ action: GameAction) { act([action]) }

  /// Carries out actions, and the effects of each before the next one.
  package func act(_ actions: [GameAction]) {
    for action in actions {
      for effect in reducer.reduce(&app, action) {
        act(world.carryOut(effect, in: app, timers: &timers))
      }
    }
  }
}
