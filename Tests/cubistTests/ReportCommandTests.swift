import MatchCore
import MatchWire
import PlayerClient
import Testing

@testable import cubist

@Suite("Reporting an opponent by command")
struct ReportCommandTests {
  private static let match = Made.match(0x1234)

  @Test("A report goes out about a match by id or opponent; a refusal says what to do")
  func report() throws {
    let lab = CommandLab()
    lab.service.home = Made.home([Made.summary(Self.match)])
    var sent: [Event.Action] = []
    lab.service.onEvent = { event in
      sent.append(event.action)
      return .reply(.accepted(.reported(Self.match)))
    }
    let text = Report.Text("an insult")
    let run = lab.run(["report", "grace", "--because", "name", "--text", "an insult"])
    #expect(run.output.contains("The operators have your report about match 1234."))
    _ = lab.run("report \(Self.match) --because conduct")
    #expect(sent == [.reported(Self.match, .name, text: text), .reported(Self.match, .conduct)])
    lab.service.onEvent = { _ in .reply(.refused(.noOpponent)) }
    let alone = lab.run("report 1234 --because other")
    #expect(alone.status == 1 && alone.errors.contains("cubist games"))
    lab.service.onEvent = { _ in
      .reply(.refused(.rateLimited(.reportsPerDay, retryAfterSeconds: 60)))
    }
    let full = lab.run("report 1234 --because other")
    #expect(full.status == 1 && full.errors.contains("20 matches in a day. Try again in 60 s."))
    #expect(lab.run("report 1234 --because rudeness").errors.contains("There are name, words"))
  }
}
