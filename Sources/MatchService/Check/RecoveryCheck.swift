package import MatchCore
package import MatchInterfaces
import MatchWire

/// Compares the recovery keys and recoveries of players with the signed messages that they come
/// from, a page at a time.
package struct RecoveryCheck {
  /// A recovery waits no longer after its time. The check does not know the credit of outages, so
  /// this is longer than any outages should last.
  package static let overdueSeconds: Int64 = 30 * 86_400

  /// How many players were looked at.
  package private(set) var count = 0
  package private(set) var isDone = false
  private var last: PlayerID?
  private let store: CheckStore
  private let identity: ServiceIdentity
  private let verifier: SignatureVerifier

  package init(
    _ store: CheckStore, identity: ServiceIdentity, verifier: SignatureVerifier = .live
  ) {
    self.store = store
    self.identity = identity
    self.verifier = verifier
  }

  /// Checks the next page.
  /// - Throws: `StoreError`; the same page can be tried again.
  package mutating func next(limit: Int = 500) throws(StoreError) -> [RecoveryViolation] {
    let page = try store.recoveries(last, limit)
    guard let end = page.last else {
      isDone = true
      return []
    }
    let now = try store.now()
    let named = page.flatMap { row in
      [row.recovery.named, row.recovery.waiting?.named].compactMap { $0?.signed.key }
    }
    let owners = named.isEmpty ? [:] : try store.owners(Array(Set(named)))
    let origins = try OriginCheck(
      of: owners, in: store, identity: identity, verifier: verifier)
    (last, count) = (end.player, count + page.count)
    return page.flatMap { violations(of: $0, origins, now) }
  }

  private func violations(
    of row: StoredRecovery, _ origins: OriginCheck, _ now: Instant
  ) -> [RecoveryViolation] {
    let (player, recovery) = (row.player, row.recovery)
    var found: [RecoveryViolation] = []
    if !row.isReadable {
      found.append(
        RecoveryViolation(
          .namingForged, of: player,
          "a signed message of its recovery keys or recovery cannot be read"))
    }
    for named in [recovery.named, recovery.waiting?.named].compactMap({ $0 })
    where !isNaming(named, of: player) || !origins.speaks(named.signed.key, for: player) {
      found.append(
        RecoveryViolation(
          .namingForged, of: player, "no key of the player has named the recovery key \(named.key)")
      )
    }
    if let pending = recovery.pending {
      // The request is signed, and carries a time. It may be up to a week older than its arrival.
      let asked = pending.recovery.time.adding(seconds: -Event.maximumAheadSeconds)
      let end = pending.waitEnd(begunAt: max(pending.begunAt, asked))
      if pending.deadline.at < end {
        found.append(
          RecoveryViolation(
            .dueTooSoon, of: player,
            "the recovery \(pending.recovery) would take effect too soon, at "
              + "\(pending.deadline.at) and not after \(end)"))
      }
      if !isRequest(pending, of: player, by: recovery.named?.key) {
        found.append(
          RecoveryViolation(
            .requestForged, of: player,
            "the recovery key has not asked for the recovery \(pending.recovery)"))
      }
      if pending.deadline.at.adding(seconds: RecoveryCheck.overdueSeconds) < now {
        found.append(
          RecoveryViolation(
            .overdue, of: player,
            "the recovery \(pending.recovery) is due since \(pending.deadline.at)"))
      }
    }
    return found
  }

  private func isNaming(_ named: PlayerRecovery.Named, of player: PlayerID) -> Bool {
    guard let event = event(named.signed), event.player == player,
      case .recoveryKeyNamed(let wish) = event.action
    else { return false }
    return wish.key == named.key
  }

  private func isRequest(
    _ pending: PlayerRecovery.Pending, of player: PlayerID, by key: PublicKey?
  ) -> Bool {
    guard let event = event(pending.signed), event.player == player, event.id == pending.recovery,
      case .playerRecovered(let wish) = event.action, wish.key == pending.key,
      let proof = event.newKeyProof(sender: pending.signed.key)
    else { return false }
    return pending.signed.key == key && verifier.isValid(proof, .newKey)
  }

  /// The event of a message with a valid signature.
  private func event(_ signed: SignedPayload) -> Event? {
    verifier.isValid(signed, .event) ? try? PayloadCodec.decodeEvent(signed.payload) : nil
  }
}

/// A contradiction in the keys or recoveries of a player.
package struct RecoveryViolation: Hashable, Sendable, CustomStringConvertible {
  /// The raw values are stable names for programs.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A recovery key without the naming by a key of the player, or a message that cannot be read.
    case namingForged
    /// A recovery without the request by the recovery key.
    case requestForged
    /// A key that the player's id is not derived from, without the messages that brought it in.
    case keyForged
    /// A recovery whose time is before the end of its wait.
    case dueTooSoon
    /// A recovery that does not take effect.
    case overdue
    /// Something is left of a player who is gone.
    case goneRemains
  }

  package var kind: Kind
  package var player: PlayerID
  /// The description for a person.
  package var text: String

  package init(_ kind: Kind, of player: PlayerID, _ text: String) {
    self.kind = kind
    self.player = player
    self.text = text
  }

  /// The way to mend it.
  package var remedy: String {
    switch kind {
    case .namingForged, .requestForged:
      "Somebody has written this into the database: stop a recovery by "
        + "`cubistd recoveries stop \(player) --reason TEXT`, and restore the row from a backup."
    case .keyForged:
      "Somebody has written this into the database: revoke the key by `cubistd keys revoke`."
    case .dueTooSoon:
      "Somebody has written this into the database. Workers let no recovery take effect before its "
        + "wait is over since it was begun. If the player knows nothing of it, stop it by "
        + "`cubistd recoveries stop \(player) --reason TEXT`."
    case .overdue:
      "Look whether a scheduler and a worker run: `cubistd status`."
    case .goneRemains:
      "A backup that was restored, or somebody, has brought it back. Delete these rows: "
        + "docs/operating.md, \u{201C}Accounts that end\u{201D}, has the statement."
    }
  }

  /// One line: kind, player, text and remedy.
  package var description: String {
    "\(kind.rawValue): player \(player): \(text). \(remedy)"
  }
}
