import Logging
import MatchCore
public import MatchInterfaces
import MatchWire
import Metrics

/// While the store fails a worker keeps its connection to the broker and all that it has in hand, says
/// that it lives where it can, and tries again.
extension TurnWorker {
  /// Waits a little where the store has failed, and connects anew where that is needed.
  /// - Returns: whether there is nothing else to do yet.
  func waitForStore() throws(Interruption) -> Bool {
    guard let wait else { return false }
    let uptime = clock.uptimeNanoseconds()
    if uptime < wait.until {
      // The broker hears of us, and what arrives is read.
      try onBus(try arrivals.keepReading())
      beatWhileWaiting(at: uptime)
      clock.sleep(min(settings.idleWait, .nanoseconds(Int64(clamping: wait.until &- uptime))))
      return true
    }
    guard wait.needsConnection else { return false }
    bus.serveHeartbeats()
    do throws(StoreError) { try store.reconnect() } catch {
      hold(error)
      return true
    }
    self.wait?.needsConnection = false
    // What a session had committed when it was ended may be on the primary alone. When the sign of
    // life that comes first is committed, the standby has all before it.
    lastHeartbeat = nil
    return false
  }

  /// What the store said last, while the worker waits for it.
  public var trouble: Interruption? { wait.map { .store($0.error) } }

  /// It waits for the store, and keeps what it has in hand; without a queue there is nothing to keep.
  public func storeIsLost(_ error: StoreError) throws(Interruption) {
    guard !heldQueues.isEmpty else { throw .store(error) }
    if wait == nil { hold(error) }
  }

  /// Waits with everything in hand.
  func hold(_ error: StoreError) {
    let uptime = clock.uptimeNanoseconds()
    var wait = wait ?? StoreWait(since: uptime)
    let isToSay = wait.fail(
      error, at: uptime, longest: settings.longestStoreWait, random: clock.uptimeNanoseconds())
    self.wait = wait
    meters.waits.increment()
    guard isToSay else { return }
    wait.logWaiting(of: "worker", inHand: hand.intakes.count, at: uptime, log)
  }

  /// The store has committed what was in hand.
  func stopWaiting() {
    guard let wait else { return }
    wait.logEnd(of: "worker", at: clock.uptimeNanoseconds(), log)
    self.wait = nil
  }

  /// Others are not to take the queues over while this worker only waits for a lock, or for room.
  private func beatWhileWaiting(at uptime: UInt64) {
    guard isAdmitted, wait?.needsConnection == false, isHeartbeatDue(at: uptime) else { return }
    do throws(StoreError) {
      _ = try store.heartbeat(id)
      lastHeartbeat = uptime
    } catch {
      if case .unavailable = error { wait?.needsConnection = true }
    }
  }

  /// What becomes of a batch that the store did not take.
  func settle(_ part: [Intake], after error: StoreError) throws(Interruption) {
    switch error {
    case .rejected(let reason):
      // The store refuses the data itself: find the culprit by judging each alone.
      guard part.count == 1 else { return hand.isolate(part.count) }
      try bury(part[0], reason: reason)
      hand.finish(1)
    case .failed(let reason), .duplicate(let reason):
      guard part.count == 1 else { return hand.halve(part.count) }
      if try !blame(part[0], reason: reason) { throw .store(error) }
    // Whoever holds a lock is to blame, never the event that waits for it.
    case .conflict:
      guard part.count == 1 else { return hand.halve(part.count) }
      throw .store(error)
    case .unavailable, .unusable: throw .store(error)
    }
  }

  /// Counts it against an event that the store gives up on it alone, if it takes somebody else's
  /// right after that. Without this there is nothing to tell it from a store that takes nobody's.
  /// - Returns: whether the event is buried.
  private func blame(_ intake: Intake, reason: String) throws(Interruption) -> Bool {
    var witness = hand.takeWitness()
    if witness == nil {
      hand.take(try onBus(try arrivals.takeMore()))
      witness = hand.takeWitness()
    }
    guard let witness else { return false }
    let started = clock.uptimeNanoseconds()
    let batch: Batch
    do throws(StoreError) {
      batch = try judgeAndCommit([witness.intake])
    } catch {
      hand.putBack(witness)
      throw .store(error)
    }
    if let failure = batch.keyFailure {
      hand.putBack(witness)
      throw .keys(failure)
    }
    // It is acknowledged with what stands before it.
    try finish(batch, started: started, acknowledging: false)
    hand.strike()
    guard hand.strikes >= settings.strikeLimit else { return false }
    try bury(
      intake, reason: "failed alone \(hand.strikes) times while others were committed: \(reason)")
    hand.finish(1)
    return true
  }

  // MARK: What may end its workers

  /// Takes what came so often in hand, once it is noted that it is read: whoever does not live to
  /// say more has been ended by it. Only that counts against a message, not how often the broker or
  /// a restart delivered it.
  func takeUnread() throws(Interruption) {
    guard let delivery = hand.unread else { return }
    guard Envelope.sizes.contains(delivery.body.count) else {
      try bury(unread: delivery, lives: 0)
      hand.unread = nil
      return
    }
    let message = Hash(sha256Of: delivery.body)
    let lives = try onStore(try store.trial(.begins, message))
    trial = message
    guard lives <= settings.trialLimit else {
      try bury(unread: delivery, lives: lives - 1)
      hand.unread = nil
      return endTrial()
    }
    hand.take([arrivals.intake(of: delivery)])
    hand.unread = nil
  }

  /// Says that whoever read the message lives. Where that cannot be said, a life counts against it.
  func endTrial() {
    guard let message = trial else { return }
    do throws(StoreError) {
      _ = try store.trial(.survived, message)
      trial = nil
    } catch { log.debug("a trial goes on", metadata: ["reason": "\(error)"]) }
  }
}
