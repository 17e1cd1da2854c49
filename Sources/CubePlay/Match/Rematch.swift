/// How far a rematch has come, as the player sees it.
public enum Rematch: Hashable, Sendable {
  /// There can be none.
  case impossible
  /// The player may ask. If the last attempt failed, the reason.
  case possible(failure: String?)
  /// The other one has offered it. If the last attempt to agree failed, the reason.
  case offered(failure: String?)
  /// The player has asked, and the service has not answered.
  case asked(wasOffered: Bool)
  /// The service has the player's offer. The other one has not answered.
  case waits
  case began(MatchKey)

  /// Whether the player can ask or agree now. The button is there only then.
  public var canBeAsked: Bool {
    switch self {
    case .possible, .offered: true
    case .impossible, .asked, .waits, .began: false
    }
  }

  /// Whether the player can ask or agree now, or go to the rematch that there is.
  public var isWithinReach: Bool {
    if case .began = self { return true }
    return canBeAsked
  }
}

/// The outcome of asking for a rematch.
public enum RematchAnswer: Hashable, Sendable {
  case offered
  /// Both want it.
  case began(MatchKey)
  /// It cannot be started, for a reason in words.
  case failed(String)
}

extension Rematch {
  /// The player asks; nil where that is not possible now.
  var asking: Rematch? {
    switch self {
    case .possible: .asked(wasOffered: false)
    case .offered: .asked(wasOffered: true)
    case .impossible, .asked, .waits, .began: nil
    }
  }

  /// After the service's answer.
  func answered(_ answer: RematchAnswer) -> Rematch {
    guard case .asked(let wasOffered) = self else { return self }
    switch answer {
    case .offered: return .waits
    case .began(let match): return .began(match)
    case .failed(let text):
      return wasOffered ? .offered(failure: text) : .possible(failure: text)
    }
  }

  /// After news of the match.
  func updated(_ news: RematchNews) -> Rematch {
    switch (news, self) {
    case (.began(let match), _): .began(match)
    case (.impossible, _): .impossible
    // The player's question has no answer yet, and a failure is still to be read.
    case (.open, .asked), (.offered(.them), .asked): self
    case (.open, .possible), (.offered(.them), .offered): self
    case (.open, _): .possible(failure: nil)
    case (.offered(.them), _): .offered(failure: nil)
    case (.offered(.me), _): .waits
    }
  }
}
