import CubeLexicon
import CubeRules
import MatchCore

/// A match as the service's judge sees it, to compare offers with.
struct JudgedMatch {
  private(set) var match: Match
  private let lexicons: Lexicons
  private var eventCount: UInt128 = 0

  private static let keys = (0..<2 as Range<UInt8>).map { byte in
    known(PublicKey(bytes: Array(repeating: byte + 1, count: 32)), "a key")
  }
  private static let service = known(PublicKey(bytes: Array(repeating: 9, count: 32)), "a key")
  private static let now = Instant(microseconds: 1_800_000_000_000_000)

  private static func signed(by key: PublicKey) -> SignedPayload {
    // Judging never looks at signatures.
    SignedPayload(key: key, signature: Array(repeating: 0, count: 64), payload: [])
  }

  /// A match dealt for one seat or two.
  init(_ puzzle: Puzzle, seatCount: Int, lexicon: Lexicon) {
    lexicons = Lexicons(lexicon)
    let kind: Terms.Kind = seatCount == 1 ? .solo(.unlimited) : .rematch
    let deal = Deal(
      terms: Terms(kind: kind, turnLimitSeconds: nil, language: .english),
      rules: Rules.cube1.name, lexicon: lexicon.version.rawValue, letters: puzzle.description,
      seats: Self.keys.prefix(seatCount).map { PlayerID(firstKey: $0) }, predecessor: nil)
    let entry = Entry(
      after: .zero, position: 0, acceptedAt: Self.now, signed: Self.signed(by: Self.service))
    match = known(
      try? Match(
        id: MatchID(rawValue: 1), deal: deal, requests: [], dealEntry: entry, deadline: nil),
      "a deal")
  }

  /// The turn's score by the judge, move by move; nil where it is refused.
  mutating func play(_ moves: [Move]) -> [Int]? {
    let key = Self.keys[match.seatToPlay]
    eventCount += 1
    let event = Event(
      service: ServiceID(rawValue: 1), id: EventID(at: Self.now, random: eventCount),
      player: PlayerID(firstKey: key),
      action: .turnPlayed(
        match.id,
        MatchCore.Turn(
          number: match.turnNumber, previous: match.previousTurnHash, moves: moves)))
    let clock = QueueClock(time: Self.now)
    let context = JudgingContext(
      now: Self.now, clock: { _ in clock }, matches: [match.id: match],
      senderName: PlayerName("Ann"), lexicons: lexicons,
      secret: known(ServiceSecret(bytes: Array(0..<32)), "a secret"),
      sign: { _, _ in Self.signed(by: Self.service) })
    let judgement = Judge.judge(
      ReceivedEvent(event: event, signed: Self.signed(by: key)), context)
    guard case .accepted(.turnAccepted(let receipt)) = judgement.reply else { return nil }
    if let change = judgement.changes.first { match = change.after }
    return receipt.scores
  }
}
