import CustomDump
import Logging
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The rater")
struct RaterTests {
  let clock = TestClock()
  let match = RatedMatch(
    match: MatchID(rawValue: 1), endedAt: .noon,
    results: [TestPlayer.ann.id: .won, TestPlayer.bob.id: .lost])

  private func rater(_ store: RaterStore) -> Rater {
    Rater(
      store: store, clock: clock.clock,
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private var counted: RaterStore {
    var store = RaterStore.failing
    store.recount.answer { 0 }
    return store
  }

  @Test("Matches that wait are rated in their order, each from where the one before left players")
  func rating() throws {
    let standing = PlayerRating(
      rating: Rating(
        valueMillionths: 1_700_000_000, deviationMillionths: 60_000_000,
        volatilityBillionths: 60_000_000), ratedAt: .noon, matchCount: 40)
    var second = match
    second.match = MatchID(rawValue: 2)
    let work = RatingWork(
      lastNumber: 6, ratings: [TestPlayer.ann.id: standing], matches: [match, second],
      already: [MatchID(rawValue: 9)])
    var (limits, written): ([Int], [(results: [RatingResult], already: [MatchID])]) = ([], [])
    var store = counted
    store.take.answer { limit in
      limits.append(limit)
      return work
    }
    store.finish.answer { results, already in written.append((results, already)) }
    #expect(try rater(store).step() == 2)
    var ledger = RatingLedger(lastNumber: 6, ratings: [TestPlayer.ann.id: standing])
    let expected = ledger.rate(match) + ledger.rate(second)
    #expect(limits == [200])
    expectNoDifference(written.first?.results, expected)
    #expect(expected.map(\.number) == [7, 7, 8, 8])
    #expect(written.map(\.already) == [[MatchID(rawValue: 9)]])
  }

  // Failure: RaterStore.setAside: The match comes again.
  @Test(
    "One match that the store does not rate is set aside, and the others are rated",
    arguments: [StoreError.rejected("no"), .failed("statement timeout")])
  func oneFails(failure: StoreError) throws {
    var waiting = (1...5).map { number in
      RatedMatch(match: MatchID(rawValue: UInt128(number)), endedAt: .noon, results: match.results)
    }
    var (taken, aside): ([RatedMatch], [MatchID]) = ([], [])
    var store = counted
    store.take.answer { limit in
      taken = Array(waiting.prefix(limit))
      return RatingWork(matches: taken)
    }
    let bad = MatchID(rawValue: 3)
    store.finish.answer { _, _ throws(StoreError) in
      if taken.contains(where: { $0.match == bad }) { throw failure }
      waiting.removeFirst(taken.count)
    }
    store.setAside.answer { match, _ in
      aside.append(match)
      waiting.removeAll { $0.match == match }
    }
    let rater = rater(store)
    for _ in 0..<6 { try rater.step() }
    #expect(waiting == [])
    #expect(aside == [bad])
  }

  @Test("The rater writes nothing and waits if nothing is to be rated")
  func idle() throws {
    let before = clock.uptime
    var store = counted
    store.take.answer { _ in RatingWork() }
    #expect(try rater(store).step() == 0)
    #expect(clock.uptime > before)
  }

  @Test("The ladder is counted once, before anything is rated")
  func counting() throws {
    var (counts, takes) = (0, 0)
    var store = RaterStore.failing
    store.recount.answer {
      #expect(takes == 0)
      counts += 1
      return 3
    }
    store.take.answer { _ in
      takes += 1
      return RatingWork()
    }
    let rater = rater(store)
    try rater.step()
    try rater.step()
    #expect((counts, takes) == (1, 2))
  }

  // Failure: RaterStore.take: Nothing is rated.
  // Failure: RaterStore.finish: Either all results are written or none. Unwritten matches wait as
  //   before.
  // Failure: RaterStore.recount: Nothing is rated before the ladder is counted.
  @Test("A store that is gone at any point interrupts, and nothing more is asked of it")
  func gone() throws {
    let unavailable = StoreError.unavailable("gone")
    var store = RaterStore.failing
    store.recount.fail(with: unavailable)
    #expect(throws: Interruption.store(unavailable)) { try rater(store).step() }
    store = counted
    store.take.fail(with: unavailable)
    #expect(throws: Interruption.store(unavailable)) { try rater(store).step() }
    store.take.answer { _ in RatingWork(matches: [match]) }
    store.finish.fail(with: StoreError.conflict("taken"))
    #expect(throws: Interruption.store(.conflict("taken"))) { try rater(store).step() }
  }
}

@Suite("The reader on ratings")
struct LadderTests {
  let lab = ReaderLab()

  private func row(_ id: UInt128, _ points: Int64) -> ReaderStore.PlayerRow {
    ReaderStore.PlayerRow(
      id: PlayerID(rawValue: id), name: TestPlayer.bob.name, registeredAt: .noon,
      rating: PlayerRating(
        rating: Rating(
          valueMillionths: points * 1_000_000, deviationMillionths: 60_000_000,
          volatilityBillionths: 60_000_000), ratedAt: .noon, matchCount: 7))
  }

  @Test("Ranks are dense: from the top for the first, from the asker's own for those around")
  func ranks() throws {
    var own = row(0, 1_500)
    own.id = TestPlayer.ann.id
    var asked: [LadderQuestion] = []
    lab.expectOwner()
    lab.store.ladder.answer { question in
      asked.append(question)
      return LadderPage(
        first: [row(1, 1_900), row(2, 1_900), row(3, 1_880)],
        above: [row(4, 1_520), row(5, 1_510), row(6, 1_500)], own: own,
        below: [row(7, 1_500), row(8, 1_490)], higherCount: 40, playerCount: 99)
    }
    lab.ask(.ladder(.init(limit: 3)))
    try lab.step()
    let ladder = try lab.answer(as: Ladder.self)
    #expect(asked == [LadderQuestion(player: TestPlayer.ann.id, limit: 3, neighborLimit: 5)])
    #expect(ladder.rows.map(\.rank) == [1, 1, 2])
    #expect(ladder.around.map(\.rank) == [39, 40, 41, 41, 41, 42])
    #expect(ladder.you?.rank == 41 && ladder.you?.player == TestPlayer.ann.id)
    #expect((ladder.rows + ladder.around).allSatisfy { $0.outOf == 99 })
    #expect(ladder.outOf == 99)
    #expect(ladder.rows.first?.rating == 1_900 && ladder.rows.first?.matches == 7)
  }

  @Test("A player without an ended rated match has no rank, and is told where everybody begins")
  func unranked() throws {
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.ladder.answer { _ in LadderPage(first: [row(1, 1_900)], playerCount: 1) }
    lab.ask(.ladder(.init(limit: 3)))
    try lab.step()
    let ladder = try lab.answer(as: Ladder.self)
    #expect(ladder.you == nil && ladder.around == [] && ladder.rows.count == 1)
    lab.forget()
    lab.ask(.whoAmI)
    try lab.step()
    #expect(
      try lab.answer(as: PlayerView.self).rating
        == RatingView(rating: 1_500, deviation: 350, isProvisional: true, matches: 0))
  }
}
