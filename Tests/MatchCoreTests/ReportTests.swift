import Testing

@testable import MatchCore

@Suite("Reporting an opponent")
struct ReportTests {
  let lab = MatchLab()

  @Test("A report names the other player of a match, running or over, and nobody is told")
  func report() throws {
    let id = lab.runningMatch()
    let text = try #require(Report.Text("lets time run out"))
    lab.send(lab.event(.reported(id, .conduct, text: text), by: .ann)) {
      $0.reply = .accepted(.reported(id))
    }
    lab.act(.matchForfeited(id), by: .ann)
    lab.send(lab.event(.reported(id, .cheating), by: .bob)) { $0.reply = .accepted(.reported(id)) }
    let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
    #expect(
      lab.reports == [
        Report(ann, in: id, about: bob, reason: .conduct, text: text, at: lab.now),
        Report(bob, in: id, about: ann, reason: .cheating, text: nil, at: lab.now),
      ])
  }

  // Failure: Refusal.noOpponent: Nobody else sits in the match, so nobody can be reported.
  @Test("Only a player of the match reports, and only an opponent who is there")
  func refusals() {
    let id = lab.runningMatch()
    lab.refuse(lab.event(.reported(id, .name), by: .cyd), .unknownMatch)
    lab.refuse(lab.event(.reported(MatchID(rawValue: 7), .name), by: .ann), .unknownMatch)
    for request in [
      MatchRequest(alone: .timed), MatchRequest(opponent: .open, turnLimitSeconds: 600),
      MatchRequest(opponent: .random, turnLimitSeconds: 600),
    ] {
      let sent = lab.event(.matchRequested(request), by: .ann)
      lab.act(sent)
      lab.refuse(lab.event(.reported(sent.newMatch, .name), by: .ann), .noOpponent)
      lab.refuse(lab.event(.reported(sent.newMatch, .name), by: .bob), .unknownMatch)
    }
    #expect(lab.reports.isEmpty)
  }

  @Test("A player who is invited reports the inviter, before the answer and after it")
  func invited() {
    let request = MatchRequest(opponent: .player(TestPlayer.bob.id), turnLimitSeconds: 600)
    let sent = lab.event(.matchRequested(request), by: .ann)
    let id = sent.newMatch
    lab.act(sent)
    lab.send(lab.event(.reported(id, .name), by: .bob)) { $0.reply = .accepted(.reported(id)) }
    // An invitation gives nobody the means to report just anybody.
    lab.refuse(lab.event(.reported(id, .name), by: .ann), .noOpponent)
    lab.refuse(lab.event(.reported(id, .name), by: .cyd), .unknownMatch)
    lab.act(.invitationDeclined(id), by: .bob)
    lab.send(lab.event(.reported(id, .conduct), by: .bob)) { $0.reply = .accepted(.reported(id)) }
    let (ann, bob) = (TestPlayer.ann.id, TestPlayer.bob.id)
    #expect(lab.reports.map(\.player) == [bob, bob])
    #expect(lab.reports.map(\.other) == [ann, ann])
  }

  // Failure: Refusal.rateLimited
  @Test("A day has room for twenty reports; another one about the same match is free")
  func limit() {
    let ids = (0...Report.dailyLimit).map { _ in lab.runningMatch() }
    let first = lab.now
    for id in ids.dropLast() {
      lab.act(.reported(id, .other), by: .ann)
      lab.pass(seconds: 60)
    }
    func refusal() -> Refusal {
      let seconds = first.adding(seconds: 86_400).microseconds(since: lab.now) / 1_000_000
      return .rateLimited(.reportsPerDay, retryAfterSeconds: seconds)
    }
    let next = ids[Report.dailyLimit]
    lab.refuse(lab.event(.reported(next, .other), by: .ann), refusal())
    lab.send(lab.event(.reported(ids[3], .words), by: .ann)) {
      $0.reply = .accepted(.reported(ids[3]))
    }
    lab.act(.reported(next, .other), by: .bob)
    #expect(lab.reports.last?.player == TestPlayer.bob.id)
    lab.pass(seconds: 86_400 - Int64(Report.dailyLimit) * 60)
    // By now its time is up, too.
    #expect(lab.act(.reported(next, .other), by: .ann) == .accepted(.reported(next)))
  }

  @Test("A refusal that passes with time is not kept, the others are")
  func kept() {
    #expect(!Refusal.rateLimited(.reportsPerDay, retryAfterSeconds: 1).isStored)
    #expect(Refusal.noOpponent.isStored)
  }

  @Test("A text has 1 to 200 bytes of visible characters on one line")
  func texts() {
    let longest = String(repeating: "\u{e9}", count: 100)
    for text in ["a", "two words", "caf\u{e9}", longest] {
      #expect(Report.Text(text)?.text == text)
    }
    for text in [
      "", " a", "a ", longest + "a", "a\nb", "a\u{1b}[2J", "a\u{202e}b", "\u{301}a", "a\u{200b}b",
      "a\u{0}", "a\tb", "a" + String(repeating: "\u{301}", count: 20),
    ] {
      #expect(Report.Text(text) == nil, "\(text.debugDescription)")
    }
  }
}
