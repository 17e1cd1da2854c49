import CubePlay
import CubistPage

/// A world in which nothing follows an effect. It remembers them.
struct StillWorld: PageWorld {
  var effects: [GameEffect] = []

  mutating func carryOut(
    _ effect: GameEffect, in app: GameApp, timers: inout [PageTimer]
  ) -> [GameAction] {
    effects.append(effect)
    return []
  }
}

typealias StillPage = Page<StillWorld>

extension Page where World == StillWorld {
  /// The page of a player with a name, as it is opened.
  convenience init(at match: MatchKey? = nil, checks: FieldChecks = .strict) {
    self.init(
      GameApp(at: match), in: StillWorld(), reducer: GameApp.reducer(words: nil, checks: checks))
  }

  /// The effects since they were asked for last.
  func takeEffects() -> [GameEffect] {
    defer { world.effects = [] }
    return world.effects
  }
}

extension FieldChecks {
  /// Checks like those of a service.
  static let strict: FieldChecks = {
    var checks = most
    checks.reportText = { $0.contains("\u{202e}") ? "1 to 200 bytes of visible characters" : nil }
    return checks
  }()

  private static let most = FieldChecks(
    playerName: { $0.count < 3 || $0.contains(" ") ? "3 to 16 of A-Z a-z 0-9 _ and -" : nil },
    displayName: { $0.count > 16 ? "1 to 16 visible characters" : nil },
    deviceName: { $0.contains(" ") ? "1 to 32 of A-Z a-z 0-9 _ - and ." : nil },
    turnLimit: { "dhms".contains($0.last ?? "x") ? nil : "3d, 12h, 90m or 45s" },
    code: { $0.count < 4 ? "4 to 16 of A-Z and 0-9" : nil }, deviceLimit: 3)
}
