import CustomDump
import MatchCore
import MatchInterfaces
import Testing

// Push jobs that wait for their hour.
extension StoreCase {
  static let holding = [
    StoreCase("A held job is owed, and is relayed when its hour has come, players together") {
      stores in
      let lab = StoreLab(stores.worker)
      let jobs = try publishedJobs(4, stores, lab)
      try stores.push.record(
        .init(held: [
          hold(jobs[0], 60, lab), hold(jobs[1], 60, lab, .bundle), hold(jobs[2], 3_600, lab),
        ]))
      #expect(try stores.relay.claim(.zero, 10) == [])
      let stored = try stores.check.jobs(nil, 10)
      #expect(stored.map(\.job.id) == jobs.prefix(3).map(\.id).sorted())
      #expect(stored.allSatisfy { $0.isOwed && $0.fate == nil })
      try stores.age(61)
      // One relay has a row at a time, and an unconfirmed one is free again.
      var due = Array(jobs.prefix(2))
      due[1].hasWaitedForOthers = true
      let claimed = try stores.relay.claim(.zero, 1)
      #expect(claimed == [due[0]] || claimed == [due[1]])
      let others = try stores.otherRelay.claim(.zero, 10)
      #expect(Set(claimed + others) == Set(due))
      try stores.relay.finish([])
      try stores.otherRelay.finish(others.map(\.id))
      #expect(try stores.relay.claim(.zero, 10) == claimed)
      try stores.relay.finish(claimed.map(\.id))
      #expect(try stores.check.jobs(nil, 10).map(\.job) == [jobs[2]])
      try stores.age(3_600)
      #expect(try stores.relay.claim(.zero, 10) == [jobs[2]])
      try stores.relay.finish([jobs[2].id])
      #expect(try stores.check.jobs(nil, 10) == [])
    },
    StoreCase("A worker that learns late of a confirm takes no held job away") { stores in
      let lab = StoreLab(stores.worker)
      let jobs = try oweJobs(2, lab)
      try stores.push.record(.init(held: jobs.map { hold($0, 60, lab) }))
      var write = BatchWrite(now: lab.now)
      write.published = jobs.map(\.id)
      try stores.worker.commit(write)
      #expect(try stores.check.jobs(nil, 10).map(\.job.id) == jobs.map(\.id).sorted())
      try stores.age(61)
      #expect(try Set(stores.relay.claim(.zero, 10)) == Set(jobs))
      try stores.relay.finish(jobs.map(\.id))
    },
    StoreCase("A job that waits and is in the outbox still is relayed once, and owed once") {
      stores in
      let lab = StoreLab(stores.worker)
      let jobs = try oweJobs(2, lab)
      try stores.push.record(.init(held: [hold(jobs[0], 60, lab)]))
      #expect(try stores.check.jobs(nil, 10).map(\.job.id) == jobs.map(\.id).sorted())
      try stores.age(61)
      let claimed = try stores.relay.claim(.zero, 10)
      #expect(claimed.count == 2 && Set(claimed) == Set(jobs))
      try stores.relay.finish(claimed.map(\.id))
      #expect(try stores.check.jobs(nil, 10) == [])
    },
    StoreCase("A job that is held once more waits until the new time, also while it is relayed") {
      stores in
      let lab = StoreLab(stores.worker)
      let jobs = try publishedJobs(2, stores, lab)
      try stores.push.record(.init(held: jobs.map { hold($0, 60, lab) }))
      try stores.push.record(.init(held: [hold(jobs[0], 7_200, lab)]))
      try stores.age(61)
      let claimed = try stores.relay.claim(.zero, 10)
      #expect(claimed == [jobs[1]])
      try stores.relay.finish([jobs[1].id])
      // The row was published and deleted: the push worker may hold the job again.
      try stores.push.record(.init(held: [hold(jobs[1], 7_200, lab)]))
      #expect(try stores.relay.claim(.zero, 10) == [])
      #expect(try stores.check.jobs(nil, 10).count == 2)
      try stores.age(7_200)
      #expect(try Set(stores.relay.claim(.zero, 10)) == Set(jobs))
      try stores.relay.finish(jobs.map(\.id))
    },
    StoreCase("A job with a result waits no more, and a failed one may wait once more") {
      stores in
      let lab = StoreLab(stores.worker)
      let jobs = try publishedJobs(3, stores, lab)
      try stores.push.record(.init(held: jobs.map { hold($0, 60, lab) }))
      try stores.push.record(
        .init([
          .init(jobs[0], .delivered, .bundled), .init(jobs[1], .dropped, .answered),
          .init(jobs[2], .failed, .exhausted),
        ]))
      #expect(try stores.check.jobs(nil, 10).allSatisfy { !$0.isOwed })
      // A copy of a job that was dealt with.
      try stores.push.record(.init(held: jobs.map { hold($0, 60, lab) }))
      let owed = try stores.check.jobs(nil, 10).filter(\.isOwed)
      #expect(owed.map(\.job) == [jobs[2]])
      try stores.age(61)
      #expect(try stores.relay.claim(.zero, 10) == [jobs[2]])
      try stores.relay.finish([jobs[2].id])
    },
    StoreCase("A result is deleted by its worker only where no relay has the row") { stores in
      let lab = StoreLab(stores.worker)
      let jobs = try publishedJobs(1, stores, lab)
      try stores.push.record(.init(held: [hold(jobs[0], 60, lab)]))
      try stores.age(61)
      // The worker is faster than the relay's confirm, and waits for nobody.
      #expect(try stores.relay.claim(.zero, 10) == jobs)
      try stores.push.record(.init([.init(jobs[0], .delivered)]))
      #expect(try stores.push.handled(jobs) == [jobs[0].id])
      try stores.relay.finish(jobs.map(\.id))
      #expect(try stores.check.jobs(nil, 10).map(\.isOwed) == [false])
    },
    StoreCase("A job that no longer holds comes with the reason") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      try lab.act(lab.turn(in: #require(try lab.match(id))), by: .ann)
      let due = try #require(
        try stores.check.stored([id])[id]?.jobs.map(\.job).first { $0.kind == .yourTurn })
      #expect(try stores.push.reason(due) == nil)
      var former = due
      former.turn = 1
      #expect(try stores.push.reason(former) == .answered)
      let old = PushJob(
        dailyReady: DailyKey(day: Day(number: 3)), to: TestPlayer.bob.id)
      #expect(try stores.push.reason(old) == .dayOver)
      try lab.act(.settingsChanged(SettingsChange(kinds: [.yourTurn: false])), by: .bob)
      #expect(try stores.push.reason(due) == .muted)
      try lab.act(.settingsChanged(SettingsChange(kinds: [.yourTurn: true])), by: .bob)
      try lab.act(.matchForfeited(id), by: .ann)
      #expect(try stores.push.reason(due) == .matchOver)
      let name = try #require(DeviceName("phone"))
      try lab.act(
        .deviceRegistered(Device(name: name, token: "one", permission: .denied)), by: .bob)
      #expect(try stores.push.reason(due) == .noPermission)
    },
    StoreCase("A nudge whose player takes none any more is not sent") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let nudge = PushJob(nudged: try lab.begin(), turn: 1, to: TestPlayer.ann.id)
      #expect(try stores.push.reason(nudge) == nil)
      // The other player's wish is no matter.
      for player in [TestPlayer.bob, .ann] {
        #expect(try stores.push.reason(nudge) == nil)
        try lab.act(
          .settingsChanged(SettingsChange(push: PushChange(takesNudges: false))), by: player)
      }
      #expect(try stores.push.reason(nudge) == .muted)
      var turn = nudge
      turn.kind = .yourTurn
      #expect(try stores.push.reason(turn) == nil)
      try lab.act(.settingsChanged(SettingsChange(push: PushChange(takesNudges: true))), by: .ann)
      #expect(try stores.push.reason(nudge) == nil)
    },
    StoreCase("What tells of an invitation, an opponent or a rematch goes once that is over") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      func job(_ kind: PushJob.Kind, _ match: MatchID, to player: TestPlayer) throws -> PushJob {
        let owed = try stores.check.stored([match])[match]?.jobs.map(\.job) ?? []
        let found = owed.first { $0.kind == kind && $0.player == player.id }
        return try #require(found, "\(kind) in \(owed)")
      }
      // Two requests on the same terms would be one.
      func invite(days: Int64) throws -> MatchID {
        let asked = try lab.event(
          .matchRequested(
            MatchRequest(
              opponent: .player(TestPlayer.bob.id), turnLimitSeconds: days * 86_400)), by: .ann)
        try lab.send([asked])
        return asked.newMatch
      }
      let (withdrawn, declined, accepted) = (
        try invite(days: 1), try invite(days: 2), try invite(days: 3)
      )
      let invited = try [withdrawn, declined, accepted].map { try job(.invited, $0, to: .bob) }
      for job in invited { #expect(try stores.push.reason(job) == nil) }
      #expect(try stores.push.details(invited[0])?.waiting == .init(invitations: 3))
      // It is for the one who is invited.
      var stranger = invited[2]
      stranger.player = TestPlayer.ann.id
      #expect(try stores.push.reason(stranger) == .answered)
      var nowhere = invited[2]
      nowhere.match = MatchID(rawValue: 1)
      #expect(try stores.push.reason(nowhere) == .matchOver)
      try lab.act(.requestWithdrawn(withdrawn), by: .ann)
      try lab.act(.invitationDeclined(declined), by: .bob)
      try lab.act(.invitationAccepted(accepted, code: nil), by: .bob)
      let reasons = try invited.map { try stores.push.reason($0) }
      #expect(reasons == [.matchOver, .matchOver, .answered])

      let joined = try job(.opponentJoined, accepted, to: .ann)
      #expect(try stores.push.reason(joined) == nil)
      // One that a device has comes to no further one.
      try stores.push.record(.init([.init(joined, .delivered)]))
      guard case .delivered? = try stores.push.brief([joined])[joined.id] else {
        Issue.record("not delivered")
        return
      }
      try lab.act(.matchForfeited(accepted), by: .bob)
      #expect(try stores.push.brief([joined]) == [joined.id: .handled])

      try lab.act(.rematchRequested(accepted), by: .ann)
      let offered = try job(.rematchRequested, accepted, to: .bob)
      #expect(try stores.push.details(offered)?.waiting == .init(offers: 1))
      try lab.act(.rematchDeclined(accepted), by: .bob)
      #expect(try stores.push.reason(offered) == .answered)
      #expect(try stores.push.reason(job(.rematchDeclined, accepted, to: .ann)) == nil)

      let second = try lab.begin()
      try lab.act(.matchForfeited(second), by: .bob)
      try lab.act(.rematchRequested(second), by: .ann)
      let taken = try job(.rematchRequested, second, to: .bob)
      #expect(try stores.push.reason(taken) == nil)
      try lab.act(.rematchRequested(second), by: .bob)
      #expect(try stores.push.reason(taken) == .answered)
      var refusal = try job(.rematchDeclined, accepted, to: .ann)
      refusal.match = second
      #expect(try stores.push.reason(refusal) == .answered)
      let again = MatchID(successorOf: second)
      let started = try job(.rematchStarted, again, to: .ann)
      #expect(try stores.push.reason(started) == nil)
      try lab.act(.matchForfeited(again), by: .bob)
      #expect(try stores.push.reason(started) == .matchOver)

      let third = try lab.begin()
      try lab.act(.matchForfeited(third), by: .bob)
      try lab.act(.rematchRequested(third), by: .ann)
      let late = try job(.rematchRequested, third, to: .bob)
      #expect(try stores.push.reason(late) == nil)
      try stores.age(Match.invitationSeconds + 60)
      #expect(try stores.push.reason(late) == .answered)
    },
    StoreCase("Nothing that a player sends is brought to one with whom there is a block") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
      let (running, ended) = (try lab.begin(), try lab.begin())
      try lab.act(.matchForfeited(ended), by: .bob)
      try lab.act(.rematchRequested(ended), by: .bob)
      let asked = try lab.event(
        .matchRequested(MatchRequest(opponent: .player(ann), turnLimitSeconds: 86_400)), by: .bob)
      try lab.send([asked])
      func job(_ kind: PushJob.Kind, _ match: MatchID, turn: Int? = nil) -> PushJob {
        PushJob(
          id: PushJobID(kind: kind, player: ann) { $0.update(match) }, kind: kind, player: ann,
          match: match, turn: turn)
      }
      let sent = [
        PushJob(nudged: running, turn: 1, to: ann), job(.reacted, running, turn: 0),
        job(.invited, asked.newMatch), job(.rematchRequested, ended),
        PushJob(rematchWaits: ended, to: ann), job(.rematchDeclined, ended),
      ]
      // Notifications of the match itself go on.
      let others = [
        job(.yourTurn, running, turn: 1), job(.opponentJoined, running), job(.matchEnded, ended),
      ]
      func reasons(_ jobs: [PushJob]) throws -> Set<PushReason?> {
        Set(try jobs.map { try stores.push.reason($0) })
      }
      try lab.act(.playerBlocked(TestPlayer.cyd.id), by: .ann)
      #expect(try reasons(sent + others) == [nil])
      for (player, other) in [(TestPlayer.ann, bob), (.bob, ann)] {
        try lab.act(.playerBlocked(other), by: player)
        #expect(try reasons(sent) == [.blocked])
        #expect(try reasons(others) == [nil])
        try lab.act(.playerUnblocked(other), by: player)
        #expect(try reasons(sent + others) == [nil])
      }
      // One that a device has comes to no further one.
      try stores.push.record(.init([.init(sent[0], .delivered)]))
      guard case .delivered? = try stores.push.brief([sent[0]])[sent[0].id] else {
        Issue.record("not delivered")
        return
      }
      try lab.act(.playerBlocked(bob), by: .ann)
      #expect(try stores.push.brief([sent[0]])[sent[0].id] == .handled)
    },
    StoreCase("A job comes with deadline, wishes, matches that wait, and the last notification") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let ids = [try lab.begin(), try lab.begin()]
      for id in ids { try lab.act(lab.turn(in: #require(try lab.match(id))), by: .ann) }
      let jobs = try ids.map { id in
        try #require(
          try stores.check.stored([id])[id]?.jobs.map(\.job).first { $0.kind == .yourTurn })
      }
      let details = try #require(try stores.push.details(jobs[0]))
      #expect(details.waiting == .init(turns: 2))
      #expect(details.lastSentAt == nil)
      #expect(details.preferences == PushPreferences())
      #expect(try details.expiresAt == lab.match(ids[0])?.deadline?.at)
      let daily = PushJob(
        dailyReady: DailyKey(day: Day(containing: details.readAt)), to: TestPlayer.bob.id)
      #expect(
        try stores.push.details(daily)?.expiresAt == Day(containing: details.readAt).end)
      // Neither a silent one counts nor one that tells of no match.
      var other = daily
      other.id = PushJobID(rawValue: 5)
      try stores.push.record(
        .init([.init(other, .delivered), .init(jobs[1], .delivered, .silent)]))
      #expect(try stores.push.details(jobs[0])?.lastSentAt == nil)
      var third = jobs[1]
      (third.id, third.kind) = (PushJobID(rawValue: 6), .matchEnded)
      try stores.push.record(.init([.init(third, .delivered, .bundled)]))
      #expect(try stores.push.details(jobs[0])?.lastSentAt != nil)
      #expect(try stores.push.details(jobs[0])?.lastTurnSentAt == nil)
      try stores.age(PushStore.Details.bundleSeconds + 1)
      #expect(try stores.push.details(jobs[0])?.lastSentAt == nil)
      // Nor does one that the player has seen.
      (third.id, third.kind) = (PushJobID(rawValue: 7), .nudged)
      try stores.push.record(.init([.init(third, .delivered)]))
      let told = try #require(try stores.push.details(jobs[0]))
      #expect(told.lastSentAt != nil && told.lastTurnSentAt == told.lastSentAt)
      var write = BatchWrite(now: try stores.worker.lookUp(Lookup()).now)
      write.playerChanges = [.init(player: TestPlayer.bob.id, change: .seen(third.id))]
      try stores.worker.commit(write)
      #expect(try stores.push.details(jobs[0])?.lastSentAt == nil)
      // Nor a turn that was answered.
      (third.id, third.kind) = (PushJobID(rawValue: 8), .yourTurn)
      try stores.push.record(.init([.init(third, .delivered)]))
      #expect(try stores.push.details(jobs[0])?.lastTurnSentAt != nil)
      try lab.act(.matchForfeited(ids[1]), by: .ann)
      #expect(try stores.push.details(jobs[0])?.lastTurnSentAt == nil)
      #expect(try stores.push.details(jobs[0])?.waiting == .init(turns: 1))
    },
  ]

  /// Jobs of one player that the broker has.
  private static func publishedJobs(
    _ count: Int, _ stores: StoreSet, _ lab: StoreLab
  ) throws -> [PushJob] {
    let jobs = try oweJobs(count, lab)
    _ = try stores.relay.claim(.zero, count)
    try stores.relay.finish(jobs.map(\.id))
    return jobs
  }

  private static func hold(
    _ job: PushJob, _ seconds: Int64, _ lab: StoreLab, _ reason: HoldReason = .quietHours
  ) -> HeldJob {
    HeldJob(job, until: lab.now.adding(seconds: seconds), reason)
  }
}

extension PushStore {
  /// The reason against sending a job, if there is one.
  fileprivate func reason(_ job: PushJob) throws -> PushReason? {
    guard case .stale(let reason)? = try brief([job])[job.id] else { return nil }
    return reason
  }
}
