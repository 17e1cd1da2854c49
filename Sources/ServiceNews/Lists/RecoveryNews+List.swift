package import CubePlay
package import MatchCore
package import MatchWire

extension RecoveryNews {
  /// Words and recovery as the service lists them.
  ///
  /// - Parameter own: The key of this device.
  package init(_ list: KeyList, own: PublicKey?, now: Instant) {
    let recovery = list.recovery
    let first = list.keys.first { $0.key == own && $0.inviter == nil }
    let age = first.map { now.microseconds(since: $0.addedAt) / 1_000_000 }
    self.init(
      hasWords: recovery?.key != nil,
      waiting: recovery?.waiting.map { Self.time($0.at, now: now) ?? "soon" },
      countsAtOnce: recovery?.key == nil && age.map { $0 < PlayerRecovery.newcomerSeconds } == true,
      pending: recovery?.pending.map { pending in
        Pending(
          id: pending.recovery.description, digits: ShortKeys.compared(pending.key),
          effect: Self.time(pending.at, now: now) ?? "soon", isObjected: pending.objector != nil)
      })
  }

  /// When something takes effect, in words; nil: within a minute.
  package static func time(_ instant: Instant, now: Instant) -> String? {
    instant.microseconds(since: now) > 60_000_000 ? Wording.when(instant, now: now) : nil
  }

  /// The action after the service has named a time for an effect; nil: no time belongs to it.
  package static func answered(
    _ effect: RecoveryEffect, _ instant: Instant, now: Instant
  ) -> RecoveryAction? {
    switch effect {
    case .makeWords: nil
    case .name: .named(counts: time(instant, now: now))
    case .object: .objected(effect: time(instant, now: now) ?? "soon")
    }
  }
}
