package import CubePlay
package import MatchCore
package import MatchWire

extension KeysNews {
  /// The keys as the service lists them.
  ///
  /// - Parameters:
  ///   - own: The key of this device.
  ///   - code: The hash of the code that this device shows; nil: it shows none.
  package init(_ list: KeyList, own: PublicKey?, code: Hash?, now: Instant) {
    let keys = ShortKeys(list.keys.map { $0.key })
    let rows = list.keys.map { row in
      KeyRow(
        key: row.key.description, digits: keys.short(row.key),
        added: Wording.when(row.addedAt, now: now),
        inviter: row.inviter.map { keys.short($0) }, isOwn: row.key == own,
        device: row.device?.text)
    }
    let open = list.invitations.first { $0.invitation == code }
    self.init(
      rows: rows, codeSecondsLeft: open.map { $0.until.seconds(from: now) },
      recovery: RecoveryNews(list, own: own, now: now))
  }
}

extension Instant {
  /// The whole seconds until then, of a code that is good for some minutes; 0: it is past.
  package func seconds(from now: Instant) -> Int {
    Int(max(0, min(microseconds(since: now) / 1_000_000, DeviceInvitation.seconds)))
  }
}
