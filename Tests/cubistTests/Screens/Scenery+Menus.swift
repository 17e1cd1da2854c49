import CubePlay

@testable import GameScreens

extension Scenery {
  /// What happens on the screens beside the matches.
  var menuActions: [MenuAction] {
    switch self {
    case .newMatch: [.opened(.newMatch)]
    case .newMatchName: Self.named("b!")
    case .newMatchAgain:
      Self.named("edsger") + [.newMatch(.chosen), .newMatch(.answered(.invitedBefore))]
    default: []
    }
  }

  private static func named(_ name: String) -> [MenuAction] {
    [.opened(.newMatch), .newMatch(.moved(1))] + name.map { .newMatch(.typed($0)) }
  }
}
