import MatchCore

extension ServiceWorld {
  /// The number that operators need to find what is wrong, in a sentence; nil: nothing is.
  ///
  /// It is the id of a message: of the oldest event whose answer takes long, or of the last message
  /// that failed. The page sends each message with its id as the id of the request, so all lines of
  /// the service's logs have it.
  var help: String? {
    guard trouble?.isFinal != true else { return nil }
    return (late?.key ?? lastFailure).map { Self.help($0) }
  }

  static func help(_ id: EventID) -> String { "If you ask for help, give this number: \(id)" }
}
