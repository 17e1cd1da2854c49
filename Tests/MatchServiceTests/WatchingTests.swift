import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("Watching a match")
struct WatchingTests {
  let lab = ReaderLab()
  let before = Given.playing
  var after: Given {
    var given = before
    given.take(TestPlayer.ann.event(given.turn(), 9), by: .ann)
    return given
  }

  init() {
    lab.expectOwner()
    lab.expectPlayers()
    lab.expectMatches(before)
  }

  private func watch(by player: TestPlayer = .bob, id: String = "q") {
    lab.ask(
      .match(.init(before.match.id, newerThan: before.match.version)), by: player, id: id)
  }

  @Test("A player with the newest version waits until there is a newer one")
  func waits() throws {
    watch()
    try lab.step()
    #expect(lab.answers.isEmpty)
  }

  @Test("A player with an older version is answered at once")
  func hasOlder() throws {
    lab.ask(.match(.init(before.match.id, newerThan: before.match.version - 1)), by: .bob)
    try lab.step()
    #expect(try lab.answer(as: MatchView.self).version == before.match.version)
  }

  @Test("A turn that is played while a match is read is not shown before its time")
  func changeInBetween() throws {
    let (before, after) = (before, after)
    lab.store.matches.answer { _ in [before.match] }
    lab.store.entries.answer { _ in after.entries }
    lab.ask(.match(.init(before.match.id)), by: .bob)
    try lab.step()
    let view = try lab.answer(as: MatchView.self)
    #expect(view.version == before.match.version)
    #expect(try view.game() == before.match.game)
  }

  @Test("A change ends every wait for that match, and no other")
  func change() throws {
    let (before, after) = (before, after)
    var stored = before
    lab.store.matches.answer { $0.contains(stored.match.id) ? [stored.match] : [] }
    lab.store.entries.answer { _ in stored.entries }
    watch(by: .ann, id: "ann")
    watch(by: .bob, id: "bob")
    try lab.step()
    lab.announce(Given(.nobody, by: .cyd).match)
    try lab.step()
    #expect(lab.answers.isEmpty)
    stored = after
    lab.announce(after.match)
    try lab.step()
    #expect(lab.answers.map(\.correlationID) == ["ann", "bob"])
    lab.forget()
    lab.announce(after.match)
    try lab.step()
    #expect(lab.answers.isEmpty, "once is enough")
  }

  @Test(
    "Word of a change that the store does not show yet: the query goes on waiting, and looks again")
  func earlyWord() throws {
    let (before, after) = (before, after)
    var stored = before
    lab.store.matches.answer { _ in [stored.match] }
    lab.store.entries.answer { _ in stored.entries }
    watch()
    try lab.step()
    lab.announce(after.match)
    try lab.step()
    #expect(lab.answers.isEmpty)
    stored = after
    lab.clock.pass(.milliseconds(250))
    try lab.step()
    #expect(try lab.answer(as: MatchView.self).version == after.match.version)
  }

  @Test(
    "A query whose key is removed while it waits is refused, whatever ends the wait",
    arguments: [true, false])
  func removedKey(isAnnounced: Bool) throws {
    let (before, after) = (before, after)
    var (stored, isRemoved) = (before, false)
    lab.owners = { _ in
      var bob = TestPlayer.bob.owner
      bob.isRevoked = isRemoved
      return (.noon, [TestPlayer.ann.key: TestPlayer.ann.owner, TestPlayer.bob.key: bob])
    }
    lab.store.matches.answer { _ in [stored.match] }
    lab.store.entries.answer { _ in stored.entries }
    watch(by: .bob, id: "bob")
    lab.ask(.match(.init(before.match.id, atLeast: after.match.version)), by: .bob, id: "late")
    try lab.step()
    #expect(lab.answers.isEmpty)
    (stored, isRemoved) = (after, true)
    if isAnnounced { lab.announce(after.match) }
    lab.clock.pass(.seconds(isAnnounced ? 0 : 20))
    try lab.step()
    #expect(Set(lab.answers.map(\.correlationID)) == ["bob", "late"])
    for answer in lab.answers {
      let decoded = try AnswerCodec.decode(answer.body, as: PlayerView.self)
      guard case .refused(_, _, .keyRevoked?) = decoded.answer else {
        Issue.record("\(answer.correlationID) is answered")
        continue
      }
    }
  }

  @Test("The match is answered as it stands after 20 s without a change")
  func timeOut() throws {
    watch()
    try lab.step()
    lab.clock.pass(.milliseconds(19_999))
    try lab.step()
    #expect(lab.answers.isEmpty)
    lab.clock.pass(.milliseconds(1))
    try lab.step()
    #expect(try lab.answer(as: MatchView.self).version == before.match.version)
  }

  @Test("A change is found when the wait is over if its word was lost")
  func lostWord() throws {
    let (before, after) = (before, after)
    var stored = before
    lab.store.matches.answer { _ in [stored.match] }
    lab.store.entries.answer { _ in stored.entries }
    watch()
    try lab.step()
    stored = after
    lab.clock.pass(.seconds(20))
    try lab.step()
    #expect(try lab.answer(as: MatchView.self).version == after.match.version)
  }

  @Test("Nobody can watch somebody else's match")
  func stranger() throws {
    watch(by: .cyd)
    try lab.step()
    #expect(try lab.refusal() == .unknownMatch)
  }

