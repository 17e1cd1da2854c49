import MatchCore
import MatchInterfaces
import MatchWire

/// A player's notifications that are still of use. Of those that replace one another only the
/// newest is shown, and none that asks for a thing that is over.
struct ShownInbox {
  /// Those that were sent, the newest first.
  let rows: [ReaderStore.InboxRow]
  /// Their matches, as they stand.
  let matches: [MatchID: Match]
  let player: PlayerID
  let now: Instant

  /// The rows to be shown, the newest first.
  var shown: [ReaderStore.InboxRow] {
    // One that is of no use any more replaces none: it may be older, and have been delivered later.
    // Only what is said of a rematch tells that the match is over in any case.
    let candidates = rows.filter { isOfRematch($0.job) || isLive($0.job) }
    var seen: Set<String> = []
    let newest = candidates.filter { row in
      seen.insert(row.job.collapseKey(opponent: opponent(of: row.job))).inserted
    }
    return newest.filter { isLive($0.job) }
  }

  private func isOfRematch(_ job: PushJob) -> Bool {
    switch job.kind {
    case .rematchRequested, .rematchDeclined: true
    default: false
    }
  }

  /// Another player in the match of a job.
  func opponent(of job: PushJob) -> PlayerID? {
    job.match.flatMap { matches[$0] }?.occupants.first { $0 != player }
  }

  /// How the match of a job ended, if the job says that it has.
  func reason(of job: PushJob) -> Outcome.Reason? {
    guard job.kind == .matchEnded else { return nil }
    return job.match.flatMap { matches[$0] }?.outcome?.reason
  }

  private func isLive(_ job: PushJob) -> Bool {
    if let day = job.day { return now < day.end }
    guard let match = job.match.flatMap({ matches[$0] }) else { return true }
    return job.isOfUse(in: match, at: now)
  }
}
