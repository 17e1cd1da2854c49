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

    /// Those of the keys that speak for nobody.
    func silent(among keys: [PublicKey]) -> GatewayKeys {
      GatewayKeys(silent: keys.filter { owners[$0]?.isRevoked != false })
    }
  }

  /// What the store has shown of waiting queries.
  struct Seen {
    var keys: Set<PublicKey> = []
    var owners: [PublicKey: KeyOwner] = [:]
    var matches: [MatchID: Match?] = [:]

    func covers(_ entry: Watchers.Waiting) -> Bool {
      matches[entry.match] != nil && (entry.asker.key.map { keys.contains($0) } ?? true)
    }

    /// Whether the asker's key still speaks. Each one was the asker's when the wait began.
    func mayHear(_ asker: Watchers.Asker) -> Bool {
      asker.key.map { owners[$0]?.isRevoked == false } ?? true
    }
  }
}

extension GatewayQuery {
  /// The name of the question: one of a closed set.
  var name: String {
    switch question {
    case .overviews: "overviews"
    case .keys: "keys"
    case .asAnybody(let kind): kind.name
    }
  }
}
