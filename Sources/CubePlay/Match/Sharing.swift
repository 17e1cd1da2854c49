/// Sharing a game that is over.
public enum Sharing: Hashable, Sendable {
  /// It is not shared, as far as is known. If the last attempt failed, the reason.
  case possible(failure: String?)
  /// The player has asked, and the service has not answered.
  case asked
  /// Anyone with this code can see it.
  case shared(code: String)
}

/// The outcome of sharing a game.
public enum ShareAnswer: Hashable, Sendable {
  /// Anyone with this code can see it.
  case shared(code: String)
  /// It cannot be shared, for a reason in words.
  case failed(String)
}

/// An action about sharing a game.
public enum ShareAction: Hashable, Sendable {
  /// The player wants to share it.
  case asked
  /// The service answered.
  case answered(ShareAnswer)
}

extension ShownMatch {
  /// Whether the player can share the game now.
  public var canBeShared: Bool {
    guard case .over = turn.stage, case .possible = sharing else { return false }
    return watched == nil
  }

  mutating func reduce(_ action: ShareAction) -> [MatchEffect] {
    switch action {
    case .asked:
      guard canBeShared else { return [] }
      sharing = .asked
      return [.share]
    case .answered(let answer):
      guard sharing == .asked else { return [] }
      switch answer {
      case .shared(let code): sharing = .shared(code: code)
      case .failed(let text): sharing = .possible(failure: text)
      }
      return []
    }
  }
}
