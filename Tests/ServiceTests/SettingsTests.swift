import Chaos
import MatchCore
import MatchInterfaces
import MatchService
import MatchWire
import PlayerClient
import Testing

@testable import cubistd

@Suite("Players' settings", .serialized)
struct SettingsTests {
  @Test(
    "Bob turns a kind off and hears of the others only; Ann's display name is in his messages",
    .timeLimit(.minutes(15)))
  func kinds() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      try bob.change(SettingsChange(kinds: [.invited: false]))
      let name = try #require(DisplayName("Ann of Gables"))
      try ann.change(SettingsChange(displayName: .set(name)))
      #expect(try bob.settings().kinds["invited"] == false)
      #expect(try bob.settings().kinds["yourTurn"] == true)
      #expect(try ann.settings().displayName == "Ann of Gables")
      let match = try ann.startMatch(
        MatchRequest(opponent: .player(bob.player), turnLimitSeconds: 3_600)
      ).ticket.match
      _ = try bob.accept(match)
      try waitUntil("Ann is told that Bob has joined, while the match runs") {
        lab.pushes.taken.contains { $0.kind == .opponentJoined }
      }
      try ann.forfeit(match)
      try waitUntil("every job is decided") {
        let jobs = try lab.jobs()
        return jobs.count == 3 && jobs.allSatisfy { $0.fate != nil }
      }
      let fates = try lab.jobs().map { "\($0.job.kind.rawValue) \($0.fate?.rawValue ?? "")" }
      #expect(
        fates.sorted() == ["invited dropped", "matchEnded delivered", "opponentJoined delivered"])
      #expect(Set(lab.pushes.taken.map(\.kind)) == [.matchEnded, .opponentJoined])
      #expect(try lab.violations() == [])
    }
  }

  @Test(
    "Bob's phone is denied and nothing is sent; a tablet that may be told gets it",
    .timeLimit(.minutes(15)))
  func devices() async throws {
    try await ServiceLab.run { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let phone = Device(
        name: try #require(DeviceName("phone")), token: "abc", permission: .denied)
      let tablet = Device(
        name: try #require(DeviceName("tablet")), token: nil, permission: .provisional)
      try bob.register(phone)
      let request = MatchRequest(opponent: .player(bob.player), turnLimitSeconds: 3_600)
      _ = try ann.startMatch(request)
      try waitUntil("the first is decided") { try lab.jobs().map(\.fate) == [.dropped] }
      try bob.register(tablet)
      #expect(
        try bob.settings().devices == [
          DeviceView(device: "phone", permission: "denied", hasToken: true),
          DeviceView(device: "tablet", permission: "provisional", hasToken: false),
        ])
      _ = try ann.startMatch(
        MatchRequest(opponent: .player(bob.player), turnLimitSeconds: 7_200))
      try waitUntil("the second is decided") {
        try lab.jobs().compactMap(\.fate).sorted { $0.rawValue < $1.rawValue }
          == [.delivered, .dropped]
      }
      try bob.removeDevice(phone.name)
      try bob.removeDevice(phone.name)
      #expect(try bob.settings().devices.map(\.device) == ["tablet"])
      #expect(try lab.violations() == [])
    }
  }
}
