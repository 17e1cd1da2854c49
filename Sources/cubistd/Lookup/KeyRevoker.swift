import MatchCore
import MatchInterfaces
import MatchWire

/// Revokes players' keys.
struct KeyRevoker {
  /// A revoked key, and the means that its player has left.
  struct Revoked {
    var key: PublicKey
    var player: PlayerID
    var name: PlayerName
    /// The keys that still speak for the player.
    var left: [PublicKey]
    var recovery: KeyList.Recovery?
  }

  let lookup: PlayerLookup
  var `operator` = OperatorName.current

  /// Revokes a key. Everything from it that is judged after this returns is refused.
  /// - Parameter last: Whether it may be the last key of a player without words, who is lost then.
  @discardableResult
  func revoke(
    _ key: PublicKey, reason: String, last: Bool = false
  ) throws(OperatorFailure) -> Revoked {
    let owner = try onStore(try lookup.reader.ownersAndMatches([key], [])).owners[key]
    guard let owner, !owner.isRevoked else { throw KeyRevoker.unknown(key) }
    let account = try onStore(try lookup.store.account(owner.player))
    let left = account.keys.filter { $0.revokedAt == nil && $0.key != key }.map(\.key)
    guard last || !left.isEmpty || account.recovery != nil else {
      throw .wrong(
        "\(key) is the only key of \(owner.name), and \(owner.name) has no words: without it nobody "
          + "can play as \(owner.name) ever again, and you cannot undo that. If that is meant, say "
          + "--last")
    }
    let act = ActRow(
      act: "key revoked", detail: "\(key) of \(owner.player) by \(`operator`): \(reason)")
    guard try onStore(try lookup.store.revokeKey(key, act)) else { throw KeyRevoker.unknown(key) }
    return Revoked(
      key: key, player: owner.player, name: owner.name, left: left, recovery: account.recovery)
  }

  private static func unknown(_ key: PublicKey) -> OperatorFailure {
    .notFound(
      "no key \(key) speaks for a player: it was never registered, or it was revoked before; "
        + "`cubistd players NAME` lists a player's keys")
  }
}

extension KeyRevoker.Revoked {
  /// The revocation for a person.
  var text: String {
    var lines = ["The key \(key) of \(name) is revoked, for ever."]
    lines.append(
      left.isEmpty
        ? "No other key speaks for \(name)."
        : "These keys still speak for \(name): " + left.map { "\($0)" }.joined(separator: ", ")
          + ".")
    let next = recovery?.waiting
    switch (recovery?.key, next) {
    case (nil, nil): lines.append("\(name) has no words.")
    case (_?, nil): lines.append("\(name) has words, and can recover by them.")
    case (nil, let next?): lines.append("The first words of \(name) count from \(next.at) on.")
    case (_?, let next?):
      lines.append("\(name) has words. Other words count from \(next.at) on.")
    }
    if let pending = recovery?.pending {
      lines.append("A recovery to the key \(pending.key) is under way.")
    }
    return lines.joined(separator: "\n")
  }

  /// The revocation for a program.
  func json() throws(OperatorFailure) -> String {
    struct Document: Encodable {
      var schema = "cubistd.key/1"
      var key, player, name: String
      var isRevoked = true
      var left: [String]
      var recovery: RecoveryDocument?
    }
    return try JSONText.encode(
      Document(
        key: "\(key)", player: "\(player)", name: name.text, left: left.map { "\($0)" },
        recovery: recovery.map(RecoveryDocument.init)))
  }
}
