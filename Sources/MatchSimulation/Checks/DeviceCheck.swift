import MatchCore
import MatchInterfaces
import MatchWire

/// Checks at every commit the rules of the keys of players with several devices. Checks also that
/// an owner who asked for a recovery is back at the stated time, measured in the time of the
/// player's queue.
struct DeviceCheck {
  private(set) var violations: [String] = []
  private(set) var counts = SimulationReport.DeviceCounts()
  /// Keys that speak for nobody any more.
  private var gone: Set<PublicKey> = []
  private var usedInvitations: Set<Hash> = []
  /// The recoveries that are under way.
  private var pending: [PlayerID: PlayerRecovery.Pending] = [:]
  /// The changes of keys, and of the end of the account, that each player must be told of.
  private var changes: [PlayerID: Int] = [:]

  /// The time after the stated one in which the scheduler, after faults, finds a recovery.
  private static let toleranceSeconds: Int64 = 3_600

  mutating func noteTheft() { counts.thefts += 1 }

  mutating func noteRace() { counts.races += 1 }

  /// Looks at a batch that has just been committed.
  mutating func committed(_ write: BatchWrite, _ world: World) {
    checkSigners(of: write, world)
    for change in write.keyChanges {
      take(change, world)
      if case .invited = change {} else { changes[change.player, default: 0] += 1 }
      let count = world.store.speakingKeys(of: change.player).count
      if count > PlayerKeys.limit {
        violations.append(
          "\(count) keys speak for player \(change.player), where \(PlayerKeys.limit) may")
      }
    }
  }

  /// No event counts that was judged after the removal of its key. The replies of a batch are in
  /// the order of judging.
  private mutating func checkSigners(of write: BatchWrite, _ world: World) {
    for reply in write.replies {
      guard let sent = world.deviceEvents.event(reply.key),
        case .accepted = (try? ReplyCodec.decode(reply.reply.reply))?.reply,
        let key = (try? Envelope.decode(sent.body))?.key
      else { continue }
      if gone.contains(key) {
        violations.append(
          "\(sent.action.typeName) \(reply.key.event) was accepted after its key was removed")
      }
      switch sent.action {
      case .keyRemoved(let removed): gone.insert(removed.key)
      case .settingsChanged(let change) where change.isLeaving != nil:
        changes[reply.key.player, default: 0] += 1
      default: break
      }
    }
  }

  private mutating func take(_ change: KeyChange, _ world: World) {
    switch change {
    case .invited: break
    case .added(let added):
      counts.added += 1
      if !usedInvitations.insert(added.invitation).inserted {
        violations.append("two keys of player \(added.player) came in by one invitation")
      }
    case .removed: counts.removed += 1
    case .recoverySet(let set):
      let (before, after) = (pending[set.player], set.after.pending)
      if let after, after.objector != nil, before?.objector == nil { counts.objections += 1 }
      pending[set.player] = after
    case .recovered(let recovered):
      counts.recoveries += 1
      gone.formUnion(recovered.removed)
      guard let asked = pending.removeValue(forKey: recovered.player) else {
        violations.append("nobody asked for the recovery of player \(recovered.player)")
        return
      }
      let clock = world.queueClock(of: recovered.player)
      if DeviceCheck.waited(for: asked, clock) < DeviceCheck.stated(asked) {
        violations.append(
          "player \(recovered.player) was back before the stated time: "
            + DeviceCheck.text(of: asked, clock))
      }
      if DeviceCheck.isLate(asked, clock) {
        violations.append(
          "player \(recovered.player) was back too late: " + DeviceCheck.text(of: asked, clock))
      }
    }
  }

  /// The findings of a whole run.
  func violations(_ world: World) -> [String] {
    let late = pending.sorted { $0.key < $1.key }.compactMap { player, asked -> String? in
      let clock = world.queueClock(of: player)
      guard DeviceCheck.isLate(asked, clock) else { return nil }
      return "player \(player) is not back: " + DeviceCheck.text(of: asked, clock)
    }
    return violations + late + world.owners.compactMap(\.violation)
  }

  /// Players who were not told of each change once. All push jobs must have been handed over.
  func untold(_ world: World) -> [String] {
    changes.sorted { $0.key < $1.key }.compactMap { player, count in
      let told = world.store.deliveries.values.count {
        $0.job.kind == .account && $0.job.player == player
      }
      return told == count
        ? nil : "player \(player) was told of \(told) changes, and there were \(count)"
    }
  }

  /// The time since a recovery was asked for, in the time of the queue, µs.
  private static func waited(
    for asked: PlayerRecovery.Pending, _ clock: QueueClock
  ) -> Int64 {
    guard let time = clock.time else { return 0 }
    return time.microseconds(since: asked.begunAt)
      - clock.credit(since: asked.deadline, setAt: asked.begunAt)
  }

  /// The stated time, µs: twice as long if a device has objected.
  private static func stated(_ asked: PlayerRecovery.Pending) -> Int64 {
    PlayerRecovery.seconds * (asked.objector == nil ? 1 : 2) * 1_000_000
  }

  private static func isLate(_ asked: PlayerRecovery.Pending, _ clock: QueueClock) -> Bool {
    waited(for: asked, clock) > stated(asked) + toleranceSeconds * 1_000_000
  }

  private static func text(of asked: PlayerRecovery.Pending, _ clock: QueueClock) -> String {
    let hours = waited(for: asked, clock) / 3_600_000_000
    return "asked at \(asked.begunAt), \(hours) h of the queue's time ago, where "
      + "\(stated(asked) / 3_600_000_000) h are stated"
  }
}
