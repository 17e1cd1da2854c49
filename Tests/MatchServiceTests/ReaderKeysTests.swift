import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The reader on keys and invitations of devices")
struct ReaderKeysTests {
  let lab = ReaderLab()
  private let ann = InvitingPlayer(player: TestPlayer.ann.id, name: TestPlayer.ann.name)
  private let hash = DeviceCode(random: 7).hash(at: .test)
  private let phone = TestPlayer("phone", keyByte: 0x70)

  @Test("A player is told the own keys and invitations, and nobody else's")
  func keys() throws {
    let list = KeyList(
      keys: [
        .init(key: TestPlayer.ann.key, addedAt: .noon),
        .init(key: phone.key, addedAt: .noon, inviter: TestPlayer.ann.key),
      ], invitations: [.init(invitation: hash, until: .noon, inviter: phone.key)])
    lab.expectOwner()
    var asked: [PlayerID] = []
    lab.store.keys.answer { player in
      asked.append(player)
      return list
    }
    lab.ask(.keys)
    try lab.step()
    expectNoDifference(try lab.answer(as: KeyList.self), list)
    #expect(asked == [TestPlayer.ann.id])
  }

  @Test("A key that nobody knows may ask who invites with a code, but not for a player's keys")
  func stranger() throws {
    lab.owners = { _ in (.noon, [:]) }
    lab.store.inviters.answer { $0 == [hash] ? [hash: ann] : [:] }
    lab.ask(.invitationOf(.init(hash)), by: phone)
    try lab.step()
    expectNoDifference(try lab.answer(as: InvitingPlayer.self), ann)
    lab.forget()
    lab.ask(.invitationOf(.init(.zero)), by: phone)
    try lab.step()
    #expect(try lab.refusal() == .codeUnknown)
    lab.forget()
    lab.ask(.keys, by: phone)
    try lab.step()
    #expect(try lab.refusal() == .notRegistered)
  }

  @Test("Any number of strangers who ask who invites cost one statement, and no player's budget")
  func budget() throws {
    lab.settings.limits.queriesPerMinute = 2
    lab.expectOwner()
    lab.expectPlayers()
    var asked = 0
    lab.store.inviters.answer { hashes in
      asked += 1
      #expect(hashes.count == 9)
      return [:]
    }
    for number in 0..<9 {
      let hash = DeviceCode(random: UInt64(number)).hash(at: .test)
      let query = Query(
        service: .test, id: EventID(at: .noon, random: 1), player: TestPlayer.ann.id,
        kind: .invitationOf(.init(hash)))
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
