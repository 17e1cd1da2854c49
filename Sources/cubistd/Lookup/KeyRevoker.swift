import MatchCore
import MatchInterfaces

/// Revokes players' keys.
struct KeyRevoker {
  let store: OperatorStore
  var `operator` = OperatorName.current

  /// Revokes a key. Everything from it that is judged after this returns is refused.
  func revoke(_ key: PublicKey, reason: String) throws(OperatorFailure) {
    let act = ActRow(act: "key revoked", detail: "\(key) by \(`operator`): \(reason)")
    let isDone = try onStore(try store.revokeKey(key, act))
    guard isDone else {
      throw .notFound(
        "no key \(key) speaks for a player: it was never registered, or it was revoked before; "
          + "`cubistd players NAME` lists a player's keys")
    }
  }
}
