import MatchCore
import MatchInterfaces
import MatchWire

extension Reader {
  static let blindness = Incident(
    Incident.Messages(
      began: "owners of keys cannot be read", lasts: "owners of keys still cannot be read",
      ended: "owners of keys can be read again"))

  /// The facts about arrived queries, by one round trip.
  struct Known {
    var now: Instant
    var owners: [PublicKey: KeyOwner]
    /// The matches that are asked for; one that was not read is missing.
    var matches: [MatchID: Match?]
    /// The players of the open invitations that are asked for.
    var inviters: [Hash: InvitingPlayer]
    /// The recoveries of players that are asked for, by the keys of their names.
    var recoveries: [String: ReaderStore.RecoveryRow]

    /// The recovery that a query asks for, if the key has to do with it.
    func recovery(for query: Query, signedBy key: PublicKey) -> RecoveryView? {
      guard case .recoveryOf(let asked) = query.kind, let row = recoveries[asked.name.key] else {
        return nil
      }
      return RecoveryView(row, asker: key, owner: owners[key])
    }
  }
}
