import CubeLexicon
import CubeRules
package import MatchCore
package import MatchInterfaces
package import MatchService
package import MatchWire
package import PlayerClient
package import Testing

/// A service as a test uses it: on real servers, or whole in the test's process.
package protocol TestedService: AnyObject {
  var identity: ServiceIdentity { get }
  var lexicons: Lexicons { get }
  var layout: QueueLayout { get }
  /// What the push worker has handed over.
  var pushes: PushRecorder { get }
  /// The clock of players.
  var clock: WallClock { get }
  /// Whether other tests use it, too: then `cubistd check` is asked in the end alone.
  var isShared: Bool { get }

  /// The shipped player, registered under this name, or one like it where that is taken.
  func client(_ name: String) throws -> Player
  /// A registered player who sends anything.
  func player(_ name: String) throws -> LabPlayer
  /// Looks at the store.
  func looking<Result>(_ body: (CheckStore) throws -> Result) throws -> Result
  /// Publishes messages to their queues in order, and returns once the broker has them.
  func publish(_ messages: [(slot: Slot, body: [UInt8])]) throws
  /// Lets a worker find messages together, so that they are judged in this order in one transaction.
  func inOneBatch(_ messages: [(slot: Slot, body: [UInt8])]) throws
  /// Waits until something is so.
  func wait(for what: String, _ isSo: () throws -> Bool) throws
  /// All push jobs, once nothing is on its way any more.
  func jobs() throws -> [StoredJob]
  /// Finds all violations, as `cubistd check` does; push jobs too, since none is on its way.
  func violations() throws -> [Violation]
}

/// The reason why a test cannot go on.
package struct LabFailure: Error, CustomStringConvertible {
  package var description: String

  package init(_ description: String) { self.description = description }
}

extension TestedService {
  /// A match with its record and its rows.
  package func stored(_ match: MatchID) throws -> StoredMatch {
    try #require(try looking { try $0.stored([match]) }[match])
  }

