/// Giving a match up, or ending a game of one seat. Nothing is lost before the player has said yes.
public enum GivingUp: Hashable, Sendable {
  /// Nobody wants to give up.
  case no
  /// The player is asked to confirm it.
  case asked
  /// The player has said yes, and the service has not answered.
  case sent
}

/// An action about giving up.
public enum GiveUpAction: Hashable, Sendable {
  /// The player wants to give up.
  case asked
  /// The player says yes.
  case confirmed
  /// The player goes on.
  case kept
  /// The service answered.
  case answered(GiveUpAnswer)
}

/// The outcome of giving up.
public enum GiveUpAnswer: Hashable, Sendable {
  /// The match is over.
  case done
  /// The match goes on with somebody else, and is not the player's any more.
  case left
  /// It could not be given up, for a reason in words.
  case failed(String)
}

/// Whether the other one wins if the player gives up.
public enum LossByGivingUp: Hashable, Sendable {
  /// There is no other one, or nobody has played.
  case no
  /// Only if the other one has played since the player joined, which is not known here.
  case possible
  case certain
}

extension ShownMatch {
  /// Whether giving up loses the match. A joiner who has not played leaves the seat instead, if
  /// nobody has played since.
  public var lossByGivingUp: LossByGivingUp {
    guard turn.players.seatCount == 2, let first = lines.first else { return .no }
    let mayHaveWaited =
      waitedForAnyone && lines.count == 1 && first.player == .them && first.reaction == nil
    return mayHaveWaited ? .possible : .certain
  }

  /// What stands in the place of a match that the player left.
  static let leftText = "You left this match. Somebody else may have your place now."

  mutating func reduce(_ action: GiveUpAction) -> [MatchEffect] {
    switch (action, givingUp) {
    case (.asked, .no):
      guard case .playing = turn.stage, watched == nil else { return [] }
      lookedBack = 0
      endShow()
      turn.notice = nil
      givingUp = .asked
      return []
    case (.confirmed, .asked):
      givingUp = .sent
      return [.giveUp]
    case (.kept, .asked):
      givingUp = .no
      return []
    case (.answered(.done), .sent): return [.play(.reload)]
    case (.answered(.failed(let text)), .sent):
      givingUp = .no
      turn.notice = .said(text)
      return []
    case (.asked, _), (.confirmed, _), (.kept, _), (.answered, _): return []
    }
  }
}
