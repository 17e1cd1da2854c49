import MatchCore
import MatchInterfaces

extension PushWords {
  static func english(_ facts: PushFacts) -> PushWords {
    let name = facts.name
    let who = name ?? "Your opponent"
    let day = facts.day?.description ?? "today"
    switch facts.kind {
    case .yourTurn:
      return PushWords(
        "Your turn",
        name == nil
          ? "A match waits for your move." : "\(who) has played. The match waits for your move.")
    case .reacted:
      return PushWords("An answer", "\(who) has answered your turn with a word.")
    case .invited:
      return PushWords(
        "An invitation",
        name == nil ? "You are invited to a match." : "\(who) invites you to a match.")
    case .opponentJoined: return PushWords("An opponent", "\(who) has joined your match.")
    case .rematchRequested: return PushWords("A rematch?", "\(who) would like to play again.")
    case .rematchStarted:
      return PushWords(
        "The rematch has begun", "\(who) has accepted. The new match has begun.")
    case .rematchDeclined: return PushWords("No rematch", "\(who) declined the rematch.")
    case .matchEnded:
      switch facts.ending {
      case .declined:
        return PushWords(
          "Declined",
          name == nil ? "Your invitation was declined." : "\(who) declined your invitation.")
      case .uncounted:
        return PushWords(
          "The match does not count",
          "\(who) gave up before the first move: the match does not count.")
      case .ordinary:
        return PushWords(
          "The match is over",
          name == nil
            ? "Your match is over. See how it ended."
            : "Your match against \(who) is over. See how it ended.")
      }
    case .dailyReady:
      let yesterday =
        facts.yesterday.map { " Yesterday you were number \($0.rank) of \($0.outOf)." } ?? ""
      return PushWords("Today's challenge", "The challenge of \(day) is there.\(yesterday)")
    case .turnRunningOut:
      return PushWords(
        "Time is running out", "The time for your turn is running out. \(who) waits.")
    case .dailyEndsSoon:
      return PushWords(
        "The challenge ends soon",
        "You have begun the challenge of \(day) and not finished it.")
    case .account:
      return PushWords(
        "Your account",
        "Your keys or your recovery have changed, or your account is to end. If that was not you, "
          + "look at your keys and settings now.")
    case .nudged: return PushWords("A reminder", "\(who) reminds you that it is your turn.")
    case .rematchWaits:
      return PushWords(
        "A rematch?", "\(who) still waits for your answer to the offer of a rematch.")
    case .digest:
      return PushWords(
        "Your matches", facts.waiting.map { "\(waitingText($0))." } ?? "Matches wait for you.")
    case .weekInReview:
      return PushWords("Your week", facts.week.map(review) ?? "See how your week went.")
    case .test: return PushWords("A test", "Notifications reach this device.")
    }
  }

  static func english(_ turns: PushTurns) -> PushWords {
    let title = waitingText(turns.count)
    guard !turns.names.isEmpty else { return PushWords(title, "It is your turn.") }
    var list = turns.names
    if turns.others > 0 { list.append(turns.others == 1 ? "1 other" : "\(turns.others) others") }
    let verb = list.count == 1 ? "waits" : "wait"
    return PushWords(title, "\(joined(list, "and")) \(verb) for your move.")
  }

  private static func waitingText(_ count: Int) -> String {
    count == 1 ? "1 match waits for you" : "\(count) matches wait for you"
  }

  private static func review(_ week: PushStore.WeekReview) -> String {
    let best = week.bestPoints.map { " Your best game: \($0) points." } ?? ""
    return "Matches played: \(week.played), won: \(week.won).\(best)"
  }

  /// A list in a sentence: `Ann, Bob and Cyd`.
  static func joined(_ list: [String], _ word: String) -> String {
    guard let last = list.last, list.count > 1 else { return list.last ?? "" }
    return "\(list.dropLast().joined(separator: ", ")) \(word) \(last)"
  }
}
