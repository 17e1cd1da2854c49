import CustomDump
import MatchCore
import MatchInterfaces
import MatchWire
import Testing

@testable import MatchService

@Suite("The inbox")
struct ReaderInboxTests {
  /// Bob's view of jobs that were sent in this order, by kinds and in words.
  private func shown(
    _ jobs: [PushJob], _ given: Given...
  ) throws -> (kinds: [String], bodies: [String]) {
    let lab = ReaderLab()
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.matches.answer { ids in given.map(\.match).filter { ids.contains($0.id) } }
    lab.store.inbox.answer { player, limit in
      #expect(player == TestPlayer.bob.id && limit == InboxView.limit)
      return jobs.reversed().map { ReaderStore.InboxRow(job: $0, sentAt: .noon) }
    }
    lab.ask(.inbox, by: .bob)
    try lab.step()
    let items = try lab.answer(as: InboxView.self).items
    return (items.map(\.kind), items.map(\.body))
  }

  private static func job(
    _ kind: PushJob.Kind, _ given: Given, turn: Int? = nil, _ number: UInt128 = 1
  ) -> PushJob {
    PushJob(
      id: PushJobID(rawValue: number), kind: kind, player: TestPlayer.bob.id,
      match: given.match.id, turn: turn)
  }

  @Test("Notifications have the names with which they were sent")
  func names() throws {
    let ann = TestPlayer.ann.name
    let invitation = Given(.player(TestPlayer.bob.id))
    #expect(
      try shown([Self.job(.invited, invitation)], invitation).bodies
        == ["\(ann) invites you to a match."])
    var given = Given.playing
    given.take(TestPlayer.ann.event(given.turn(), 9), by: .ann)
    #expect(
      try shown([Self.job(.yourTurn, given, turn: 2)], given).bodies
        == ["\(ann) has played. The match waits for your move."])
    #expect(
      try shown([Self.job(.matchEnded, .ended)], .ended).bodies
        == ["Your match against \(ann) is over. See how it ended."])
  }

  @Test("A notification of a match names the other player in it, another one nobody")
  func opponents() throws {
    let given = Given.playing
    let day = PushJob(
      id: PushJobID(rawValue: 2), kind: .dailyReady, player: TestPlayer.bob.id,
      day: Day(containing: .noon))
    let lab = ReaderLab()
    lab.expectOwner()
    lab.expectPlayers()
    lab.store.matches.answer { _ in [given.match] }
    lab.store.inbox.answer { _, _ in
      [day, Self.job(.opponentJoined, given)].map {
        ReaderStore.InboxRow(job: $0, sentAt: .noon)
      }
    }
    lab.ask(.inbox, by: .bob)
    try lab.step()
    let names = try lab.answer(as: InboxView.self).items.map { $0.opponentName }
    #expect(names == [nil, TestPlayer.ann.name])
  }

  @Test("The newest of those that replace one another is shown")
  func newest() throws {
    var given = Given.playing
    given.take(TestPlayer.ann.event(given.turn(), 9), by: .ann)
    let other = Given(.player(TestPlayer.bob.id), number: 7)
    let jobs = [
      Self.job(.opponentJoined, given), Self.job(.invited, other, 2),
      Self.job(.yourTurn, given, turn: 2, 3), Self.job(.turnRunningOut, given, turn: 2, 4),
    ]
    #expect(try shown(jobs, given, other).kinds == ["turnRunningOut", "invited"])
  }

  @Test("An answer to a turn hides nothing of a later turn")
  func answer() throws {
    var given = Given.playing
    given.take(TestPlayer.ann.event(given.turn(), 9), by: .ann)
    func kinds(_ answered: Int) throws -> [String] {
      try shown(
        [Self.job(.yourTurn, given, turn: 2), Self.job(.reacted, given, turn: answered, 2)], given
      ).kinds
    }
    #expect(try kinds(0) == ["yourTurn"])
    #expect(try kinds(1) == ["reacted"])
    let over = Given.ended
    #expect(
      try shown([Self.job(.matchEnded, over), Self.job(.reacted, over, turn: 1, 2)], over).kinds
        == ["matchEnded"])
  }

  @Test("The end of a match is shown though something older was delivered after it")
  func late() throws {
    for kind in [PushJob.Kind.opponentJoined, .yourTurn, .turnRunningOut] {
      let jobs = [Self.job(.matchEnded, .ended), Self.job(kind, .ended, turn: 1, 2)]
      #expect(try shown(jobs, .ended).kinds == ["matchEnded"], "\(kind)")
    }
  }

  @Test("Calls to act on something that is over are not shown")
  func over() throws {
    var given = Given.playing
    // It is Ann's turn: Bob has none.
    #expect(try shown([Self.job(.yourTurn, given, turn: 0)], given).kinds == [])
    given.take(TestPlayer.ann.event(given.turn(), 9), by: .ann)
    #expect(try shown([Self.job(.yourTurn, given, turn: 2)], given).kinds == ["yourTurn"])
    for kind in [PushJob.Kind.yourTurn, .turnRunningOut, .opponentJoined, .rematchRequested] {
      #expect(try shown([Self.job(kind, .ended)], .ended).kinds == [], "\(kind)")
    }
    #expect(try shown([Self.job(.invited, given)], given).kinds == [])
    let days = [(-1, []), (0, ["dailyEndsSoon"])] as [(Int64, [String])]
    for (days, kinds) in days {
      let day = Day(containing: .noon.adding(seconds: days * 86_400))
      let job = PushJob(
        id: PushJobID(rawValue: 5), kind: .dailyEndsSoon, player: TestPlayer.bob.id, day: day)
      #expect(try shown([job]).kinds == kinds)
    }
  }

  @Test("An offer of a rematch is shown to its addressee, while it stands")
  func rematch() throws {
    var given = Given.ended
    given.take(TestPlayer.ann.event(.rematchRequested(given.match.id), 10), by: .ann)
    let jobs = [Self.job(.matchEnded, given), Self.job(.rematchRequested, given, 2)]
    #expect(try shown(jobs, given).bodies == ["\(TestPlayer.ann.name) would like to play again."])
    given.take(TestPlayer.bob.event(.rematchDeclined(given.match.id), 11), by: .bob)
    #expect(try shown(jobs, given).kinds == [])
  }

  @Test("The asker reads that an invitation or a rematch was declined, or that nothing counts")
  func declined() throws {
    let ann = TestPlayer.ann.name
    var invited = Given(.player(TestPlayer.ann.id), by: .bob)
    invited.take(TestPlayer.ann.event(.invitationDeclined(invited.match.id), 9), by: .ann)
    #expect(
      try shown([Self.job(.matchEnded, invited)], invited).bodies
        == ["\(ann) declined your invitation."])
    var given = Given.ended
    given.take(TestPlayer.bob.event(.rematchRequested(given.match.id), 10), by: .bob)
    given.take(TestPlayer.ann.event(.rematchDeclined(given.match.id), 11), by: .ann)
    let jobs = [Self.job(.matchEnded, given), Self.job(.rematchDeclined, given, 2)]
    #expect(try shown(jobs, given).bodies == ["\(ann) declined the rematch."])
    given.take(TestPlayer.ann.event(.rematchRequested(given.match.id), 12), by: .ann)
    given.take(TestPlayer.bob.event(.rematchRequested(given.match.id), 13), by: .bob)
    #expect(try shown(jobs, given).kinds == [])
    #expect(
      try shown([Self.job(.matchEnded, .ended, turn: 1)], .ended).bodies
        == ["\(ann) gave up before the first move: the match does not count."])
  }

  @Test("An invitation that is gone does not hide one of the same player that stands")
  func invitations() throws {
    let (stands, gone) = (
      Given(.player(TestPlayer.bob.id), number: 1), Given(.player(TestPlayer.bob.id), number: 2)
    )
    var declined = gone
    declined.take(TestPlayer.bob.event(.invitationDeclined(gone.match.id), 12), by: .bob)
    let jobs = [Self.job(.invited, stands), Self.job(.invited, gone, 2)]
    #expect(try shown(jobs, stands, declined).kinds == ["invited"])
    #expect(try shown(jobs, stands, gone).kinds == ["invited"])
  }
}
