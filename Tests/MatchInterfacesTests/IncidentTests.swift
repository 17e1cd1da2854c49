import Logging
import Testing

@testable import MatchInterfaces

@Suite("Incidents")
struct IncidentTests {
  private static let messages = Incident.Messages(
    began: "broken", lasts: "still broken", ended: "whole")

  private static func seconds(_ seconds: Double) -> UInt64 { UInt64(seconds * 1e9) }

  @Test("A trouble that is met each second has three lines: at first, after a minute, at its end")
  func threeLines() {
    var incident = Incident(Self.messages)
    var lines: [Incident.Line] = []
    for second in 0...3_599 {
      if let line = incident.failed(at: Self.seconds(Double(second) + 100)) { lines.append(line) }
    }
    if let line = incident.wentWell(at: Self.seconds(3_700)) { lines.append(line) }
    #expect(
      lines == [
        Incident.Line(level: .warning, message: "broken", failures: 1, seconds: 0),
        Incident.Line(level: .error, message: "still broken", failures: 61, seconds: 60),
        Incident.Line(level: .notice, message: "whole", failures: 3_600, seconds: 3_600),
      ])
    #expect(!incident.isOpen)
    #expect(incident.wentWell(at: Self.seconds(3_701)) == nil)
  }

  @Test("A severe trouble is an error at once, and no second time")
  func severe() {
    var incident = Incident(Self.messages)
    #expect(incident.failed(at: 0, isSevere: true)?.level == .error)
    #expect(incident.failed(at: Self.seconds(100), isSevere: true) == nil)
    incident = Incident(Self.messages)
    #expect(incident.failed(at: 0)?.level == .warning)
    #expect(incident.failed(at: Self.seconds(1), isSevere: true)?.level == .error)
    #expect(incident.failed(at: Self.seconds(2), isSevere: true) == nil)
  }

  @Test("A trouble that comes back before all was calm is the same one, and ends when it last went")
  func calm() {
    var incident = Incident(Self.messages, calm: .seconds(10))
    #expect(incident.failed(at: 0)?.message == "broken")
    #expect(incident.wentWell(at: Self.seconds(1)) == nil)
    #expect(incident.wentWell(at: Self.seconds(10.9)) == nil)
    #expect(incident.failed(at: Self.seconds(10.95)) == nil)
    #expect(incident.wentWell(at: Self.seconds(12)) == nil)
    #expect(incident.wentWell(at: Self.seconds(21)) == nil)
    #expect(
      incident.wentWell(at: Self.seconds(22))
        == Incident.Line(level: .notice, message: "whole", failures: 2, seconds: 12))
    #expect(incident.failed(at: Self.seconds(23))?.failures == 1)
  }

  @Test("However troubles come and go, beginnings and ends alternate, and all are counted")
  func anyOrder() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var incident = Incident(Self.messages, calm: .seconds(Int.random(in: 0...5)))
      var (uptime, told, met, isOpen): (UInt64, Int, Int, Bool) = (0, 0, 0, false)
      for _ in 0..<300 {
        uptime += UInt64.random(in: 0...4_000_000_000, using: &generator)
        let fails = Bool.random(using: &generator)
        if fails { met += 1 }
        let line = fails ? incident.failed(at: uptime) : incident.wentWell(at: uptime)
        guard let line else { continue }
        switch line.message {
        case "broken":
          #expect(!isOpen)
          isOpen = true
        case "whole":
          #expect(isOpen)
          isOpen = false
          told += line.failures
        default: #expect(isOpen)
        }
      }
      uptime += 1
      _ = incident.wentWell(at: uptime)
      if let line = incident.wentWell(at: uptime + 5_000_000_000) { told += line.failures }
      #expect(told == met || !incident.isOpen)
    }
  }

  @Test("Incidents of one kind are told apart, and one that is over is forgotten")
  func apart() {
    var incidents = Incidents<Int>(Self.messages)
    #expect(incidents.failed(1, at: 0)?.message == "broken")
    #expect(incidents.failed(2, at: 0)?.message == "broken")
    #expect(incidents.failed(1, at: 1) == nil)
    #expect(incidents.wentWell(1, at: 2)?.failures == 2)
    #expect(incidents.keys == [2])
    #expect(incidents.wentWell(1, at: 3) == nil)
  }
}
