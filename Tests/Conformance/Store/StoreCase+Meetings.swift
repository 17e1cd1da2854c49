import CubeRules
import MatchCore
import MatchInterfaces
import Testing

extension StoreCase {
  static let meetings: [StoreCase] = [
    StoreCase("A block is kept until it ends, found among possible opponents, and listed") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let (ann, bob, cyd) = (TestPlayer.ann.id, TestPlayer.bob.id, TestPlayer.cyd.id)
      for other in [cyd, bob, bob] { try lab.act(.playerBlocked(other), by: .ann) }
      try lab.act(.playerBlocked(ann), by: .cyd)
      func blocks(_ players: Set<PlayerID>) throws -> Set<Block> {
        var lookup = Lookup()
        lookup.meeting = players
        return try stores.worker.lookUp(lookup).blocks
      }
      #expect(try blocks([ann, bob]) == [Block(ann, bob)])
      #expect(try blocks([ann, bob, cyd]) == [Block(ann, bob), Block(ann, cyd), Block(cyd, ann)])
      #expect(try blocks([bob, cyd]) == [])
      #expect(try stores.reader.blocked(ann).map(\.name.text) == ["Bob", "Cyd"])
      #expect(try stores.reader.blocked(bob) == [])
      try lab.act(.playerUnblocked(bob), by: .ann)
      #expect(try stores.reader.blocked(ann).map(\.player) == [cyd])
      #expect(try blocks([ann, bob]) == [])
    },
    StoreCase("Blocks that begin or end are found, and counted up to a limit") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let (ann, bob, cyd) = (TestPlayer.ann.id, TestPlayer.bob.id, TestPlayer.cyd.id)
      for other in [bob, cyd] { try lab.act(.playerBlocked(other), by: .ann) }
      try lab.act(.playerBlocked(ann), by: .bob)
      var lookup = Lookup()
      lookup.changing = [Block(ann, cyd), Block(bob, cyd), Block(cyd, ann)]
      #expect(try stores.worker.lookUp(lookup).blocks == [Block(ann, cyd)])
      #expect(try stores.worker.lookUp(lookup).blockCounts == [:])
      lookup.blockLimit = 9
      #expect(try stores.worker.lookUp(lookup).blockCounts == [ann: 2, bob: 1, cyd: 0])
      lookup.blockLimit = 1
      #expect(try stores.worker.lookUp(lookup).blockCounts == [ann: 1, bob: 1, cyd: 0])
    },
    StoreCase("Reports are kept once for each player and match, and found for a day's limit") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
      var matches: [MatchID] = []
      for _ in 0...Report.dailyLimit { matches.append(try lab.begin()) }
      func reports() throws -> [PlayerID: [MatchID: Instant]] {
        var lookup = Lookup()
        lookup.reporting = [ann, bob]
        return try stores.worker.lookUp(lookup).reports
      }
      #expect(try reports() == [:])
      // Twice in one batch, and again in another.
      try lab.send([
        lab.event(.reported(matches[0], .name), by: .ann),
        lab.event(.reported(matches[0], .words, text: Report.Text("turn 3")), by: .ann),
        lab.event(.reported(matches[0], .other), by: .bob),
      ])
      let first = try reports()
      #expect(first.mapValues { Set($0.keys) } == [ann: [matches[0]], bob: [matches[0]]])
      try lab.act(.reported(matches[0], .cheating), by: .ann)
      let again = try reports()
      // Its first time stays.
      #expect(again == first)
      for match in matches.dropFirst() {
        try lab.send([lab.event(.reported(match, .conduct), by: .ann)])
      }
      #expect(try reports()[ann]?.keys.sorted() == matches.dropLast().sorted())
    },
    StoreCase("A report that comes again keeps its time and its place in the operators' list") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let (early, late) = (try lab.begin(), try lab.begin(.cyd, .bob))
      try lab.act(.reported(early, .name), by: .ann)
      try lab.act(.reported(late, .conduct), by: .cyd)
      let before = try stores.administration.reports(TestPlayer.bob.id, 9)
      #expect(before.map(\.report.match) == [late, early])
      // Again, and twice in one batch.
      for reasons in [[Report.Reason.other], [.words, .cheating]] {
        try lab.send(
          reasons.map {
            try lab.event(.reported(early, $0, text: Report.Text("turn 3")), by: .ann)
          })
      }
      var expected = before
      expected[1].report.reason = .cheating
      expected[1].report.text = Report.Text("turn 3")
      #expect(try stores.administration.reports(nil, 9) == [expected[0]])
      #expect(try stores.administration.reports(TestPlayer.bob.id, 9) == expected)
      #expect(try stores.administration.reports(TestPlayer.bob.id, 1) == [expected[0]])
      #expect(try stores.administration.reports(TestPlayer.ann.id, 9) == [])
    },
    StoreCase("A list has three reports by each player, the list of all one about each") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd, .member(1), .member(2))
      let (ann, bob, cyd) = (TestPlayer.ann.id, TestPlayer.bob.id, TestPlayer.cyd.id)
      let other = try lab.begin(.cyd, .bob)
      try lab.act(.reported(other, .words), by: .cyd)
      var matches: [MatchID] = []
      for _ in 0..<5 { matches.append(try lab.begin()) }
      // Those of one batch have one time: the order is that of the matches.
      try lab.send(matches.prefix(4).map { try lab.event(.reported($0, .name), by: .ann) })
      let reports = stores.administration.reports
      let together = matches.prefix(4).sorted()
      #expect(try reports(nil, 9).map(\.report.match) == [together[0]])
      #expect(try reports(bob, 9).map(\.report.match) == Array(together.prefix(3)) + [other])
      try lab.act(.reported(matches[4], .name), by: .ann)
      try lab.act(.reported(matches[4], .other), by: .bob)
      let all = try reports(nil, 9)
      #expect(all.map(\.report.match) == [matches[4], matches[4]])
      #expect(all.map(\.report.player) == [bob, ann])
      #expect(all.map(\.reporterCount) == [1, 2])
      let about = try reports(bob, 9)
      let expected = [matches[4], together[0], together[1], other]
      #expect(about.map(\.report.match) == expected)
      #expect(about.first == all[1] && about.last?.report.player == cyd)
      #expect(about.allSatisfy { $0.reporterCount == 2 })
      #expect(try reports(bob, 2) == Array(about.prefix(2)))
      #expect(try reports(ann, 9) == [all[0]])
      for player in [TestPlayer.member(1), .member(2)] {
        try lab.act(.reported(try lab.begin(player, .bob), .name), by: player)
      }
      #expect(try reports(nil, 9).map(\.report.player) == [TestPlayer.member(2).id, bob])
      #expect(try reports(nil, 1).map(\.reporterCount) == [4])
    },
    StoreCase("A player blocked since the batch was judged is not met: nothing is written") {
      stores in
      let lab = StoreLab(stores.worker)
      let other = StoreLab(stores.otherWorker, number: 1)
      try lab.register(.ann, .bob)
      let request = MatchRequest(opponent: .player(TestPlayer.bob.id), turnLimitSeconds: 60)
      let asked = try lab.event(.matchRequested(request), by: .ann)
      // Either of the two may have blocked, at inviting and at accepting.
      for (blocker, blocked) in [(TestPlayer.ann, TestPlayer.bob), (.bob, .ann)] {
        let (write, _) = try lab.judge([asked])
        try other.act(.playerBlocked(blocked.id), by: blocker)
        #expect(try storeError { try stores.worker.commit(write) }.isConflict)
        #expect(try lab.match(asked.newMatch) == nil)
        try other.act(.playerUnblocked(blocked.id), by: blocker)
      }
      try lab.send([asked])
      let accepted = try lab.event(
        .invitationAccepted(asked.newMatch, code: nil), by: .bob)
      let (late, _) = try lab.judge([accepted])
      try other.act(.playerBlocked(TestPlayer.ann.id), by: .bob)
      #expect(try storeError { try stores.worker.commit(late) }.isConflict)
      #expect(try lab.match(asked.newMatch)?.stage == .waiting)
      // Judged again, it is refused.
      #expect(try lab.send([accepted]) == [.refused(.blockedByYou(TestPlayer.ann.id))])
      try checkAgreement(stores)
    },
    StoreCase("A player blocked since the batch was judged answers no turn") { stores in
      let lab = StoreLab(stores.worker)
      let other = StoreLab(stores.otherWorker, number: 1)
      try lab.register(.ann, .bob)
      let id = try lab.begin()
      let dealt = try #require(try lab.match(id))
      let faces = ["122L", "222L", "222R", "221R"].compactMap { Face(notation: $0) }
      let first = Turn(number: 1, previous: dealt.previousTurnHash, moves: [.word(faces)])
      try lab.act(.turnPlayed(id, first), by: .ann)
      let word = dealt.game.spelling(of: faces).description
      let reaction = try lab.event(.reacted(id, turn: 1, word: word), by: .bob)
      let turn = try lab.event(lab.turn(in: #require(try lab.match(id))), by: .bob)
      // With the turn behind it, the match that is written has no open answer.
      for events in [[reaction], [reaction, turn]] {
        let (write, _) = try lab.judge(events)
        try other.act(.playerBlocked(TestPlayer.bob.id), by: .ann)
        #expect(try storeError { try stores.worker.commit(write) }.isConflict)
        try other.act(.playerUnblocked(TestPlayer.bob.id), by: .ann)
      }
      // The turn alone lets nobody meet.
      let (write, _) = try lab.judge([turn])
      try other.act(.playerBlocked(TestPlayer.bob.id), by: .ann)
      try stores.worker.commit(write)
      #expect(try lab.match(id)?.turnNumber == 3)
      try checkAgreement(stores)
    },
    StoreCase("A batch that blocks, unblocks and lets meet is right as it was judged") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
      try lab.act(.playerBlocked(bob), by: .ann)
      let invite = { (limit: Int64) in
        Event.Action.matchRequested(MatchRequest(opponent: .player(bob), turnLimitSeconds: limit))
      }
      let replies = try lab.send([
        lab.event(invite(60), by: .ann), lab.event(.playerUnblocked(bob), by: .ann),
        lab.event(invite(61), by: .ann), lab.event(.playerBlocked(ann), by: .bob),
        lab.event(invite(62), by: .ann), lab.event(.playerBlocked(bob), by: .ann),
      ])
      #expect(replies[0] == .refused(.blockedByYou(bob)))
      guard case .accepted(.matchStarted) = replies[2] else {
        Issue.record("not invited after all")
        return
      }
      #expect(replies[4] == .refused(.playerUnavailable(bob)))
      #expect(try stores.reader.blocked(ann).map(\.player) == [bob])
      #expect(try stores.reader.blocked(bob).map(\.player) == [ann])
      try checkAgreement(stores)
    },
    StoreCase("Matches that are not over are counted, those that wait apart, under a lock") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let ann = TestPlayer.ann.id
      func load(_ store: WorkerStore) throws -> PlayerLoad? {
        guard case .load(let load) = try store.resolve([.load(ann)])[0] else { return nil }
        return load
      }
      #expect(try load(stores.worker) == PlayerLoad())
      #expect(try storeError { _ = try load(stores.otherWorker) }.isConflict)
      stores.worker.abandon()

      _ = try lab.begin()
      for opponent in [MatchRequest.Opponent.random, .open, .nobody, .player(TestPlayer.bob.id)] {
        let limit: Int64? = opponent == .nobody ? nil : 60
        try lab.act(
          .matchRequested(MatchRequest(opponent: opponent, turnLimitSeconds: limit)), by: .ann)
      }
      #expect(try load(stores.worker) == PlayerLoad(waiting: 3, total: 5))
      stores.worker.abandon()
      // An invitation that one has not answered is nobody's match yet.
      let bob = Claim.load(TestPlayer.bob.id)
      #expect(try stores.worker.resolve([bob]) == [.load(PlayerLoad(waiting: 0, total: 1))])
      stores.worker.abandon()
      for match in try stores.reader.currentMatches(ann, 9, 9).matches
      where match.stage == .waiting {
        try lab.act(.requestWithdrawn(match.id), by: .ann)
      }
      #expect(try load(stores.worker) == PlayerLoad(waiting: 0, total: 2))
      stores.worker.abandon()
    },
    StoreCase("The matches and invitations of a bot are counted by the other player") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let bob = TestPlayer.bob.id
      func load() throws -> PlayerLoad? {
        defer { stores.worker.abandon() }
        guard case .load(let load) = try stores.worker.resolve([.load(bob)])[0] else { return nil }
        return load
      }
      try lab.act(.matchForfeited(lab.begin()), by: .ann)
      #expect(try load() == PlayerLoad())
      try lab.act(.settingsChanged(SettingsChange(isBot: true)), by: .bob)
      #expect(try load() == PlayerLoad(bot: BotLoad()))
      _ = try lab.begin()
      for player in [TestPlayer.ann, .cyd] {
        try lab.act(
          .matchRequested(MatchRequest(opponent: .player(bob), turnLimitSeconds: 61)), by: player)
      }
      try lab.act(.matchRequested(MatchRequest(opponent: .random, turnLimitSeconds: 60)), by: .bob)
      #expect(
        try load()
          == PlayerLoad(
            waiting: 1, total: 2,
            bot: BotLoad(
              matches: 4, byPlayer: [TestPlayer.ann.id: 2, TestPlayer.cyd.id: 1])))
      try checkAgreement(stores)
    },
    StoreCase("Nobody gets more matches with a bot than a player may have within a batch") {
      stores in
      let lab = StoreLab(stores.worker)
      lab.limits = .standard
      try lab.register(.ann, .bob)
      try lab.act(.settingsChanged(SettingsChange(isBot: true)), by: .bob)
      for _ in 1..<BotLimits.matchesOfPlayer { _ = try lab.begin() }
      let replies = try lab.send(
        (61..<63).map { limit in
          try lab.event(
            .matchRequested(
              MatchRequest(opponent: .player(TestPlayer.bob.id), turnLimitSeconds: limit)),
            by: .ann)
        })
      let refusals = replies.map { reply in
        if case .refused(let refusal) = reply { refusal } else { Refusal?.none }
      }
      #expect(refusals == [nil, .rateLimited(.botMatches, retryAfterSeconds: nil)])
      try checkAgreement(stores)
    },
    StoreCase("Nobody gets more matches than the limit within a batch either") { stores in
      let lab = StoreLab(stores.worker)
      lab.limits = PlayerLimits(eventsPerMinute: nil, openRequests: 2, runningMatches: 3)
      try lab.register(.ann)
      let replies = try lab.send(
        (0..<5).map { number in
          let opponent: MatchRequest.Opponent = number < 3 ? .open : .nobody
          return try lab.event(
            .matchRequested(
              MatchRequest(opponent: opponent, turnLimitSeconds: number < 3 ? 60 : nil)),
            by: .ann)
        })
      let refusals = replies.map { reply in
        if case .refused(let refusal) = reply { refusal } else { Refusal?.none }
      }
      #expect(
        refusals == [
          nil, nil, .rateLimited(.openRequests, retryAfterSeconds: nil), nil,
          .rateLimited(.runningMatches, retryAfterSeconds: nil),
        ])
    },
  ]

  static let crowding: [StoreCase] = [
    StoreCase(
      "Invitations hide no match: both are listed apart, the newest first, the rest counted"
    ) {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let running = [try lab.begin(), try lab.begin(.bob, .ann)]
      var invitations: [MatchID] = []
      for number in 0..<30 {
        let request = MatchRequest(
          opponent: .player(TestPlayer.ann.id), turnLimitSeconds: Int64(100 + number))
        let asked = try lab.event(.matchRequested(request), by: .cyd)
        try lab.send([asked])
        invitations.append(asked.newMatch)
      }
      invitations.sort(by: >)
      let ann = TestPlayer.ann.id
      let some = try stores.reader.currentMatches(ann, 1, 7)
      #expect(some.matches.map(\.id) == [running.max()])
      #expect(some.invitations.map(\.id) == Array(invitations.prefix(7)))
      #expect((some.moreMatches, some.moreInvitations, some.count) == (1, 23, 32))
      let all = try stores.reader.currentMatches(ann, 9, 99)
      #expect(all.matches.map(\.id) == running.sorted(by: >))
      #expect(all.invitations.map(\.id) == invitations)
      #expect((all.moreMatches, all.moreInvitations) == (0, 0))
      let sender = try stores.reader.currentMatches(TestPlayer.cyd.id, 99, 9)
      #expect((sender.matches.count, sender.invitations.count) == (30, 0))
    },
    StoreCase("Invitations that wait are counted under a lock, those of strangers apart") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let (ann, bob, cyd) = (TestPlayer.ann.id, TestPlayer.bob.id, TestPlayer.cyd.id)
      func inboxes(_ store: WorkerStore, _ senders: [PlayerID] = [bob, cyd]) throws -> [Inbox] {
        let day = Day(containing: lab.now)
        return try store.resolve(senders.map { .inbox(of: ann, sender: $0, on: day) }).compactMap {
          if case .inbox(let inbox) = $0 { inbox } else { nil }
        }
      }
      func invite(_ player: TestPlayer, _ limit: Int64) throws {
        try lab.act(
          .matchRequested(MatchRequest(opponent: .player(ann), turnLimitSeconds: limit)),
          by: player)
      }
      #expect(try inboxes(stores.worker) == [Inbox(), Inbox()])
      #expect(try storeError { _ = try inboxes(stores.otherWorker) }.isConflict)
      stores.worker.abandon()

      for (player, limit) in [(TestPlayer.bob, 60), (.bob, 61), (.cyd, 60)] as [(TestPlayer, Int64)]
      { try invite(player, limit) }
      #expect(
        try inboxes(stores.worker, [bob]) == [
          Inbox(waiting: 3, fromStrangers: 3, fromSender: 2)
        ])
      stores.worker.abandon()
      // An opponent of a running or a former match is no stranger.
      let match = try lab.begin(.ann, .bob)
      for isOver in [false, true] {
        if isOver { try lab.act(.matchForfeited(match), by: .bob) }
        #expect(
          try inboxes(stores.worker) == [
            Inbox(waiting: 3, fromStrangers: 1, fromSender: 2, knowsSender: true),
            Inbox(waiting: 3, fromStrangers: 1, fromSender: 1),
          ])
        stores.worker.abandon()
      }
      for invitation in try stores.reader.currentMatches(ann, 9, 9).invitations {
        try lab.act(.invitationDeclined(invitation.id), by: .ann)
      }
      #expect(try inboxes(stores.worker, [cyd]) == [Inbox()])
      stores.worker.abandon()
    },
    StoreCase(
      "Strangers' invitations are counted by days, for each and for all of them"
    ) { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      let (ann, bob, cyd) = (TestPlayer.ann.id, TestPlayer.bob.id, TestPlayer.cyd.id)
      let (now, day) = (lab.now, Day(containing: lab.now))
      func inbox(_ player: PlayerID, _ sender: PlayerID, _ day: Day) throws -> Inbox? {
        let facts = try stores.otherWorker.resolve([.inbox(of: player, sender: sender, on: day)])
        stores.otherWorker.abandon()
        guard case .inbox(let inbox)? = facts.first else { return nil }
        return inbox
      }
      for (at, counts) in [
        (now, [.init(of: ann, by: bob): 2, .init(of: ann, by: cyd): 1]),
        (now, [.init(of: ann, by: bob): 3, .init(of: cyd, by: bob): 1]),
        (now.adding(seconds: -86_400), [.init(of: ann, by: bob): 4]),
      ] as [(Instant, [BatchWrite.Invitation: Int])] {
        var write = BatchWrite(now: at)
        write.strangerInvitations = counts
        try stores.worker.commit(write)
      }
      #expect(try inbox(ann, bob, day) == Inbox(strangersToday: 6, senderToday: 5))
      #expect(try inbox(ann, cyd, day) == Inbox(strangersToday: 6, senderToday: 1))
      #expect(try inbox(cyd, bob, day) == Inbox(strangersToday: 1, senderToday: 1))
      #expect(try inbox(cyd, ann, day) == Inbox(strangersToday: 1))
      #expect(try inbox(bob, ann, day) == Inbox())
      let (before, after) = (Day(number: day.number - 1), Day(number: day.number + 1))
      #expect(try inbox(ann, bob, before) == Inbox(strangersToday: 4, senderToday: 4))
      #expect(try inbox(ann, bob, after) == Inbox())
      // Several at once, of two days.
      let claims = [(ann, bob, day), (ann, cyd, day), (cyd, bob, day), (ann, cyd, before)].map {
        Claim.inbox(of: $0, sender: $1, on: $2)
      }
      #expect(
        try stores.worker.resolve(claims) == [
          .inbox(Inbox(strangersToday: 6, senderToday: 5)),
          .inbox(Inbox(strangersToday: 6, senderToday: 1)),
          .inbox(Inbox(strangersToday: 1, senderToday: 1)),
          .inbox(Inbox(strangersToday: 4, senderToday: 0)),
        ])
      stores.worker.abandon()
    },
    StoreCase("The registrations of the last hour are counted, as many as are wanted") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      func load(_ limit: Int) throws -> RegistrationLoad {
        var lookup = Lookup()
        lookup.registrations = limit
        return try stores.worker.lookUp(lookup).registrations
      }
      #expect(try load(2).count == 2)
      let all = try load(9)
      #expect(all.count == 3)
      #expect(try #require(all.oldest) <= lab.now)
      #expect(try stores.worker.lookUp(Lookup()).registrations == RegistrationLoad())
      stores.worker.abandon()
    },
  ]
}
