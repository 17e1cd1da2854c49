package import MatchCore
package import MatchWire

/// The queues and their slots as the database says it, and the credit that slots have brought along
/// from the queues that served them before.
package struct StoredLayout: Hashable, Sendable {
  package var layout: QueueLayout
  /// The credit of each slot beside its queue's, µs, by the slot's number; empty: none has any.
  package var slotCredits: [Int64]
  /// The former layouts whose queues may still hold events of slots that they do not serve now.
  /// Until setup has moved those events nobody may judge or tick.
  package var unmoved: [QueueLayout]

  package init(_ layout: QueueLayout, slotCredits: [Int64] = [], unmoved: [QueueLayout] = []) {
    self.layout = layout
    self.slotCredits = slotCredits
    self.unmoved = unmoved
  }

  /// The credit of a slot beside its queue's, µs.
  package func credit(of slot: Slot) -> Int64 {
    slotCredits.indices.contains(slot.number) ? slotCredits[slot.number] : 0
  }

  /// The clock that deadlines of a match are measured with.
  package func clock(of match: MatchID, _ clocks: [Int: QueueClock]) -> QueueClock {
    clock(of: Slot(of: match), clocks)
  }

  /// The clock of the queue that serves a slot, with the credit that the slot has brought along.
  package func clock(of slot: Slot, _ clocks: [Int: QueueClock]) -> QueueClock {
    let clock = clocks[layout.queue(of: slot)] ?? QueueClock()
    return slotCredits.isEmpty ? clock : clock.adding(creditMicroseconds: credit(of: slot))
  }

  /// A player's recovery by the clock that its deadlines are measured with. A reader goes by it as a
  /// worker does: the rows change only with the next event.
  package func settled(
    _ recovery: PlayerRecovery, of player: PlayerID, _ clocks: [Int: QueueClock]
  ) -> PlayerRecovery {
    recovery.settled(clock(of: Slot(of: player), clocks))
  }

  /// Throws if a role was told another layout than the database has, or if the change to it has not
  /// ended: the role would take wrong queues.
  package func check(_ other: QueueLayout) throws(StoreError) {
    if let problem = problem(with: other) { throw .unusable(problem) }
  }

  /// Why a role cannot work with a layout that it was told, with the remedy; nil: it may work.
  package func problem(with other: QueueLayout) -> String? {
    difference(from: other).map { "\($0.cause): \($0.remedy)" }
  }

  /// The same in its two parts.
  package func difference(from other: QueueLayout) -> (cause: String, remedy: String)? {
    if other == layout, !unmoved.isEmpty {
      return (
        "the change to \(layout.queueCount) queues of events has not ended, and events may wait "
          + "in queues that served their slots before",
        "run cubistd setup with CUBIST_QUEUES=\(layout.queueCount)"
      )
    }
    guard other != layout else { return nil }
    return (
      "the database has \(layout.queueCount) queues of events, CUBIST_QUEUES is "
        + "\(other.queueCount)",
      "set CUBIST_QUEUES=\(layout.queueCount), or stop every worker and scheduler and run cubistd "
        + "setup with CUBIST_QUEUES=\(other.queueCount)"
    )
  }

  /// The layout that clocks tell of, if the database does not say it: that of the queues that were
  /// ticked within an hour of the last tick. Nil: none was.
  package init?(of clocks: [Int: QueueClock]) {
    guard let newest = clocks.values.compactMap(\.time).max() else { return nil }
    let used = clocks.filter {
      $1.time.map { newest.microseconds(since: $0) < 3_600_000_000 } ?? false
    }
    guard let last = used.keys.max(), let layout = QueueLayout(queueCount: last + 1) else {
      return nil
    }
    self.init(layout)
  }

  /// Clocks and credits under another layout: every deadline stays where it was.
  ///
  /// A queue takes over slots from other queues, and goes on from the earliest of those queues'
  /// times. Each slot takes along how much later its own queue was, and the credit that it had.
  package func moved(
    to new: QueueLayout, _ clocks: [Int: QueueClock]
  ) -> (layout: StoredLayout, clocks: [Int: QueueClock]) {
    var (credits, moved) = (Array(repeating: Int64(0), count: Slot.count), [Int: QueueClock]())
    for queue in 0..<new.queueCount {
      let slots = new.slots(of: queue)
      let former = Set(slots.map { layout.queue(of: $0) }).compactMap { clocks[$0] }
      let time = former.compactMap(\.time).min()
      if let time {
        let outages = Set(former.map(\.outage))
        moved[queue] = QueueClock(
          time: time, heldUntil: former.compactMap(\.heldUntil).max(),
          outage: outages.count == 1 ? outages.first ?? nil : nil)
      }
      for slot in slots {
        let clock = clocks[layout.queue(of: slot)]
        var credit = Instant(microseconds: clock?.creditMicroseconds ?? 0)
          .adding(microseconds: self.credit(of: slot))
        if let time, let before = clock?.time {
          credit = credit.adding(microseconds: -before.microseconds(since: time))
        }
        credits[slot.number] = credit.microseconds
      }
    }
    return (StoredLayout(new, slotCredits: credits), moved)
  }
}
