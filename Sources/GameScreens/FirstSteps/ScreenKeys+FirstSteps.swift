import CubePlay
import TerminalScreen

extension ScreenKeys {
  /// The keys of the first steps are those of a match.
  static func firstSteps(
    _ key: Key, _ steps: FirstSteps, _ size: TerminalSize
  ) -> GameAction? {
    if isLeaving(key, steps.shown) { return .left }
    return action(key, steps.shown, size).map { .firstSteps($0) }
  }
}
