import MatchCore
import MatchInterfaces
import MatchWire

extension SimulatedStore {
  /// The overviews of players.
  func overviews(of players: [PlayerID]) -> [PlayerID: Overview] {
    Dictionary(players.map { ($0, overview(of: $0)) }) { first, _ in first }
  }

  private func overview(of player: PlayerID) -> Overview {
    let (current, ended) = (Overview.currentLimit, Overview.endedLimit)
    let now = currentMatches(of: player, current, current)
    let past = ReaderStore.PastGamesQuestion(
      player: player, opponent: nil, before: nil, limit: ended)
    let ids = Set(
      (now.matches + now.invitations + rematchOffers(of: player, ended)).map(\.id)
        + pastGames(past).map(\.match))
    let newest = unseen(by: player).first
    return Overview(
      matches: ids.sorted(by: >).compactMap { id in
        matches[id].map { Overview.Version(match: id, version: $0.version) }
      },
      inbox: newest.map { Overview.Newest(id: $0.job.id, sentAt: $0.sentAt) },
      settings: fingerprint(of: player))
  }

  /// Another text whenever settings, devices or blocks change.
  private func fingerprint(of player: PlayerID) -> String {
    let row = settingsRow(of: player)
    let blocks = blocked(by: player).sorted { $0.player < $1.player }
    let text =
      "\(row.settings.mask) \(row.settings.displayName?.text ?? "-") \(isBot(player)) "
      + "\(row.leavesAt.map { "\($0)" } ?? "-") "
      + "\(row.settings.push) " + row.devices.map { "\($0)" }.joined(separator: "\n")
      + blocks.map { "\($0.player) \($0.since)" }.joined(separator: "\n")
    return String("\(Hash(sha256Of: Array(text.utf8)))".prefix(32))
  }
}
