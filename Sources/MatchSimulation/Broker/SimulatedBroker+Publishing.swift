import MatchCore
import MatchInterfaces
import MatchWire

/// The way of a message into its queue.
extension SimulatedBroker {
  /// The target of a publication.
  enum Target: Hashable {
    case events(Int)
    case push
    case queries
    case gatewayQueries
    case retry(PushBus.RetryDelay)
  }

  /// A publication on its way.
  struct Publication {
    var publisher: Int
    var target: Target
    var message: Message
    var receipt: Receipt?
    var arrivesAt: Instant
    /// Whether it waits for another publisher's message to overtake it.
    var isHeld = false
  }

  /// The reason that a publisher cannot send to the broker.
  enum Obstacle: Error {
    case closed
    /// An alarm is on, and the publisher knows it.
    case blocked
  }

  /// The time at which the broker reads a message sent now. The first message after an alarm begins
  /// is read when the alarm is over. By then the publisher knows of the alarm.
  func readingTime(of channel: Channel) throws(Obstacle) -> Instant {
    guard channel.isOpen else { throw .closed }
    guard let alarmUntil else {
      channel.isBlocked = false
      return clock.now
    }
    noteAlarm()
    guard !channel.isBlocked else { throw .blocked }
    channel.isBlocked = true
    return alarmUntil
  }

  /// Publishes a message, mandatory and confirmed.
  func publish(
    _ target: Target, _ message: Message, from channel: Channel
  ) throws(Obstacle) -> Receipt {
    let time = try readingTime(of: channel)
    let receipt = Receipt()
    send(
      Publication(
        publisher: channel.number, target: target, message: message, receipt: receipt,
        arrivesAt: time))
    return receipt
  }

  /// Sends a publication on its way. Without a fault it arrives at once.
  private func send(_ publication: Publication) {
    var publication = publication
    if faults.strikes(.delay) {
      publication.arrivesAt = publication.arrivesAt.adding(
        microseconds: Int64(random.number(in: 10_000...8_000_000)))
    } else if faults.begins(.reorderPublishers) {
      publication.isHeld = true
      publication.arrivesAt = publication.arrivesAt.adding(microseconds: 1_000_000)
    }
    if publication.arrivesAt <= clock.now, !isOvertaking(publication, transit[...]) {
      arrive(publication)
    } else {
      transit.append(publication)
    }
  }

  /// Whether another publication of the same channel is on its way to the same queue.
  private func isOvertaking(
    _ publication: Publication, _ others: ArraySlice<Publication>
  ) -> Bool {
    others.contains {
      $0.publisher == publication.publisher && $0.target == publication.target
    }
  }

  /// Delivers every publication that is due.
  func advance() {
    if let alarmUntil, alarmUntil <= clock.now { self.alarmUntil = nil }
    guard !transit.isEmpty else { return }
    var index = 0
    while index < transit.count {
      let next = transit[index]
      guard next.arrivesAt <= clock.now, !isOvertaking(next, transit[..<index]) else {
        index += 1
        continue
      }
      transit.remove(at: index)
      arrive(next)
      // Publications that were held back may go now.
      index = 0
    }
  }

  /// Puts a publication into its queue, or says why not. Now and then a second copy follows.
  private func arrive(_ publication: Publication) {
    let target = publication.target
    let verdict = verdict(on: target)
    if verdict == .confirmed {
      put(publication.message, into: target)
      release(overtakenBy: publication)
      if faults.strikes(.duplicate) { repeatMessage(of: publication) }
    }
    publication.receipt?.settle(verdict, at: verdict == .confirmed ? confirmTime() : clock.now)
  }

  /// A sender that does not know the outcome sends again: at once, or after others have gone on.
  private func repeatMessage(of publication: Publication) {
    if case .retry = publication.target { noteRepetition(of: publication.message) }
    guard random.happens(0.5) else { return put(publication.message, into: publication.target) }
    transit.append(
      Publication(
        publisher: nextNumber(), target: publication.target, message: publication.message,
        arrivesAt: clock.now.adding(microseconds: Int64(random.number(in: 1_000...5_000_000)))))
  }

