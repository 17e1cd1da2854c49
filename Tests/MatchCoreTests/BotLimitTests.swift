import CubistBasics
import Testing

@testable import MatchCore

@Suite("Matches against a bot")
struct BotLimitTests {
  let lab = MatchLab()
  private let ann = TestPlayer.ann.id
  private let bob = TestPlayer.bob.id
  private let tooMany = Refusal.rateLimited(.botMatches, retryAfterSeconds: nil)

  init() { lab.bots = [TestPlayer.bob.id] }

  private func invites(_ limit: Int64 = BotLimits.turnLimitSeconds) -> Event.Action {
    .matchRequested(MatchRequest(opponent: .player(bob), turnLimitSeconds: limit))
  }

  private func accept(_ action: Event.Action, by player: TestPlayer) {
    guard case .accepted = lab.act(action, by: player) else {
      Issue.record("\(player.name)'s \(action.typeName) was refused")
      return
    }
  }

  @Test("A player has three matches with a bot at once, those that wait included")
  func three() {
    let played = lab.request(.invite(.bob), by: .ann)
    lab.act(.invitationAccepted(played, code: nil), by: .bob)
    for limit: Int64 in [61, 62] { lab.act(invites(limit), by: .ann) }
    lab.refuse(lab.event(invites(63), by: .ann), tooMany)
    accept(invites(63), by: .cyd)
    accept(.matchForfeited(played), by: .ann)
    accept(invites(63), by: .ann)
    // A bot's own invitations are its own affair.
    accept(
      .matchRequested(MatchRequest(opponent: .player(ann), turnLimitSeconds: 30 * 86_400)),
      by: .bob)
  }

  @Test("A bot has a day for a turn at most; whoever is no bot has as before")
  func turnLimit() {
    lab.refuse(lab.event(invites(86_401), by: .ann), .turnLimitInvalid(86_401))
    accept(invites(86_400), by: .ann)
    lab.bots = []
    accept(invites(86_401), by: .ann)
  }

  @Test("A rematch with a bot is one more match with it, whoever asks first")
  func rematch() {
    let past = lab.request(.invite(.bob), by: .ann)
    lab.act(.invitationAccepted(past, code: nil), by: .bob)
    lab.act(.matchForfeited(past), by: .ann)
    for limit: Int64 in [61, 62] { lab.act(invites(limit), by: .ann) }
    accept(.rematchRequested(past), by: .ann)
    accept(invites(63), by: .ann)
    lab.refuse(lab.event(.rematchRequested(past), by: .ann), tooMany)
    // The bot is not told what another player has.
    lab.refuse(lab.event(.rematchRequested(past), by: .bob), .playerUnavailable(ann))
  }

  @Test("A rematch of a match with more than a day for a turn is none against a bot")
  func longRematch() {
    lab.bots = []
    let event = lab.event(invites(86_401), by: .ann)
    lab.act(event)
    let past = event.newMatch
    lab.act(.invitationAccepted(past, code: nil), by: .bob)
    lab.act(.matchForfeited(past), by: .ann)
    lab.bots = [bob]
    lab.refuse(lab.event(.rematchRequested(past), by: .ann), .turnLimitInvalid(86_401))
  }

  @Test("The last places of a bot are for players who have no match with it")
  func newcomers() {
    func refusal(_ matches: Int, own: Int) -> Refusal? {
      BotLoad(matches: matches, byPlayer: own > 0 ? [ann: own] : [:])
        .refusal(of: ann, toPlay: bob, turnLimitSeconds: 60)
    }
    let last = BotLimits.matches - BotLimits.keptForNewcomers
    #expect(refusal(last - 1, own: 2) == nil)
    #expect(refusal(last, own: 1) == tooMany)
    #expect(refusal(last, own: 0) == nil)
    #expect(refusal(BotLimits.matches - 1, own: 0) == nil)
    #expect(refusal(BotLimits.matches, own: 0) == .playerUnavailable(bob))
    #expect(refusal(3, own: 3) == tooMany)
  }

  @Test("A bot's load follows every step of its matches", arguments: 0..<4)
  func follows(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    var counted = PlayerLoad(bot: BotLoad())
    var known: [MatchID: Match] = [:]
    for number in 0..<40 {
      let before = lab.matches
      let own = before.values.filter { $0.outcome == nil && $0.concerns(bob) }.sorted {
        $0.id < $1.id
      }
      let sender: TestPlayer = random.next() % 2 == 0 ? .ann : .cyd
      if let match = own.first, random.next() % 3 == 0 {
        switch match.stage {
        case .waiting where random.next() % 2 == 0:
          lab.act(.invitationAccepted(match.id, code: nil), by: .bob)
        case .waiting: lab.act(.invitationDeclined(match.id), by: .bob)
        default: lab.act(.matchForfeited(match.id), by: .bob)
        }
      } else if own.count(where: { $0.concerns(sender.id) }) < BotLimits.matchesOfPlayer {
        lab.act(invites(60 + Int64(number)), by: sender)
      }
      for (id, match) in lab.matches where known[id] != match {
        counted.add(MatchChange(before: known[id], after: match, entries: []), for: bob)
      }
      known = lab.matches
      let running = lab.matches.values.filter { $0.outcome == nil && $0.concerns(bob) }
      let load = try #require(counted.bot)
      #expect(load.matches == running.count)
      for other in [TestPlayer.ann.id, TestPlayer.cyd.id] {
        #expect(load.byPlayer[other] ?? 0 == running.count { $0.concerns(other) })
      }
    }
  }
}
