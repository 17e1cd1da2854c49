public import MatchCore

/// The reason for a pairing by chance.
public struct MeetingView: Hashable, Sendable, Codable {
  /// The distance of their ratings.
  public var ratingDistance: Int
  /// The permitted distance. Nil: any distance.
  public var window: Int?
  /// The longer one of the two waits, in seconds.
  public var waited: Int64
  /// Whether they had met lately. They meet again only if nobody else is available.
  public var metLately: Bool
  /// The match in which the second player had waited, if two were merged.
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
