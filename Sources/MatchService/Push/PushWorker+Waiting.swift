import Logging
import MatchCore
package import MatchInterfaces

/// While the store fails a push worker keeps its connection to the broker and all that it has in
/// hand, and tries again.
extension PushWorker {
  /// Waits a little if the store has failed, and connects anew if that is needed.
  /// - Returns: whether there is nothing else to do yet.
  func waitForStore() throws(Interruption) -> Bool {
    guard let wait else { return false }
    let uptime = clock.uptimeNanoseconds()
    serveBroker()
    collect(.zero)
    // Nothing would be handed over twice.
    if let lost, handled.isRecorded, open.isEmpty { throw .bus(lost) }
    if uptime < wait.until {
      clock.sleep(min(settings.idleWait, .nanoseconds(Int64(clamping: wait.until &- uptime))))
      return true
    }
    guard wait.needsConnection else { return false }
    do throws(StoreError) { try store.reconnect() } catch {
      hold(error)
      return true
    }
    self.wait?.needsConnection = false
    return false
  }

  /// Waits for the store, and keeps the jobs in hand.
  package func storeIsLost(_ error: StoreError) throws(Interruption) {
    if wait == nil { hold(error) }
  }

  /// Waits with everything in hand.
  func hold(_ error: StoreError) {
    let uptime = clock.uptimeNanoseconds()
    var wait = wait ?? StoreWait(of: "push worker")
    let toSay = wait.fail(
      error, at: uptime, longest: settings.longestStoreWait, random: clock.uptimeNanoseconds())
    self.wait = wait
    let inHand = line.count + open.count + handled.count
    log.write(
      toSay, metadata: ["reason": "\(error)", "inHand": .stringConvertible(inHand)])
  }

  /// The store has answered.
  func stopWaiting() {
    guard var wait else { return }
    log.write(wait.end(at: clock.uptimeNanoseconds()))
    self.wait = nil
  }

  /// Shows the broker a sign of life. If the broker is gone, that is remembered: the jobs that were
  /// handed over are recorded first.
  func serveBroker() {
    guard lost == nil else { return }
    do throws(BusError) { try bus.serveHeartbeats() } catch { lost = error }
  }

  // MARK: Jobs that may end their workers

  /// Whether a delivery came so often that it may be ending its workers.
  func isSuspect(_ delivery: PushBus.Delivery) -> Bool {
    delivery.job != nil && delivery.deliveryCount >= settings.trialFromDelivery
  }

  /// Notes that a job is about to be handed over. If the worker dies before it says more, the job
  /// has ended it. Only that counts against a job, not how often the broker or a restart delivered
  /// it.
  /// - Returns: in how many lives that was noted, this one included.
  func beginTrial(of delivery: PushBus.Delivery) throws(Interruption) -> Int {
    let message = Hash(sha256Of: delivery.body)
    let lives = try onStore(try store.trial(.begins, message))
    trial = message
    return lives
  }

  /// Says that the worker lives.
  func endTrial() throws(Interruption) {
    guard let message = trial else { return }
    _ = try onStore(try store.trial(.survived, message))
    trial = nil
  }
}
