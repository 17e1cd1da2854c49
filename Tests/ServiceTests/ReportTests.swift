import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import RealServers
import TestedService
import Testing

@testable import cubistd

@Suite("Reports of players", .serialized, .sharedService())
struct ReportTests {
  @Test("Operators read a report with its words, the reported player gets and sees nothing")
  func report() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let desk = try OperatorDesk(lab)
      defer { desk.close() }
      let match = try lab.begin(ann, bob)
      let version = try ann.match(match).version
      let before = try bob.inbox()
      try ann.report(match, because: .conduct, text: Report.Text("lets time run out"))
      try ann.report(match, because: .name, text: Report.Text("the name insults me"))
      #expect(try ann.match(match).version == version)
      #expect(try bob.inbox() == before)

      let names = try [ann, bob].map { try #require($0.profile.name).text }
      let found = try desk.players.find(names[1].lowercased())
      #expect((found.account.lateReportCount, found.account.reportCount) == (1, 1))
      #expect(found.reports.map(\.report.match) == [match])
      #expect(found.text.contains("by 1 player in 30 days, by 1 player in all, 1 kept"))
      #expect(found.text.contains("name    \"the name insults me\""))
      #expect(try found.json().contains(#""text":"the name insults me""#))
      #expect(try desk.players.find(names[0]).reports.isEmpty)
      let all = try desk.players.reports(about: nil, limit: 5)
      #expect(all.map(\.player) == [names[0]] && all.map(\.other) == [names[1]])
    }
  }

  @Test("A player who is invited reports the inviter without an answer to the invitation")
  func invited() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = (try lab.client("Ann"), try lab.client("Bob"))
      let desk = try OperatorDesk(lab)
      defer { desk.close() }
      let name = try #require(bob.profile.name)
      let match = try ann.startMatch(against: name, turnLimitSeconds: 3_600).ticket.match
      try bob.report(match, because: .name, text: Report.Text("the name insults me"))
      let found = try desk.players.find(#require(ann.profile.name).text)
      #expect(found.reports.map(\.player) == [name.text])
      #expect(found.reports.map(\.report.match) == [match])
      #expect(try ann.match(match).version == 1)
    }
  }

  @Test("The twenty-first match of a day is refused, also where one batch has them all")
  func limit() async throws {
    try await ServiceLab.shared { lab in
      let (ann, bob) = (try lab.player("Ann"), try lab.player("Bob"))
      let matches = try (0...Report.dailyLimit).map { _ in try lab.begin(ann, bob, limit: 3_600) }
      for match in matches.dropLast() { try ann.must(.reported(match, .other)) }
      let refusal = try ann.act(.reported(matches[Report.dailyLimit], .other)).refusal
      guard case .rateLimited(.reportsPerDay, let seconds?)? = refusal else {
        Issue.record("\(String(describing: refusal))")
        return
      }
      #expect(86_000...86_400 ~= seconds)
      try ann.must(.reported(matches[0], .cheating))
      try bob.must(.reported(matches[Report.dailyLimit], .other))
    }
  }
}
