import CubeRules
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient

extension SimulatedPlayer {
  /// Something to do, and a player's inclination to it.
  typealias Inclination = (weight: Int, act: (Player) throws(ClientError) -> Told)

  /// Looks around and makes up a wish. Nil if nothing could be seen.
  func choose(_ client: Player) -> Wish? {
    guard isRegistered else { return newWish(registration) }
    look(client)
    if let act = pushAct { return newWish(act) }
    if world.faults.strikes(.staleClient), let odd = pick(staleInclinations) {
      return newWish(odd)
    }
    return pick(
      matchInclinations + invitationInclinations + requestInclinations + rematchInclinations
        + settingsInclinations + blockInclinations
    ).map(newWish)
  }

  private func newWish(_ act: @escaping (Player) throws(ClientError) -> Told) -> Wish {
    world.wishCount += 1
    return Wish(number: world.wishCount, act: act)
  }

  private func pick(
    _ inclinations: [Inclination]
  ) -> ((Player) throws(ClientError) -> Told)? {
    guard !inclinations.isEmpty else { return nil }
    var number = random.below(inclinations.reduce(0) { $0 + $1.weight })
    for inclination in inclinations {
      number -= inclination.weight
      if number < 0 { return inclination.act }
    }
    return nil
  }

  private var registration: (Player) throws(ClientError) -> Told {
    let name = random.pick(["Ann", "Bob", "Cyd", "Dan", "Eve"]).flatMap { PlayerName($0) }
    // Codes go from hand to hand, so that two may try the same one. Some players forget theirs.
    let code = random.happens(0.8) ? random.pick(world.registrationCodes) : nil
    return { client throws(ClientError) in
      guard let name else { throw .notRegistered }
      return .registered(try client.register(name, code: code))
    }
  }

  // MARK: Matches

  private var matchInclinations: [Inclination] {
    (home?.matches ?? []).flatMap { summary -> [Inclination] in
      let id = summary.id
      var inclinations: [Inclination] = [
        (1, { client throws(ClientError) in .done(try client.forfeit(id).match) })
      ]
      if summary.stage == .waiting {
        inclinations.append(
          (
            1,
            { client throws(ClientError) in
              try client.withdraw(id)
              return .done(id)
            }
          ))
      }
      guard let view = views[id], let moves = moves(in: view) else { return inclinations }
      // Also if it is another player's turn: too early, or for another player's seat.
      inclinations.append((summary.yourTurn ? 20 : 1, play(moves, in: view)))
      if summary.yourTurn {
        // Or for the state at the time of the turn.
        inclinations.append(
          (4, { client throws(ClientError) in .turn(try client.play(moves, in: id)) }))
      }
      return inclinations
    }
  }

  func moves(in view: MatchView) -> [Move]? {
    guard let game = try? view.game() else { return nil }
    return TurnChoice.moves(game, seatCount: view.seats.count, random)
  }

  func play(
    _ moves: [Move], in view: MatchView
  ) -> (Player) throws(ClientError) -> Told {
    { client throws(ClientError) in .turn(try client.play(moves, in: view)) }
  }

  private var invitationInclinations: [Inclination] {
    (home?.invitations ?? []).flatMap { invitation -> [Inclination] in
      let id = invitation.id
      return [
        (6, { client throws(ClientError) in .seat(try client.accept(id)) }),
        (
          1,
          { client throws(ClientError) in
            try client.decline(id)
            return .done(id)
          }
        ),
      ]
    }
  }

  private var requestInclinations: [Inclination] {
    guard (home?.matches.count ?? 0) < world.matchLimit else { return [] }
    let limit: Int64 = random.happens(0.2) ? 10 : random.pick([3_600, 86_400]) ?? 86_400
    let isCasual = random.happens(0.2)
    func request(
      _ opponent: MatchRequest.Opponent, _ limit: Int64?
    ) -> (Player) throws(ClientError) -> Told {
      let request = MatchRequest(
        opponent: opponent, turnLimitSeconds: limit, isCasual: opponent != .nobody && isCasual)
      return { client throws(ClientError) in .seat(try client.startMatch(request).ticket) }
    }
    let today = Day(containing: world.clock.now)
    let daily = DailyKey(day: today, mode: random.happens(0.5) ? .timed : .unlimited)
    var inclinations: [Inclination] = [
      (6, request(.random, limit)), (1, request(.open, limit)),
      (1, request(random.happens(0.5) ? .clock : .nobody, nil)),
      (1, { client throws(ClientError) in .seat(try client.startDaily(daily)) }),
    ]
    if let other = random.pick(world.players) {
      inclinations.append((2, request(.player(other.id), 86_400)))
      if let name = world.store.players[other.id]?.name {
        inclinations.append(
          (
            1,
            { client throws(ClientError) in
              .seat(try client.startMatch(against: name, turnLimitSeconds: 86_400).ticket)
            }
          ))
      }
    }
    if let code = random.pick(world.codes) {
      inclinations.append((2, { client throws(ClientError) in .seat(try client.join(code)) }))
    }
    return inclinations
  }

