import CubeRules
import MatchCore
import MatchInterfaces
import MatchWire
import PlayerClient
import Testing

@testable import GameScreens
@testable import cubist

@Suite("Pending events")
struct PendingTests {
  private static let match = Made.match(0x1234)

  @Test("A request without an answer is pending, and repeated it is the same request")
  func start() {
    let lab = CommandLab()
    lab.service.onEvent = { _ in .bus(.confirmed) }
    let first = lab.run("start")
    #expect(first.status == 75)
    #expect(first.errors.contains("is pending: the service has it but has not answered yet"))
    #expect(lab.memory.pending.count == 1)
    // The logs of the service name the event, too.
    let event = lab.memory.pending.keys.first.map { "\($0)" } ?? "none"
    #expect(first.errors.contains("tell the operators this event: \(event)"))
    lab.service.onEvent = { _ in .reply(.accepted(.matchStarted(Made.ticket(Self.match)))) }
    let second = lab.run("start")
    #expect(second.status == 0)
    #expect(second.output.hasPrefix("Match 1234 begins.\n"))
    #expect(Set(lab.service.events.map(\.id)).count == 1)
    #expect(lab.memory.pending.isEmpty)
  }

  @Test(
    "An event over the limit is told when to go on, in words and for programs, and counts once")
  func rateLimited() {
    let lab = CommandLab()
    lab.service.onEvent = { _ in
      .reply(.refused(.rateLimited(.eventsPerMinute, retryAfterSeconds: 7)))
    }
    let first = lab.run("start")
    #expect(first.status == 75)
    #expect(first.errors.contains("you have done too much within a minute and may go on in 7 s"))
    #expect(!first.errors.contains("operators"))
    let second = lab.run("start --json")
    #expect(second.status == 75)
    #expect(second.errors.contains(#""name":"rateLimited""#))
    #expect(second.errors.contains(#""retryAfter":7"#))
    #expect(Set(lab.service.events.map(\.id)).count == 1)
  }

  @Test("An answer is kept until the command has said it", arguments: [true, false])
  func keptUntilTold(isAccepted: Bool) {
    let lab = CommandLab()
    lab.service.onEvent = { _ in
      .reply(
        isAccepted
          ? .accepted(.matchStarted(Made.ticket(Self.match))) : .refused(.unknownMatch))
    }
    var kept: [Int] = []
    lab.onWrite = { [unowned lab] in kept.append(lab.memory.pending.count) }
    #expect(lab.run("start").status == (isAccepted ? 0 : 3))
    #expect(!kept.isEmpty)
    #expect(kept.allSatisfy { $0 == 1 })
    #expect(lab.memory.pending.isEmpty)
  }

