import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("A worker and keys that are revoked")
struct KeyRevocationTests {
  let given = Given(.nobody, by: .ann)

  /// A worker that knows Ann's key from an event that it has answered.
  private func knowing(_ prepare: (WorkerLab) -> Void = { _ in }) throws -> WorkerLab {
    let lab = WorkerLab(.lookUp, .commit, .abandon, .acknowledge, .publish, .heartbeats)
    prepare(lab)
    lab.know(given.match)
    try lab.settleIn()
    lab.deliver(event(1), by: .ann)
    try lab.step()
    #expect(lab.lookups.map(\.keys) == [[TestPlayer.ann.key]])
    lab.forget()
    return lab
  }

  private func event(_ number: UInt128) -> Event {
    TestPlayer.ann.event(.requestWithdrawn(given.match.id), number)
  }

  private func revoke(_ lab: WorkerLab) {
    lab.known.keys[TestPlayer.ann.key]?.isRevoked = true
    lab.known.revocationCount += 1
  }

  @Test("A key is looked up once, and its events are written only if it still holds")
  func cached() throws {
    let lab = try knowing()
    lab.deliver(event(2), by: .ann)
    try lab.step()
    #expect(lab.lookups.map(\.keys) == [[]])
    #expect(lab.writes.map(\.revocationCount) == [0])
  }

  @Test("Keys are looked up anew after a revocation; the revoked one is refused, unstored")
  func revoked() throws {
    let lab = try knowing()
    revoke(lab)
    lab.deliver(event(2), by: .ann)
    try lab.step()
    #expect(lab.lookups.map(\.keys) == [[], [TestPlayer.ann.key]])
    #expect(lab.replies == ["Ann": .refused(.keyRevoked)])
    #expect(lab.names.suffix(3) == ["abandon", "acknowledge 2", "publish"])
  }

  @Test("A revocation between judging and writing: the batch is judged again, nothing of it counts")
  func race() throws {
    var isToBeRevoked = false
    let lab = try knowing { lab in
      lab.store.commit.answer { [unowned lab] write throws(StoreError) in
        lab.note(.commit(write))
        guard write.revocationCount == lab.known.revocationCount else {
          throw .conflict("a key has been revoked")
        }
      }
      let lookUp = lab.store.lookUp
      lab.store.lookUp.answer { [unowned lab] lookup throws(StoreError) in
        defer {
          if isToBeRevoked { revoke(lab) }
          isToBeRevoked = false
        }
        return try lookUp(lookup)
      }
    }
    isToBeRevoked = true
    lab.deliver(event(2), by: .ann)
    try lab.step()
    #expect(lab.writes.map(\.revocationCount) == [0])
    #expect(lab.replies == ["Ann": .refused(.keyRevoked)])
  }

  @Test("An event answered before the key was revoked gets the same answer again")
  func answered() throws {
    let lab = try knowing()
    let reply = ReplyCodec.encode(.refused(.nothingToWithdraw), event: event(1).id)
    lab.known.replies = [
      EventKey(player: TestPlayer.ann.id, event: event(1).id): StoredReply(
        payloadHash: Hash(sha256Of: PayloadCodec.encode(event(1))), reply: reply)
    ]
    revoke(lab)
    lab.deliver(event(1), by: .ann)
    try lab.step()
    #expect(lab.replies == ["Ann": .refused(.nothingToWithdraw)])
  }

  @Test("A key that was revoked registers nobody, and claims no name")
  func registering() throws {
    let lab = try knowing()
    revoke(lab)
    lab.deliver(
      TestPlayer.ann.event(.playerRegistered(name: TestPlayer.ann.name, code: nil), 3), by: .ann)
    try lab.step()
    #expect(lab.replies == ["Ann": .refused(.keyRevoked)])
    #expect(!lab.names.contains("resolve"))
  }

  @Test("A revoked key's event that the store cannot take is not kept")
  func buried() throws {
    var isToBeRevoked = false
    let lab = try knowing { lab in
      lab.store.commit.answer { [unowned lab] write throws(StoreError) in
        lab.note(.commit(write))
        guard isToBeRevoked else { return }
        revoke(lab)
        throw .rejected("no")
      }
    }
    isToBeRevoked = true
    lab.deliver(event(2), by: .ann)
    try lab.step()
    #expect(lab.writes.count == 1)
    #expect(lab.writes.flatMap(\.dead) == [])
    #expect(lab.replies == ["Ann": .refused(.unavailable)])
  }
}
