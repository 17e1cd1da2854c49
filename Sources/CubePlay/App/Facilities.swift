/// The facilities, beside playing, of the place where the game is played.
public struct Facilities: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// New matches of all kinds, boards, past games and settings.
  public static let menus = Facilities(rawValue: 1)
  /// Invitations and offers can be turned down.
  public static let declining = Facilities(rawValue: 2)
  /// A match can be given up.
  public static let givingUp = Facilities(rawValue: 4)
  /// A game that is over can be shared.
  public static let sharing = Facilities(rawValue: 8)
  /// A turn on its way outlives the program.
  public static let keeping = Facilities(rawValue: 16)
  /// A turn can be answered with a word.
  public static let reacting = Facilities(rawValue: 32)

  /// All that a service has.
  public static let service: Facilities = [
    .menus, .declining, .givingUp, .sharing, .keeping, .reacting,
  ]
  /// Matches against robots and games alone, within the program.
  public static let robots: Facilities = []
}

extension GameAction {
  /// The facilities that the place needs for this action.
  var need: Facilities {
    switch self {
    case .menu(.opened): .menus
    case .home(.declined), .home(.allDeclined): .declining
    case .match(_, .giveUp(.asked)): .givingUp
    case .match(_, .share(.asked)): .sharing
    case .match(_, .react(.asked)): .reacting
    default: []
    }
  }
}
