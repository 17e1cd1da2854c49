import MatchCore
import MatchInterfaces
import Testing

@testable import MatchService

@Suite("Push jobs that a record owes")
struct OwedJobTests {
  private let match = MatchID(rawValue: 7)

  /// An end of the match that is told by no player's event.
  private func end(for player: TestPlayer, at time: Instant = .noon) -> OwedJob {
    OwedJob(job: nil, kind: .matchEnded, player: player.id, match: match, since: time)
  }

  private func stored(_ number: UInt128, for player: TestPlayer) -> StoredJob {
    StoredJob(
      job: PushJob(
        id: PushJobID(rawValue: number), kind: .matchEnded, player: player.id, match: match),
      isOwed: true, fate: nil)
  }

  @Test("A match that one event ends twice, by its deadline and by a ruling, is told of once")
  func endedTwice() {
    let owed = [end(for: .ann), end(for: .bob), end(for: .ann), end(for: .bob)]
    var once = [stored(1, for: .ann), stored(2, for: .bob)]
    #expect(owed.taking(from: &once).isEmpty)
    #expect(once.isEmpty)
    // Where two events did it there are two jobs for each.
    var twice = [1, 2, 3, 4].map { stored($0, for: $0 < 3 ? .ann : .bob) }
    #expect(owed.taking(from: &twice).isEmpty)
    #expect(twice.isEmpty)
  }

  @Test("An end at another time, or for another player, is owed by itself")
  func owedByItself() {
    let owed = [end(for: .ann), end(for: .bob), end(for: .ann, at: .noon.adding(seconds: 1))]
    var jobs = [stored(1, for: .ann)]
    // The newest has the job that is there.
    #expect(owed.taking(from: &jobs) == [owed[0], owed[1]])
  }
}
