import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import Testing

@testable import MatchSimulation

@Suite("Checking a store")
struct StoreCheckTests {
  /// A store after a run in which nothing went wrong.
  let world: World
  let check: CheckStore
  let played: MatchID

  init() throws {
    world = try .undisturbed()
    check = world.store.check
    played = try #require(world.played).id
  }

  private func violations(_ check: CheckStore) throws -> [Violation] {
    var run = StoreCheck(
      check, identity: world.identity, lexicons: world.lexicons, verifier: world.verifier,
      jobsAreComplete: true)
    return try run.run()
  }

  /// The findings when one match is stored otherwise.
  private func violations(
    _ id: MatchID? = nil, changing change: @escaping (inout StoredMatch) -> Void
  ) throws -> [Violation] {
    let id = id ?? played
    var changed = check
    changed.stored.answer { [check] ids throws(StoreError) in
      var page = try check.stored(ids)
      if var match = page[id] {
        change(&match)
        page[id] = match
      }
      return page
    }
    return try violations(changed)
  }

  @Test("A store that was left in peace holds")
  func peace() throws {
    #expect(try violations(check).isEmpty)
  }

  /// The reads of a check, and the write of a rebuild.
  enum FailingCall: CaseIterable {
    case matches, orphans, stored, existing, replies, owners, origins, handled, lacking, now, write
  }

  // Failure: CheckStore.matches, CheckStore.orphans, CheckStore.stored, CheckStore.existing,
  //   CheckStore.replies, CheckStore.origins, CheckStore.owners, CheckStore.now: The check stops
  //   and names the place to go on from.
  // Failure: CheckStore.handled, CheckStore.lacking: The check stops.
  // Failure: RebuildStore.write: Nothing is half done. The rebuild can run again.
  @Test(
    "Check and rebuild stop at any failing call, and nothing is called wrong",
    arguments: FailingCall.allCases)
  func failing(call: FailingCall) throws {
    var store = check
    let gone = StoreError.unavailable("gone")
    switch call {
    case .matches: store.matches.fail(with: gone)
    case .orphans: store.orphans.fail(with: gone)
    case .stored: store.stored.fail(with: gone)
    case .existing: store.existing.fail(with: gone)
    case .replies: store.replies.fail(with: gone)
    case .owners: store.owners.fail(with: gone)
    case .origins:
      // Keys that are said to be another player's need origins.
      store.owners.answer { keys in
        Dictionary(uniqueKeysWithValues: keys.map { ($0, PlayerID(rawValue: 1)) })
      }
      store.origins.fail(with: gone)
    case .handled: store.handled.fail(with: gone)
    case .lacking: store.lacking.fail(with: gone)
    case .now: store.now.fail(with: gone)
    case .write:
      store.stored.answer { [check] ids throws(StoreError) in
        try check.stored(ids).mapValues {
          var match = $0
          match.state = nil
          return match
        }
      }
      let damaged = StoreCheck(
        store, identity: world.identity, lexicons: world.lexicons, verifier: world.verifier)
      let rebuilder = MatchRebuilder(
        damaged, .failing.with { $0.write.fail(with: gone) })
      #expect(throws: gone) { try rebuilder.rebuild(played) }
      return
    }
    #expect(throws: gone) { try violations(store) }
  }

  @Test("Pages of one match find the same, and a check can go on where it stopped")
  func pages() throws {
    var first = StoreCheck(
      check, identity: world.identity, lexicons: world.lexicons, verifier: world.verifier)
    #expect(try first.next(limit: 1).isEmpty)
    var second = StoreCheck(
      check, identity: world.identity, lexicons: world.lexicons, verifier: world.verifier,
      after: first.progress.last)
    #expect(try second.run().isEmpty)
    #expect(first.progress.matches + second.progress.matches == world.store.matches.count)
  }

  @Test("A byte that is changed in any entry's payload is found, with the entry")
  func changedByte() throws {
    let count = world.store.entries[played]?.count ?? 0
    for position in 0..<count {
      let found = try violations { match in
        let middle = match.record[position].signed.payload.count / 2
        match.record[position].signed.payload[middle] ^= 1
      }
      #expect(found.map(\.position) == [position])
      let kinds: [Violation.Kind] = [.entryUnreadable, .entryForged]
      #expect(found.allSatisfy { kinds.contains($0.kind) })
    }
  }

  @Test("A signature, a time or a hash that is changed is found, with the entry")
  func changedBesides() throws {
    let signature = try violations { $0.record[2].signed.signature[7] ^= 1 }
    #expect(signature.map(\.kind) == [.entryForged])
    let time = try violations {
      $0.record[2].acceptedAt = $0.record[2].acceptedAt.adding(microseconds: 1)
    }
    #expect(time.map(\.kind) == [.entryMisplaced])
    #expect((signature + time).map(\.position) == [2, 2])
  }

