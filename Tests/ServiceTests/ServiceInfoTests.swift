import Chaos
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Testing

@testable import cubistd

@Suite("Information about the service", .serialized)
struct ServiceInfoTests {
  @Test(
    "Ann sees the service's version and limits, and how many play today's dailies",
    .timeLimit(.minutes(15)))
  func info() async throws {
    let options = ServiceLab.Options(roles: [.scheduler, .reader, .relay, .push])
    try await ServiceLab.run(options) { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      try waitUntil("both are dealt") {
        try ann.home().daily.isDealt && ann.home().timedDaily?.isDealt == true
      }
      let daily = try ann.home().daily.daily
      var timed = daily
      timed.mode = .timed
      for player in [ann, bob] { _ = try player.startDaily(daily) }
      _ = try bob.startDaily(timed)
      try waitUntil("who plays is counted") {
        try ann.serviceInfo().dailies == [
          .init(daily: daily, players: 2), .init(daily: timed, players: 1),
        ]
      }
      let info = try ann.serviceInfo()
      #expect(info.version == Release.number && info.oldestClient == .oldestServed)
      #expect(info.limits == .current)
      #expect(info.registration == .open)
      // A program that is too old is told so, and which one it takes.
      ann.version = ProgramVersion(major: 0, minor: 0, patch: 9)
      let error = #expect(throws: ClientError.self) { _ = try ann.serviceInfo() }
      #expect(error == .outdated(version: ann.version, oldest: .oldestServed))
    }
  }
}
