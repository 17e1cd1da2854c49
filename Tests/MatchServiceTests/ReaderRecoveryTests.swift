import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The reader on recoveries")
struct ReaderRecoveryTests {
  let lab = ReaderLab()
  private let words = TestPlayer("words", keyByte: 0x60)
  private let nextWords = TestPlayer("words2", keyByte: 0x61)
  private let phone = TestPlayer("phone", keyByte: 0x70)
  private let later = Instant.noon.adding(seconds: PlayerRecovery.seconds)

  /// The recovery of ann to the phone, to which ann has objected, and words that wait.
  private var row: ReaderStore.RecoveryRow {
    func named(_ key: PublicKey) -> PlayerRecovery.Named {
      PlayerRecovery.Named(
        key: key, signed: SignedPayload(key: TestPlayer.ann.key, signature: [], payload: []))
    }
    let deadline = Deadline(at: later, creditMicroseconds: 0)
    return ReaderStore.RecoveryRow(
      player: TestPlayer.ann.id, name: TestPlayer.ann.name,
      recovery: PlayerRecovery(
        named: named(words.key),
        waiting: .init(named: named(nextWords.key), deadline: deadline),
        pending: .init(
          recovery: EventID(rawValue: 9), key: phone.key, signed: named(words.key).signed,
          begunAt: .noon, deadline: deadline, objector: TestPlayer.ann.key)))
  }

  private func view(_ role: RecoveryView.Role) -> RecoveryView {
    RecoveryView(
      player: TestPlayer.ann.id, name: TestPlayer.ann.name, role: role,
      recovery: .init(
        key: words.key, waiting: .init(key: nextWords.key, at: later),
        pending: .init(
          recovery: EventID(rawValue: 9), key: phone.key, at: later, objector: TestPlayer.ann.key)))
  }

  private func ask(by player: TestPlayer, _ name: PlayerName = TestPlayer.ann.name) throws {
    lab.forget()
    lab.expectOwner()
    lab.store.recoveries.answer { names in names == [row.name.key] ? [row] : [] }
    lab.ask(.recoveryOf(.init(name)), by: player)
    try lab.step()
  }

  @Test("Each key that has to do with a recovery is told how it stands, and its own part in it")
  func roles() throws {
    try ask(by: words)
    expectNoDifference(try lab.answer(as: RecoveryView.self), view(.recoveryKey))
    try ask(by: nextWords)
    expectNoDifference(try lab.answer(as: RecoveryView.self), view(.nextRecoveryKey))
    try ask(by: phone)
    expectNoDifference(try lab.answer(as: RecoveryView.self), view(.newKey))
    try ask(by: .ann)
    expectNoDifference(try lab.answer(as: RecoveryView.self), view(.playerKey))
  }

  @Test("The new key is told so, also where somebody names it as a recovery key")
  func newKeyIsNamed() throws {
    var named = row
    named.recovery.waiting?.named.key = phone.key
    lab.expectOwner()
    lab.store.recoveries.answer { _ in [named] }
    lab.ask(.recoveryOf(.init(row.name)), by: phone)
    try lab.step()
    var expected = view(.newKey)
    expected.recovery.waiting?.key = phone.key
    expectNoDifference(try lab.answer(as: RecoveryView.self), expected)
  }

  @Test("A recovery key that is another player's, too, or was one of this player's, is told")
  func ownedKey() throws {
    for isRevoked in [false, true] {
      for owner in [TestPlayer.ann, .bob] where isRevoked || owner.id != row.player {
        lab.forget()
        lab.store.recoveries.answer { _ in [row] }
        lab.owners = { _ in
          var taken = owner.owner
          taken.isRevoked = isRevoked
          return (.noon, [words.key: taken])
        }
        lab.ask(.recoveryOf(.init(row.name)), by: words)
        try lab.step()
        expectNoDifference(try lab.answer(as: RecoveryView.self), view(.recoveryKey))
      }
    }
  }

