/// A part of everything that is kept of a player. The raw values are names in the exported document.
package enum ExportSection: String, CaseIterable, Sendable {
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
  case rating
  case ratingResults
  case notifications

  /// How many rows are read at once.
  package static let pageSize = 500
}
