/// One player does not want to meet another one. It holds in both directions, but only the player
/// who blocked knows of it.
public struct Block: Hashable, Sendable {
  /// The player who blocks.
  public var player: PlayerID
  public var blocked: PlayerID

  public init(_ player: PlayerID, _ blocked: PlayerID) {
    self.player = player
    self.blocked = blocked
  }

  /// The two blocks that would keep two players apart. Either one is enough.
  public static func between(_ one: PlayerID, _ other: PlayerID) -> [Block] {
    [Block(one, other), Block(other, one)]
  }
}

public struct BlockChange: Hashable, Sendable {
  public var block: Block
  /// Whether it stands from now on.
  public var isStanding: Bool
  public var at: Instant

  public init(_ block: Block, isStanding: Bool, at: Instant) {
    self.block = block
    self.isStanding = isStanding
    self.at = at
  }
}

extension Judge {
  /// Sets or lifts a block. A repetition changes nothing.
  static func change(
    blocking other: PlayerID, _ isStanding: Bool, _ event: Event, _ context: JudgingContext
  ) -> Judgement {
    let act = isStanding ? MeetingAct.block : .unblock
    if let refusal = context.refusal(of: event.player, to: act, other) {
      return .refused(refusal)
    }
    let block = Block(event.player, other)
    if isStanding, let refusal = context.refusal(toAdd: block) { return .refused(refusal) }
    let change = BlockChange(
      block, isStanding: isStanding, at: context.now)
    return Judgement(
      reply: .accepted(isStanding ? .playerBlocked(other) : .playerUnblocked(other)),
      block: change)
  }
}

extension JudgingContext {
  /// Why a player may not block another one. A repeated block is always allowed.
  func refusal(toAdd block: Block) -> Refusal? {
    guard let limit = limits.blocks, let blockCount, blockCount >= limit, !blocks.contains(block)
    else { return nil }
    return .rateLimited(.blocks, retryAfterSeconds: nil)
  }
}
