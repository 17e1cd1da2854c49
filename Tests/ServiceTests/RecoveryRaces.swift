import Chaos
import LibPQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchStoreLive
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

@testable import cubistd

/// The three days of a recovery pass by moving its times back in the database.
@Suite(
  "Races of recoveries, through broker and database", .serialized,
  .sharedService(.withScheduler))
struct RecoveryRaces {
  /// A recovery that the words ask for. Its id is from before two times of a recovery, which tests let
  /// pass by moving the beginning back.
  private func asks(
    _ key: LabPlayer, of player: LabPlayer, by words: LabPlayer
  ) throws -> LabPlayer.Sent {
    let then = WallClock.live.now().adding(seconds: -6 * 86_400 - 3_600)
    return try words.sign(
      .playerRecovered(
        of: player.id, at: player.service, by: words.key.publicKey, to: key.key.signer),
      id: EventID(at: then, random: Randomness.live.next128()), of: player.id)
  }

  /// Whether an event has set the time of something.
  private func isSet(_ reply: ReceivedReply) -> Bool {
    if case .accepted(.recoverySet) = reply { true } else { false }
  }

  private func waitUntilOnly(
    _ key: LabPlayer, speaksFor player: LabPlayer, in lab: ServiceLab
  ) throws {
    try waitUntil("only the recovered key speaks") {
      try lab.speakingKeys(of: player.id) == [key.key.publicKey]
    }
  }

