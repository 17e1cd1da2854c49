extension Judge {
  /// A player shares a match that is over, or a solo game. The match itself does not change. The
  /// store keeps the code.
  static func share(_ draft: Draft) throws(Refusal) -> Acceptance {
    let (match, context) = (draft.match, draft.context)
    let player = draft.received.event.player
    guard match.seat(of: player) != nil else { throw .unknownMatch }
    try context.check(.share, of: player, with: match.players)
    switch (match.outcome, match.terms.kind) {
    case (_, .daily(let key)):
      // Others have yet to play on these letters.
      guard context.now >= key.helpsUntil else { throw .dailyNotOver(key.day) }
      guard match.outcome != nil else { throw .matchNotOver }
    case (nil, .solo): break
    case (nil, _): throw .matchNotOver
    case (_?, _): break
    }
    return .gameShared(match.id, code: ShareCode(sharing: match.id, secret: context.secret))
  }
}