  private func release(overtakenBy publication: Publication) {
    for index in transit.indices
    where transit[index].isHeld && transit[index].target == publication.target
      && transit[index].publisher != publication.publisher
    {
      transit[index].isHeld = false
      transit[index].arrivesAt = clock.now
      faults.count(.reorderPublishers)
    }
  }

  private func verdict(on target: Target) -> Verdict {
    switch target {
    case .events(let index): queues[index].verdict(at: clock.now, faults)
    case .push: push.verdict(at: clock.now, faults)
    case .queries: queries.verdict(at: clock.now, faults)
    case .gatewayQueries: gatewayQueries.verdict(at: clock.now, faults)
    case .retry(let delay):
      retries[delay, default: Queue(limit: limits.push)].verdict(at: clock.now, faults)
    }
  }

  private func put(_ message: Message, into target: Target) {
    var message = message
    message.serial = nextSerial()
    message.arrivedAt = clock.now
    if let lifetime = message.lifetime { message.expiresAt = clock.now.adding(lifetime) }
    switch target {
    case .events(let index):
      queues[index].add(message)
      arrivals.note(message, in: index)
    case .push: putPush(message)
    case .queries: queries.ready.append(message)
    case .gatewayQueries: gatewayQueries.ready.append(message)
    case .retry(let delay): retries[delay, default: Queue(limit: limits.push)].ready.append(message)
    }
  }

  /// The time at which a confirm arrives. The end of time if it never does.
  private func confirmTime() -> Instant {
    if faults.strikes(.lostConfirm) { return Instant(microseconds: .max) }
    if faults.strikes(.lateConfirm) {
      return clock.now.adding(microseconds: Int64(random.number(in: 1_000_000...12_000_000)))
    }
    return clock.now
  }

  /// Loses a broken connection's messages on their way, except for the first ones. Those still
  /// arrive.
  func loseTransit(of channel: Channel) {
    let count = transit.count { $0.publisher == channel.number }
    guard count > 0 else { return }
    var kept = random.below(count + 1)
    transit.removeAll { publication in
      guard publication.publisher == channel.number else { return false }
      kept -= 1
      return kept < 0
    }
  }

  // MARK: Waiting for confirms

  /// How long a publisher waits for its confirms, µs.
  static let confirmPatience: Int64 = 10_000_000

  /// Publishes messages over a role's line and waits for the answer to each.
  /// - Returns: The broker's answer to each. Nil if none came in time.
  /// - Throws: The failure if nothing was confirmed in time.
  func publishConfirmed(
    _ messages: [(target: Target, message: Message)], over connection: Connection
  ) throws(BusError) -> [Verdict?] {
    guard let line = openLine(of: connection) else {
      throw .disconnected("there is no connection to publish on")
    }
    let limit = clock.now.adding(microseconds: SimulatedBroker.confirmPatience)
    let isCut = faults.strikes(.lostConnection)
    let sent = isCut ? random.below(messages.count + 1) : messages.count
    var receipts: [Receipt] = []
    var wasBlocked = false
    for (target, message) in messages.prefix(sent) {
      if line.isBlocked { wait(limit) { self.alarmUntil == nil || !line.isOpen } }
      do throws(Obstacle) {
        receipts.append(try publish(target, message, from: line))
      } catch {
        wasBlocked = error == .blocked
        break
      }
    }
    if isCut { cutLine(of: connection) }
    wait(limit) {
      !line.isOpen || receipts.allSatisfy { $0.verdict(at: self.clock.now) != nil }
    }
    // Chance decides whether the publisher got the confirms from before the connection broke.
    let now = clock.now
    let isDeaf = isCut && random.happens(0.5)
    let known = receipts.map { isDeaf ? nil : $0.verdict(at: now) }
    let verdicts = known + Array(repeating: nil, count: messages.count - known.count)
    guard verdicts.contains(nil) else { return verdicts }
    let wasOpen = line.isOpen
    cutLine(of: connection)
    guard !verdicts.contains(.confirmed) else { return verdicts }
    if wasBlocked || alarmUntil != nil { throw .refused("an alarm is on") }
    throw wasOpen ? .timedOut("no confirm") : .disconnected("lost while publishing")
  }
}
