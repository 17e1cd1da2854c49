import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import PlayerClient
import TestedService
import Testing

@testable import cubistd

@Suite("Races of a player's keys, through broker and database", .serialized, .sharedService())
struct KeyRaces {
  private func newCode() -> DeviceCode {
    DeviceCode(random: UInt64(truncatingIfNeeded: Randomness.live.next128()))
  }

  private func invite(_ code: DeviceCode, in lab: ServiceLab) -> Event.Action {
    .deviceInvited(code.hash(at: lab.identity.service))
  }

  /// Adds a device of Ann's.
  private func add(_ device: LabPlayer, to ann: LabPlayer, in lab: ServiceLab) throws {
    let code = newCode()
    try ann.must(invite(code, in: lab))
    let reply = try device.send(device.sign(.keyAdded(code), of: ann.id))
    #expect(reply == .accepted(.keyAdded(ann.id, ann.name)))
  }

  @Test("two devices added with one code")
  func twoDevicesWithOneCode() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let (phone, pad) = (try LabPlayer("phone", in: lab), try LabPlayer("pad", in: lab))
      let code = newCode()
      try ann.must(invite(code, in: lab))
      let sent = try (
        phone.sign(.keyAdded(code), of: ann.id), pad.sign(.keyAdded(code), of: ann.id)
      )
      try lab.inOneBatch([sent.0, sent.1])
      let added = ReceivedReply.accepted(.keyAdded(ann.id, ann.name))
      #expect(try phone.send(sent.0) == added)
      #expect(try pad.send(sent.1).refusal == .deviceCodeInvalid)
      #expect(try phone.send(sent.0) == added)

