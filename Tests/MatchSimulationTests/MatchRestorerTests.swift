import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import Testing

@testable import MatchSimulation

@Suite("Bringing the record of a damaged match back from a copy")
struct MatchRestorerTests {
  private let world: World
  private let check: CheckStore
  private let played: MatchID
  private let whole: [Entry]

  init() throws {
    world = try .undisturbed()
    check = world.store.check
    played = try #require(world.played).id
    whole = try #require(world.store.entries[played])
  }

  /// The plan for a match that is damaged.
  private func plan(
    copy: [Entry], turns: Int = 0, damaging damage: @escaping (inout StoredMatch) -> Void
  ) throws(MatchRestorer.Obstacle) -> MatchRestorer.Plan {
    var damaged = check
    damaged.stored.answer { [check] ids throws(StoreError) in
      try check.stored(ids).mapValues {
        var match = $0
        damage(&match)
        return match
      }
    }
    return try MatchRestorer(
      damaged, identity: world.identity, lexicons: world.lexicons, verifier: world.verifier
    ).plan(played, copy: copy, turns: turns)
  }

  private func obstacle(
    copy: [Entry], turns: Int = 0, _ damage: @escaping (inout StoredMatch) -> Void
  ) throws -> MatchRestorer.Obstacle {
    try #require(
      #expect(throws: MatchRestorer.Obstacle.self) {
        _ = try plan(copy: copy, turns: turns, damaging: damage)
      })
  }

  private func change(_ position: Int, of match: inout StoredMatch) {
    let middle = match.record[position].signed.payload.count / 2
    match.record[position].signed.payload[middle] ^= 1
    match.state = nil
  }

  @Test("An entry that is damaged comes from an older copy, and those after it stay")
  func older() throws {
    for position in [0, 2, whole.count - 4] {
      let plan = try plan(copy: Array(whole.dropLast(3))) { change(position, of: &$0) }
      #expect(plan.record == whole)
      #expect(plan.restored == [position])
      let match = plan.rebuild.match
      let stored = try #require(world.store.matches[played])
      #expect((match.version, match.outcome) == (stored.version, stored.outcome))
      #expect((match.head, match.entryCount) == (stored.head, whole.count))
    }
  }

  // Failure: MatchRestorer.Obstacle.unknownMatch: Neither the database nor the copy has the match.
  @Test("Entries that are gone come back, and so does a match of which no row is left")
  func gone() throws {
    #expect(try plan(copy: whole) { $0.record.removeFirst(2) }.restored == [0, 1])
    let all = try plan(copy: whole) { match in
      match.record = []
      match.state = nil
    }
    #expect(all.restored == Array(whole.indices))
    var empty = check
    empty.stored.answer { _ in [:] }
    let restorer = MatchRestorer(
      empty, identity: world.identity, lexicons: world.lexicons, verifier: world.verifier)
    #expect(try restorer.plan(played, copy: whole).rebuild.match.version == 0)
    #expect(throws: MatchRestorer.Obstacle.unknownMatch) { try restorer.plan(played, copy: []) }
  }

  // Failure: MatchRestorer.Obstacle.nothingToRestore: The record holds as it is.
  // Failure: MatchRestorer.Obstacle.isAnnulled: The match was annulled because it was damaged.
  @Test("A record that holds is left alone, and so is a match that was annulled as damaged")
  func nothingToDo() throws {
    #expect(try obstacle(copy: whole) { _ in } == .nothingToRestore)
    #expect(
      try obstacle(copy: whole) { match in
        change(2, of: &match)
        match.isAnnulledDamaged = true
      } == .isAnnulled)
  }

  // Failure: MatchRestorer.Obstacle.gap: An entry is whole neither in the database nor in the copy.
  @Test("Neither a copy that is too old nor one that is damaged itself fills a gap")
  func gap() throws {
    let gap = MatchRestorer.Obstacle.gap(position: 3, known: whole.count)
    #expect(try obstacle(copy: Array(whole.prefix(3))) { change(3, of: &$0) } == gap)
    var forged = whole
    forged[3].signed.signature[7] ^= 1
    #expect(try obstacle(copy: forged) { change(3, of: &$0) } == gap)
    // With hashes that fit, and without a signature that does.
    for index in 3..<whole.count {
      forged[index] = Entry(
        after: forged[index - 1].hash, position: index, acceptedAt: forged[index].acceptedAt,
        signed: forged[index].signed)
    }
    #expect(try obstacle(copy: forged) { change(3, of: &$0) } == gap)
  }

  // Failure: MatchRestorer.Obstacle.wrong: The record would lack what the database or the replies
  //   know, or have an entry that nobody may have made. Nothing is written.
  @Test("A record that is shorter than the state, the rows or the replies know is not written")
  func shorter() throws {
    let copy = Array(whole.dropLast(3))
    func kinds(_ damage: @escaping (inout StoredMatch) -> Void) throws -> [Violation.Kind] {
      let obstacle = try obstacle(copy: copy) { match in
        match.record = Array(whole.dropLast(3))
        change(2, of: &match)
        damage(&match)
      }
      guard case .wrong(let violations) = obstacle else {
        Issue.record("\(obstacle)")
        return []
      }
      return Set(violations.map(\.kind)).sorted { $0.rawValue < $1.rawValue }
    }
    let state = world.store.matches[played]
    #expect(try kinds { $0.state = state } == [.entryMissing])
    #expect(try kinds { _ in } == [.entryMissing])
    // No row knows better, only the players do.
    #expect(
      try kinds { match in
        match.turn = 1
        match.listing.pastGames = []
        match.rating = StoredRating()
        match.jobs = []
      } == [.entryMissing])
  }

  @Test("A record with fewer turns than a player tells of is not written")
  func told() throws {
    let known = try plan(copy: whole) { change(2, of: &$0) }
    #expect(known.turnCount > 2)
    #expect(
      try plan(copy: whole, turns: known.turnCount) { change(2, of: &$0) } == known)
    let obstacle = try obstacle(copy: whole, turns: known.turnCount + 1) { change(2, of: &$0) }
    guard case .wrong(let violations) = obstacle else {
      Issue.record("\(obstacle)")
      return
    }
    #expect(violations.map(\.kind) == [.entryMissing])
    #expect(
      violations.first?.text
        == "the player tells of turn \(known.turnCount + 1), and the record would end with turn "
        + "\(known.turnCount)")
  }

  // Failure: MatchRestorer.Obstacle.store: The store failed.
  @Test("A store that is gone ends the plan")
  func unavailable() throws {
    var store = check
    store.stored.fail(with: .unavailable("gone"))
    let restorer = MatchRestorer(
      store, identity: world.identity, lexicons: world.lexicons, verifier: world.verifier)
    #expect(throws: MatchRestorer.Obstacle.store(.unavailable("gone"))) {
      try restorer.plan(played, copy: whole)
    }
  }

  @Test("A check compares only the rows of a match that was annulled as damaged with its state")
  func annulled() throws {
    func violations(_ change: @escaping (inout StoredMatch) -> Void) throws -> [Violation.Kind] {
      var changed = check
      changed.stored.answer { [check, played] ids throws(StoreError) in
        var page = try check.stored(ids)
        guard var match = page[played] else { return page }
        let middle = match.record[2].signed.payload.count / 2
        match.record[2].signed.payload[middle] ^= 1
        match.isAnnulledDamaged = true
        match.state?.annulDamaged(at: Instant(microseconds: 1))
        if let state = match.state { match.listing = StoredListing(of: state) }
        match.jobs = []
        change(&match)
        page[played] = match
        return page
      }
      var run = StoreCheck(
        changed, identity: world.identity, lexicons: world.lexicons, verifier: world.verifier,
        jobsAreComplete: true)
      return try run.run().map(\.kind)
    }
    #expect(try violations { _ in } == [])
    #expect(try violations { $0.listing.pastGames = [] } == [.rowsDiffer])
    #expect(try violations { $0.state = nil } == [.stateDiffers])
    let former = world.store.matches[played]
    #expect(try violations { $0.state = former } == [.stateDiffers])
  }
}
