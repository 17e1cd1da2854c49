import MatchCore
import MatchInterfaces

/// The text that a player reads in a notification.
enum PushText {
  /// The text of a job, with the known facts about it.
  static func notification(
    of job: PushJob, _ details: PushStore.Details
  ) -> PushSender.Notification {
    let words = PushWords(job, details)
    return PushSender.Notification(
      job: job, title: words.title, body: words.body, opponent: details.opponent?.id,
      devices: details.devices)
  }
}