  @Test("A question for a version waits until the store shows it")
  func catchingUp() throws {
    let (before, after) = (before, after)
    var stored: Given?
    lab.store.matches.answer { _ in stored.map { [$0.match] } ?? [] }
    lab.store.entries.answer { _ in stored?.entries ?? [] }
    lab.ask(.match(.init(before.match.id, atLeast: after.match.version)), by: .bob)
    try lab.step()
    stored = before
    lab.clock.pass(.milliseconds(250))
    try lab.step()
    #expect(lab.answers.isEmpty)
    stored = after
    lab.clock.pass(.milliseconds(500))
    try lab.step()
    #expect(try lab.answer(as: MatchView.self).version == after.match.version)
  }

  @Test("The store is asked a few times for any number of waits for missing matches")
  func manyCatchUp() throws {
    var asked: [Int] = []
    lab.store.matches.answer { ids in
      asked.append(ids.count)
      return []
    }
    lab.settings.waitingLimitPerPlayer = 1_000
    for number in 0..<600 {
      let id = MatchID(rawValue: UInt128(number + 1))
      lab.ask(.match(.init(id, atLeast: 9)), id: "\(number)")
    }
    try lab.step()
    #expect(lab.answers.isEmpty)
    asked = []
    for _ in 0..<20 {
      lab.clock.pass(.milliseconds(250))
      try lab.step()
    }
    #expect(lab.answers.count == 600)
    // After 0.25, 0.75, 1.75, 3.75 and 5 seconds, at most 256 at a time.
    #expect(asked == Array(repeating: [256, 256, 88], count: 5).flatMap { $0 })
  }

  @Test("A match that cannot be read keeps no other query waiting")
  func unreadableAmongMany() throws {
    let (before, after) = (before, after)
    let broken = MatchID(rawValue: 1)
    var (stored, isBroken) = (before, false)
    lab.store.matches.answer { ids throws(StoreError) in
      guard !isBroken || !ids.contains(broken) else { throw .rejected("no such state") }
      return ids.contains(stored.match.id) ? [stored.match] : []
    }
    lab.store.entries.answer { _ in stored.entries }
    lab.ask(.match(.init(broken, atLeast: 9)), by: .ann, id: "broken")
    lab.ask(.match(.init(before.match.id, atLeast: after.match.version)), by: .bob)
    try lab.step()
    (isBroken, stored) = (true, after)
    lab.clock.pass(.milliseconds(250))
    try lab.step()
    #expect(lab.answers.map(\.correlationID).sorted() == ["broken", "q"])
    lab.answers.removeAll { $0.correlationID == "broken" }
    #expect(try lab.answer(as: MatchView.self).version == after.match.version)
  }

  @Test("It is unavailable after 5 s of waiting in vain")
  func catchingUpInVain() throws {
    lab.ask(.match(.init(before.match.id, atLeast: 99)), by: .bob)
    for _ in 0..<20 {
      try lab.step()
      #expect(lab.answers.isEmpty)
      lab.clock.pass(.milliseconds(250))
    }
    try lab.step()
    #expect(try lab.refusal() == .unavailable)
  }

  @Test("A query for both first catches up, then waits for a change")
  func both() throws {
    let (before, after) = (before, after)
    var stored = before
    lab.store.matches.answer { _ in [stored.match] }
    lab.store.entries.answer { _ in stored.entries }
    lab.ask(
      .match(.init(before.match.id, atLeast: after.match.version, newerThan: after.match.version)),
      by: .bob)
    try lab.step()
    stored = after
    lab.announce(after.match)
    try lab.step()
    #expect(lab.answers.isEmpty)
    lab.clock.pass(.seconds(20))
    try lab.step()
    #expect(try lab.answer(as: MatchView.self).version == after.match.version)
  }

  @Test("One player can let only so many queries wait; another player still can")
  func limitPerPlayer() throws {
    lab.settings.waitingLimitPerPlayer = 2
    for number in 0..<3 { watch(by: .ann, id: "ann \(number)") }
    watch(by: .bob, id: "bob")
    try lab.step()
    #expect(lab.answers.map(\.correlationID) == ["ann 2"])
    #expect(try lab.refusal() == .unavailable)
  }

  @Test("Waiting queries are limited: a player with none gets the place of the player with most")
  func limit() throws {
    lab.settings.waitingLimit = 2
    for number in 0..<2 { watch(by: .ann, id: "ann \(number)") }
    watch(by: .bob, id: "bob")
    try lab.step()
    #expect(lab.answers.map(\.correlationID) == ["ann 0"])
    #expect(try lab.refusal() == .unavailable)
    lab.forget()
    // Now each has one: the player with the most gets no other.
    watch(by: .ann, id: "ann 2")
    try lab.step()
    #expect(lab.answers.map(\.correlationID) == ["ann 2"])
  }

  @Test("A query that waits when the reader leaves is told to ask again")
  func leaving() throws {
    var closed = 0
    lab.bus.close.answer { closed += 1 }
    watch()
    try lab.step()
    lab.reader.leave()
    #expect(try lab.refusal() == .unavailable)
    #expect(closed == 1)
  }

  @Test("A query that waits when the store goes is told to ask again")
  func storeGone() throws {
    let match = before.match
    var isGone = false
    lab.store.matches.answer { _ throws(StoreError) in
      if isGone { throw .unavailable("gone") }
      return [match]
    }
    watch(by: .ann, id: "ann")
    watch(by: .bob, id: "bob")
    try lab.step()
    isGone = true
    lab.announce(after.match)
    #expect(throws: Interruption.store(.unavailable("gone"))) { try lab.step() }
    #expect(Set(lab.answers.map(\.correlationID)) == ["ann", "bob"])
  }

  @Test("A word of change that cannot be read is passed over")
  func unreadableWord() throws {
    lab.arriving = [.outcome(routingKey: "match.x", body: [1, 2, 3])]
    try lab.step()
    #expect(lab.answers.isEmpty)
  }
}
