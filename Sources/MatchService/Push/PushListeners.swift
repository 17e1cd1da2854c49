import MatchCore
import MatchInterfaces

/// The players who are being told of a match, with a sound.
struct PushListeners {
  private var ofAny: Set<PlayerID> = []
  private var ofTurns: Set<PlayerID> = []

  /// The players of notifications on their way. One that is tried again may have an address that
  /// nobody has any more.
  init(of open: some Sequence<OpenPush>) {
    for push in open where push.reason != .silent {
      for part in push.parts where part.delivery.attempts == 0 { hear(part.job) }
    }
  }

  mutating func hear(_ job: PushJob) {
    guard let topic = job.kind.topic else { return }
    ofAny.insert(job.player)
    if topic == .turn { ofTurns.insert(job.player) }
  }

  /// Whether a job would wait after what its player is told.
  func areTold(before job: PushJob) -> Bool {
    (job.kind.topic == .turn ? ofTurns : ofAny).contains(job.player)
  }
}
