import ArgumentParser
import CubePlay

/// A shell's suggestions where Tab is pressed.
enum Completion {
  /// How strong a bot is.
  static let strengths = CompletionKind.list(BotStrength.allCases.map(\.rawValue))

  /// Matches that are not over, by opponent and by id.
  static let running = CompletionKind.custom { words, _, _ in
    CompletionSource(words, .live()).running
  }

  /// Invitations, by sender and by id.
  static let invitations = CompletionKind.custom { words, _, _ in
    CompletionSource(words, .live()).invitations
  }

  /// Matches, over or not, by opponent and by id.
  static let games = CompletionKind.custom { words, _, _ in
    let source = CompletionSource(words, .live())
    return source.running + source.past
  }

  /// Players met lately.
  static let players = CompletionKind.custom { words, _, _ in
    CompletionSource(words, .live()).opponents
  }

  /// The player's devices.
  static let devices = CompletionKind.custom { words, _, _ in
    CompletionSource(words, .live()).devices
  }

  /// Notifications that were not seen, by the endings of their ids.
  static let notifications = CompletionKind.custom { words, _, _ in
    CompletionSource(words, .live()).notifications
  }

  /// The player's keys, by their first digits.
  static let keys = CompletionKind.custom { words, _, _ in
    CompletionSource(words, .live()).keys
  }

  /// The profiles of this machine.
  static let profiles = CompletionKind.custom { words, _, _ in
    CompletionSource(words, .live()).profiles
  }
}
