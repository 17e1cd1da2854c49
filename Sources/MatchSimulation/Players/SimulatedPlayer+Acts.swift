import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

extension SimulatedPlayer {
  /// Something to do, and how much a player is inclined to it.
  private typealias Wish = (weight: Int, act: () -> Void)

  /// Does one thing that a player might do now, sensible or not.
  func act() {
    guard isRegistered else { return register() }
    // Now and then a player goes by what was to be seen a while ago.
    if !world.faults.strikes(.staleClient) { seen = world.store.currentMatches(of: id) }
    let wishes = matchWishes + requestWishes + rematchWishes + oddWishes
    var number = random.below(wishes.reduce(0) { $0 + $1.weight })
    for wish in wishes {
      number -= wish.weight
      if number < 0 { return wish.act() }
    }
  }

  private func register() {
    let names = ["Ann", "Bob", "Cyd", "Dan", "Eve"]
    guard let name = random.pick(names).flatMap({ PlayerName($0) }) else { return }
    send(.playerRegistered(name: name, code: nil))
  }

  private var matchWishes: [Wish] {
    seen.flatMap { match -> [Wish] in
      if match.seats.contains(where: { $0.holder == .invited(self.id) }) {
        return [
          (6, { self.send(.invitationAccepted(match.id, code: nil)) }),
          (1, { self.send(.invitationDeclined(match.id)) }),
        ]
      }
      var wishes: [Wish] = [(1, { self.send(.matchForfeited(match.id)) })]
      if match.stage == .waiting {
        wishes.append((1, { self.send(.requestWithdrawn(match.id)) }))
      }
      if match.seats[match.seatToPlay].player == self.id {
        wishes.append((20, { self.play(match) }))
      } else {
        // Too early, or for a seat that is not the player's.
        wishes.append((1, { self.play(match) }))
      }
      return wishes
    }
  }

  private func play(_ match: Match, number: Int? = nil) {
    let moves = TurnChoice.moves(match.game, seatCount: match.seats.count, random)
    send(
      .turnPlayed(
        match.id,
        Turn(
          number: number ?? match.turnNumber, previous: match.previousTurnHash, moves: moves)))
  }

  private var requestWishes: [Wish] {
    guard seen.count < 3 else { return [] }
    let limit: Int64 = random.happens(0.2) ? 10 : 86_400
    func request(_ opponent: MatchRequest.Opponent, _ limit: Int64?) -> () -> Void {
      { self.send(.matchRequested(MatchRequest(opponent: opponent, turnLimitSeconds: limit))) }
    }
    var wishes: [Wish] = [
      (6, request(.random, limit)), (1, request(.nobody, nil)), (1, request(.open, limit)),
      (1, { self.send(.dailyStarted(DailyKey(day: Day(containing: self.world.clock.now)))) }),
    ]
    if let other = random.pick(world.players)?.id {
      wishes.append((3, request(.player(other), 86_400)))
    }
    if let offer = random.pick(world.codes) {
      wishes.append((2, { self.send(.invitationAccepted(offer.match, code: offer.code)) }))
    }
    return wishes
  }

  private var rematchWishes: [Wish] {
    let ended = world.store.matches.values.filter { match in
      match.outcome?.wasPlayed == true && match.seats.count > 1 && match.players.contains(self.id)
        && match.rematch.successor == nil
    }
    guard let match = random.pick(ended.sorted { $0.id < $1.id }) else { return [] }
    return [
      (5, { self.send(.rematchRequested(match.id)) }),
      (1, { self.send(.rematchDeclined(match.id)) }),
    ]
  }

  /// What no honest program does, and what an old one does.
  private var oddWishes: [Wish] {
    var wishes: [Wish] = []
    if let index = random.pick(history) {
      wishes.append((2, { self.resend(index) }))
      let sent = world.senders.sent[index]
      let other = Event(
        service: world.identity.service, id: sent.key.event, player: id,
        action: .matchRequested(MatchRequest(opponent: .random, turnLimitSeconds: 3_600)))
      wishes.append((1, { self.send(other) }))
    }
    if let match = random.pick(seen) {
      wishes.append((1, { self.play(match, number: self.random.number(in: 1...9)) }))
    }
    return wishes
  }
}