      // Each judged by a worker that believes the queue its own.
      try lab.stopWorkers()
      let workers = (try HandWorker(in: lab), try HandWorker(in: lab))
      for round in 0..<4 {
        let code = newCode()
        _ = try workers.0.judge(ann.sign(invite(code, in: lab)))
        let devices = try (LabPlayer("one-\(round)", in: lab), LabPlayer("two-\(round)", in: lab))
        let sent = try (
          devices.0.sign(.keyAdded(code), of: ann.id), devices.1.sign(.keyAdded(code), of: ann.id)
        )
        let (one, two) = try await atOnce(
          { try workers.0.judge(sent.0) }, { try workers.1.judge(sent.1) })
        #expect([one, two].count { $0 == added } == 1)
        #expect([one, two].count { $0.refusal == .deviceCodeInvalid } == 1)
      }
      #expect(try lab.speakingKeys(of: ann.id).count == 6)
    }
  }

  // Failure: Refusal.keyRevoked
  @Test("removed while its turn waits in the queue")
  func removedWhileTurnWaits() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let (phone, pad) = (try LabPlayer("phone", in: lab), try LabPlayer("pad", in: lab))
      for device in [phone, pad] { try add(device, to: ann, in: lab) }
      let asked = try phone.sign(.matchRequested(MatchRequest(alone: .unlimited)), of: ann.id)
      _ = try phone.send(asked)
      let match = asked.newMatch
      let first = try phone.sign(.turnPlayed(match, lab.turn(lab.match(match))), of: ann.id)
      #expect(try phone.send(first).receipt?.turn == 1)

      try lab.stopWorkers()
      let workers = (try HandWorker(in: lab), try HandWorker(in: lab))
      let turn = try phone.sign(.turnPlayed(match, lab.turn(lab.match(match))), of: ann.id)
      let removal = try ann.sign(.keyRemoved(phone.key.publicKey))
      var removed: ReceivedReply?
      workers.1.beforeCommit = { removed = try? workers.0.judge(removal) }
      // The turn was judged before the removal, and is not committed.
      #expect(try workers.1.judge(turn).refusal == .keyRevoked)
      #expect(removed == .accepted(.keyRemoved(phone.key.publicKey)))
      #expect(workers.1.conflicts == 1)
      // Its committed turn counts, and its answer is given again.
      #expect(try workers.1.judge(first).receipt?.turn == 1)
      #expect(try lab.match(match).turnNumber == 2)
      let next = try ann.sign(.turnPlayed(match, lab.turn(lab.match(match))))
      #expect(try workers.1.judge(next).receipt?.turn == 2)

      // A turn that the broker has had since before the removal of its key.
      let waiting = try pad.sign(.turnPlayed(match, lab.turn(lab.match(match))), of: ann.id)
      try lab.publish([(waiting.slot, waiting.envelope)])
      _ = try workers.0.judge(ann.sign(.keyRemoved(pad.key.publicKey)))
      try lab.startWorker()
      #expect(try pad.send(waiting).refusal == .keyRevoked)
      #expect(try lab.match(match).turnNumber == 3)
    }
  }

  @Test("added while removed")
  func addedWhileRemoved() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      try lab.stopWorkers()
      let workers = (try HandWorker(in: lab), try HandWorker(in: lab))
      for round in 0..<4 {
        let (phone, pad) = try (
          LabPlayer("phone-\(round)", in: lab), LabPlayer("pad-\(round)", in: lab)
        )
        let codes = (newCode(), newCode())
        _ = try workers.0.judge(ann.sign(invite(codes.0, in: lab)))
        _ = try workers.0.judge(phone.sign(.keyAdded(codes.0), of: ann.id))
        _ = try workers.0.judge(phone.sign(invite(codes.1, in: lab), of: ann.id))
        let sent = try (
          ann.sign(.keyRemoved(phone.key.publicKey)), pad.sign(.keyAdded(codes.1), of: ann.id)
        )
        let (removed, added) = try await atOnce(
          { try workers.0.judge(sent.0) }, { try workers.1.judge(sent.1) })
        #expect(removed == .accepted(.keyRemoved(phone.key.publicKey)))
        // Added first it stays; removed first, the code of the removed key is none.
        let isAdded = added == .accepted(.keyAdded(ann.id, ann.name))
        #expect(isAdded || added.refusal == .deviceCodeInvalid)
        let keys = try lab.speakingKeys(of: ann.id)
        #expect(keys.contains(pad.key.publicKey) == isAdded)
        #expect(!keys.contains(phone.key.publicKey))
      }
    }
  }

  @Test("invited by a device that is removed before the code is used")
  func inviterRemoved() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let (phone, pad) = (try LabPlayer("phone", in: lab), try LabPlayer("pad", in: lab))
      try add(phone, to: ann, in: lab)
      let code = newCode()
      let sent = try [
        phone.sign(invite(code, in: lab), of: ann.id), ann.sign(.keyRemoved(phone.key.publicKey)),
        pad.sign(.keyAdded(code), of: ann.id),
      ]
      try lab.inOneBatch(sent)
      guard case .accepted(.deviceInvited) = try phone.send(sent[0]) else {
        Issue.record("not invited")
        return
      }
      #expect(try pad.send(sent[2]).refusal == .deviceCodeInvalid)
      #expect(try lab.speakingKeys(of: ann.id) == [ann.key.publicKey])
    }
  }

  @Test("an offline verification of a match whose player changed devices in the middle")
  func changedDevices() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      let match = try lab.begin(ann, bob)
      // It is for notifications, and no record has it.
      let named = Device(
        name: try #require(DeviceName("anns-telephone")), token: nil, permission: .authorized)
      try ann.must(.deviceRegistered(named))
      try ann.must(.turnPlayed(match, lab.turn(lab.match(match))))
      try bob.must(.turnPlayed(match, lab.turn(lab.match(match))))
      let (phone, pad) = (try LabPlayer("phone", in: lab), try LabPlayer("pad", in: lab))
      try add(phone, to: ann, in: lab)
      // The second device brings the third one in, and plays nothing itself.
      let code = newCode()
      _ = try phone.send(phone.sign(invite(code, in: lab), of: ann.id))
      _ = try pad.send(pad.sign(.keyAdded(code), of: ann.id))
      for key in [ann.key.publicKey, phone.key.publicKey] {
        let removal = try pad.sign(.keyRemoved(key), of: ann.id)
        #expect(try pad.send(removal) == .accepted(.keyRemoved(key)))
      }
      let turn = try pad.sign(.turnPlayed(match, lab.turn(lab.match(match))), of: ann.id)
      #expect(try pad.send(turn).receipt?.turn == 3)
      try bob.must(.matchForfeited(match))
      let file = try #require(try lab.report(onRecordOf: match)).document.encode()
      let report = try RecordVerifier(lexicons: lab.lexicons, rootKey: lab.identity.rootKey)
        .report(on: file)
      #expect(report.game.fault == nil)
      #expect(report.document.formatVersion == 2)
      let seat = try #require(report.document.seats.first { $0.player == ann.id })
      #expect(seat.keys == [ann.key.publicKey, pad.key.publicKey])
      #expect(seat.origins.map(\.key) == [phone.key.publicKey, pad.key.publicKey])
      let texts =
        [file] + seat.origins.flatMap(\.messages).map { $0.signed.payload }
        + report.document.entries.map(\.signed.payload)
      for text in texts {
        #expect(!String(decoding: text, as: UTF8.self).contains(named.name.text))
      }
    }
  }

  @Test("revoked by an operator meanwhile")
  func revokedMeanwhile() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let (phone, pad) = (try LabPlayer("phone", in: lab), try LabPlayer("pad", in: lab))
      try add(phone, to: ann, in: lab)
      let code = newCode()
      _ = try phone.send(phone.sign(invite(code, in: lab), of: ann.id))
      try lab.stopWorkers()
      let worker = try HandWorker(in: lab)
      let connection = try lab.connection()
      defer { connection.close() }
      let office = KeyRevoker(
        lookup: PlayerLookup(reader: .live(connection), store: .live(connection)), operator: "olga")
      worker.beforeCommit = { _ = try? office.revoke(phone.key.publicKey, reason: "stolen") }
      // The key was added by a code of the revoked key, and is not committed.
      #expect(
        try worker.judge(pad.sign(.keyAdded(code), of: ann.id)).refusal == .deviceCodeInvalid)
      #expect(worker.conflicts == 1)
      // A removal of the same key in between finds it gone.
      #expect(
        try worker.judge(ann.sign(.keyRemoved(phone.key.publicKey))).refusal == .keyUnknown)
      #expect(try lab.speakingKeys(of: ann.id) == [ann.key.publicKey])
    }
  }
}
