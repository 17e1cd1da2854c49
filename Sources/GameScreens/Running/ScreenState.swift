package import CubePlay

/// The game on the screen, with the wishes that have no answer yet.
struct ScreenState: Hashable, Sendable {
  private(set) var app: GameApp
  private(set) var work = WorkUnderWay()
  /// Whether the player has asked for the end, and it waits for something.
  private(set) var isQuitting = false
  private(set) var isOver = false

  init(_ app: GameApp) { self.app = app }

  /// Carries an action out. A match whose turn is not kept yet stays on the screen: nothing else sends
  /// that turn again.
  mutating func reduce(
    _ action: GameAction, _ reducer: Reducer<GameApp, GameAction, GameEffect>
  ) -> [GameEffect] {
    work.take(action)
    var next = app
    var effects = reducer.reduce(&next, action)
    if let key = app.match?.key, next.match?.key != key, work.isUnkept(in: key) {
      next = app
      effects = reducer.reduce(&next, .match(key, .play(.submit)))
    }
    app = next
    for effect in effects { work.begin(effect, in: app) }
    if effects.contains(.quit) {
      // Who asks twice waits for nothing.
      if isQuitting { isOver = true }
      isQuitting = true
    }
    endIfDue()
    return effects
  }

  /// A turn is kept.
  mutating func keep(_ match: MatchKey, _ number: Int) {
    work.keep(match, number)
    endIfDue()
  }

  /// An effect was carried out, or has failed.
  mutating func end(_ effect: GameEffect) {
    work.end(effect)
    endIfDue()
  }

  private mutating func endIfDue() {
    if isQuitting, work.reasonToWait == nil { isOver = true }
  }

  /// What the screen says while the end waits; nil: it does not.
  var waitBeforeEnd: String? {
    guard isQuitting, let reason = work.reasonToWait else { return nil }
    return "\(reason) Ctrl-C again quits without that."
  }

  /// Whether the turn of the shown match that has no answer is kept.
  var isShownTurnKept: Bool { app.match.map { !work.isUnkept(in: $0.key) } ?? true }

  /// How the screen ends.
  var end: ScreenEnd { ScreenEnd(app: app, turns: work.turns) }
}

/// The state in which the player has left the screen.
package struct ScreenEnd: Hashable, Sendable {
  package var app: GameApp
  /// The turns without an answer.
  package var turns: [WorkUnderWay.Turn]
  /// Why the progress of the first steps was not kept, in words; nil: it was, or there was none.
  package var firstStepsFailure: String?

  package init(app: GameApp = GameApp(), turns: [WorkUnderWay.Turn] = []) {
    (self.app, self.turns) = (app, turns)
  }
}
