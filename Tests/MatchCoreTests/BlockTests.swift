import CubeRules
import Testing

@testable import MatchCore

@Suite("Blocking a player")
struct BlockTests {
  let lab = MatchLab()

  private func block(_ other: TestPlayer, by player: TestPlayer) {
    lab.act(.playerBlocked(other.id), by: player)
  }

  @Test("Blocking a player is answered each time and changes no match")
  func block() {
    for _ in 0..<2 {
      lab.send(lab.event(.playerBlocked(TestPlayer.bob.id), by: .ann)) {
        $0.reply = .accepted(.playerBlocked(TestPlayer.bob.id))
      }
    }
    #expect(lab.blocks == [Block(TestPlayer.ann.id, TestPlayer.bob.id)])
    lab.send(lab.event(.playerUnblocked(TestPlayer.bob.id), by: .ann)) {
      $0.reply = .accepted(.playerUnblocked(TestPlayer.bob.id))
    }
    #expect(lab.blocks == [])
  }

  // Failure: Refusal.playerIsYourself: Players cannot block themselves.
  @Test("Nobody blocks oneself or an unknown player")
  func nobody() {
    lab.refuse(lab.event(.playerBlocked(TestPlayer.ann.id), by: .ann), .playerIsYourself)
    lab.refuse(lab.event(.playerUnblocked(TestPlayer.ann.id), by: .ann), .playerIsYourself)
    let stranger = PlayerID(rawValue: 7)
    lab.refuse(lab.event(.playerBlocked(stranger), by: .ann), .unknownPlayer(stranger))
  }

  // Failure: Refusal.rateLimited
  @Test("The number of blocks is limited; a repeated one is granted, and one less makes room")
  func limit() {
    lab.limits.blocks = 1
    block(.bob, by: .ann)
    let full = Refusal.rateLimited(.blocks, retryAfterSeconds: nil)
    lab.refuse(lab.event(.playerBlocked(TestPlayer.cyd.id), by: .ann), full)
    block(.bob, by: .ann)
    block(.ann, by: .cyd)
    lab.act(.playerUnblocked(TestPlayer.bob.id), by: .ann)
    block(.cyd, by: .ann)
    #expect(
      lab.blocks == [
        Block(TestPlayer.ann.id, TestPlayer.cyd.id), Block(TestPlayer.cyd.id, TestPlayer.ann.id),
      ])
  }

  // Failure: Refusal.blockedByYou: The sender has blocked that player. Unblock first.
  // Failure: Refusal.playerUnavailable
  @Test("Neither invites the other: the blocker is told why, the blocked player is not")
  func invitations() {
    block(.bob, by: .ann)
    lab.refuse(
      lab.event(.matchRequested(.invite(.bob)), by: .ann), .blockedByYou(TestPlayer.bob.id))
    lab.refuse(
      lab.event(.matchRequested(.invite(.ann)), by: .bob), .playerUnavailable(TestPlayer.ann.id))
    lab.act(.playerUnblocked(TestPlayer.bob.id), by: .ann)
    guard case .accepted = lab.act(.matchRequested(.invite(.ann)), by: .bob) else {
      Issue.record("unblocked, and still not invited")
      return
    }
  }

  @Test("An invitation that stood before can be declined or withdrawn, not accepted")
  func standingInvitation() {
    let (first, second) = (
      lab.request(.invite(.bob), by: .ann), lab.request(.invite(.bob, turnLimit: 60), by: .ann)
    )
    block(.ann, by: .bob)
    lab.refuse(
      lab.event(.invitationAccepted(first, code: nil), by: .bob),
      .blockedByYou(TestPlayer.ann.id))
    lab.act(.invitationDeclined(first), by: .bob)
    lab.act(.requestWithdrawn(second), by: .ann)
    #expect(lab.matches.values.allSatisfy { $0.outcome != nil })
  }

  @Test("A code does not get one past a block, in either direction")
  func codes() {
    let id = lab.request(.open, by: .ann)
    let code = ShareCode(invitationTo: id, secret: .test)
    block(.bob, by: .ann)
    block(.ann, by: .cyd)
    lab.refuse(
      lab.event(.invitationAccepted(id, code: code), by: .bob),
      .playerUnavailable(TestPlayer.ann.id))
    lab.refuse(
      lab.event(.invitationAccepted(id, code: code), by: .cyd),
      .blockedByYou(TestPlayer.ann.id))
    // Without the code the refusal tells nothing at all.
    lab.refuse(lab.event(.invitationAccepted(id, code: nil), by: .bob), .unknownMatch)
  }

  @Test("A running match goes on, and has no rematch")
  func rematch() {
    let id = lab.runningMatch()
    block(.ann, by: .bob)
    lab.act(lab.turn(id, fourFaces), by: .ann)
    #expect(lab.matches[id]?.turnNumber == 2)
    lab.act(.matchForfeited(id), by: .bob)
    lab.refuse(
      lab.event(.rematchRequested(id), by: .ann), .playerUnavailable(TestPlayer.bob.id))
    lab.refuse(lab.event(.rematchRequested(id), by: .bob), .blockedByYou(TestPlayer.ann.id))
  }

  @Test("A rematch that was offered before is not begun")
  func offeredRematch() {
    let id = lab.finishedMatch()
    lab.act(.rematchRequested(id), by: .ann)
    block(.bob, by: .ann)
    lab.refuse(
      lab.event(.rematchRequested(id), by: .bob), .playerUnavailable(TestPlayer.ann.id))
    #expect(lab.matches[id]?.rematch.successor == nil)
  }

  @Test("A refusal of a rematch is not told where either has blocked the other")
  func declinedRematch() {
    for blocker in [TestPlayer.ann, .bob] {
      let id = lab.finishedMatch()
      let points = lab.matches[id]?.points[0] ?? 0
      let over = [
        "seat 0 Ann over", "seat 1 Bob over", "past Ann won \(points):0 against Bob forfeited",
        "past Bob lost 0:\(points) against Ann forfeited",
      ]
      lab.act(.rematchRequested(id), by: .ann)
      block(blocker == .ann ? .bob : .ann, by: blocker)
      lab.send(lab.event(.rematchDeclined(id), by: .bob)) {
        $0.changes(id, rows: over) { $0.rematch = .init(declined: .init(seat: 0, at: lab.now)) }
        $0.reply = .accepted(.done(.rematchDeclined, id, version: 7))
      }
      let other = blocker == .ann ? TestPlayer.bob : .ann
      lab.act(.playerUnblocked(other.id), by: blocker)
    }
  }
}

