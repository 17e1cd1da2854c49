import LibRabbitMQ
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire

/// Registers players and makes matches that wait to be played, through the service itself.
final class Stock {
  private let site: Site
  private var players: [LoadPlayer] = []
  private(set) var matches: [PreparedMatch] = []
  private var pairCount = 0
  private var random: SplitMix
  /// Requests that are open at once.
  private static let window = 128

  init(_ site: Site, seed: UInt64) {
    self.site = site
    random = SplitMix(state: seed)
  }

  /// Takes matches that nobody has played yet.
  func take(_ count: Int) throws -> [PreparedMatch] {
    guard matches.count >= count else {
      throw BenchFailure("\(matches.count) matches are prepared, \(count) are wanted")
    }
    defer { matches.removeLast(count) }
    return Array(matches.suffix(count))
  }

  /// Takes one more, if there is one.
  func next() -> PreparedMatch? { matches.popLast() }

  /// Sees that so many matches wait.
  func fill(to count: Int) throws {
    let missing = count - matches.count
    guard missing > 0 else { return }
    let requester = try Requester(site.connectAsPlayer())
    defer { requester.close() }
    if players.isEmpty { try register(512, requester) }
    var made: [(match: MatchID, slot: Slot, players: [LoadPlayer])] = []
    for _ in 0..<missing {
      // Nobody invites somebody again before that one has answered.
      let (first, distance) = (pairCount % players.count, 1 + pairCount / players.count)
      let pair = [players[first], players[(first + distance) % players.count]]
      pairCount += 1
      made.append((MatchID(rawValue: 0), .init(of: pair[0].id), pair))
    }
    // The requester's player asks, so the other one is the first to be answered with a deal.
    try exchange(requester, count: made.count) { index in
      let pair = made[index].players
      let request = MatchRequest(opponent: .player(pair[1].id), turnLimitSeconds: 86_400)
      return Event(service: site.identity.service, by: pair[0], .matchRequested(request), &random)
    } sign: { index in
      made[index].players[0]
    } took: { index, acceptance in
      guard case .matchStarted(let ticket) = acceptance else {
        throw BenchFailure("no match: \(acceptance)")
      }
      made[index].match = ticket.match
      made[index].slot = Slot(of: ticket.match)
    }
    var tickets: [Int: MatchTicket] = [:]
    try exchange(requester, count: made.count) { index in
      Event(
        service: site.identity.service, by: made[index].players[1],
        .invitationAccepted(made[index].match, code: nil), &random)
    } sign: { index in
      made[index].players[1]
    } took: { index, acceptance in
      guard case .matchJoined(let ticket) = acceptance else {
        throw BenchFailure("nobody joined: \(acceptance)")
      }
      tickets[index] = ticket
    }
    for (index, ticket) in tickets {
      let one = made[index]
      matches.append(
        PreparedMatch(
          id: one.match, slot: one.slot, players: one.players,
          script: try Strategy.script(letters: ticket.letters, seed: random.next()),
          previous: ticket.previous))
    }
  }

  private func register(_ count: Int, _ requester: Requester) throws {
    while players.count < count {
      guard let signer = Signer.ed25519(seed: Signer.seed(using: &random)),
        let name = PlayerName("load\(players.count)-\(random.next() % 100_000)")
      else { throw BenchFailure("no key") }
      players.append(
        LoadPlayer(name: name, signer: signer, id: PlayerID(firstKey: signer.publicKey)))
    }
    try exchange(requester, count: count) { index in
      Event(
        service: site.identity.service, by: players[index],
        .playerRegistered(name: players[index].name, code: nil), &random)
    } sign: { index in
      players[index]
    } took: { _, _ in
    }
  }

  /// Sends so many events, a window of them at once, and gives each acceptance.
  private func exchange(
    _ requester: Requester, count: Int, event: (Int) -> Event, sign: (Int) -> LoadPlayer,
    took: (Int, Acceptance) throws -> Void
  ) throws {
    var open: [Requester.RequestID: Int] = [:]
    var next = 0
    let began = monotonic()
    while next < count || !open.isEmpty {
      while next < count, open.count < Stock.window {
        let event = event(next)
        guard let slot = Slot(of: event) else { throw BenchFailure("an event without a slot") }
        let body = Envelope.encode(try sign(next).signer.sign(event))
        let id = try requester.submit(
          exchange: Names().events, routingKey: slot.routingKey, body: body)
        open[id] = next
        next += 1
      }
      for update in try requester.poll(wait: .milliseconds(100)) {
        switch update {
        case .confirmed: break
        case .failure(_, let error): throw BenchFailure("\(error)")
        case .reply(let id, let delivery):
          guard let index = open.removeValue(forKey: id) else { break }
          guard case .accepted(let acceptance) = try ReplyCodec.decode(delivery.body).reply else {
            throw BenchFailure("refused: \(String(decoding: delivery.body, as: UTF8.self))")
          }
          try took(index, acceptance)
        }
      }
      try Interruption.check()
      guard seconds(from: began, to: monotonic()) < 120 else {
        throw BenchFailure("\(open.count) of \(count) events are not answered within two minutes")
      }
    }
  }
}
