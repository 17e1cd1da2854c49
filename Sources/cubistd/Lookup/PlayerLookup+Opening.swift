import MatchInterfaces
import MatchService
import MatchStoreLive

extension PlayerLookup {
  /// The lookup that the settings of this process describe.
  /// - Parameter reads: Whether a database will do that takes no writes.
  static func open(
    as command: String, reads: Bool = false
  ) throws(OperatorFailure) -> PlayerLookup {
    let settings = try ServiceSettings.load(needing: [.database])
    let connection = try OperatorConnection.open(settings, as: command, reads: reads)
    return PlayerLookup(reader: .live(connection), store: .live(connection))
  }
}
