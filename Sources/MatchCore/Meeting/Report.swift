/// A player reports the opponent in a match to the operators. It is beside the match, as a block is.
///
/// An invitation is enough: the match need not have begun.
public struct Report: Hashable, Sendable {
  /// The subject of the complaint. The raw values travel and must never change.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The player's name, or the display name.
    case name
    /// The words that were played, or the reactions.
    case words
    /// Playing with a program's help, or losing on purpose.
    case cheating
    /// Unfair or unfriendly play, such as letting time run out again and again.
    case conduct
    case other
  }

  /// A player's own words: 1 to 200 bytes of visible characters, with spaces between them.
  public struct Text: Hashable, Sendable, CustomStringConvertible {
    public static let byteLimit = 200
    public let text: String

    /// Takes a valid text; nil for anything else.
    public init?(_ text: some StringProtocol) {
      guard 1...Text.byteLimit ~= text.utf8.count, DisplayName.isHarmless(text) else { return nil }
      self.text = String(text)
    }

    public var description: String { text }
  }

  /// The most reports of one player in 24 hours. A report that replaces one of that time is free.
  public static let dailyLimit = 20

  /// The player who reports.
  public var player: PlayerID
  public var match: MatchID
  /// The player who is reported.
  public var other: PlayerID
  public var reason: Reason
  public var text: Text?
  /// The time of the player's first report about the match, also where a later one replaced it.
  public var at: Instant

  public init(
    _ player: PlayerID, in match: MatchID, about other: PlayerID, reason: Reason, text: Text?,
    at: Instant
  ) {
    self.player = player
    self.match = match
    self.other = other
    self.reason = reason
    self.text = text
    self.at = at
  }
}

extension Judge {
  /// A player reports the opponent of a match, or the one who sent an invitation. The match does not
  /// change, and the opponent is not told. A second report about the same match replaces reason and
  /// text of the first one.
  static func report(_ reported: Event.Reported, _ draft: Draft) throws(Refusal) -> Report {
    let (player, match, context) = (draft.received.event.player, draft.match, draft.context)
    guard match.concerns(player) else { throw .unknownMatch }
    guard let other = match.players.first(where: { $0 != player }) else { throw .noOpponent }
    try context.check(.report, of: player, with: [other])
    if let refusal = context.refusalToReport(in: match.id) { throw refusal }
    return Report(
      player, in: match.id, about: other, reason: reported.reason, text: reported.text,
      at: context.now)
  }
}

extension JudgingContext {
  /// Why the sender may not report anybody now.
  func refusalToReport(in match: MatchID) -> Refusal? {
    guard reports.count >= Report.dailyLimit, reports[match] == nil else { return nil }
    let end = (reports.values.min() ?? now).adding(seconds: 86_400)
    let seconds = (end.microseconds(since: now) + 999_999) / 1_000_000
    return .rateLimited(.reportsPerDay, retryAfterSeconds: min(max(1, seconds), 86_400))
  }
}
