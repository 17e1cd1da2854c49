import MatchCore
import MatchInterfaces

/// The text that a player reads in a notification.
enum PushText {
  /// The text of a job, with the known facts about it.
  static func notification(
    of job: PushJob, _ details: PushStore.Details
  ) -> PushSender.Notification {
    let name = details.opponent?.name
    let who = name ?? "Your opponent"
    let title: String
    let body: String
    switch job.kind {
    case .yourTurn:
      title = "Your turn"
      body =
        name == nil
        ? "A match waits for your move." : "\(who) has played. The match waits for your move."
    case .reacted:
      title = "An answer"
      body = "\(who) has answered your turn with a word."
    case .invited:
      title = "An invitation"
      body = name == nil ? "You are invited to a match." : "\(who) invites you to a match."
    case .opponentJoined:
      title = "An opponent"
      body = "\(who) has joined your match."
    case .rematchRequested:
      title = "A rematch?"
      body = "\(who) would like to play again."
    case .rematchStarted:
      title = "The rematch has begun"
      body = "\(who) has accepted. The new match has begun."
    case .rematchDeclined:
      title = "No rematch"
      body = "\(who) declined the rematch."
    case .matchEnded where details.reason == .declined:
      title = "Declined"
      body = name == nil ? "Your invitation was declined." : "\(who) declined your invitation."
    case .matchEnded where job.turn != nil:
      title = "The match does not count"
      body = "\(who) gave up before the first move: the match does not count."
    case .matchEnded:
      title = "The match is over"
      body =
        name == nil
        ? "Your match is over. See how it ended."
        : "Your match against \(who) is over. See how it ended."
    case .dailyReady:
      title = "Today's challenge"
      let yesterday =
        details.yesterday.map { " Yesterday you were number \($0.rank) of \($0.outOf)." } ?? ""
      body = "The challenge of \(job.day?.description ?? "today") is there.\(yesterday)"
    case .turnRunningOut:
      title = "Time is running out"
      body = "A fifth of the time for your turn is left. \(who) waits."
    case .dailyEndsSoon:
      title = "The challenge ends soon"
      body =
        "You have begun the challenge of \(job.day?.description ?? "today") and not finished it."
    case .account:
      title = "Your account"
      body = "Your keys or your recovery have changed. If that was not you, look at your keys now."
    case .nudged:
      title = "A reminder"
      body = "\(who) reminds you that it is your turn."
    case .rematchWaits:
      title = "A rematch?"
      body = "\(who) still waits for your answer to the offer of a rematch."
    case .digest:
      title = "Your matches"
      body = details.waiting.map { "\($0) things wait for you." } ?? "Matches wait for you."
    case .weekInReview:
      title = "Your week"
      body =
        details.week.map { "Matches played: \($0.played), won: \($0.won)." }
        ?? "See how your week went."
    case .test:
      title = "A test"
      body = "Notifications reach this device."
    }
    return PushSender.Notification(
      job: job, title: title, body: body, opponent: details.opponent?.id, devices: details.devices)
  }
}