  @Test("A stranger, another player and a removed key are told nothing, not even of the player")
  func strangers() throws {
    try ask(by: TestPlayer("stranger", keyByte: 0x71))
    #expect(try lab.refusal() == .notPermitted)
    try ask(by: .bob)
    #expect(try lab.refusal() == .notPermitted)
    try ask(by: words, TestPlayer.bob.name)
    #expect(try lab.refusal() == .notPermitted)
    lab.forget()
    lab.owners = { _ in
      var owner = TestPlayer.ann.owner
      owner.isRevoked = true
      return (.noon, [TestPlayer.ann.key: owner])
    }
    lab.ask(.recoveryOf(.init(row.name)))
    try lab.step()
    #expect(try lab.refusal() == .notPermitted)
  }

  @Test("Words that others have replaced read nothing more")
  func replacedWords() throws {
    var settled = row
    settled.recovery.named = settled.recovery.waiting?.named
    (settled.recovery.waiting, settled.recovery.pending) = (nil, nil)
    lab.expectOwner()
    lab.store.recoveries.answer { _ in [settled] }
    lab.ask(.recoveryOf(.init(row.name)), by: words)
    try lab.step()
    #expect(try lab.refusal() == .notPermitted)
    lab.forget()
    lab.ask(.recoveryOf(.init(row.name)), by: nextWords)
    try lab.step()
    expectNoDifference(
      try lab.answer(as: RecoveryView.self),
      RecoveryView(
        player: TestPlayer.ann.id, name: TestPlayer.ann.name, role: .recoveryKey,
        recovery: .init(key: nextWords.key)))
  }

  @Test("A query of a stranger is good for a minute, and for the service that it names")
  func strangersQueries() throws {
    lab.expectOwner()
    lab.store.recoveries.answer { _ in [row] }
    lab.store.inviters.answer { _ in [:] }
    let elsewhere = ServiceID(rawValue: 0xbad)
    for kind in [
      .recoveryOf(.init(row.name)), .invitationOf(.init(.zero)),
    ] as [Query.Kind] {
      for seconds in [-61, 301] as [Int64] {
        lab.forget()
        lab.ask(kind, by: words, at: lab.now.adding(seconds: seconds))
        try lab.step()
        #expect(try lab.refusal() == .expired(serviceTime: .noon), "\(kind.name)")
      }
      lab.forget()
      let query = Query(
        service: elsewhere, id: EventID(at: .noon, random: 1), player: words.id, kind: kind)
      lab.ask(Envelope.encode(words.signer.sign(query)))
      try lab.step()
      #expect(try lab.refusal() == .wrongService(.test), "\(kind.name)")
      lab.forget()
      let odd = Query(
        service: .test, id: EventID(rawValue: 7), player: words.id, kind: kind)
      lab.ask(Envelope.encode(words.signer.sign(odd)))
      try lab.step()
      #expect(try lab.refusal() == .malformed("id is not a UUIDv7"), "\(kind.name)")
    }
  }

  @Test("Any number of strangers who ask for recoveries cost one question, and no player's budget")
  func budget() throws {
    lab.settings.limits.queriesPerMinute = 2
    lab.expectOwner()
    lab.expectPlayers()
    var asked = 0
    lab.store.recoveries.answer { names in
      asked += 1
      #expect(names == [TestPlayer.ann.name.key, TestPlayer.bob.name.key])
      return []
    }
    for number in 0..<9 {
      let name = number % 2 == 0 ? TestPlayer.ann.name : TestPlayer.bob.name
      let query = Query(
        service: .test, id: EventID(at: .noon, random: 1), player: TestPlayer.ann.id,
        kind: .recoveryOf(.init(name)))
      lab.ask(Envelope.encode(phone.signer.sign(query)), id: "\(number)")
    }
    try lab.step()
    #expect(lab.answers.count == 9 && asked == 1)
    lab.forget()
    lab.ask(.whoAmI)
    try lab.step()
    #expect(try lab.answer(as: PlayerView.self).id == TestPlayer.ann.id)
  }
}