  @Test(
    "An event that may have arrived is kept when the connection breaks",
    arguments: [PlayerAnswer.unknown, .confirmed])
  func broken(answer: PlayerAnswer) throws {
    let lab = CommandLab()
    lab.service.onEvent = { _ in .bus(answer) }
    let run = lab.run("start")
    #expect(run.status == 75)
    let event = try #require(lab.memory.pending.keys.first)
    let reason =
      answer == .unknown
      ? "no answer came back, so it may or may not have arrived"
      : "the service has it but has not answered yet"
    #expect(
      run.errors.contains(
        """
        The answer is pending: \(reason). Repeat the command: it is sent again and counts once. If \
        that does not help, tell the operators this event: \(event)
        """))
    #expect(lab.memory.pending.count == 1)
    #expect(lab.inFlight.contains(true))
    #expect(lab.inFlight.last == false)
  }

  @Test("An event that certainly did not reach the broker is not sent later unasked")
  func unsent() {
    let lab = CommandLab()
    lab.service.onEvent = { _ in .error(.disconnected("gone")) }
    #expect(lab.run("start").status == 69)
    #expect(lab.memory.pending.isEmpty)
    #expect(lab.inFlight.last == false)
  }

  @Test("Every command first sends the pending events, and says how they ended")
  func resent() {
    let lab = CommandLab()
    lab.service.onEvent = { _ in .bus(.unknown) }
    _ = lab.run("start")
    lab.service.onEvent = { _ in .reply(.refused(.nothingToWithdraw)) }
    let run = lab.run("games")
    #expect(run.status == 0)
    #expect(
      run.errors == """
        Your earlier start was refused. \
        Nothing waits that could be withdrawn. Look at your matches.

        """)
    #expect(lab.memory.pending.isEmpty)
    #expect(lab.run("games --quiet").errors == "")
  }

  @Test("A turn is not played twice after a lost answer")
  func turn() throws {
    let lab = CommandLab()
    lab.service.home = Made.home([Made.summary(Self.match)])
    lab.service.views[Self.match] = try Made.view(Self.match)
    lab.service.onEvent = { _ in .bus(.unknown) }
    #expect(lab.run("play BAC --choice 1").status == 75)
    // The service has it: now it is the other's turn.
    lab.service.home = Made.home([Made.summary(Self.match, yourTurn: false)])
    lab.service.onEvent = { _ in .reply(.accepted(.turnAccepted(Made.receipt(Self.match)))) }
    let again = lab.run("play bac --choice 1")
    #expect(again.status == 0)
    #expect(again.output == "Turn 2 against grace: BAC scores 27. You 27, grace 27.\n")
    #expect(Set(lab.service.events.map(\.id)).count == 1)
  }

  @Test("No other turn is sent in a match while one is pending")
  func otherTurn() throws {
    let lab = CommandLab()
    lab.service.home = Made.home([Made.summary(Self.match)])
    lab.service.views[Self.match] = try Made.view(Self.match)
    lab.service.onEvent = { _ in .bus(.unknown) }
    _ = lab.run("play BAC --choice 1")
    #expect(lab.run("play ABC --choice 1").status == 75)
    #expect(Set(lab.service.events.map(\.id)).count == 1)
  }

  @Test("A player changing a pending wish is told which one waits, and why")
  func otherMind() throws {
    let lab = CommandLab()
    lab.service.onQuery = { _ in .answer(SettingsView(PlayerSettings(), devices: [])) }
    lab.service.onEvent = { _ in .bus(.confirmed) }
    #expect(lab.run("settings set reminders off").status == 75)
    let event = try #require(lab.service.events.first)
    let run = lab.run("settings set reminders on")
    #expect(run.status == 75)
    #expect(
      run.errors.contains(
        "Nothing was sent: your earlier change of settings of 2026-05-01 01:46 UTC"))
    #expect(lab.run("settings set reminders on --json").errors.contains(#""earlierPending""#))
    #expect(Set(lab.service.events.map(\.id)) == [event.id])
    lab.service.onEvent = { _ in .reply(.accepted(.noted)) }
    #expect(lab.run("settings set reminders on").status == 0)
    #expect(Set(lab.service.events.map(\.id)).count == 2)
    #expect(lab.memory.pending.isEmpty)
  }

  @Test("An earlier turn that was refused does not stand in the way of a new one")
  func refusedTurn() throws {
    let lab = CommandLab()
    lab.service.home = Made.home([Made.summary(Self.match)])
    lab.service.views[Self.match] = try Made.view(Self.match)
    lab.service.onEvent = { _ in .bus(.unknown) }
    _ = lab.run("play BAC --choice 1")
    var count = 0
    lab.service.onEvent = { _ in
      count += 1
      return count == 1
        ? .reply(.refused(.unknownTurn(current: 1)))
        : .reply(.accepted(.turnAccepted(Made.receipt(Self.match))))
    }
    #expect(lab.run("play ABC --choice 1").status == 0)
    #expect(Set(lab.service.events.map(\.id)).count == 2)
  }

  @Test(
    "An answer to a turn whose reply was lost is told when it is repeated, and not for a later turn",
    arguments: [false, true], ["", "1234 "])
  func reaction(isLater: Bool, id: String) throws {
    let lab = CommandLab()
    var view = try Made.view(Self.match)
    lab.service.home = Made.home([Made.summary(Self.match)])
    lab.service.views[Self.match] = view
    lab.service.onEvent = { _ in .bus(.unknown) }
    #expect(lab.run("react \(id)CUBES").status == 75)
    // The service has it. Perhaps both have played since.
    if isLater { view.turns += [view.turns[0], view.turns[0]] }
    lab.service.views[Self.match] = view
    lab.service.onEvent = { _ in .reply(.accepted(.done(.reacted, Self.match, version: 9))) }
    #expect(lab.run("react \(id)CUBES").output.contains("is answered."))
    let actions = Set(lab.service.events.map(\.action))
    let turns = isLater ? [1, 3] : [1]
    #expect(actions == Set(turns.map { .reacted(Self.match, turn: $0, word: "CUBES") }))
    #expect(lab.memory.pending.isEmpty)
  }

  @Test(
    "An act on a match is told when it is repeated after a lost answer",
    arguments: [
      ("accept", Acceptance.matchJoined(Made.ticket(match)), "You are in match 1234.\n"),
      ("decline", .done(.invitationDeclined, match, version: 2), "Match 1234 is declined.\n"),
      ("withdraw", .done(.withdrawn, match, version: 2), "Match 1234 is withdrawn.\n"),
      (
        "forfeit --yes",
        .matchEnded(
          match, Outcome(reason: .forfeited, seat: 0, results: [.lost, .won]), points: [0, 1],
          version: 2), "Match 1234 is over: you gave up. Points: 0 : 1.\n"
      ),
      (
        "rematch", .done(.rematchOffered, match, version: 2),
        "The rematch is offered. It begins when the other player wants it too.\n"
      ),
    ] as [(String, Acceptance, String)])
  func acts(command: String, acceptance: Acceptance, text: String) {
    for repeated in [command, "\(command) 1234"] {
      let lab = CommandLab()
      lab.service.home = Made.home(
        [Made.summary(Self.match, stage: .waiting)].filter { _ in
          ["withdraw", "forfeit --yes"].contains(command)
        },
        invitations: [Made.summary(Self.match)].filter { _ in
          ["accept", "decline"].contains(command)
        }, offers: [Made.offer(Self.match)].filter { _ in command == "rematch" })
      lab.service.onEvent = { _ in .bus(.confirmed) }
      #expect(lab.run("\(command) 1234").status == 75)
      lab.service.home = Made.home()
      lab.service.onEvent = { _ in .reply(.accepted(acceptance)) }
      let run = lab.run(repeated)
      #expect(run.status == 0)
      #expect(run.output == text)
      #expect(Set(lab.service.events.map(\.id)).count == 1)
    }
  }

  @Test("A rematch that is not answered: it could not be started, try again later")
  func rematch() {
    let lab = CommandLab()
    lab.service.home = Made.home(offers: [Made.offer(Self.match)])
    lab.service.onEvent = { _ in .bus(.unknown) }
    let run = lab.run("rematch")
    #expect(run.status == 75)
    #expect(
      run.errors.hasPrefix(
        "cubist: The rematch could not be started. Please try again later. Event "))
    #expect(lab.waits.contains("Asking for a rematch …"))
    lab.service.onEvent = { _ in .reply(.refused(.rematchNotPossible)) }
    let refused = lab.run("rematch 1234")
    #expect(refused.status == 1)
    #expect(refused.output == "")
  }
}
