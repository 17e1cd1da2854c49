import MatchCore
import MatchInterfaces

/// What a player reads in a notification.
enum PushText {
  /// The text of a job; `name` is the other player's, where there is one that is known.
  static func notification(
    of job: PushJob, opponent name: PlayerName?
  ) -> PushSender.Notification {
    let who = name?.text ?? "Your opponent"
    let title: String
    let body: String
    switch job.kind {
    case .yourTurn:
      title = "Your turn"
      body =
        name == nil
        ? "A match waits for your move." : "\(who) has played. The match waits for your move."
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
    case .matchEnded:
      title = "The match is over"
      body =
        name == nil
        ? "Your match is over. See how it ended."
        : "Your match against \(who) is over. See how it ended."
    case .dailyReady:
      title = "Today's challenge"
      body = "The challenge of \(job.day?.description ?? "today") is there."
    }
    return PushSender.Notification(job: job, title: title, body: body)
  }
}
