import MatchCore
import MatchInterfaces
import MatchWire

extension PlayerLookup {
  /// The recovery keys of a player and the recovery that is under way, for a person.
  static func lines(of recovery: KeyList.Recovery) -> [(String, String)] {
    var lines: [(String, String)] = []
    if let key = recovery.key { lines.append(("words", "\(key)")) }
    if let next = recovery.waiting { lines.append(("next words", "\(next.key), from \(next.at)")) }
    if let pending = recovery.pending {
      let objector = pending.objector.map { ", objected to by \($0)" } ?? ""
      lines.append(
        (
          "recovery",
          "\(pending.recovery), to \(pending.key) at \(pending.at) at the earliest\(objector)"
        ))
    }
    return lines
  }
}

/// The recovery of a player, for a program.
struct RecoveryDocument: Encodable {
  struct Next: Encodable { var key, at: String }

  struct Pending: Encodable {
    var recovery, key, at: String
    var objector: String?
  }

  var key: String?
  var waiting: Next?
  var pending: Pending?

  init(_ recovery: KeyList.Recovery) {
    key = recovery.key.map { "\($0)" }
    waiting = recovery.waiting.map { Next(key: "\($0.key)", at: "\($0.at)") }
    pending = recovery.pending.map {
      Pending(
        recovery: "\($0.recovery)", key: "\($0.key)", at: "\($0.at)",
        objector: $0.objector.map { "\($0)" })
    }
  }
}

extension AccountRow.Key.Origin {
  /// The stable name for programs.
  var name: String {
    switch self {
    case .registration: "registration"
    case .invitation: "invitation"
    case .recovery: "recovery"
    }
  }

  var inviter: PublicKey? {
    if case .invitation(let inviter) = self { inviter } else { nil }
  }
}

extension AccountRow.Key {
  /// The key for a person: since when, by what, and until when, by whom.
  var text: String {
    let added =
      switch origin {
      case .registration: "by registration"
      case .invitation(let inviter): "by \(inviter)"
      case .recovery: "by a recovery"
      }
    let text = "\(key), added \(addedAt) \(added)"
    guard let revokedAt else { return text }
    return text + ", revoked \(revokedAt) by " + (remover.map { "\($0)" } ?? "an operator")
  }
}
