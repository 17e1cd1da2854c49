import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

extension StoreCase {
  static let atomicity: [StoreCase] = [
    StoreCase("Nothing of a batch is there if anything is wrong with it") { stores in
      let (write, taken) = try fullBatch(stores)
      let before = try StoreSnapshot(of: stores)
      for spoiling in Spoiling.all {
        try expectNothing(of: write, spoiling, taken, stores)
        expectNoDifference(try StoreSnapshot(of: stores), before, spoiling.description)
      }
      // The connection goes on, and the rest of the batch was right.
      try stores.worker.commit(write)
      let after = try StoreSnapshot(of: stores)
      #expect(after.playerCount == before.playerCount + 1)
      #expect(after.matches.count == before.matches.count + 2)
      #expect(after.replies.count == before.replies.count + write.replies.count)
      #expect(after.deadEvents.count == 1)
      #expect(try stores.worker.queueClocks().count == 1)
      try checkAgreement(stores)
    },
    StoreCase("A batch that fails under its claims has given them up") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let (write, _) = try lab.judge([
        lab.event(.playerRegistered(name: TestPlayer.bob.name, code: nil), by: .bob)
      ])
      var spoiled = write
      spoiled.unchanged = [MatchID(rawValue: 77): 1]
      #expect(try storeError { try stores.worker.commit(spoiled) }.isConflict)
      try StoreLab(stores.otherWorker, number: 1).register(.bob)
      #expect(try storeError { try stores.worker.commit(write) }.isConflict)
      #expect(try stores.administration.playerCount() == 2)
    },
    StoreCase("A batch with nothing in it is nothing") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let before = try StoreSnapshot(of: stores)
      try stores.worker.commit(BatchWrite(now: lab.now))
      expectNoDifference(try StoreSnapshot(of: stores), before)
    },
    StoreCase("A push job that is owed already stays as it is") { stores in
      let lab = StoreLab(stores.worker)
      let jobs = try oweJobs(2, lab)
      let claimed = try stores.relay.claim(.zero, 1)
      var write = BatchWrite(now: lab.now)
      write.outbox = jobs
      try stores.worker.commit(write)
      #expect(try stores.check.jobs(nil, 10).count == 2)
      try stores.relay.finish(claimed.map(\.id))
      #expect(try stores.check.jobs(nil, 10).count == 1)
    },
  ]

  private static func expectNothing(
    of write: BatchWrite, _ spoiling: Spoiling, _ taken: Taken, _ stores: StoreSet
  ) throws {
    var spoiled = write
    spoiling.spoil(&spoiled, taken)
    let error = try storeError { try stores.worker.commit(spoiled) }
    let isExpected = spoiling.isRejected ? error.isRejected : error.isConflict
    #expect(isExpected, "\(spoiling.description): \(error)")
    #expect(try stores.reader.player(TestPlayer.cyd.name) == nil, "\(spoiling.description)")
    #expect(try stores.worker.queueClocks() == [:], "\(spoiling.description)")
  }

  /// A batch with a row of every kind, and the rows that others hold already.
  private static func fullBatch(_ stores: StoreSet) throws -> (BatchWrite, Taken) {
    let lab = StoreLab(stores.worker)
    let codes = try ["CODE1", "CODE2", "CODE3"].map { try #require(ShareCode($0)) }
    for code in codes.prefix(2) { try stores.administration.createCode(code) }
    let bob = try lab.event(
      .playerRegistered(name: TestPlayer.bob.name, code: codes[0]), by: .bob)
    try lab.send([lab.event(.playerRegistered(name: TestPlayer.ann.name, code: nil), by: .ann)])
    try lab.send([bob])
    let (id, watched) = (try lab.begin(), try lab.begin())
    let asked = try lab.event(
      .matchRequested(MatchRequest(opponent: .open, turnLimitSeconds: 60)), by: .bob)
    try lab.send([asked])
    let held = try lab.event(
      .matchRequested(
        MatchRequest(opponent: .player(TestPlayer.bob.id), turnLimitSeconds: 61)), by: .ann)
    // Judged before the other batch is committed, as by a worker without claims.
    let (sameTerms, _) = try lab.judge([
      lab.event(
        .matchRequested(
          MatchRequest(opponent: .player(TestPlayer.ann.id), turnLimitSeconds: 61)), by: .bob)
    ])
    stores.worker.abandon()
    try lab.send([held])
    var (write, _) = try lab.judge([
      lab.event(lab.turn(in: #require(try lab.match(id))), by: .ann),
      lab.event(.matchRequested(MatchRequest(opponent: .nobody, turnLimitSeconds: nil)), by: .ann),
      lab.event(
        .matchRequested(
          MatchRequest(opponent: .player(TestPlayer.bob.id), turnLimitSeconds: 62)), by: .ann),
      // A refusal, which is derived from a match that does not change.
      lab.event(lab.turn(in: #require(try lab.match(watched))), by: .bob),
    ])
    stores.worker.abandon()
    #expect(write.unchanged.keys.contains(watched))
    write.registrations = [
      Registration(
        player: TestPlayer.cyd.id, name: TestPlayer.cyd.name, key: TestPlayer.cyd.key,
        at: lab.now)
    ]
    write.usedCodes = [codes[1]: TestPlayer.cyd.id]
    write.clocks = [2: ClockChange(after: QueueClock(time: lab.now))]
    write.dead = [
      DeadEvent(
        queue: 1, player: TestPlayer.ann.id, event: asked.event.id, reason: "a test", body: [1])
    ]
    write.codes = [.init(code: codes[2], match: MatchID(rawValue: 5))]
    let taken = Taken(
      match: watched, event: asked.key, player: .ann, usedCode: codes[0], unknownCode: codes[2],
      invitationCode: ShareCode(invitationTo: asked.newMatch, secret: .test),
      invitation: try #require(try lab.match(held.newMatch)),
      sameInvitation: try #require(sameTerms.changes.first))
    return (write, taken)
  }
}

/// Keys and rows that are taken already.
private struct Taken {
  var match: MatchID
  var event: EventKey
  var player: TestPlayer
  var usedCode: ShareCode
  var unknownCode: ShareCode
  var invitationCode: ShareCode
  var invitation: Match
  /// Another invitation of the same pair on the same terms.
  var sameInvitation: MatchChange
}

/// A way in which a batch is wrong in one row.
private struct Spoiling: Sendable {
  var description: String
  var isRejected = false
  var spoil: @Sendable (inout BatchWrite, Taken) -> Void

  static let all: [Spoiling] = [
    Spoiling(description: "a match that did not change has changed") { write, taken in
      write.unchanged[taken.match] = 1
    },
    Spoiling(description: "a match that did not change is missing") { write, _ in
      write.unchanged[MatchID(rawValue: 77)] = 1
    },
    Spoiling(description: "the version of one that changed is another") { write, _ in
      for index in write.changes.indices { write.changes[index].before?.version -= 1 }
    },
    Spoiling(description: "a new match exists") { write, taken in
      let index = write.changes.firstIndex { $0.before == nil } ?? 0
      write.changes[index].after = taken.invitation
    },
    Spoiling(description: "a pair has another invitation") { write, taken in
      write.changes.append(taken.sameInvitation)
    },
    Spoiling(description: "an event has a reply") { write, taken in
      write.replies[1].key = taken.event
    },
    Spoiling(description: "an event has two replies") { write, _ in
      write.replies.append(write.replies[0])
    },
    Spoiling(description: "a player exists") { write, taken in
      write.registrations[0].player = taken.player.id
    },
    Spoiling(description: "a name is taken") { write, taken in
      write.registrations[0].name = taken.player.name
    },
    Spoiling(description: "a key is taken") { write, taken in
      write.registrations[0].key = taken.player.key
    },
    Spoiling(description: "two players want one name") { write, _ in
      var other = write.registrations[0]
      (other.player, other.key) = (TestPlayer.member(1).id, TestPlayer.member(1).key)
      write.registrations.append(other)
    },
    Spoiling(description: "a registration code is used up") { write, taken in
      write.usedCodes = [taken.usedCode: TestPlayer.cyd.id]
    },
    Spoiling(description: "a registration code never was") { write, taken in
      write.usedCodes = [taken.unknownCode: TestPlayer.cyd.id]
    },
    Spoiling(description: "an invitation's code leads elsewhere", isRejected: true) {
      write, taken in
      write.codes[0].code = taken.invitationCode
    },
  ]
}
