import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import TestedService
import Testing

@Suite("Limits of one player")
struct LimitTests {
  @Test(
    "I ask for more than I may have: I am told which limit, and my matches are as they were")
  func matches() throws {
    var options = InProcessService.Options()
    options.limits = PlayerLimits(eventsPerMinute: nil, openRequests: 3, runningMatches: 5)
    let lab = try InProcessService(options)
    let ann = try lab.player("Ann")
    let asked = try (0..<5).map { number in
      try ann.sign(
        .matchRequested(
          MatchRequest(opponent: .open, turnLimitSeconds: Int64(60 + number))))
    }
    let refusals = try asked.map { try ann.send($0).refusal }
    let limit = Refusal.rateLimited(.openRequests, retryAfterSeconds: nil)
    #expect(refusals == [nil, nil, nil, limit, limit])
    try ann.must(.requestWithdrawn(asked[0].newMatch))
    // A refused request stays refused however often it is sent; there is room for a new one.
    #expect(try ann.send(asked[3]).refusal == limit)
    #expect(try ann.act(asked[4].event.action).refusal == nil)
    let solo = Event.Action.matchRequested(
      MatchRequest(opponent: .nobody, turnLimitSeconds: nil))
    #expect(try ann.act(solo).refusal == nil)
    #expect(try ann.act(solo).refusal == nil)
    #expect(
      try ann.act(solo).refusal == .rateLimited(.runningMatches, retryAfterSeconds: nil))
    #expect(try lab.violations() == [])
  }

  @Test(
    "I do too much within a minute: I am told when to go on, and the service says its limits")
  func events() throws {
    var options = InProcessService.Options()
    options.limits = PlayerLimits(eventsPerMinute: 1, openRequests: 20, runningMatches: 100)
    let lab = try InProcessService(options)
    let ann = try lab.player("Ann")
    let sent = try ann.sign(.requestWithdrawn(MatchID(rawValue: 1)))
    // Repeating an answered event is free.
    for _ in 0..<6 { #expect(try ann.send(sent).refusal == .unknownMatch) }
    guard
      case .rateLimited(.eventsPerMinute, let seconds?)? =
        try ann.act(.requestWithdrawn(MatchID(rawValue: 2))).refusal
    else {
      Issue.record("not limited")
      return
    }
    #expect((1...60).contains(seconds))
    let info = try lab.client("Bob").serviceInfo()
    #expect(info.limits.eventsPerMinute == 1)
    #expect(info.limits.openRequests == 20)
    #expect(info.limits.runningMatches == 100)
  }
}
