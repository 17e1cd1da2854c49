import Logging
import MatchCore
package import MatchInterfaces
import MatchWire

/// While the store fails a worker keeps its connection to the broker and everything that it has in
/// hand. It gives signs of life if it can, and tries again.
extension TurnWorker {
  /// Waits a little if the store has failed, and connects anew if that is needed.
  /// - Returns: whether there is nothing else to do yet.
  func waitForStore() throws(Interruption) -> Bool {
    guard let wait else { return false }
    let uptime = clock.uptimeNanoseconds()
    if uptime < wait.until {
      // The broker hears of us, and arriving deliveries are read.
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
    // The last commits of a session that was ended may be on the primary alone. The sign of life
    // comes first now: when it is committed, the standby has everything before it.
    lastHeartbeat = nil
    return false
  }

  /// The store's last error, while the worker waits for it.
  package var trouble: Interruption? { wait.map { .store($0.error) } }

  /// Waits for the store, and keeps the events in hand. Without a queue there is nothing to keep.
  package func storeIsLost(_ error: StoreError) throws(Interruption) {
    guard !heldQueues.isEmpty else { throw .store(error) }
    if wait == nil { hold(error) }
  }

  /// Waits with everything in hand.
  func hold(_ error: StoreError) {
    let uptime = clock.uptimeNanoseconds()
    var wait = wait ?? StoreWait(of: "worker")
    let line = wait.fail(
      error, at: uptime, longest: settings.longestStoreWait, random: clock.uptimeNanoseconds())
    self.wait = wait
    meters.waited()
    log.write(
      line,
      metadata: [
        "reason": "\(error)", "inHand": .stringConvertible(hand.intakes.count),
      ])
  }

  /// The store has committed the events in hand.
  func stopWaiting() {
    guard var wait else { return }
    log.write(wait.end(at: clock.uptimeNanoseconds()))
    self.wait = nil
  }

  /// The other workers must not take the queues over while this one only waits for a lock, or for
  /// room.
  private func beatWhileWaiting(at uptime: UInt64) {
    guard isAdmitted, wait?.needsConnection == false, isHeartbeatDue(at: uptime) else { return }
    do throws(StoreError) {
      _ = try store.heartbeat(id)
      lastHeartbeat = uptime
    } catch {
      if case .unavailable = error { wait?.needsConnection = true }
    }
  }

  /// Decides about a batch that the store did not take.
  func handleFailure(of part: [DecodedDelivery], _ error: StoreError) throws(Interruption) {
    switch error {
    case .rejected(let reason), .damaged(_, let reason):
      // The store refuses the data itself: find the culprit by judging each alone.
      guard part.count == 1 else { return hand.isolate(part.count) }
      try bury(part[0], reason: reason, damaged: error.damagedMatch)
      hand.finish(1)
    case .failed(let reason), .duplicate(let reason):
      guard part.count == 1 else { return hand.halve(part.count) }
      if try !blame(part[0], reason: reason) { throw .store(error) }
    // The holder of a lock is to blame, never the event that waits for it.
    case .conflict:
      guard part.count == 1 else { return hand.halve(part.count) }
      throw .store(error)
    case .unavailable:
      // PostgreSQL ends a session whose transaction waits for a slow worker, too. As many events
      // at once would be too many again.
      hand.halve(part.count)
      throw .store(error)
    case .unusable: throw .store(error)
    }
  }

  /// Counts a strike against an event that the store gives up on alone, if the store takes somebody
  /// else's right after that. Otherwise the store may be taking nobody's events.
  /// - Returns: whether the event is buried.
  private func blame(_ intake: DecodedDelivery, reason: String) throws(Interruption) -> Bool {
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
    // It is acknowledged together with the events before it.
    try finish(batch, started: started, acknowledging: false)
    hand.strike()
    guard hand.strikes >= settings.strikeLimit else { return false }
    try bury(
      intake, reason: "failed alone \(hand.strikes) times while others were committed: \(reason)")
    hand.finish(1)
    return true
  }

  // MARK: Messages that may end their workers

  /// Takes a message in hand that came often, once it is noted that it is about to be read. If the
  /// worker dies before it says more, the message has ended it. Only that counts against a message,
  /// not how often the broker or a restart delivered it.
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

  /// Says that the worker that read the message lives. If that cannot be said, a life counts
  /// against the message.
  func endTrial() {
    guard let message = trial else { return }
    do throws(StoreError) {
      _ = try store.trial(.survived, message)
      trial = nil
    } catch { log.debug("a trial goes on", metadata: ["reason": "\(error)"]) }
  }
}
