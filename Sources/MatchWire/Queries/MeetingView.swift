public import MatchCore

/// Why two players met by chance.
public struct MeetingView: Hashable, Sendable, Codable {
  /// How far their ratings were apart.
  public var ratingDistance: Int
  /// How far they were allowed to be apart; nil: as far as they liked.
  public var window: Int?
  /// How long the one who had waited longer had waited, in seconds.
  public var waited: Int64
  /// Whether they had met lately, so that nobody else was to be had.
  public var metLately: Bool
  /// The match in which the second player had waited, where two were merged.
  public var merged: MatchID?

  /// A reason as it is shown.
  public init(_ reason: MeetingReason) {
    ratingDistance = reason.ratingDistance
    window = reason.window
    waited = reason.waitedSeconds
    metLately = reason.hadMetLately
    merged = reason.merged
  }
}
