import Logging
import MatchInterfaces

/// The loss of publishing connections of one bus. A broker that goes ends all of them at once, and
/// the log tells that as one incident.
final class PublishingOutage {
  /// Longer than the wait between two attempts to connect.
  private var incident = Incident(
    Incident.Messages(
      began: "publishing connection lost", lasts: "publishing connection is still lost",
      ended: "publishing connection works again"), calm: .seconds(20))

  var isOpen: Bool { incident.isOpen }

  /// A connection was lost, or could not be made.
  func failed(at uptime: UInt64) -> Incident.Line? { incident.failed(at: uptime) }

  /// A connection is used and works.
  func wentWell(at uptime: UInt64) -> Incident.Line? { incident.wentWell(at: uptime) }
}