@Suite("Limits of one player")
struct PlayerLimitTests {
  let lab = MatchLab()

  init() {
    lab.limits = PlayerLimits(eventsPerMinute: nil, openRequests: 2, runningMatches: 3)
  }

  private let tooManyWait = Refusal.rateLimited(.openRequests, retryAfterSeconds: nil)
  private let tooMany = Refusal.rateLimited(.runningMatches, retryAfterSeconds: nil)

  @Test("A player at the limit of strangers' invitations is invited only by former opponents")
  func strangers() {
    lab.limits = PlayerLimits(
      eventsPerMinute: nil, openRequests: nil, runningMatches: nil, invitations: 2,
      strangerInvitations: 1)
    let full = Refusal.playerUnavailable(TestPlayer.bob.id)
    let first = lab.request(.invite(.bob), by: .ann)
    let again = Event.Action.matchRequested(
      MatchRequest(opponent: .player(TestPlayer.bob.id), turnLimitSeconds: 77))
    lab.refuse(lab.event(again, by: .cyd), full)
    lab.refuse(lab.event(again, by: .ann), full)
    // The invited player may still invite back, and then the two have met.
    lab.act(.matchRequested(.invite(.ann)), by: .bob)
    #expect(lab.matches[first]?.stage == .playing)
    lab.act(again, by: .ann)
    _ = lab.request(.invite(.bob), by: .cyd)
    // In all there may be two, of any senders.
    lab.refuse(lab.event(.matchRequested(.invite(.bob)), by: .ann), full)
    lab.act(.matchForfeited(first), by: .bob)
    lab.refuse(lab.event(.matchRequested(.invite(.bob)), by: .ann), full)
    lab.limits.invitations = nil
    _ = lab.request(.invite(.bob), by: .ann)
  }

  @Test("Two invitations of one stranger may wait, and five of anybody, with any room left")
  func oneStranger() {
    lab.limits = PlayerLimits(
      eventsPerMinute: nil, openRequests: nil, runningMatches: nil, strangerInvitations: 50)
    func invite(_ limit: Int64) -> Event.Action {
      .matchRequested(MatchRequest(opponent: .player(TestPlayer.bob.id), turnLimitSeconds: limit))
    }
    let first = lab.request(.invite(.bob), by: .ann)
    lab.act(invite(61), by: .ann)
    lab.refuse(lab.event(invite(62), by: .ann), tooManyWait)
    lab.act(invite(62), by: .cyd)
    lab.act(.invitationDeclined(first), by: .bob)
    lab.act(invite(63), by: .ann)
    // A player whom the other one has met is no stranger.
    lab.act(.matchRequested(.invite(.ann)), by: .bob)
    for limit in 70..<73 { lab.act(invite(Int64(limit)), by: .ann) }
    lab.refuse(lab.event(invite(73), by: .ann), tooManyWait)
  }

