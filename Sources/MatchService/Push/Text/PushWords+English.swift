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
      case .withdrawn:
        return PushWords(
          "An invitation is gone", "An invitation to you was taken back. You need not answer it.")
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
        "Your matches", facts.waiting.flatMap(digest) ?? "Matches wait for you.")
    case .weekInReview:
      return PushWords("Your week", facts.week.map(review) ?? "See how your week went.")
    case .test: return PushWords("A test", "Notifications reach this device.")
    }
  }

  static func english(_ news: PushNews) -> PushWords {
    let list = news.names?.list(and: "and") { $0 == 1 ? "1 other" : "\($0) others" }
    guard news.names != nil, let (topic, count) = news.counts.first else {
      return PushWords(
        "News from \(news.matchCount) matches",
        news.counts.map { sentence($0.topic, $0.count) }.joined(separator: " "))
    }
    let (all, isOne) = list ?? ("", false)
    switch topic {
    case .turn:
      return PushWords(
        "\(count) matches wait for you",
        list == nil ? "It is your turn." : "\(all) \(isOne ? "waits" : "wait") for your move.")
    case .offer:
      return PushWords(
        "\(count) offers of a rematch",
        list == nil
          ? "Your opponents would like to play again." : "\(all) would like to play again.")
    case .invitation:
      return PushWords(
        "\(count) invitations",
        list == nil ? "You are invited to matches." : "\(all) \(isOne ? "invites" : "invite") you.")
    case .beginning:
      return PushWords(
        "\(count) matches have begun",
        list == nil ? "See who plays with you." : "You play against \(all).")
    case .refusal:
      return PushWords(
        "\(count) refusals",
        list == nil ? "Your invitations or rematches were declined." : "\(all) declined.")
    case .ending:
      return PushWords(
        "\(count) matches are over",
        list == nil ? "See how they ended." : "They were against \(all). See how it ended.")
    case .reaction:
      return PushWords(
        "\(count) answers",
        list == nil
          ? "Your turns were answered with a word."
          : "\(all) \(isOne ? "has" : "have") answered your turns with a word.")
    }
  }

  /// One of the sentences about several topics.
  private static func sentence(_ topic: PushJob.Kind.Topic, _ count: Int) -> String {
    let isOne = count == 1
    switch topic {
    case .turn: return "It is your turn in \(isOne ? "1 match" : "\(count) matches")."
    case .offer: return isOne ? "1 rematch is offered." : "\(count) rematches are offered."
    case .invitation: return isOne ? "1 invitation waits." : "\(count) invitations wait."
    case .beginning: return isOne ? "1 match has begun." : "\(count) matches have begun."
    case .refusal:
      return isOne
        ? "1 invitation or rematch was declined."
        : "\(count) invitations or rematches were declined."
    case .ending: return isOne ? "1 match is over." : "\(count) matches are over."
    case .reaction: return isOne ? "1 turn was answered." : "\(count) turns were answered."
    }
  }

  /// Everything that waits, in a sentence. Nil: nothing does.
  private static func digest(_ waiting: PushStore.Waiting) -> String? {
    let counts = [
      (waiting.turns, "turn", "turns"), (waiting.invitations, "invitation", "invitations"),
      (waiting.offers, "offer of a rematch", "offers of a rematch"),
    ]
    return joined(counts, and: "and").map {
      "\($0) \(waiting.count == 1 ? "waits" : "wait") for you."
    }
  }

  private static func review(_ week: PushStore.WeekReview) -> String {
    let best = week.bestPoints.map { " Your best game: \($0) points." } ?? ""
    return "Matches played: \(week.played), won: \(week.won).\(best)"
  }
}
