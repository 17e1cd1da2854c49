/// A part of everything that is kept of a player: the rows of one table. The raw values are names
/// in messages and in exported files.
public enum AccountSection: String, Hashable, Sendable, CaseIterable {
  case player
  case keys
  case deviceInvitations
  case recovery
  case settings
  case devices
  case blocks
  case reports
  case departure
  case bot
  case runningMatches
  case pastGames
  case dailyScores
  case soloScores
  case boardPlaces
  case rating
  case ratingResults
  case notifications

  /// How many rows are read at once.
  package static let pageSize = 200

  /// The columns that no player is shown: the addresses of devices, which are for push services
  /// only.
  package var hiddenColumns: [String] {
    switch self {
    case .devices: ["token", "subscription_key", "subscription_secret"]
    default: []
    }
  }
}
