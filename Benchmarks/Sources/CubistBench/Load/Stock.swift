import CubistBasics
import MatchCore
import MatchInterfaces
import MatchLoad
import MatchService
import MatchWire

/// Registers players and makes matches that wait to be played, through the service itself.
final class Stock {
  private let site: Site
  private var players: [LoadPlayer] = []
  private(set) var matches: [PreparedMatch] = []
  private var pairCount = 0
  private var random: SplitMix64

  init(_ site: Site, seed: UInt64) {
    self.site = site
    random = SplitMix64(state: seed)
  }

  /// Abandons the matches that wait.
  func leave() { matches = [] }

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

  /// Makes matches until so many wait.
  func fill(to count: Int) throws {
    let missing = count - matches.count
    guard missing > 0 else { return }
    let exchange = try Exchange(site)
    defer { exchange.close() }
    if players.isEmpty { players = try LoadPlayer.register(512, site, exchange, &random) }
    let pairs = (0..<missing).map { _ in nextPair() }
    var dealt: [Int: MatchTicket] = [:]
    try exchange.run(count: pairs.count) { index in
      let request = MatchRequest(opponent: .player(pairs[index][1].id), turnLimitSeconds: 86_400)
      return event(.matchRequested(request), pairs[index][0])
    } then: { index, acceptance in
      switch acceptance {
      // The invited player is the first to be answered with a deal.
      case .matchStarted(let ticket):
        return event(.invitationAccepted(ticket.match, code: nil), pairs[index][1])
      case .matchJoined(let ticket):
        dealt[index] = ticket
        return nil
      default: throw BenchFailure("no match: \(acceptance)")
      }
    }
    for (index, ticket) in dealt.sorted(by: { $0.key < $1.key }) {
      matches.append(
        try PreparedMatch(ticket, players: pairs[index], seed: random.next()))
    }
  }

  /// Nobody invites a player again who has not answered yet.
  private func nextPair() -> [LoadPlayer] {
    let (first, distance) = (pairCount % players.count, 1 + pairCount / players.count)
    pairCount += 1
    return [players[first], players[(first + distance) % players.count]]
  }

  private func event(_ action: Event.Action, _ player: LoadPlayer) -> SentEvent {
    player.event(of: site.identity.service, action, &random)
  }
}
