import MatchCore
import MatchInterfaces
import MatchWire

/// Whether keys speak for their players by signed events alone, whatever the table of keys says.
struct OriginCheck {
  /// The keys that signed events lead to from the first keys of these players.
  private let speaking: [PublicKey: PlayerID]

  /// Verifies each origin that one of the keys needs, once.
  init(
    _ origins: [KeyOrigin], of owners: [PublicKey: PlayerID], identity: ServiceIdentity,
    verifier: SignatureVerifier
  ) {
    let origins = Dictionary(origins.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    var speaking: [PublicKey: PlayerID] = [:]
    for (key, player) in owners {
      var chain: [KeyOrigin] = []
      var (next, seen): (PublicKey, Set<PublicKey>) = (key, [])
      while speaking[next] != player, PlayerID(firstKey: next) != player {
        guard seen.insert(next).inserted, let origin = origins[next] else { break }
        chain.append(origin)
        next = origin.inviter
      }
      guard speaking[next] == player || PlayerID(firstKey: next) == player else { continue }
      speaking[next] = player
      for origin in chain.reversed() {
        guard origin.fault(of: player, at: identity.service) == nil,
          origin.certified.map({ identity.isWorkingKey($0.key, at: $0.at) }) ?? true,
          origin.messages.allSatisfy({ verifier.isValid($0.signed, $0.tag) })
        else { break }
        speaking[origin.key] = player
      }
    }
    self.speaking = speaking
  }

  /// Reads the origins that these keys need, and verifies them.
  init(
    of owners: [PublicKey: PlayerID], in store: CheckStore, identity: ServiceIdentity,
    verifier: SignatureVerifier
  ) throws(StoreError) {
    let later = OriginCheck.laterKeys(of: owners)
    self.init(
      later.isEmpty ? [] : try store.origins(later), of: owners, identity: identity,
      verifier: verifier)
  }

  /// The keys that a player's id is not derived from. They need origins.
  static func laterKeys(of owners: [PublicKey: PlayerID]) -> [PublicKey] {
    owners.filter { PlayerID(firstKey: $0.key) != $0.value }.map(\.key)
  }

  /// Whether the player's id is derived from a key, or whether signed events lead from the key back
  /// to such a one.
  func speaks(_ key: PublicKey, for player: PlayerID) -> Bool { speaking[key] == player }
}
