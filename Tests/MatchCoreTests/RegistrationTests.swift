import EventExamples
import Testing

@testable import MatchCore

@Suite("Registration, and faults of an event itself")
struct RegistrationTests {
  let lab = MatchLab()

  private func registers(_ name: String, code: String? = nil, by player: TestPlayer) -> SentEvent {
    lab.event(
      .playerRegistered(name: required(PlayerName(name)), code: code.flatMap { ShareCode($0) }),
      by: player)
  }

  @Test("A key becomes a player under its name")
  func register() {
    let sent = registers("Dan", by: .dan)
    lab.send(sent) {
      $0.state.players[TestPlayer.dan.id] = PlayerName("Dan")
      $0.reply = .accepted(.registered(TestPlayer.dan.id, PlayerName("Dan")!))
    }
    let judgement = Judge.judge(
      TestPlayer.dan.receive(sent.event),
      JudgingContext(
        now: lab.now, clock: { _ in QueueClock() }, claim: .granted, lexicons: lab.lexicons,
        secret: .test, sign: { .statement($0, in: $1) }))
    #expect(
      judgement.registration
        == Registration(
          player: TestPlayer.dan.id, name: PlayerName("Dan")!, key: TestPlayer.dan.key,
          at: lab.now))
  }

  // Failure: Refusal.nameTaken: ° Another player has the name, or one that looks like it, or the
  //   operator keeps it back. Case does not matter.
  @Test("A name that is taken is refused in upper and lower case")
  func taken() {
    lab.refuse(registers("aNN", by: .dan), .nameTaken("aNN"))
  }

  @Test("A name that looks like one that is taken is refused", arguments: ["B0b", "b0B", "BOB"])
  func lookalike(_ name: String) {
    lab.refuse(registers(name, by: .dan), .nameTaken(name))
  }

  @Test(
    "Nobody takes the name that players who are gone are shown by", arguments: ["Gone", "G0NE"])
  func gone(_ name: String) {
    lab.refuse(registers(name, by: .dan), .nameTaken(name))
  }

  @Test("A reserved name, or one that looks like it, is for whoever brings an operator's code")
  func reserved() {
    lab.reservedNames = .standard
    for name in ["admin", "Adrn1n", "SUPP0RT", "Bot"] {
      lab.refuse(registers(name, by: .dan), .nameTaken(name))
    }
    lab.codes = ["GOOD42"]
    lab.refuse(registers("Robot", code: "BAD42", by: .dan), .codeInvalid)
    // Where everybody has a code, it lets nobody pass for the service.
    lab.isRegistrationByCode = true
    lab.refuse(registers("Robot", code: "GOOD42", by: .dan), .nameTaken("Robot"))
    lab.isRegistrationByCode = false
    lab.send(registers("Robot", code: "GOOD42", by: .dan)) {
      $0.state.players[TestPlayer.dan.id] = PlayerName("Robot")
      $0.reply = .accepted(.registered(TestPlayer.dan.id, PlayerName("Robot")!))
    }
  }

  // Failure: Refusal.alreadyRegistered: The key already has a name.
  @Test("A player registers once")
  func twice() {
    lab.refuse(registers("Anna", by: .ann), .alreadyRegistered(name: "Ann"))
  }

  // Failure: Refusal.codeRequired: ° Registration needs a code.
  // Failure: Refusal.codeInvalid: ° The code does not exist or is used up.
  @Test("Registration by code needs a code, and a valid one")
  func byCode() {
    lab.isRegistrationByCode = true
    lab.codes = ["GOOD42"]
    lab.refuse(registers("Dan", by: .dan), .codeRequired)
    lab.refuse(registers("Dan", code: "BAD42", by: .dan), .codeInvalid)
    lab.send(registers("Dan", code: "good42", by: .dan)) {
      $0.state.players[TestPlayer.dan.id] = PlayerName("Dan")
      $0.reply = .accepted(.registered(TestPlayer.dan.id, PlayerName("Dan")!))
    }
  }

  // Failure: Refusal.notPermitted: ° The key does not belong to the player, or only the service may
  //   send this event.
  @Test("A key registers only the player that it founded")
  func otherPlayer() {
    var sent = registers("Dan", by: .dan)
    sent.event.player = PlayerID(rawValue: 5)
    lab.refuse(sent, .notPermitted)
  }

  @Test("A claim that was not resolved registers nobody")
  func noClaim() {
    let sent = registers("Dan", by: .dan)
    var context = lab.context(for: sent)
    context.claim = nil
    #expect(Judge.judge(TestPlayer.dan.receive(sent.event), context) == .refused(.unavailable))
  }

  // Failure: Refusal.notRegistered: ° The key belongs to no player. Register first.
  @Test("A key that is not registered may do nothing else, and is no player's without a code")
  func notRegistered() {
    let id = lab.runningMatch()
    for type in EventType.ofPlayers where type != .playerRegistered {
      let refusal: Refusal =
        switch type {
        case .keyAdded: .deviceCodeInvalid
        case .playerRecovered, .recoveryWithdrawn: .notRecoverable
        default: .notRegistered
        }
      lab.refuse(lab.event(type.example(about: id), by: .dan), refusal)
    }
  }

  @Test("A tick is not judged: it is the worker's")
  func tick() {
    lab.refuse(lab.event(.ticked(queue: 3, time: lab.now), by: .service), .notPermitted)
  }

  // Failure: Refusal.eventTooOld: ° The event is more than 7 days old. The reply names the
  //   service's time.
  @Test("An event older than seven days is refused with the service's time")
  func tooOld() {
    let sent = lab.event(.matchRequested(.solo), by: .ann)
    lab.now = Instant.noon.adding(seconds: 7 * day).adding(microseconds: 1)
    lab.refuse(sent, .eventTooOld(serviceTime: lab.now))
    lab.now = Instant.noon.adding(seconds: 7 * day)
    guard case .accepted = lab.act(sent) else {
      Issue.record("an event of seven days was refused")
      return
    }
  }

  // Failure: Refusal.clockAhead: The event is dated more than 5 minutes ahead. The reply names the
  //   service's time. The refusal is stored if the key is registered and the event is at most a day
  //   ahead: a later copy is then not accepted.
  @Test("An event more than five minutes ahead is refused with the service's time")
  func clockAhead() {
    let sent = lab.event(.matchRequested(.solo), by: .ann)
    lab.now = Instant.noon.adding(seconds: -300).adding(microseconds: -1)
    lab.refuse(sent, .clockAhead(serviceTime: lab.now))
    lab.now = Instant.noon.adding(seconds: -300)
    guard case .accepted = lab.act(sent) else {
      Issue.record("an event of five minutes ahead was refused")
      return
    }
  }

  @Test("An event id that is no UUIDv7 is refused")
  func notVersion7() {
    var sent = lab.event(.matchRequested(.solo), by: .ann)
    sent.event.id = EventID(rawValue: sent.event.id.rawValue ^ (1 << 76))
    lab.refuse(sent, .malformed("id is not a UUIDv7"))
    sent.event.id = EventID(rawValue: .max)
    lab.refuse(sent, .malformed("id is not a UUIDv7"))
  }

  @Test("Asking twice with the same event id makes the same match id and the same letters")
  func deterministic() {
    let sent = lab.event(.matchRequested(.solo), by: .ann)
    let other = MatchLab()
    #expect(lab.act(sent) == other.act(sent))
    #expect(lab.matches == other.matches)
  }

  // Failure: Refusal.rateLimited
  @Test(
    "Only so many register in an hour, beside players with a code; the next is told when to come")
  func registrationsPerHour() {
    let lab = MatchLab(players: [])
    lab.limits.registrationsPerHour = 2
    lab.registrations = RegistrationLoad(count: 2, oldest: .noon.adding(seconds: -3_000))
    let event = lab.event(.playerRegistered(name: TestPlayer.ann.name, code: nil), by: .ann)
    lab.refuse(event, .rateLimited(.registrationsPerHour, retryAfterSeconds: 600))
    let code = ShareCode("ABCD1234")!
    lab.codes = [code.text]
    lab.isRegistrationByCode = true
    lab.act(.playerRegistered(name: TestPlayer.bob.name, code: code), by: .bob)
    #expect(lab.names[TestPlayer.bob.id] == TestPlayer.bob.name)
    lab.isRegistrationByCode = false
    lab.registrations.count = 1
    lab.act(event)
    #expect(lab.names[TestPlayer.ann.id] == TestPlayer.ann.name)
  }

  @Test("Refusals of the moment and of strangers are not stored, all others are")
  func stored() {
    let id = MatchID(rawValue: 1)
    let notStored: [Refusal] = [
      .malformed(""), .unsupportedVersion(2), .wrongService(.test), .wrongSlot(expected: 1),
      .eventTooOld(serviceTime: .noon), .idempotencyMismatch, .notRegistered, .keyRevoked,
      .notPermitted, .unavailable, .nameTaken("Ann"), .codeRequired, .codeInvalid,
      .rateLimited(.eventsPerMinute, retryAfterSeconds: 3),
      .rateLimited(.registrationsPerHour, retryAfterSeconds: 3), .deviceCodeInvalid,
      .rateLimited(.keysPerDay, retryAfterSeconds: 3),
      .rateLimited(.deviceInvitations, retryAfterSeconds: 3),
    ]
    let stored: [Refusal] = [
      .clockAhead(serviceTime: .noon), .alreadyRegistered(name: "Ann"), .codeUnknown, .seatTaken,
      .unknownMatch, .unknownTurn(current: 1),
      .turnAlreadyPlayed(turn: 1), .staleTurn(current: 1, previous: .zero),
      .notYourTurn(whose: nil), .recordFull(limit: 1_024), .rematchNotPossible,
      .dailyAlreadyStarted(id), .playerUnavailable(TestPlayer.bob.id),
      .rateLimited(.openRequests, retryAfterSeconds: nil), .keyUnknown, .lastKey,
      .rateLimited(.keys, retryAfterSeconds: nil),
    ]
    #expect(notStored.filter { $0.isStored } == [])
    #expect(stored.filter { !$0.isStored } == [])
  }
}
