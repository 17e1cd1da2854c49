import MatchCore
import MatchWire
import PlayerClient
import ServiceNews

/// Recovery keys and recoveries in words.
enum RecoveryText {
  /// Twelve words, three in a line, with their numbers.
  static func table(_ words: RecoveryWords) -> String {
    let cells = words.words.enumerated().map { index, word in
      (index < 9 ? " " : "") + "\(index + 1) \(word)"
    }
    return stride(from: 0, to: cells.count, by: 3).map { start in
      let row = cells.dropFirst(start).prefix(3)
      let padded = row.dropLast().map { $0 + String(repeating: " ", count: max(1, 14 - $0.count)) }
      return "  " + padded.joined() + (row.last ?? "") + "\n"
    }.joined()
  }

  /// The new words, and the advice to write them down.
  static func shown(_ words: RecoveryWords) -> String {
    """
    Write these words down, in this order:

    \(table(words))
    They are not shown again. Anyone with them can become you, 72 hours after asking for it. Keep
    them away from your devices.

    """
  }

  /// The time at which something takes effect. A worker does it soon after that time.
  static func when(_ instant: Instant, now: Instant) -> String {
    instant > now ? Wording.when(instant, now: now) : "soon"
  }

  /// When the words count that were just named.
  static func named(countsAt: Instant, now: Instant) -> String {
    countsAt > now
      ? "The words count \(Wording.when(countsAt, now: now)). Until then the former ones count, if "
        + "there are any.\n"
      : "The words count now.\n"
  }

  /// The recovery key and the recovery of a player, as its own devices are told.
  static func sentences(_ recovery: KeyList.Recovery?, now: Instant) -> String {
    guard let recovery else { return "" }
    var lines: [String] = []
    let next = recovery.waiting.map { when($0.at, now: now) }
    let isHeld = recovery.pending != nil && recovery.waiting.map { $0.at <= now } == true
    switch (recovery.key, next) {
    case (nil, let next?): lines.append("Words count \(next) for the first time.")
    case (_?, _?) where isHeld:
      lines.append("Other words do not count while a recovery is under way.")
    case (_?, let next?): lines.append("Other words count \(next), the present ones until then.")
    case (_?, nil): lines.append("You have words.")
    case (nil, nil): break
    }
    if let pending = recovery.pending {
      lines.append(
        "A recovery is under way: the key \(ShortKeys.compared(pending.key)) plays as you "
          + "\(when(pending.at, now: now)), and no other key does then.")
      if pending.objector != nil { lines.append("One of your devices has objected.") }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The command that stops a recovery by the words.
  static func withdrawal(_ name: PlayerName?) -> String {
    "cubist key recover \(name?.text ?? "NAME") --withdraw"
  }

  /// A recovery that was objected to.
  static func delayed(until: Instant, now: Instant) -> String {
    "The recovery is delayed: it takes effect \(when(until, now: now)).\n"
  }

  /// A recovery that this profile waits for.
  static func pending(_ name: PlayerName, until: Instant, objected: Bool, now: Instant) -> String {
    "This device plays as \(name) \(when(until, now: now)), and no other device does then.\n"
      + (objected ? "A device of \(name) has objected. That delays it once, and no more.\n" : "")
  }
}

/// A recovery key that was made or named.
struct RecoveryKeyDocument: Encodable {
  /// The public half.
  var key: PublicKey
  /// New words, before they are named.
  var words: [String]?
  /// From then on it counts, once it is named.
  var countsAt: Instant?
}

/// A recovery, as far as it has come.
struct RecoveryDocument: Encodable {
  enum State: String, Encodable {
    case pending, inEffect, withdrawn
  }

  var state: State
  var player: PlayerID
  var name: PlayerName?
  /// The key that is to speak for the player, or does.
  var key: PublicKey?
  /// Then it takes effect.
  var until: Instant?
  /// True if a device of the player has objected.
  var objected: Bool?
}

extension RecoveryWordsError {
  /// A stable name for programs.
  var name: String {
    switch self {
    case .wrongCount: "wrongWordCount"
    case .unknownWord: "unknownWord"
    case .wrongChecksum: "wrongWords"
    }
  }
}
