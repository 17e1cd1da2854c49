import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// Looks matches up, and rules on them. A ruling is an event that the service signs; it goes
/// through the queue of the match, and the worker of that queue judges it.
struct MatchOperations {
  struct Found {
    /// Of a damaged match all that is known for certain.
    var match: Match
    /// Why the record does not hold; nil: it does.
    var damage: String?
    /// Whether the record holds and the state is not as it gives it.
    var isStateWrong = false
    /// Whether an operator has annulled it because it was damaged.
    var isAnnulledDamaged = false
    var entryCount: Int
    /// The last ruling in the record.
    var ruling: Ruling?
    /// The player that gave the match up before its first turn.
    var gaveUp: PlayerID?
    var rating: StoredRating
    var names: [PlayerID: PlayerName]
  }

  /// How long to wait for a ruling.
  static let patience: (tries: Int, pause: Duration) = (200, .milliseconds(100))

  let check: CheckStore
  let reader: ReaderStore

  /// The match that an operator names: by its id, or with a player by the end that the player
  /// sees. With a player it has to be that player's.
  func find(
    _ text: String, of player: String?, _ lookup: PlayerLookup
  ) throws(OperatorFailure) -> Found {
    let id = try lookup.match(text, of: player)
    let found = try find(id)
    guard let player else { return found }
    let owner = try lookup.player(player)
    guard found.match.seats.contains(where: { $0.playerOrInvited == owner.id }) else {
      throw .notFound(
        "\(owner.name) does not play match \(id); `cubistd matches --player \(owner.name)` lists "
          + "that player's")
    }
    return found
  }

  /// A match with its last ruling and its rating.
  func find(_ id: MatchID) throws(OperatorFailure) -> Found {
    let stored = try onStore(try check.stored([id])[id])
    guard let stored, stored.version > 0 else {
      throw .notFound(
        "there is no match \(id), or it is older than CUBIST_KEEP_GAMES; "
          + "`cubistd matches --player NAME` lists a player's")
    }
    let reading = stored.reading(id)
    guard let match = reading.match else {
      throw .wrong(
        "match \(id) is damaged (\(reading.damage ?? "its state cannot be read")), and no row says "
          + "who plays it, so it is in nobody's list; `cubistd matches restore \(id) "
          + "--from-database TEXT` brings its record back from a copy")
    }
    let statements = stored.record.lazy.compactMap { entry -> Ruling? in
      guard case .statement(let decoded)? = try? PayloadCodec.decodeContent(entry.signed.payload),
        case .ruled(let ruling) = decoded.statement
      else { return nil }
      return ruling
    }
    let players = match.seats.compactMap(\.playerOrInvited)
    let names = try onStore(try reader.players(players).mapValues(\.name))
    // The last entry says that the match has ended.
    let cause = match.outcome?.reason == .aborted ? stored.record.dropLast().last : nil
    return Found(
      match: match, damage: reading.damage, isStateWrong: reading.isStateWrong,
      isAnnulledDamaged: stored.isAnnulledDamaged,
      entryCount: stored.record.count, ruling: statements.reversed().first,
      gaveUp: cause.flatMap { try? PayloadCodec.forfeiter(by: $0.signed.payload) },
      rating: stored.rating, names: names)
  }

  /// The further parts that a ruling on a match needs.
  struct Means {
    let store: OperatorStore
    let publish: (_ body: [UInt8], Slot) throws(BusError) -> Void
    let identity: ServiceIdentity
    let clock: WallClock
    let randomness: Randomness
    var `operator` = OperatorName.current
  }

  /// Rules on a match, and waits until it is judged.
  func rule(
    _ ruling: Ruling, on id: MatchID, _ means: Means
  ) throws(OperatorFailure) -> Found {
    let before = try find(id)
    if let damage = before.damage { return try annul(before, damage, ruling, means) }
    guard !before.isStateWrong else {
      throw .wrong(
        "the state of match \(id) is not as its record gives it, and a ruling would go by it: "
          + "`cubistd rebuild --match \(id)` mends it")
    }
    guard before.match.outcome(of: ruling) != nil else {
      throw .wrong(MatchOperations.obstacle(to: ruling, on: before.match))
    }
    let now = try onStore(try check.now())
    let speaker = try onKeys(try means.identity.speaker(at: now))
    let act = ActRow(
      act: "match \(ruling.verdict.rawValue)",
      detail: "\(id) for \(ruling.reason.rawValue), by \(means.operator)")
    try onStore(try means.store.keepAct(act))
    let message = speaker.message(
      .ruled(id, ruling), id: EventID(at: now, random: means.randomness.next128()))
    try onBroker(try means.publish(message, Slot(of: id)))
    for _ in 0..<MatchOperations.patience.tries {
      let found = try find(id)
      if found.match.version > before.match.version {
        if found.ruling == ruling { return found }
        guard found.match.outcome(of: ruling) != nil else {
          throw .wrong(MatchOperations.obstacle(to: ruling, on: found.match))
        }
      }
      means.clock.sleep(MatchOperations.patience.pause)
    }
    throw .wrong(
      "the ruling waits in its queue and is not judged yet; `cubistd status` says whether a worker "
        + "runs, `cubistd matches \(id)` how the match stands")
  }

  /// Annuls a damaged match without its queue: no worker can judge an event about it. What else a
  /// ruling wants cannot be told from a record that does not hold.
  private func annul(
    _ found: Found, _ damage: String, _ ruling: Ruling, _ means: Means
  ) throws(OperatorFailure) -> Found {
    let id = found.match.id
    guard !found.isAnnulledDamaged else {
      throw .wrong("match \(id) is annulled already, because it was damaged; its players were told")
    }
    let (successor, now) = (MatchID(successorOf: id), try onStore(try check.now()))
    var match = found.match
    var rematch = match.rematch
    let hasSuccessor = try onStore(try check.existing([successor])).contains(successor)
    rematch.successor = hasSuccessor ? successor : nil
    if let declined = rematch.declined, !match.seats.indices.contains(declined.seat) {
      rematch.declined = nil
    }
    match.restore(version: match.version, rematch: rematch)
    match.annulDamaged(at: now)
    let act = ActRow(
      act: "match annulled",
      detail: "\(id) for \(ruling.reason.rawValue), because it was damaged (\(damage)), "
        + "by \(means.operator)")
    let jobs = match.occupants.map { PushJob(annulledDamaged: id, to: $0) }
    let annulled = MatchRebuild(match: match, codes: [], missing: jobs, detail: act.detail)
    try onStore(try means.store.annulDamaged(annulled, act))
    return try find(id)
  }

  /// Why a match cannot be ruled.
  static func obstacle(to ruling: Ruling, on match: Match) -> String {
    if match.seats.count < 2 { return "match \(match.id) has one seat: only its player ends it" }
    switch match.stage {
    case .waiting:
      return "match \(match.id) waits for a player; nothing of it counts before it is played"
    case .ended(let outcome, let at):
      let hint =
        ruling.verdict == .ended && outcome.wasPlayed && outcome.reason != .annulled
        ? "; `cubistd matches annul \(match.id)` annuls it" : ""
      return "match \(match.id) is over since \(at): \(OutcomeText.reason(outcome.reason))\(hint)"
    case .playing:
      return "match \(match.id) could not be ruled when it was looked at; try again"
    }
  }
}

extension Match.Seat {
  /// The player in this seat, or the invited one.
  var playerOrInvited: PlayerID? { holder.playerOrInvited }
}
