import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import TestedService
import Testing

@Suite(
  "Races of reminders by the other player, through broker and database", .serialized,
  .sharedService())
struct NudgeRaces {
  /// Matches in which Ann is to play and Bob may remind her.
  private func waiting(
    _ count: Int, _ ann: LabPlayer, _ bob: LabPlayer, in lab: ServiceLab
  ) throws -> [MatchID] {
    let matches = try (0..<count).map { _ in try lab.begin(ann, bob, limit: 400) }
    let times = try matches.map { try #require(try lab.match($0).nudgeAt) }
    let last = try #require(times.max())
    // The scheduler's ticks, in each queue.
    for queue in 0..<lab.layout.queueCount {
      let slot = try #require(lab.layout.slots(of: queue).first)
      try lab.publish(
        [-8, -4, 0, 4, 8, 12, 16].map {
          lab.serviceEvent(
            .ticked(
              queue: queue, time: last.adding(seconds: $0), since: Instant(microseconds: 0)),
            slot: slot)
        })
    }
    return matches
  }

  /// Another device of Bob's.
  private func phone(of bob: LabPlayer, in lab: ServiceLab) throws -> LabPlayer {
    let phone = try LabPlayer("phone", in: lab)
    let code = DeviceCode(random: UInt64(truncatingIfNeeded: Randomness.live.next128()))
    try bob.must(.deviceInvited(code.hash(at: lab.identity.service)))
    let reply = try phone.send(phone.sign(.keyAdded(code), of: bob.id))
    #expect(reply == .accepted(.keyAdded(bob.id, bob.name)))
    return phone
  }

  private func expectOne(_ one: ReceivedReply, _ two: ReceivedReply) {
    #expect([one, two].count { $0 == .accepted(.noted) } == 1, "\(one) \(two)")
    #expect([one, two].count { $0.refusal == .alreadyNudged(turn: 1) } == 1, "\(one) \(two)")
  }

  @Test("two reminders of one turn at once, from two devices")
  func twoReminders() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      let phone = try phone(of: bob, in: lab)
      let matches = try waiting(6, ann, bob, in: lab)
      func reminders(_ match: MatchID) throws -> (LabPlayer.Sent, LabPlayer.Sent) {
        (
          try bob.sign(.nudged(match, turn: 1)),
          try phone.sign(.nudged(match, turn: 1), of: bob.id)
        )
      }
      // By the workers of the service, at once and in one batch.
      let first = try reminders(matches[0])
      let (one, two) = try await atOnce({ try bob.send(first.0) }, { try phone.send(first.1) })
      expectOne(one, two)
      let second = try reminders(matches[1])
      try lab.inOneBatch([second.0, second.1])
      #expect(try bob.send(second.0) == .accepted(.noted))
      #expect(try phone.send(second.1).refusal == .alreadyNudged(turn: 1))
      // Each judged by a worker that believes the queue its own.
      try lab.stopWorkers()
      let workers = (try HandWorker(in: lab), try HandWorker(in: lab))
      for match in matches[2...4] {
        let sent = try reminders(match)
        let (one, two) = try await atOnce(
          { try workers.0.judge(sent.0) }, { try workers.1.judge(sent.1) })
        expectOne(one, two)
      }
      let last = try reminders(matches[5])
      var between: ReceivedReply?
      let before = workers.1.conflicts
      workers.1.beforeCommit = { between = try? workers.0.judge(last.0) }
      #expect(try workers.1.judge(last.1).refusal == .alreadyNudged(turn: 1))
      #expect(between == .accepted(.noted))
      #expect(workers.1.conflicts == before + 1)

      _ = try lab.jobs()
      let told = lab.pushes.taken.filter { $0.kind == .nudged && $0.player == ann.id }
      #expect(told.compactMap(\.match).sorted() == matches.sorted(), "one of each turn")
    }
  }

  @Test("reminder against the turn that answers it")
  func reminderAgainstTurn() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      let matches = try waiting(6, ann, bob, in: lab)
      func sent(_ match: MatchID) throws -> (turn: LabPlayer.Sent, reminder: LabPlayer.Sent) {
        (
          try ann.sign(.turnPlayed(match, lab.turn(lab.match(match)))),
          try bob.sign(.nudged(match, turn: 1))
        )
      }
      var reminded: [MatchID] = []
      func expect(_ played: ReceivedReply, _ reply: ReceivedReply, of match: MatchID) {
        #expect(played.receipt?.turn == 1)
        if reply == .accepted(.noted) {
          reminded.append(match)
        } else {
          #expect(reply.refusal == .turnNotDue(due: 2))
        }
      }
      let first = try sent(matches[0])
      let (played, reply) = try await atOnce(
        { try ann.send(first.turn) }, { try bob.send(first.reminder) })
      expect(played, reply, of: matches[0])

      try lab.stopWorkers()
      let workers = (try HandWorker(in: lab), try HandWorker(in: lab))
      for match in matches[1...3] {
        let sent = try sent(match)
        let (played, reply) = try await atOnce(
          { try workers.0.judge(sent.turn) }, { try workers.1.judge(sent.reminder) })
        expect(played, reply, of: match)
      }
      // The turn is committed between the reminder's judgement and its commit.
      let late = try sent(matches[4])
      var between: ReceivedReply?
      let before = workers.1.conflicts
      workers.1.beforeCommit = { between = try? workers.0.judge(late.turn) }
      #expect(try workers.1.judge(late.reminder).refusal == .turnNotDue(due: 2))
      #expect(between?.receipt?.turn == 1)
      #expect(workers.1.conflicts == before + 1)
      // The reminder is committed between the turn's judgement and its commit.
      let early = try sent(matches[5])
      workers.0.beforeCommit = { between = try? workers.1.judge(early.reminder) }
      #expect(try workers.0.judge(early.turn).receipt?.turn == 1)
      #expect(between == .accepted(.noted))
      reminded.append(matches[5])

      // A job that the turn has overtaken is dropped.
      let owed = try lab.jobs().filter { $0.job.kind == .nudged && $0.job.player == ann.id }
      #expect(owed.compactMap(\.job.match).sorted() == reminded.sorted())
      #expect(owed.allSatisfy { $0.fate == .delivered || $0.fate == .dropped })
      let told = lab.pushes.taken.filter { $0.kind == .nudged }.map(\.id)
      #expect(Set(told).count == told.count)
    }
  }
}
