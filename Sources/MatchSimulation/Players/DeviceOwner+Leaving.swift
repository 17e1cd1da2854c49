import MatchCore
import MatchWire

/// An owner's wish to end the account.
struct LeavingPlan {
  /// Seconds from the wish until the owner keeps the account all the same, which may be too late.
  /// Nil: the account ends.
  let keptAfter: Int64?
  /// How often somebody who is gone tries to register again with the first key.
  var returnsLeft: Int

  /// Nil: this owner stays.
  init?(_ random: SeededRandom) {
    let (leaves, keeps) = (random.happens(0.7), random.happens(0.35))
    let hours = random.number(in: 1...80)
    returnsLeft = random.number(in: 0...2)
    keptAfter = keeps ? Int64(hours) * 3_600 : nil
    if !leaves { return nil }
  }

  /// The time after the end of the wait in which a housekeeper, after faults, ends the account.
  static let toleranceSeconds: Int64 = 48 * 3_600
}

extension DeviceOwner {
  /// Goes on with the plan: asks for the end of the account, waits for it, or takes it back.
  func leave() {
    guard let plan = leavingPlan else { return finish() }
    guard !world.store.isGone(id) else { return comeAgain(plan) }
    let departure = world.store.departures[id]
    guard let device = speaking.first else { return finish() }
    guard let askedAt = departure?.askedAt else {
      // It was taken back.
      guard departure == nil else { return finish() }
      return tell(isLeaving: true, by: device)
    }
    let age = world.store.now.microseconds(since: askedAt) / 1_000_000
    if let keptAfter = plan.keptAfter, age >= keptAfter {
      return tell(isLeaving: false, by: device)
    }
    let wait = (plan.keptAfter ?? Departure.waitSeconds) - age
    guard wait <= 0 else { return sleep(wait * 1_000_000) }
    lookForDelay(age)
    rest(600...3_600)
  }

  private func tell(isLeaving: Bool, by device: Signer) {
    rest(2...5)
    world.trace.note(sender.name, isLeaving ? "wants to leave" : "keeps the account")
    sender.send(.settingsChanged(SettingsChange(isLeaving: isLeaving)), by: device)
  }

  /// Nobody may wait for ever. A recovery, and a key that came later, make the wait longer.
  private func lookForDelay(_ age: Int64) {
    let limit = Departure.waitSeconds + LeavingPlan.toleranceSeconds
    guard age > limit, recovery.pending == nil else { return }
    let young = world.store.now.adding(seconds: -limit)
    let areOld = world.store.speakingKeys(of: id).allSatisfy { key in
      world.store.keyRows[key].map { $0.addedAt < young } ?? true
    }
    guard areOld else { return }
    world.violations.append("player \(id) asked to leave \(age / 3_600) h ago and is still there")
    finish()
  }

  /// A key of a player who is gone is good for nothing.
  private func comeAgain(_ plan: LeavingPlan) {
    guard plan.returnsLeft > 0 else { return finish() }
    leavingPlan?.returnsLeft -= 1
    world.trace.note(sender.name, "tries to come back")
    register()
  }
}
