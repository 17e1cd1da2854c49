import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@testable import cubist

@Suite("Questions before acts")
struct AskingTests {
  private static let match = Made.match(0x1234)

  /// A lab in which ada has invited grace, for a day a turn.
  private static func lab(invited: Bool = false) -> CommandLab {
    let lab = CommandLab()
    let summary = Made.summary(match, yourTurn: false, stage: .waiting)
    lab.service.home = invited ? Made.home(invitations: [summary]) : Made.home([summary])
    lab.service.onEvent = { _ in .reply(.accepted(.matchStarted(Made.ticket(match)))) }
    return lab
  }

  @Test("A second invitation on other terms is sent only after a question")
  func secondInvitation() {
    let lab = Self.lab()
    let run = lab.run("start grace --turn-limit 3d")
    #expect(run.status == 64)
    #expect(
      run.errors == """
        cubist: You have invited grace already: match 1234, 1 day a turn. Invite grace all the \
        same? Nobody can be asked here: say --yes.
        Try: cubist show 1234
        Try: cubist start grace --turn-limit 3d --yes

        """)
    lab.isTerminal = true
    lab.lines = ["n", "y"]
    #expect(lab.run("start grace --turn-limit 3d").status == 1)
    #expect(lab.service.events == [])
    #expect(lab.run("start grace --turn-limit 3d").status == 0)
    #expect(lab.run("start grace --casual --yes").status == 0)
    #expect(lab.service.events.count == 2)
  }

  @Test(
    "The same invitation is for the service to refuse; hers is answered by one on the same terms")
  func sameInvitation() {
    let lab = Self.lab()
    #expect(lab.run("start grace").status == 0)
    #expect(lab.run("start --turn-limit 3d").status == 0)
    var second = Made.summary(Made.match(0x5678), yourTurn: false, stage: .waiting)
    second.turnLimit = 3 * 86_400
    lab.service.home.matches.insert(second, at: 0)
    #expect(lab.run("start grace").status == 0, "one on the same terms stands, too")
    let theirs = Self.lab(invited: true)
    #expect(theirs.run("start grace").status == 0)
    let other = theirs.run("start grace --casual")
    #expect(other.status == 64)
    #expect(other.errors.contains("grace has invited you already: match 1234"))
    #expect(other.errors.contains("Try: cubist accept 1234\n"))
  }

  @Test("A match that the service cannot show is named below the others")
  func damaged() {
    let lab = Self.lab()
    lab.service.home = Made.home([Made.summary(Self.match)])
    lab.service.home.damaged = [MatchID(rawValue: 0xabcd)]
    let home = lab.run("home")
    #expect(home.status == 0)
    #expect(home.output.contains("Your turn"))
    #expect(
      home.output.contains(
        "Match abcd: This match cannot be shown at the moment. The operator has been told.\n"))
    #expect(lab.run("home --json").output.contains(#""damaged":["#))
    lab.service.home.moreMatches = 2
    for command in ["games", "games --with nobody"] {
      let games = lab.run(command)
      #expect(
        games.output.hasSuffix(
          """

          2 older matches are not listed.

          Match abcd: This match cannot be shown at the moment. The operator has been told.

          """), "\(command): \(games)")
      let json = lab.run("\(command) --json").output
      #expect(json.contains(#""damaged":["#) && json.contains(#""moreMatches":2"#))
    }
  }

  @Test("An invitation without an answer is repeated without a question")
  func pendingInvitation() {
    let lab = Self.lab()
    lab.service.home = Made.home()
    lab.service.onEvent = { _ in .bus(.confirmed) }
    #expect(lab.run("start grace --turn-limit 3d").status == 75)
    // The service has it, and lists it: one day a turn, by the lab.
    lab.service.home = Made.home([Made.summary(Self.match, yourTurn: false, stage: .waiting)])
    lab.service.onEvent = { _ in .reply(.accepted(.matchStarted(Made.ticket(Self.match)))) }
    #expect(lab.run("start grace --turn-limit 3d").status == 0)
    #expect(Set(lab.service.events.map(\.id)).count == 1)
  }

  @Test("A bot plays as it is told: one match, all, or all after a question")
  func bot() throws {
    let lab = CommandLab()
    lab.service.home = Made.home([Made.summary(Self.match)])
    lab.service.views[Self.match] = try Made.view(Self.match)
    lab.service.settings.bot = true
    lab.service.onEvent = { _ in .reply(.refused(.recordFull(limit: 1))) }
    let run = lab.run("bot --seconds 1")
    #expect(run.status == 64)
    #expect(run.errors.contains("Play all your matches as ada, now 1, and any new one?"))
    #expect(
      run.errors.contains(
        "Try: cubist bot --match 1234 --seconds 1\nTry: cubist bot --all --seconds 1\n"))
    lab.isTerminal = true
    lab.lines = ["n"]
    #expect(lab.run("bot").status == 1)
    #expect(lab.service.events == [])
    #expect(lab.run("bot --match 1234 --all").status == 64)
  }

  @Test("A bot plays for accounts that are declared one, and declares none without a word")
  func declaredBot() throws {
    let lab = CommandLab()
    lab.service.home = Made.home([Made.summary(Self.match)])
    lab.service.views[Self.match] = try Made.view(Self.match)
    lab.service.onEvent = { event in
      guard case .settingsChanged = event.action else {
        return .reply(.refused(.recordFull(limit: 1)))
      }
      return .reply(.accepted(.noted))
    }
    let question = "The games of ada leave the boards for good. Declare ada a bot?"
    let run = lab.run("bot --match 1234 --seconds 1")
    #expect(run.status == 64 && run.errors.contains(question))
    #expect(run.errors.contains("Try: cubist bot --match 1234 --declare --seconds 1\n"))
    #expect(
      lab.run("bot --seconds 1").errors.contains(
        "Try: cubist bot --match 1234 --declare --seconds 1\n"
          + "Try: cubist bot --all --declare --seconds 1\n"))
    lab.isTerminal = true
    lab.lines = ["n"]
    let asked = lab.run("bot --match 1234 --seconds 1")
    #expect(asked.status == 1 && (asked.output + asked.errors).contains("\(question) [y/N]"))
    #expect(lab.service.events == [])

    // The bot ends with its match.
    var ended = try Made.view(Self.match)
    ended.stage = .ended
    ended.outcome = Outcome(reason: .cleared, seat: nil, results: [.won, .lost])
    lab.service.views[Self.match] = ended
    func declarations() -> Int {
      lab.service.events.count { $0.action == .settingsChanged(SettingsChange(isBot: true)) }
    }
    lab.lines = ["y"]
    _ = lab.run("bot --match 1234 --seconds 1")
    #expect(declarations() == 1)
    lab.isTerminal = false
    _ = lab.run("bot --match 1234 --declare --seconds 1")
    #expect(declarations() == 2)
    lab.service.settings.bot = true
    _ = lab.run("bot --match 1234 --declare --seconds 1")
    #expect(declarations() == 2, "once is for ever")
  }

  @Test("A bot waits while the service is away, says so once, and goes on by itself")
  func waitingBot() throws {
    let lab = CommandLab()
    lab.service.home = Made.home([Made.summary(Self.match, yourTurn: false)])
    lab.service.settings.bot = true
    var view = try Made.view(Self.match)
    view.stage = .ended
    view.outcome = Outcome(reason: .cleared, seat: nil, results: [.won, .lost])
    lab.service.views[Self.match] = view
    var looks = 0
    lab.service.onQuery = { kind in
      guard case .matches = kind else { return nil }
      looks += 1
      // Away after the first look, then overloaded.
      if (2...11).contains(looks) { return .error(.disconnected("refused")) }
      return (12...20).contains(looks) ? .refusal(.unavailable) : nil
    }
    let run = lab.run("bot --match 1234")
    #expect(run.status == 0, "\(run)")
    #expect(looks > 20)
    #expect(run.errors.ranges(of: "Waiting until the service answers.").count == 1, "\(run)")
    #expect(run.errors.ranges(of: "The service answers again.").count <= 1, "\(run)")
    #expect(run.output.ranges(of: "A request: ").count == 1, "\(run)")
    // What does not pass by itself ends it.
    looks = 0
    lab.service.onQuery = { kind in
      guard case .matches = kind else { return nil }
      looks += 1
      return looks > 1 ? .refusal(.keyRevoked) : nil
    }
    #expect(lab.run("bot --match 1234").status != 0)
  }
}
