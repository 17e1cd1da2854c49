import MatchCore
import MatchInterfaces
import MatchWire

extension QueryHandler {
  /// The versions of everything that concerns a player.
  func overview(of asker: PlayerID) throws(Failure) -> Overview {
    guard let overview = try ask(try store.overviews([asker]))[asker] else {
      throw .refused(.unavailable)
    }
    return overview
  }

  /// The overviews of players, in the order of the question. Those that an answer has no room for
  /// are left out.
  func overviews(
    of players: [PlayerID], _ question: EventID, byteLimit: Int
  ) throws(Failure) -> [UInt8] {
    let found = try ask(try store.overviews(players))
    var entries = players.compactMap { player in
      found[player].map { GatewayOverviews.Entry(player: player, overview: $0) }
    }
    while true {
      let body = AnswerCodec.encode(GatewayOverviews(entries), query: question)
      guard body.count > byteLimit, entries.count > 1 else { return body }
      // As many as have room on the average, but fewer than before.
      let count = min(entries.count - 1, entries.count * byteLimit / body.count)
      entries.removeLast(entries.count - max(1, count))
    }
  }
}