  // Failure: Refusal.playerUnavailable: The other player cannot be met. Possible reasons: a block,
  //   no room for a match or an invitation, or a full day of strangers' invitations.
  @Test("One stranger invites five times in a day, all of them twice as often as may wait")
  func withdrawing() {
    lab.limits = PlayerLimits(
      eventsPerMinute: nil, openRequests: nil, runningMatches: nil, strangerInvitations: 4)
    let invite = Event.Action.matchRequested(
      MatchRequest(opponent: .player(TestPlayer.bob.id), turnLimitSeconds: 60))
    func flood(_ sender: TestPlayer, _ count: Int, isDeclined: Bool = false) {
      for _ in 0..<count {
        let event = lab.event(invite, by: sender)
        lab.act(event)
        #expect(lab.matches[event.newMatch]?.stage == .waiting)
        if isDeclined {
          lab.act(.invitationDeclined(event.newMatch), by: .bob)
        } else {
          lab.act(.requestWithdrawn(event.newMatch), by: sender)
        }
      }
    }
    flood(.ann, 5)
    lab.refuse(lab.event(invite, by: .ann), tooManyWait)
    flood(.cyd, 3, isDeclined: true)
    lab.refuse(
      lab.event(invite, by: .cyd), .playerUnavailable(TestPlayer.bob.id))
    // Other players can be invited as before, and the count begins anew the next day.
    lab.act(.matchRequested(.invite(.ann)), by: .cyd)
    #expect(lab.pushes.last?.player == TestPlayer.ann.id)
    lab.passWithoutTicks(seconds: 43_200)
    flood(.ann, 5)
    // Players who have met may invite each other any number of times.
    let met = lab.request(.invite(.bob), by: .cyd)
    lab.act(.invitationAccepted(met, code: nil), by: .bob)
    flood(.cyd, 20)
    lab.refuse(lab.event(invite, by: .ann), tooManyWait)
  }

  @Test("Waiting requests and invitations are counted together; an opponent makes room")
  func waiting() {
    let first = lab.request(.random, by: .ann)
    _ = lab.request(.open, by: .ann)
    for request in [MatchRequest.random, .open, .invite(.bob)] {
      lab.refuse(lab.event(.matchRequested(request), by: .ann), tooManyWait)
    }
    lab.act(.matchRequested(.random), by: .bob)
    #expect(lab.matches[first]?.stage == .playing)
    let invited = lab.request(.invite(.bob), by: .ann)
    #expect(lab.matches[invited]?.stage == .waiting)
    // Now there are three that are not over.
    lab.refuse(lab.event(.matchRequested(.solo), by: .ann), tooMany)
    lab.act(.matchForfeited(first), by: .ann)
    let solo = lab.request(.solo, by: .ann)
    #expect(lab.matches[solo]?.stage == .playing)
  }

  @Test("A player with enough matches takes no seat in another one either")
  func joining() {
    for _ in 0..<3 { _ = lab.request(.solo, by: .bob) }
    _ = lab.request(.random, by: .ann)
    let open = lab.request(.open, by: .cyd)
    let invited = lab.request(.invite(.bob), by: .ann)
    lab.refuse(lab.event(.matchRequested(.random), by: .bob), tooMany)
    lab.refuse(lab.event(.invitationAccepted(invited, code: nil), by: .bob), tooMany)
    lab.refuse(
      lab.event(
        .invitationAccepted(open, code: ShareCode(invitationTo: open, secret: .test)), by: .bob),
      tooMany)
  }

  @Test("A rematch needs room on both sides; the player without room is not told")
  func rematch() {
    let id = lab.finishedMatch()
    lab.act(.rematchRequested(id), by: .ann)
    for _ in 0..<3 { _ = lab.request(.solo, by: .ann) }
    lab.refuse(
      lab.event(.rematchRequested(id), by: .bob), .playerUnavailable(TestPlayer.ann.id))
    for _ in 0..<3 { _ = lab.request(.solo, by: .bob) }
    lab.refuse(lab.event(.rematchRequested(id), by: .bob), tooMany)
  }
}