  /// The state of a match.
  package func match(_ match: MatchID) throws -> Match { try #require(try stored(match).state) }

  /// The ids of all matches, in order.
  package func matches() throws -> [MatchID] { try looking { try $0.matches(nil, 10_000) } }

  /// The ids of all matches of a player, in order.
  package func matches(of player: PlayerID) throws -> [MatchID] {
    try looking { store in
      let all = try store.matches(nil, 10_000)
      return try store.stored(all).values.compactMap(\.state)
        .filter { $0.players.contains(player) }.map(\.id).sorted()
    }
  }

  /// Every stored reply.
  package func replies() throws -> [EventKey: StoredReply] {
    let rows = try looking { try $0.handled(nil, 100_000) }
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.key, $0.reply) })
  }

  /// Verifies the record of a match as its players do.
  package func isVerified(_ record: String) throws -> Bool {
    try RecordVerifier(lexicons: lexicons, rootKey: identity.rootKey)
      .report(on: Array(record.utf8)).isVerified
  }

  /// Ann and Bob.
  package func pair() throws -> (LabPlayer, LabPlayer) { (try player("Ann"), try player("Bob")) }

  /// A match by invitation that both have joined: the first player is to play.
  package func begin(
    _ first: LabPlayer, _ second: LabPlayer, limit: Int64 = 3_600
  ) throws -> MatchID {
    let asked = try first.sign(
      .matchRequested(MatchRequest(opponent: .player(second.id), turnLimitSeconds: limit)))
    guard case .accepted(.matchStarted) = try first.send(asked) else {
      throw LabFailure("no match")
    }
    try second.must(.invitationAccepted(asked.newMatch, code: nil))
    return asked.newMatch
  }

  /// The same with the shipped players.
  package func begin(_ first: Player, _ second: Player) throws -> MatchID {
    let name = try #require(second.profile.name)
    let match = try first.startMatch(against: name, turnLimitSeconds: 3_600).ticket.match
    _ = try second.accept(match)
    return match
  }

  /// A turn that is legal now: removals of the last cubes, or of the first ones.
  package func turn(_ match: Match, fromEnd: Bool = true) -> Turn {
    var game = match.game
    var moves: [Move] = []
    for cube in fromEnd ? Cube.all.reversed() : Array(Cube.all) where moves.count < 2 {
      var next = game
      if (try? next.apply(.removal(cube), words: Lexicon.everyWord)) != nil {
        moves.append(.removal(cube))
        game = next
      }
    }
    return Turn(number: match.turnNumber, previous: match.previousTurnHash, moves: moves)
  }

  /// The first turn of a match, with a word where any letters are one.
  package func firstWord(_ match: Match) -> Turn {
    let word = ["122L", "222L", "222R", "221R"].compactMap { Face(notation: $0) }
    return Turn(number: match.turnNumber, previous: match.previousTurnHash, moves: [.word(word)])
  }

  /// Plays until one cube is left: the first player has all the points and is to play.
  package func playToLastCube(_ match: MatchID, _ first: LabPlayer, _ second: LabPlayer) throws {
    let state = try self.match(match)
    let faces = Array(state.game.playable)
    let words = faces.lazy.flatMap { one in
      faces.lazy.flatMap { two in faces.lazy.map { Move.word([one, two, $0]) } }
    }
    let word = try #require(
      words.first { word in
        var game = state.game
        return (try? game.apply(word, words: Lexicon.everyWord)) != nil
      })
    try first.must(
      .turnPlayed(
        match, Turn(number: state.turnNumber, previous: state.previousTurnHash, moves: [word])))
    while true {
      let state = try self.match(match)
      if state.game.inPlay.count == 1 { return }
      try (state.seatToPlay == 0 ? first : second).must(.turnPlayed(match, turn(state)))
    }
  }

  /// Lets a worker find events together, so that they are judged in this order in one transaction.
  /// Send them again to get their replies.
  package func inOneBatch(_ sent: [LabPlayer.Sent]) throws {
    try inOneBatch(sent.map { ($0.slot, $0.envelope) })
  }

  /// A message as the service itself would send it.
  package func serviceEvent(_ action: Event.Action, slot: Slot) -> (slot: Slot, body: [UInt8]) {
    let event = Event(
      service: identity.service,
      id: EventID(at: clock.now(), random: Randomness.live.next128()),
      player: identity.player, action: action)
    return (slot, Envelope.encode(identity.signer.signed(PayloadCodec.encode(event), as: .service)))
  }

  /// Lets seconds pass in the queue of a match, as if it had ticked every five, and sends the event
  /// that the scheduler would send then.
  package func passTime(of id: MatchID, seconds: Int64) throws {
    let slot = Slot(of: id)
    let match = try match(id)
    let start = max(match.dealtAt, clock.now())
    let ticks = stride(from: 0, through: seconds, by: 5).map {
      Event.Action.ticked(
        queue: layout.queue(of: slot), time: start.adding(seconds: $0),
        since: Instant(microseconds: 0))
    }
    var actions = ticks
    if let deadline = match.deadline?.at {
      actions.append(.deadlinePassed(id, turn: match.turnNumber, deadline: deadline))
    }
    try publish(actions.map { serviceEvent($0, slot: slot) })
  }

  /// Expects that these push jobs of these players were handed out, as "kind name" in any order.
  ///
  /// Each was handed to the provider exactly once, but for those that did not hold any more. Where the
  /// service is the test's own, nothing that `cubistd check` looks at may be wrong; where a suite
  /// shares it, that is looked at in the end.
  package func expectTold(
    _ expected: [String], _ players: LabPlayer..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let names = Dictionary(uniqueKeysWithValues: players.map { ($0.id, $0.label) })
    // A job that is on its way through the broker is in no table.
    let jobs = try self.jobs().filter { names[$0.job.player] != nil }
    try expectHandedOverOnce(to: Set(names.keys), sourceLocation: sourceLocation)
    let told = jobs.map { "\($0.job.kind.rawValue) \(names[$0.job.player] ?? "")" }
    #expect(told.sorted() == expected.sorted(), sourceLocation: sourceLocation)
    try expectNothingWrong(sourceLocation: sourceLocation)
  }

  /// Expects that the provider took each job that counts as delivered once, and no other.
  package func expectHandedOverOnce(
    to players: Set<PlayerID>? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    func isMeant(_ job: PushJob) -> Bool {
      job.day != Day(number: 1) && players?.contains(job.player) ?? true
    }
    let delivered = try looking { try $0.jobs(nil, 100_000) }
      .filter { $0.fate == .delivered && isMeant($0.job) }.map(\.job.id)
    #expect(
      pushes.taken.filter(isMeant).map(\.id).sorted() == delivered.sorted(),
      "each job once, and no other", sourceLocation: sourceLocation)
  }

  /// Expects that `cubistd check` finds nothing; where a suite shares the service, it looks itself in
  /// the end.
  package func expectNothingWrong(sourceLocation: SourceLocation = #_sourceLocation) throws {
    guard !isShared else { return }
    let found = try violations()
    #expect(found == [], "\(found)", sourceLocation: sourceLocation)
  }
}

extension Player {
  /// Plays a turn that scores nothing.
  package func removeTwoCubes(in match: MatchID) throws {
    let view = try self.match(match)
    let cubes = try ["222", "221"].map { try #require(Cube(notation: $0)) }
    _ = try play(cubes.map { .removal($0) }, in: view)
  }
}