  @Test("An entry that is dropped, swapped or repeated is found")
  func movedEntries() throws {
    let dropped = try violations { $0.record.remove(at: 2) }
    #expect(dropped.map(\.kind) == [.entryMisplaced])
    let swapped = try violations { $0.record.swapAt(2, 3) }
    #expect(swapped.map(\.kind) == [.entryMisplaced])
    // The event of a player: events of the service may be repeated.
    let event = try #require(
      world.store.entries[played]?.first {
        (try? PayloadCodec.decodeEvent($0.signed.payload)) != nil
      })
    let repeated = try violations { $0.record.append(event) }
    #expect(repeated.map(\.kind) == [.entryRepeated])
  }

  @Test("A record without its tail no longer gives its state")
  func cutTail() throws {
    let found = try violations { $0.record.removeLast() }
    #expect(found.map(\.kind) == [.entryMissing])
    #expect(found.map(\.position) == [(world.store.entries[played]?.count ?? 0) - 1])
  }

  /// Cuts off the last entries and all traces of them, except for those that a change leaves.
  private func cut(
    leaving change: @escaping (StoredMatch, inout StoredMatch) -> Void
  ) throws -> [Violation] {
    try violations { match in
      let whole = match
      match.record.removeLast(3)
      match.state = nil
      match.turn = 1
      match.listing.pastGames = []
      match.rating = StoredRating()
      match.jobs = []
      change(whole, &match)
    }
  }

  @Test("A record that is cut is named by each row that still knows better")
  func sequels() throws {
    let rows: [(StoredMatch, inout StoredMatch) -> Void] = [
      { $1.state = $0.state }, { $1.turn = $0.turn }, { $1.turn = 999 },
      { $1.listing.pastGames = $0.listing.pastGames }, { $1.rating = $0.rating },
      { $1.rating.waiting = $0.state?.rated },
      { $1.jobs = $0.jobs.filter { $0.job.kind == .matchEnded } },
      { whole, match in
        match.jobs = whole.jobs.suffix(1)
        match.jobs[0].job.turn = 999
      },
      {
        $1.listing.seats = [
          .init(seat: 0, player: PlayerID(rawValue: 9), isInvited: false, isOver: false)
        ]
      },
    ]
    for (index, row) in rows.enumerated() {
      let found = try cut(leaving: row)
      #expect(found.map(\.kind) == [.entryMissing], "row \(index): \(found)")
    }
    // Nothing in the match itself, but a reply.
    let found = try cut { _, _ in }
    #expect(!found.map(\.kind).contains(.entryMissing), "\(found)")
  }

  @Test("An event that was told as done and is in no entry is found, once for each match")
  func lacking() throws {
    var store = check
    store.lacking.answer { [played] places in
      places.indices.filter { places[$0].match == played }
    }
    let found = try violations(store)
    #expect(found.map(\.kind) == [.entryMissing])
    #expect(found.map(\.match) == [played])
    // No page leaves anything out.
    var small = ReplyCheck(store)
    var violations: [Violation] = []
    while !small.isDone { violations += try small.next(limit: 3) }
    #expect(violations.map(\.match) == [played])
    #expect(small.count == world.store.replies.count)
  }

  @Test("A record that lacks turns already told is not made the truth")
  func rebuildingCut() throws {
    var store = check
    store.stored.answer { [check] ids throws(StoreError) in
      try check.stored(ids).mapValues {
        var match = $0
        match.state = nil
        return match
      }
    }
    let rebuilder = MatchRebuilder(
      StoreCheck(
        store, identity: world.identity, lexicons: world.lexicons, verifier: world.verifier),
      .failing)
    let cut = Violation(.entryMissing, in: played, "told and not there")
    let finding = try #require(try rebuilder.rebuild(played, cut: cut))
    #expect(finding.mended == [])
    #expect(finding.left.map(\.kind) == [.entryMissing, .stateDiffers])
  }

  @Test("A state of another version, or none, is found")
  func state() throws {
    let before = try #require(world.store.history[played]?.first?.match)
    #expect(try violations { $0.state = before }.contains { $0.kind == .stateDiffers })
    #expect(try violations { $0.state = nil }.map(\.kind) == [.stateDiffers])
  }

  @Test("Rows that are missing or left over are found")
  func rows() throws {
    #expect(try violations { $0.listing.pastGames = [] }.map(\.kind) == [.rowsDiffer])
    #expect(try violations { $0.listing.pairKey = "x" }.map(\.kind) == [.rowsDiffer])
    #expect(try violations { $0.turn = 1 }.map(\.kind) == [.rowsDiffer])
  }

  @Test("A reply that is missing or says something else is found")
  func replies() throws {
    var none = check
    none.replies.answer { _ in [:] }
    #expect(try violations(none).allSatisfy { $0.kind == .replyMissing })
    #expect(try !violations(none).isEmpty)
    var other = check
    other.replies.answer { [check] keys throws(StoreError) in
      try check.replies(keys).mapValues {
        StoredReply(payloadHash: .zero, reply: $0.reply)
      }
    }
    #expect(try violations(other).allSatisfy { $0.kind == .replyDiffers })
    #expect(try !violations(other).isEmpty)
  }

  @Test("A push job that is missing, or that nothing owes, is found")
  func jobs() throws {
    #expect(try violations { $0.jobs.removeAll() }.allSatisfy { $0.kind == .jobMissing })
    #expect(try !violations { $0.jobs.removeAll() }.isEmpty)
    let extra = PushJob(
      id: PushJobID(rawValue: 1), kind: .yourTurn, player: PlayerID(rawValue: 2), match: played)
    let found = try violations {
      $0.jobs.append(StoredJob(job: extra, isOwed: false, fate: .delivered))
    }
    #expect(found.map(\.kind) == [.jobUnexpected])
  }

  @Test(
    "One push job of a kind that is missing or too many is found",
    arguments: [PushJob.Kind.yourTurn, .invited, .opponentJoined, .rematchStarted, .matchEnded])
  func jobs(of kind: PushJob.Kind) throws {
    let ids = Array(world.store.matches.keys)
    let match = try #require(
      try check.stored(ids).filter { $0.value.jobs.contains { $0.job.kind == kind } }.keys.min())
    let lacking = try violations(match) { stored in
      let place = stored.jobs.firstIndex { $0.job.kind == kind }
      if let place { stored.jobs.remove(at: place) }
    }
    #expect(lacking.map(\.kind) == [.jobMissing])
    #expect(try violations(adding: kind) == [.jobUnexpected])
  }

  @Test("A job with another id than its turn gives, or of a stranger, is found, of each kind")
  func otherJobs() throws {
    for kind in [
      PushJob.Kind.turnRunningOut, .dailyEndsSoon, .nudged, .reacted, .rematchWaits,
      .rematchRequested, .rematchDeclined,
    ] {
      #expect(try violations(adding: kind) == [.jobUnexpected], "\(kind)")
    }
  }

  @Test("Jobs of offers of a rematch that are gone may be there, but about no turn")
  func formerOffers() throws {
    let player = try #require(world.store.matches[played]?.players.first)
    for kind in [PushJob.Kind.rematchRequested, .rematchDeclined] {
      #expect(try violations(adding: kind, to: player) == [])
      #expect(try violations(adding: kind, to: player, turn: 1) == [.jobUnexpected])
    }
  }

  @Test("Where an offer was declined last, the job of an offer has to be there")
  func declinedOffer() throws {
    let players = try #require(world.store.matches[played]).seats.compactMap(\.player)
    func findings(toldTo player: PlayerID?) throws -> [Violation.Kind] {
      try violations { [played] match in
        let at = match.record.last?.acceptedAt ?? Instant(microseconds: 0)
        let (version, rematch) = (
          match.version, Match.Rematch(declined: .init(seat: 0, at: at))
        )
        match.state?.restore(version: version, rematch: rematch)
        match.jobs.removeAll { $0.job.kind == .rematchRequested }
        guard let player else { return }
        let job = PushJob(
          id: PushJobID(rawValue: 1), kind: .rematchRequested, player: player, match: played)
        match.jobs.append(StoredJob(job: job, isOwed: false, fate: .delivered))
      }.map(\.kind).filter { $0 == .jobMissing }
    }
    #expect(try findings(toldTo: players[1]) == [])
    #expect(try findings(toldTo: players[0]) == [.jobMissing])
    #expect(try findings(toldTo: nil) == [.jobMissing])
  }

  /// The findings where a match that is over has one more push job.
  private func violations(
    adding kind: PushJob.Kind, to player: PlayerID = PlayerID(rawValue: 2), turn: Int? = nil
  ) throws -> [Violation.Kind] {
    let extra = PushJob(
      id: PushJobID(rawValue: 1), kind: kind, player: player, match: played, turn: turn)
    return try violations {
      $0.jobs.append(StoredJob(job: extra, isOwed: false, fate: .delivered))
    }.map(\.kind)
  }

  @Test("A rematch that exists and is not named, or is named and does not exist, is found")
  func successors() throws {
    var all = check
    all.existing.answer { Set($0) }
    let found = try violations(all)
    // A rematch of a match that is not over shows that its record was cut.
    #expect(found.allSatisfy { [.successorDiffers, .entryMissing].contains($0.kind) })
    #expect(found.contains { $0.kind == .successorDiffers })
  }

  @Test("A match that counts has to wait to be rated or to have been rated, and no other may")
  func ratingQueue() throws {
    #expect(world.store.matches[played]?.rated != nil)
    let neither = try violations { $0.rating = StoredRating() }
    #expect(neither.map(\.kind) == [.ratingQueueDiffers])
    let waiting = try violations { match in
      match.rating = StoredRating()
      match.rating.waiting = match.state?.rated
    }
    #expect(waiting == [])
    let otherwise = try violations { match in
      match.rating = StoredRating()
      match.rating.waiting = match.state?.rated
      match.rating.waiting?.endedAt = Instant(microseconds: 0)
    }
    #expect(otherwise.map(\.kind) == [.ratingQueueDiffers])
    let running = try #require(
      world.store.matches.values.filter { $0.outcome == nil }.map(\.id).min())
    // Rows of a finished match contradict a record without an end.
    let uncalled = try violations(running) { match in
      match.rating.waiting = RatedMatch(
        match: running, endedAt: Instant(microseconds: 0), results: [:])
    }
    #expect(uncalled.map(\.kind) == [.entryMissing])
    let result = try #require(world.store.ratings.results[played]?.first)
    let rated = try violations(running) { match in
      match.rating.results = [.init(result: result, previous: nil, standing: .superseded)]
    }
    #expect(rated.map(\.kind) == [.entryMissing])
  }

  @Test("A rating that does not follow from the former ones, or does not stand, is found")
  func ratings() throws {
    func kinds(_ change: @escaping (inout StoredRating.Row) -> Void) throws -> [Violation.Kind] {
      try violations { change(&$0.rating.results[0]) }.map(\.kind)
    }
    #expect(try kinds { $0.result.after.rating.valueMillionths += 1 }.contains(.ratingDiffers))
    #expect(try kinds { $0.result.after.matchCount += 1 }.contains(.ratingDiffers))
    #expect(try kinds { $0.result.before.rating.deviationMillionths += 9 }.contains(.ratingDiffers))
    #expect(try kinds { $0.result.result = .tied } == [.ratingDiffers])
    #expect(try kinds { $0.result.number += 1 } == [.ratingDiffers])
    #expect(
      try kinds { $0.previous = PlayerRating(rating: .initial, ratedAt: nil, matchCount: 99) }
        == [.ratingDiffers])
    #expect(try kinds { $0.standing = .missing } == [.standingDiffers])
    #expect(
      try kinds { $0.standing = .last(.initial, number: $0.result.number) }
        == [.standingDiffers])
    #expect(try kinds { $0.standing = .last($0.result.after, number: 999) } == [.standingDiffers])
    #expect(try violations { $0.rating.results.removeLast() }.map(\.kind) == [.ratingDiffers])
  }

  @Test("Ratings that do not come out again, or counts that are wrong, are found after a run")
  func ladder() {
    let book = world.store.ratings
    #expect(book.lastNumber > 0)
    func violations(_ change: (inout SimulatedRatings) -> Void) -> Int {
      var changed = book
      change(&changed)
      return LadderCheck(changed).violations(world.store.matches).count
    }
    #expect(violations { _ in } == 0)
    #expect(violations { $0.lastNumber += 1 } == 1)
    #expect(violations { $0.counts[1, default: 0] += 1 } == 1)
    // The counts stay right: after a short run every rating is provisional, so nobody is counted.
    #expect(violations { $0.standings.removeAll() } == 1)
    #expect(violations { $0.results[played]?[0].after.rating.valueMillionths += 1 } == 1)
  }

  @Test("A stranger's key in a record is found")
  func strangers() throws {
    var nobody = check
    nobody.owners.answer { _ in [:] }
    #expect(try violations(nobody).allSatisfy { $0.kind == .entryForged })
    #expect(try !violations(nobody).isEmpty)
  }

  @Test("A violation says its fault, its place, its age and its remedy")
  func description() throws {
    let violation = Violation(
      .rowsDiffer, in: played, at: 2, since: Instant(microseconds: 0), "not as the state gives them"
    )
    #expect(
      violation.description == """
        rowsDiffer: match \(played) entry 2 since 1970-01-01T00:00:00.000Z: not as the state \
        gives them. `cubistd rebuild --match \(played)` makes it again from the record.
        """)
  }
}
