import CubeLexicon
import CubeRules

@testable import MatchCore
@testable import MatchWire

extension FuzzTarget {
  static let matchTargets = [
    FuzzTarget(name: "record", run: record), FuzzTarget(name: "replay", run: replay),
    FuzzTarget(name: "matchState", run: matchState), FuzzTarget(name: "vectors", run: vectors),
  ]

  private static let verifier = RecordVerifier(lexicons: MatchCore.Lexicons(.everyWord))

  /// A record's document survives reading and writing, and verifying it always ends in a report.
  @Sendable private static func record(_ bytes: [UInt8]) throws {
    guard let document = try attempt({ try RecordDocument(bytes) }) else { return }
    let again = try RecordDocument(document.encode())
    try hold(again == document, "a record changes when it is written")
    let report = verifier.report(on: document)
    _ = report.game.fault?.description
    _ = GameReport.encode([report.game], masks: true)
  }

  /// A record whose chain of hashes holds, with any payloads: one payload a line, after a character
  /// for the time until it was accepted. `@match`, `@head` and `@previous` stand for values that no
  /// fuzzer can guess.
  @Sendable private static func replay(_ bytes: [UInt8]) throws {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    guard let match = lines.first.flatMap({ matchID(askedBy: $0) }) else { return }
    var replay = Replay(id: match)
    var script = Script(match: match)
    for line in lines.prefix(Match.entryLimit) {
      let entry = script.entry(line)
      guard let content = try attempt({ try PayloadCodec.decodeContent(entry.signed.payload) })
      else { return }
      let before = replay.match
      do {
        try replay.take(entry, content.replayed, words: Lexicon.everyWord)
      } catch {
        _ = "\(error)"
        try hold(replay.match == before, "a refused entry changed the match")
        return
      }
      script.take(entry, content)
      guard let match = replay.match else { continue }
      let stored = Match(id: match.id, version: match.version, encodedState: match.encodedState())
      try hold(stored == match, "a match that was folded changes when it is stored")
      _ = match.due(after: entry.acceptedAt)
    }
  }

  /// Stored states of matches: every readable state can be stored again and worked with.
  @Sendable private static func matchState(_ bytes: [UInt8]) throws {
    let id = MatchID(rawValue: 1)
    guard let match = Match(id: id, version: 1, encodedState: bytes) else { return }
    let again = Match(id: id, version: 1, encodedState: match.encodedState())
    try hold(again == match, "a stored match changes when it is stored again")
    _ = match.due(after: Instant(microseconds: .max))
    _ = (match.outcomeOfDeadline, match.isTimedByTurn)
    _ = MatchView(match: match, replay: Replay(id: id), names: [:])
    var next = match
    let signed = SignedPayload(key: Script.key, signature: [], payload: [])
    let moves = [Move.word(Array(match.game.playable.prefix(3)))]
    let entry = match.nextEntry(signed, at: Instant(microseconds: 0))
    if match.entryCount < Match.entryLimit {
      _ = try attempt { try next.play(moves, entry: entry, words: Lexicon.everyWord) }
    }
  }

  @Sendable private static func vectors(_ bytes: [UInt8]) throws {
    _ = VectorFile.isVectorFile(bytes)
    guard let reports = try attempt({ try VectorFile.judge(bytes) }) else { return }
    _ = GameReport.encode(reports, masks: false)
  }

  /// The match that the event of a script's first line asks for.
  private static func matchID(askedBy line: ArraySlice<UInt8>) -> MatchID? {
    guard let event = try? PayloadCodec.decodeEvent(Array(line.dropFirst())) else { return nil }
    return switch event.action {
    case .dailyStarted(let wish): MatchID(daily: wish.daily, player: event.player)
    case .rematchRequested(let wish): MatchID(successorOf: wish.match)
    default: MatchID(askedBy: event.player, event: event.id)
    }
  }
}

/// Makes entries of the lines of a script.
private struct Script {
  static let key: PublicKey = {
    guard let key = PublicKey(bytes: [UInt8](repeating: 7, count: 32)) else {
      preconditionFailure("a key has 32 bytes")
    }
    return key
  }()

  let match: MatchID
  private var head = Hash.zero
  private var previous = Hash.zero
  private var position = 0
  private var time = Instant(microseconds: 1_777_600_000_000_000)

  init(match: MatchID) { self.match = match }

  func entry(_ line: ArraySlice<UInt8>) -> Entry {
    var payload = Array(line.dropFirst())
    for (name, value) in [
      ("@match", match.description), ("@head", head.description),
      ("@previous", previous.description),
    ] {
      payload.replace(Array(name.utf8), with: Array(value.utf8))
    }
    let later = Int64(line.first ?? 0) * 3_600
    return Entry(
      after: head, position: position, acceptedAt: time.adding(seconds: later),
      signed: SignedPayload(
        key: Script.key, signature: Array(repeating: 0, count: 64), payload: payload))
  }

  mutating func take(_ entry: Entry, _ content: PayloadCodec.Content) {
    head = entry.hash
    position += 1
    time = entry.acceptedAt
    switch content {
    case .event(let event):
      if case .turnPlayed = event.action { previous = entry.hash }
    case .statement(let decoded):
      if case .matchDealt = decoded.statement { previous = entry.hash }
    }
  }
}