  @Test("recovery against objection")
  func objection() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let (words, new) = try (LabPlayer("words", in: lab), LabPlayer("new", in: lab))
      try ann.must(.recoveryKeyNamed(words.key.publicKey))
      let asked = try asks(new, of: ann, by: words)
      #expect(isSet(try words.send(asked)))
      let objection = Event.Action.recoveryObjected(asked.event.id)
      #expect(isSet(try ann.act(objection)))
      #expect(try ann.act(objection).refusal == .alreadyObjected)
      // The first three days end without effect, the next ones do not.
      try lab.passRecoveryTime(of: ann.id)
      try ann.must(.inboxSeen(.all))
      #expect(try lab.speakingKeys(of: ann.id) == [ann.key.publicKey])
      try lab.passRecoveryTime(of: ann.id)
      try waitUntilOnly(new, speaksFor: ann, in: lab)
      #expect(try ann.act(objection).refusal == .keyRevoked)
    }
  }

  @Test("two objections and two recoveries at once, by two workers")
  func atOnceByTwo() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let words = try LabPlayer("words", in: lab)
      try ann.must(.recoveryKeyNamed(words.key.publicKey))
      try lab.stopWorkers()
      let workers = (try HandWorker(in: lab), try HandWorker(in: lab))
      let asked = try (
        asks(LabPlayer("new", in: lab), of: ann, by: words),
        asks(LabPlayer("newer", in: lab), of: ann, by: words)
      )
      let begun = try await atOnce(
        { try workers.0.judge(asked.0) }, { try workers.1.judge(asked.1) })
      #expect(isSet(begun.0) != isSet(begun.1))
      let refused = isSet(begun.0) ? begun.1 : begun.0
      guard case .recoveryPending? = refused.refusal else {
        Issue.record("not refused as pending: \(refused)")
        return
      }
      let id = isSet(begun.0) ? asked.0.event.id : asked.1.event.id
      let objections = try (
        ann.sign(.recoveryObjected(id)), ann.sign(.recoveryObjected(id))
      )
      let objected = try await atOnce(
        { try workers.0.judge(objections.0) }, { try workers.1.judge(objections.1) })
      #expect(isSet(objected.0) != isSet(objected.1))
      #expect([objected.0, objected.1].count { $0.refusal == .alreadyObjected } == 1)
    }
  }

  @Test("two recoveries")
  func two() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let words = try LabPlayer("words", in: lab)
      let (new, newer) = try (LabPlayer("new", in: lab), LabPlayer("newer", in: lab))
      try ann.must(.recoveryKeyNamed(words.key.publicKey))
      let first = try asks(new, of: ann, by: words)
      #expect(isSet(try words.send(first)))
      let second = try asks(newer, of: ann, by: words)
      guard case .recoveryPending? = try words.send(second).refusal else {
        Issue.record("the second one is not refused as pending")
        return
      }
      // The words stop it and, an hour later, ask for another device.
      let stop = try words.sign(.recoveryWithdrawn(first.event.id), of: ann.id)
      #expect(try words.send(stop) == .accepted(.noted))
      try lab.passRecoveryTime(of: ann.id)
      #expect(isSet(try words.send(second)))
      try lab.passRecoveryTime(of: ann.id)
      try waitUntilOnly(newer, speaksFor: ann, in: lab)
    }
  }

  @Test("recovery against a new recovery key")
  func newKey() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let (words, other) = try (LabPlayer("words", in: lab), LabPlayer("words2", in: lab))
      let (new, thief) = try (LabPlayer("new", in: lab), LabPlayer("thief", in: lab))
      try ann.must(.recoveryKeyNamed(words.key.publicKey))
      // A thief has the device, and names words of his own. The owner recovers in time.
      try ann.must(.recoveryKeyNamed(other.key.publicKey))
      #expect(isSet(try words.send(asks(new, of: ann, by: words))))
      try lab.passRecoveryTime(of: ann.id)
      try waitUntilOnly(new, speaksFor: ann, in: lab)
      #expect(try other.send(asks(thief, of: ann, by: other)).refusal == .notRecoverable)
      // The owner names another one. Once it counts, the former one does not.
      let naming = try new.sign(.recoveryKeyNamed(other.key.publicKey), of: ann.id)
      #expect(isSet(try new.send(naming)))
      #expect(try other.send(asks(thief, of: ann, by: other)).refusal == .notRecoverable)
      try lab.passRecoveryTime(of: ann.id)
      try waitUntil("the other recovery key counts") {
        try isSet(other.send(asks(thief, of: ann, by: other)))
      }
      #expect(try words.send(asks(thief, of: ann, by: words)).refusal == .notRecoverable)
    }
  }

  @Test("a thief's first recovery key against the owner's")
  func firstKey() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let (words, new) = try (LabPlayer("words", in: lab), LabPlayer("new", in: lab))
      let other = try LabPlayer("words2", in: lab)
      let connection = try lab.connection()
      defer { connection.close() }
      // Ann is no newcomer any more. A thief with her device names words of his own.
      try connection.script(
        "UPDATE player_keys SET added_at = added_at - interval '2 hours' WHERE player = '\(ann.id)'"
      )
      try ann.must(.recoveryKeyNamed(other.key.publicKey))
      #expect(try other.send(asks(new, of: ann, by: other)).refusal == .notRecoverable)
      // She is told, and names her own two hours later.
      try connection.script(
        "UPDATE recoveries SET named_at = named_at - interval '2 hours' WHERE player = '\(ann.id)'")
      try ann.must(.recoveryKeyNamed(words.key.publicKey))
      #expect(try words.send(asks(new, of: ann, by: words)).refusal == .notRecoverable)
      try lab.passRecoveryTime(of: ann.id)
      try waitUntil("her own recovery key counts") {
        try isSet(words.send(asks(new, of: ann, by: words)))
      }
      #expect(try other.send(asks(new, of: ann, by: other)).refusal == .notRecoverable)
      try lab.passRecoveryTime(of: ann.id)
      try waitUntilOnly(new, speaksFor: ann, in: lab)
    }
  }

  @Test("a thief with the words makes them keys of players")
  func takenWords() async throws {
    try await ServiceLab.shared { lab in
      let (ann, eve) = (try lab.player("Ann"), try lab.player("Eve"))
      let (words, new) = try (LabPlayer("words", in: lab), LabPlayer("new", in: lab))
      let thief = try LabPlayer("thief", in: lab)
      try ann.must(.recoveryKeyNamed(words.key.publicKey))
      // The thief asks, lets the words into another player, and removes them there again.
      let asked = try asks(thief, of: ann, by: words)
      #expect(isSet(try words.send(asked)))
      let code = DeviceCode(random: 7)
      try eve.must(.deviceInvited(code.hash(at: eve.service)))
      let added = try words.sign(.keyAdded(code), of: eve.id)
      #expect(try words.send(added).refusal == nil)
      try eve.must(.keyRemoved(words.key.publicKey))
      // The owner withdraws all the same, and is back.
      let stop = try words.sign(.recoveryWithdrawn(asked.event.id), of: ann.id)
      #expect(try words.send(stop) == .accepted(.noted))
      try lab.passRecoveryTime(of: ann.id)
      #expect(isSet(try words.send(asks(new, of: ann, by: words))))
      try lab.passRecoveryTime(of: ann.id)
      try waitUntilOnly(new, speaksFor: ann, in: lab)
    }
  }

  @Test("a key that its sender does not have")
  func unproven() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let (words, bob) = try (LabPlayer("words", in: lab), LabPlayer("bob", in: lab))
      try ann.must(.recoveryKeyNamed(words.key.publicKey))
      // The words of Bob, as a record has shown them, are to be a key of Ann's.
      let proof = words.key.signer.prove(
        toSpeakFor: ann.id, at: ann.service, by: words.key.publicKey)
      let asked = try words.sign(.playerRecovered(bob.key.publicKey, proof: proof), of: ann.id)
      #expect(try words.send(asked).refusal == .badSignature)
      #expect(try lab.speakingKeys(of: ann.id) == [ann.key.publicKey])
      #expect(isSet(try words.send(asks(bob, of: ann, by: words))))
    }
  }

  @Test("revoked by an operator meanwhile")
  func revoked() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let (words, new) = try (LabPlayer("words", in: lab), LabPlayer("new", in: lab))
      try ann.must(.recoveryKeyNamed(words.key.publicKey))
      let asked = try asks(new, of: ann, by: words)
      #expect(isSet(try words.send(asked)))
      let connection = try lab.connection()
      defer { connection.close() }
      try KeyRevoker(
        lookup: PlayerLookup(reader: .live(connection), store: .live(connection)), operator: "olga"
      )
      .revoke(ann.key.publicKey, reason: "stolen")
      #expect(try ann.act(.recoveryObjected(asked.event.id)).refusal == .keyRevoked)
      try lab.passRecoveryTime(of: ann.id)
      try waitUntilOnly(new, speaksFor: ann, in: lab)
    }
  }

  @Test("stopped by an operator meanwhile")
  func stopped() async throws {
    try await ServiceLab.shared { lab in
      let ann = try lab.player("Ann")
      let (words, new) = (try LabPlayer("words", in: lab), try LabPlayer("new", in: lab))
      try ann.must(.recoveryKeyNamed(words.key.publicKey))
      let asked = try asks(new, of: ann, by: words)
      #expect(isSet(try words.send(asked)))
      try lab.stopWorkers()
      let worker = try HandWorker(in: lab)
      let objection = try ann.sign(.recoveryObjected(asked.event.id))
      let (objected, stopped) = try await atOnce(
        { try worker.judge(objection) },
        {
          let desk = try OperatorDesk(lab)
          defer { desk.close() }
          return try RecoveryStopper(lookup: desk.players, operator: "olga")
            .stop(ann.name.text, reason: "stolen").recovery
        })
      // The recovery that was objected to first is stopped as well.
      #expect(isSet(objected) || objected.refusal == .noRecovery)
      #expect(stopped == asked.event.id)
      let late = try ann.sign(.recoveryObjected(asked.event.id))
      #expect(try worker.judge(late).refusal == .noRecovery)
      try lab.startWorker()
      try lab.passRecoveryTime(of: ann.id)
      try ann.must(.inboxSeen(.all))
      #expect(try lab.speakingKeys(of: ann.id) == [ann.key.publicKey])
      // The words still count.
      #expect(isSet(try words.send(asks(new, of: ann, by: words))))
    }
  }

  @Test("an offline verification of a match whose player was recovered in the middle")
  func inTheMiddle() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = try lab.pair()
      let (words, new) = try (LabPlayer("words", in: lab), LabPlayer("new", in: lab))
      try ann.must(.recoveryKeyNamed(words.key.publicKey))
      let match = try lab.begin(ann, bob)
      try ann.must(.turnPlayed(match, lab.turn(lab.match(match))))
      try bob.must(.turnPlayed(match, lab.turn(lab.match(match))))
      #expect(isSet(try words.send(asks(new, of: ann, by: words))))
      try lab.passRecoveryTime(of: ann.id)
      try waitUntilOnly(new, speaksFor: ann, in: lab)
      let turn = try new.sign(.turnPlayed(match, lab.turn(lab.match(match))), of: ann.id)
      #expect(try new.send(turn).receipt?.turn == 3)
      try bob.must(.matchForfeited(match))
      let report = try #require(try lab.report(onRecordOf: match))
      #expect(report.game.fault == nil)
      #expect(report.document.formatVersion == 2)
      let seat = try #require(report.document.seats.first { $0.player == ann.id })
      #expect(seat.keys == [ann.key.publicKey, new.key.publicKey])
      #expect(seat.origins.map(\.key) == [new.key.publicKey])
    }
  }
}
