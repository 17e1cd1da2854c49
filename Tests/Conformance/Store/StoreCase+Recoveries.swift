import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

extension StoreCase {
  /// Recovery keys and recoveries of players.
  static let recoveries: [StoreCase] = [
    StoreCase("A recovery key is told under the lock of its player's keys, and to a look-up") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let first = try lab.event(.recoveryKeyNamed(words.key), by: .ann)
      try lab.send([first])
      let named = PlayerRecovery.Named(key: words.key, signed: first.signed)
      expectNoDifference(try recovery(of: .ann, stores), PlayerRecovery(named: named))
      expectNoDifference(try recovery(of: .bob, stores), PlayerRecovery())
      // Another one waits.
      let other = try lab.event(.recoveryKeyNamed(otherWords.key), by: .ann)
      lab.clock.ticked(at: lab.now)
      try lab.send([other])
      let later = try recovery(of: .ann, stores)
      #expect(later.named == named)
      #expect(later.waiting?.named == .init(key: otherWords.key, signed: other.signed))
      #expect(later.waiting?.deadline.at == later.namedAt?.adding(seconds: PlayerRecovery.seconds))
      var lookup = Lookup()
      lookup.recoveries = [TestPlayer.ann.id, TestPlayer.bob.id]
      #expect(
        try stores.otherWorker.lookUp(lookup).recoveryKeys
          == [TestPlayer.ann.id: [words.key, otherWords.key]])
      // It counts once its time has come, and is written so with the next change.
      lab.clock = pass(PlayerRecovery.seconds, lab)
      try lab.send([try asks(phone, of: .ann, by: otherWords, lab)])
      let last = try recovery(of: .ann, stores)
      #expect(last.named?.key == otherWords.key && last.waiting == nil)
      #expect(last.pending?.key == phone.key)
    },
    StoreCase("A first recovery key that waits is kept, and told to the player with its time") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      try add(pad, lab)
      #expect(try stores.reader.keys(TestPlayer.ann.id).recovery == nil)
      let named = try lab.event(.recoveryKeyNamed(words.key), of: .ann, on: pad)
      try lab.send([named])
      let state = try recovery(of: .ann, stores)
      #expect(state.named == nil)
      #expect(state.waiting?.named == .init(key: words.key, signed: named.signed))
      let time = try #require(state.waiting?.deadline.at)
      expectNoDifference(
        try stores.reader.keys(TestPlayer.ann.id).recovery,
        KeyList.Recovery(key: nil, waiting: .init(key: words.key, at: time)))
      var lookup = Lookup()
      lookup.recoveries = [TestPlayer.ann.id]
      #expect(
        try stores.otherWorker.lookUp(lookup).recoveryKeys == [TestPlayer.ann.id: [words.key]])
      lab.clock = pass(PlayerRecovery.seconds, lab)
      try lab.send([try asks(phone, of: .ann, by: words, lab)])
      #expect(try recovery(of: .ann, stores).named?.key == words.key)
    },
    StoreCase("Readers are told that a key counts once the clock of its player's queue says so") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      try lab.act(.recoveryKeyNamed(words.key), by: .ann)
      lab.clock.ticked(at: lab.now)
      try lab.act(.recoveryKeyNamed(otherWords.key), by: .ann)
      let before = try recovery(of: .ann, stores)
      let at = try #require(before.waiting?.deadline.at)
      var after = before
      (after.named, after.waiting) = (before.waiting?.named, nil)
      var last = QueueClock()
      for (clock, expected) in [
        (QueueClock(time: at.adding(seconds: -1)), before),
        // An outage of five seconds.
        (QueueClock(time: at.adding(seconds: 4), creditMicroseconds: 5_000_000), before),
        (QueueClock(time: at.adding(seconds: 5), creditMicroseconds: 5_000_000), after),
      ] {
        var write = BatchWrite(now: lab.now)
        for queue in 0..<QueueLayout.standard.queueCount {
          write.clocks[queue] = ClockChange(before: last, after: clock)
        }
        try stores.worker.commit(write)
        last = clock
        expectNoDifference(
          try stores.reader.keys(TestPlayer.ann.id).recovery, KeyList.Recovery(expected))
        let row = ReaderStore.RecoveryRow(
          player: TestPlayer.ann.id, name: TestPlayer.ann.name, recovery: expected)
        expectNoDifference(try stores.reader.recoveries([TestPlayer.ann.name.key]), [row])
      }
      // Only the next event writes it.
      expectNoDifference(try recovery(of: .ann, stores), before)
    },
    StoreCase("Any device of a player is told the id of a recovery, and who objected") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let (_, asked) = try begin(lab)
      let at = lab.now.adding(seconds: PlayerRecovery.seconds)
      var expected = KeyList.Recovery(
        key: words.key, pending: .init(recovery: asked.event.id, key: phone.key, at: at))
      expectNoDifference(try stores.reader.keys(TestPlayer.ann.id).recovery, expected)
      func home() throws -> ReaderStore.CurrentMatches {
        try stores.reader.currentMatches(TestPlayer.ann.id, 9, 9)
      }
      #expect(try home() == .init(recoveryAt: at))
      try lab.act(.recoveryObjected(asked.event.id), by: .ann)
      expected.pending?.objector = TestPlayer.ann.key
      expected.pending?.at = at.adding(seconds: PlayerRecovery.seconds)
      expectNoDifference(try stores.reader.keys(TestPlayer.ann.id).recovery, expected)
      #expect(try home() == .init(recoveryAt: expected.pending?.at))
      try lab.send([try lab.event(.recoveryWithdrawn(asked.event.id), of: .ann, on: words)])
      #expect(try stores.reader.keys(TestPlayer.ann.id).recovery == .init(key: words.key))
      #expect(try home() == .init())
    },
    StoreCase("A player whose only key was revoked days ago is recovered") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      try lab.act(.recoveryKeyNamed(words.key), by: .ann)
      try stores.age(2 * 86_400)
      #expect(try stores.administration.revokeKey(TestPlayer.ann.key))
      let facts = try stores.otherWorker.resolve([.keys(of: TestPlayer.ann.id)])
      stores.otherWorker.abandon()
      guard case .keys(let keys)? = facts.first else {
        Issue.record("no keys")
        return
      }
      #expect(keys.name == TestPlayer.ann.name && keys.lifetimeCount == 1 && keys.keys.isEmpty)
      let asked = try asks(phone, of: .ann, by: words, lab)
      guard case .accepted(.recoverySet)? = try lab.send([asked]).first else {
        Issue.record("the recovery was refused")
        return
      }
      lab.clock = pass(3 * 86_400 + PlayerRecovery.seconds, lab)
      #expect(try lab.send([try due(asked, lab, stores)]) == [.accepted(.noted)])
      #expect(
        try stores.reader.keys(TestPlayer.ann.id).keys.map(\.key) == [phone.key])
    },
    StoreCase("A recovery ends the notification of all devices of before, and of no later one") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      func device(_ name: String) throws -> Device {
        Device(name: try #require(DeviceName(name)), token: name, permission: .authorized)
      }
      func devices(_ player: TestPlayer) throws(StoreError) -> [Device] {
        let found = try stores.reader.settings(player.id)
        return found.devices.map(\.device)
      }
      try lab.act(.deviceRegistered(device("thiefs")), by: .ann)
      try lab.act(.deviceRegistered(device("bobs")), by: .bob)
      let (_, asked) = try begin(lab)
      lab.clock = pass(PlayerRecovery.seconds, lab)
      try lab.send([
        try lab.event(.deviceRegistered(device("thiefs-2")), by: .ann),
        try due(asked, lab, stores),
        try lab.event(.deviceRegistered(device("new")), of: .ann, on: phone),
      ])
      #expect(try devices(.ann) == [device("new")])
      #expect(try devices(.bob) == [device("bobs")])
    },
    StoreCase("Named, asked for, objected to and withdrawn: every step is kept") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let named = try lab.event(.recoveryKeyNamed(words.key), by: .ann)
      let asked = try asks(phone, of: .ann, by: words, lab)
      // All in one batch: the later ones see the earlier ones.
      let replies = try lab.send([
        named, asked, try lab.event(.recoveryObjected(asked.event.id), by: .ann),
      ])
      let begun = lab.now
      var expected = PlayerRecovery(
        named: .init(key: words.key, signed: named.signed), begunAt: begun)
      expected.pending = .init(
        recovery: asked.event.id, key: phone.key, signed: asked.signed, begunAt: begun,
        deadline: Deadline(
          at: begun.adding(seconds: 2 * PlayerRecovery.seconds), creditMicroseconds: 0),
        objector: TestPlayer.ann.key)
      expectNoDifference(try recovery(of: .ann, stores), expected)
      #expect(
        replies.last
          == .accepted(.recoverySet(at: begun.adding(seconds: 2 * PlayerRecovery.seconds))))
      try lab.send([try lab.event(.recoveryWithdrawn(asked.event.id), of: .ann, on: words)])
      expected.pending = nil
      expectNoDifference(try recovery(of: .ann, stores), expected)
    },
    StoreCase("Recoveries are told to the scheduler after their time, the oldest first, in pages") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      var expected: [SchedulerStore.DueRecovery] = []
      for (number, player) in [TestPlayer.bob, .ann, .cyd].enumerated() {
        let new = TestPlayer("new-\(number)", seedByte: UInt8(0x50 + number))
        try lab.act(.recoveryKeyNamed(words.key), by: player)
        let asked = try asks(new, of: player, by: words, lab)
        try lab.send([asked])
        let due = try #require(try recovery(of: player, stores).pending?.deadline.at)
        expected.append(.init(player: player.id, recovery: asked.event.id, key: new.key, due: due))
      }
      let end = try #require(expected.last?.due).adding(microseconds: 1)
      let scheduler = stores.scheduler
      expectNoDifference(try scheduler.recoveriesDue(end, nil, 10), expected)
      #expect(try scheduler.recoveriesDue(end, nil, 2) == Array(expected.prefix(2)))
      for (place, row) in expected.enumerated() {
        #expect(
          try scheduler.recoveriesDue(end, row, 10) == Array(expected.dropFirst(place + 1)))
      }
      #expect(try scheduler.recoveriesDue(expected[0].due, nil, 10) == [])
      try lab.send([try lab.event(.recoveryWithdrawn(expected[1].recovery), of: .ann, on: words)])
      #expect(try scheduler.recoveriesDue(end, nil, 10) == [expected[0], expected[2]])
    },
    StoreCase("Recoveries are told by the keys of names, of players who have named a key") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob)
      let names = [TestPlayer.ann, .bob, .cyd].map(\.name.key)
      #expect(try stores.reader.recoveries(names) == [])
      _ = try begin(lab)
      expectNoDifference(
        try stores.reader.recoveries(names),
        [
          ReaderStore.RecoveryRow(
            player: TestPlayer.ann.id, name: TestPlayer.ann.name,
            recovery: try recovery(of: .ann, stores))
        ])
      #expect(try stores.reader.recoveries([TestPlayer.bob.name.key]) == [])
    },
    StoreCase("A check is told recovery keys, player by player, and the keys of all players") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann, .bob, .cyd)
      try lab.act(.recoveryKeyNamed(otherWords.key), by: .bob)
      let (_, asked) = try begin(lab)
      func row(_ player: TestPlayer) throws -> StoredRecovery {
        StoredRecovery(player: player.id, recovery: try recovery(of: player, stores))
      }
      var expected = try [row(.ann), row(.bob)].sorted { $0.player < $1.player }
      expectNoDifference(try stores.check.recoveries(nil, 10), expected)
      expectNoDifference(try stores.check.recoveries(nil, 1), [expected[0]])
      expectNoDifference(try stores.check.recoveries(expected[0].player, 10), [expected[1]])
      lab.clock = pass(PlayerRecovery.seconds, lab)
      try lab.send([try due(asked, lab, stores)])
      expected = try [row(.ann), row(.bob)].sorted { $0.player < $1.player }
      expectNoDifference(try stores.check.recoveries(nil, 10), expected)
      // The recovery has removed the first key, which is listed all the same.
      let keys = [TestPlayer.ann, .bob, .cyd].map { OwnedKey(player: $0.id, key: $0.key) }
      let all = (keys + [OwnedKey(player: TestPlayer.ann.id, key: phone.key)]).sorted {
        ($0.player, "\($0.key)") < ($1.player, "\($1.key)")
      }
      expectNoDifference(try stores.check.keys(nil, 10), all)
      expectNoDifference(try stores.check.keys(nil, 2), Array(all.prefix(2)))
      for place in all.indices {
        expectNoDifference(
          try stores.check.keys(all[place], 10), Array(all.dropFirst(place + 1)))
      }
    },
    StoreCase("A recovery that an operator stops is over, and told once") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let (_, asked) = try begin(lab)
      let id = asked.event.id
      #expect(try !stores.administration.stopRecovery(TestPlayer.ann.id, EventID(rawValue: 1)))
      #expect(try !stores.administration.stopRecovery(TestPlayer.bob.id, id))
      let event = try due(asked, lab, stores)
      let before = try stores.relay.claim(.zero, 10)
      try stores.relay.finish([])
      #expect(try stores.administration.stopRecovery(TestPlayer.ann.id, id))
      #expect(try !stores.administration.stopRecovery(TestPlayer.ann.id, id))
      let after = try stores.relay.claim(.zero, 10)
      try stores.relay.finish([])
      #expect(
        Set(after).subtracting(before) == [PushJob(account: TestPlayer.ann.id, stopped: id)])
      #expect(after.count == before.count + 1)
      let state = try recovery(of: .ann, stores)
      #expect(state.pending == nil && state.begunAt != nil)
      #expect(try stores.scheduler.recoveriesDue(Instant(microseconds: .max), nil, 10) == [])
      lab.clock = pass(PlayerRecovery.seconds, lab)
      #expect(try lab.send([event]) == [.refused(.noRecovery)])
    },
    StoreCase("A recovery brings its key in with its origin, and removes every other one") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      try add(pad, lab)
      let (named, asked) = try begin(lab)
      lab.clock = pass(PlayerRecovery.seconds, lab)
      #expect(try lab.send([try due(asked, lab, stores)]) == [.accepted(.noted)])
      var lookup = Lookup()
      lookup.keys = [phone.key, pad.key, TestPlayer.ann.key, words.key]
      let known = try stores.otherWorker.lookUp(lookup)
      #expect(
        known.keys.mapValues(\.isRevoked)
          == [phone.key: false, pad.key: true, TestPlayer.ann.key: true])
      #expect(known.revocationCount == 2)
      let origins = try stores.reader.origins([phone.key])
      #expect(origins.map(\.key) == [phone.key] && origins.map(\.inviter) == [named.signed.key])
      #expect(origins.allSatisfy { $0.fault(of: TestPlayer.ann.id, at: .test) == nil })
      #expect(try stores.check.origins([phone.key]) == origins)
      let state = try recovery(of: .ann, stores)
      #expect(state.named?.key == words.key && state.pending == nil)
      #expect(try stores.scheduler.recoveriesDue(Instant(microseconds: .max), nil, 10) == [])
      // The event comes again.
      #expect(
        try lab.send([
          lab.event(
            .recoveryDue(
              of: TestPlayer.ann.id, recovery: asked.event.id, key: phone.key,
              due: asked.event.id.time),
            by: .ann)
        ]) == [.refused(.noRecovery)])
    },
    StoreCase("A batch that was judged before a recovery took effect is not committed after it") {
      stores in
      let lab = StoreLab(stores.worker)
      let other = StoreLab(stores.otherWorker, number: 1)
      try lab.register(.ann)
      let (_, asked) = try begin(lab)
      let asks = Event.Action.matchRequested(
        MatchRequest(opponent: .nobody, turnLimitSeconds: nil))
      let (judged, _) = try other.judge([try other.event(asks, by: .ann)])
      lab.clock = pass(PlayerRecovery.seconds, lab)
      try lab.send([try due(asked, lab, stores)])
      #expect(try storeError { try stores.otherWorker.commit(judged) }.isConflict)
      #expect(try stores.check.matches(nil, 10) == [])
    },
    StoreCase("A recovery is not committed if its key has registered meanwhile, and is then void") {
      stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let (_, asked) = try begin(lab)
      lab.clock = pass(PlayerRecovery.seconds, lab)
      let event = try due(asked, lab, stores)
      let (write, _) = try lab.judge([event])
      stores.worker.abandon()
      try StoreLab(stores.otherWorker, number: 1).register(phone)
      #expect(try storeError { try stores.worker.commit(write) }.isConflict)
      var lookup = Lookup()
      lookup.keys = [TestPlayer.ann.key]
      #expect(
        try stores.worker.lookUp(lookup).keys[TestPlayer.ann.key]?.isRevoked == false)
      try lab.send([event])
      #expect(try recovery(of: .ann, stores).pending == nil)
      #expect(try stores.check.owners([phone.key]) == [phone.key: phone.id])
    },
    StoreCase("A recovery is not committed if it was judged before a revocation") { stores in
      let lab = StoreLab(stores.worker)
      try lab.register(.ann)
      let (_, asked) = try begin(lab)
      lab.clock = pass(PlayerRecovery.seconds, lab)
      let event = try due(asked, lab, stores)
      let (write, _) = try lab.judge([event])
      stores.worker.abandon()
      #expect(try stores.administration.revokeKey(TestPlayer.ann.key))
      #expect(try storeError { try stores.worker.commit(write) }.isConflict)
      // Nobody needs a key that speaks.
      try lab.send([event])
      #expect(try stores.check.owners([phone.key]) == [phone.key: TestPlayer.ann.id])
    },
  ]

  private static let words = TestPlayer("words", seedByte: 0x60)
  private static let otherWords = TestPlayer("words2", seedByte: 0x61)
  private static let phone = TestPlayer("phone", seedByte: 0x70)
  private static let pad = TestPlayer("pad", seedByte: 0x71)

  private static func asks(
    _ key: TestPlayer, of player: TestPlayer, by words: TestPlayer, _ lab: StoreLab
  ) throws -> StoreLab.Sent {
    try lab.event(
      .playerRecovered(of: player.id, at: .test, by: words.key, to: key.signer), of: player,
      on: words)
  }

  /// Names words and asks for a recovery with them.
  private static func begin(
    _ lab: StoreLab
  ) throws -> (named: StoreLab.Sent, asked: StoreLab.Sent) {
    let named = try lab.event(.recoveryKeyNamed(words.key), by: .ann)
    let asked = try asks(phone, of: .ann, by: words, lab)
    try lab.send([named, asked])
    return (named, asked)
  }

  /// The scheduler's event about a recovery.
  private static func due(
    _ asked: StoreLab.Sent, _ lab: StoreLab, _ stores: StoreSet
  ) throws -> StoreLab.Sent {
    let pending = try #require(try recovery(of: .ann, stores).pending)
    return try lab.event(
      .recoveryDue(
        of: TestPlayer.ann.id, recovery: asked.event.id, key: pending.key,
        due: pending.deadline.at),
      by: .ann)
  }

  /// The clock of the queue after so many seconds with a tick in each.
  private static func pass(_ seconds: Int64, _ lab: StoreLab) -> QueueClock {
    QueueClock(time: lab.now.adding(seconds: seconds))
  }

  private static func add(_ device: TestPlayer, _ lab: StoreLab) throws {
    let code = DeviceCode(random: 7)
    try lab.act(.deviceInvited(code.hash(at: .test)), by: .ann)
    try lab.send([lab.event(.keyAdded(code), of: .ann, on: device)])
  }

  private static func recovery(
    of player: TestPlayer, _ stores: StoreSet
  ) throws -> PlayerRecovery {
    let facts = try stores.otherWorker.resolve([.keys(of: player.id)])
    stores.otherWorker.abandon()
    guard case .keys(let keys)? = facts.first else { return PlayerRecovery() }
    return keys.recovery
  }
}
