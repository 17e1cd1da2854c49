import MatchCore
import MatchInterfaces

extension SimulatedStore {
  /// The blocks among players who may meet.
  func blocks(among players: Set<PlayerID>) -> Set<Block> {
    Set(blocks.keys.filter { players.contains($0.player) && players.contains($0.blocked) })
  }

  /// How many matches of a player are not over.
  func load(of player: PlayerID) -> PlayerLoad {
    let running = matches.values.filter { $0.outcome == nil && $0.seat(of: player) != nil }
    return PlayerLoad(
      waiting: running.count { $0.stage == .waiting }, total: running.count)
  }

  func mayMeet(_ one: PlayerID, _ other: PlayerID) -> Bool {
    one != other && blocks[Block(one, other)] == nil && blocks[Block(other, one)] == nil
  }

  /// Nobody meets whom the other one has blocked meanwhile.
  func checkMeetings(of write: BatchWrite) throws(StoreError) {
    guard write.forbiddenBlocks.isDisjoint(with: blocks.keys) else {
      throw .conflict("a player has blocked another one")
    }
  }

  func applyBlocks(of write: BatchWrite) {
    for change in write.lastBlocks {
      if change.isStanding {
        blocks[change.block] = blocks[change.block] ?? change.at
      } else {
        blocks[change.block] = nil
      }
    }
  }

  /// Whom a player has blocked, in the order of names.
  func blocked(by player: PlayerID) -> [ReaderStore.BlockedRow] {
    blocks.compactMap { block, since in
      guard block.player == player, let name = players[block.blocked]?.name else { return nil }
      return ReaderStore.BlockedRow(player: block.blocked, name: name, since: since)
    }.sorted { $0.name.key < $1.name.key }
  }
}
