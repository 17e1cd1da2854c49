/// The published messages that still wait for the broker's confirmation.
///
/// Sequence numbers count from 1 per channel. A return carries no number; it comes before the
/// acknowledgement of its message, so it marks the first waiting message that looks like it, and
/// the acknowledgement decides. Messages that look the same are routed the same.
/// Source: https://www.rabbitmq.com/docs/confirms
struct ConfirmLedger {
  /// The parts of a mandatory message that a return repeats.
  struct Likeness: Hashable {
    let exchange: String
    let routingKey: String
    let messageID: String?
    let correlationID: String?
  }

  private enum State {
    case waiting(mandatory: Likeness?)
    case returned(code: Int, text: String)
    case settled
  }

  /// The states of the sequence numbers from `first` on; those before `start` are spent.
  private var states: [State] = []
  private var start = 0
  private var first: UInt64 = 1
  /// How many messages wait.
  private(set) var waitingCount = 0

  /// The number the next message will get.
  var nextSequence: UInt64 { first + UInt64(states.count - start) }

  /// Notes a message that is about to be sent and gives its number.
  mutating func append(mandatory: Likeness?) -> UInt64 {
    defer {
      states.append(.waiting(mandatory: mandatory))
      waitingCount += 1
    }
    return nextSequence
  }

  /// Marks the message a return is about.
  ///
  /// - Returns: False if none is waiting that looks like it.
  mutating func markReturned(_ likeness: Likeness, code: Int, text: String) -> Bool {
    for index in start..<states.count {
      if case .waiting(let mandatory?) = states[index], mandatory == likeness {
        states[index] = .returned(code: code, text: text)
        return true
      }
    }
    return false
  }

  /// Settles one message, or all up to it, and hands the outcomes to `report` in order.
  ///
  /// - Returns: False if the number was never given or was settled before.
  mutating func settle(
    _ sequence: UInt64, multiple: Bool, accepted: Bool, report: (PublishConfirmation) -> Void
  ) -> Bool {
    let end = nextSequence
    // With `multiple`, 0 means everything so far.
    let last = multiple && sequence == 0 ? end - 1 : sequence
    guard last < end, last >= first else { return multiple && last < end }
    let target = start + Int(last - first)
    var settledAny = multiple
    for index in (multiple ? start : target)...target {
      let outcome: PublishOutcome
      switch states[index] {
      case .settled: continue
      case .waiting: outcome = accepted ? .confirmed : .refused
      case .returned(let code, let text): outcome = .returned(code: code, text: text)
      }
      states[index] = .settled
      waitingCount -= 1
      settledAny = true
      report(PublishConfirmation(sequence: first + UInt64(index - start), outcome: outcome))
    }
    dropSettled()
    return settledAny
  }

  private mutating func dropSettled() {
    while start < states.count, case .settled = states[start] {
      start += 1
      first += 1
    }
    if start == states.count {
      states.removeAll(keepingCapacity: true)
      start = 0
    } else if start >= 1024 {
      states.removeFirst(start)
      start = 0
    }
  }
}