  private var rematchInclinations: [Inclination] {
    let offers = (home?.rematchOffers ?? []).flatMap { offer -> [Inclination] in
      [(offer.isYours ? 1 : 5, rematch(offer.match)), (1, declineRematch(offer.match))]
    }
    guard let game = random.pick(games.filter { $0.opponent != nil }) else { return offers }
    let share: Inclination = (
      1,
      { [unowned world] client throws(ClientError) in
        world.shares.append(try client.share(game.id))
        return .done(game.id)
      }
    )
    let report: Inclination = (
      1,
      { client throws(ClientError) in
        try client.report(game.id, because: .conduct, text: Report.Text("lets time run out"))
        return .done(game.id)
      }
    )
    return offers + [
      share, report, (4, rematch(game.id)), (1, declineRematch(game.id)),
    ]
  }

  /// Players fall out with one another, and make up.
  private var blockInclinations: [Inclination] {
    guard let other = random.pick(world.players)?.id, random.happens(0.2) else { return [] }
    return [
      (
        1,
        { client throws(ClientError) in
          try client.block(other)
          return .done(MatchID(rawValue: 0))
        }
      ),
      (
        2,
        { client throws(ClientError) in
          try client.unblock(other)
          return .done(MatchID(rawValue: 0))
        }
      ),
    ]
  }

  private func rematch(_ match: MatchID) -> (Player) throws(ClientError) -> Told {
    { client throws(ClientError) in
      switch client.rematch(of: match) {
      case .started(let ticket): return .seat(ticket)
      case .failed(let error): throw error
      case .offered, .inFlight: return .done(match)
      }
    }
  }

  private func declineRematch(_ match: MatchID) -> (Player) throws(ClientError) -> Told {
    { client throws(ClientError) in
      try client.declineRematch(match)
      return .done(match)
    }
  }

  // MARK: Stale clients

  /// The acts of a client with an outdated view: turns on an old view, for a wrong number, on a
  /// wrong cube; repeated acts; answers to things that are over.
  private var staleInclinations: [Inclination] {
    var inclinations: [Inclination] = []
    if let view = random.pick(views.values.sorted { $0.id < $1.id }), let moves = moves(in: view) {
      let number = random.happens(0.5) ? view.turn : random.number(in: 1...9)
      let previous = random.happens(0.5) ? view.previous : Hash(sha256Of: view.id.bytes)
      inclinations.append((3, play(moves, in: view)))
      inclinations.append(
        (
          3,
          raw(.turnPlayed(view.id, Turn(number: number, previous: previous, moves: moves)))
        ))
      inclinations.append((1, raw(.matchForfeited(view.id))))
      inclinations.append((1, raw(.invitationAccepted(view.id, code: random.pick(world.codes)))))
      inclinations.append((1, raw(.rematchRequested(view.id))))
    }
    // Right except for the turn that it follows.
    let due = (home?.matches ?? []).filter(\.yourTurn).compactMap { views[$0.id] }
    if let view = random.pick(due), let moves = moves(in: view) {
      let odd = Turn(number: view.turn, previous: Hash(sha256Of: view.id.bytes), moves: moves)
      inclinations.append((3, raw(.turnPlayed(view.id, odd))))
    }
    // Nearly always the last turn, and often one that has a reaction.
    if let view = random.pick(due), let word = random.pick(view.turns.flatMap { $0.words }) {
      let turn = random.happens(0.9) ? view.turns.count : random.number(in: 1...9)
      inclinations.append((6, raw(.reacted(view.id, turn: turn, word: word.isEmpty ? "A" : word))))
    }
    // Nearly always the turn that is due, often too early, and often once more.
    let waiting = (home?.matches ?? []).filter { !$0.yourTurn && $0.stage == .playing }
    if let view = random.pick(waiting.compactMap { views[$0.id] }) {
      let turn = random.happens(0.9) ? view.turn : random.number(in: 1...9)
      inclinations.append((4, raw(.nudged(view.id, turn: turn))))
    }
    inclinations.append((1, raw(.notificationTested(Event.NotificationTested()))))
    let yesterday = Day(containing: world.clock.now.adding(seconds: -86_400))
    inclinations.append((1, raw(.dailyStarted(DailyKey(day: yesterday)))))
    inclinations.append((1, raw(.matchForfeited(MatchID(rawValue: random.randomness.next128())))))
    return inclinations
  }

  func raw(_ action: Event.Action) -> (Player) throws(ClientError) -> Told {
    { client throws(ClientError) in
      switch try client.send(action) {
      case .accepted(.turnAccepted(let receipt)): return .turn(receipt)
      case .accepted(.matchJoined(let ticket)), .accepted(.dailyStarted(let ticket)),
        .accepted(.rematchStarted(let ticket)):
        return .seat(ticket)
      case .accepted: return .done(MatchID(rawValue: 0))
      case .refused(let name, let message, let refusal):
        throw .refused(name: name, message: message, refusal: refusal)
      }
    }
  }
}
