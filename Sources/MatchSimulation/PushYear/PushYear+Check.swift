import MatchCore
import MatchInterfaces

extension PushYear {
  /// The jobs that were not sent, by kind and reason.
  var dropped: [PushJob.Kind: [PushReason: Int]] {
    store.deliveries.values.reduce(into: [:]) { counts, row in
      guard row.fate == .dropped, let reason = store.reasons[row.job.id] else { return }
      counts[row.job.kind, default: [:]][reason, default: 0] += 1
    }
  }

  /// How many jobs have a fate.
  func count(_ fate: PushStore.Fate) -> Int { store.deliveries.values.count { $0.fate == fate } }

  /// Looks at the whole year. `PushCheck` has looked at each notification.
  func check() {
    violations += receiver.check.violations
    for (id, job) in owed.sorted(by: { $0.key < $1.key }) {
      if let fault = fault(in: job) {
        violations.append("push job \(job.kind.rawValue) \(id) \(fault)")
      }
    }
    for id in store.deliveries.keys.sorted() where owed[id] == nil {
      violations.append("push job \(id) is owed by nothing")
    }
    for player in players { checkDigests(of: player) }
  }

  /// The fault of a job's fate. Nil: there is none.
  private func fault(in job: PushJob) -> String? {
    guard let fate = store.deliveries[job.id]?.fate else { return "was lost" }
    let reason = store.reasons[job.id]
    switch fate {
    case .delivered:
      return receiver.handed.contains(job.id) ? nil : "counts as delivered and was never sent"
    case .failed: return reason == .exhausted ? nil : "was given up"
    case .dropped:
      switch reason {
      case .answered, .expired, .quietHours: return nil
      // A push service called the devices gone.
      case .gone: return plan.counts[.pushLies] == nil ? "met no device" : nil
      default: return "was dropped because of \(reason.map(\.rawValue) ?? "nothing")"
      }
    }
  }

  /// A digest on each day of the clock on the wall, and a review on one of seven.
  private func checkDigests(of player: PlayerID) {
    guard let preferences = store.settings[player]?.push else { return }
    let clock = LocalClock(preferences.timeZone, zones)
    var day = clock.day(at: PushYear.start).next
    let last = clock.day(at: PushYear.end)
    while day < last {
      if owed[PushJob(digest: day, to: player).id] == nil {
        violations.append("player \(player) had no digest on \(day)")
      }
      if preferences.review?.number == day.weekday,
        owed[PushJob(weekInReview: day, to: player).id] == nil
      {
        violations.append("player \(player) had no review on \(day)")
      }
      day = day.next
    }
  }
}
